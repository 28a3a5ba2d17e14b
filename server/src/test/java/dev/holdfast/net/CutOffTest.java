package dev.holdfast.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.api.FailureCode;
import dev.holdfast.net.HttpCaller.Limits;
import dev.holdfast.net.HttpCaller.Request;
import dev.holdfast.net.HttpCaller.Response;
import dev.holdfast.time.ManualTime;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that end, or do not, before they have gone out whole. */
@Timeout(60)
class CutOffTest extends HttpCase {
  private final ManualTime time = new ManualTime();

  private static Limits limits(int firstMillis, int totalMillis) {
    return new Limits(
        Duration.ofSeconds(10),
        Duration.ofMillis(firstMillis),
        Duration.ofSeconds(5),
        Duration.ofMillis(totalMillis),
        1024);
  }

  @Test
  void anInterruptTellsWhetherAnythingWasSent() throws Exception {
    try (ServerSocket deaf = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      CompletableFuture<Throwable> thrown = new CompletableFuture<>();
      String url = "https://127.0.0.1:" + deaf.getLocalPort();
      Thread caller = Thread.ofVirtual().start(() -> thrown.complete(thrownBy(url)));
      try (Socket _ = deaf.accept()) { // it waits for the other side of TLS
        caller.interrupt();
        assertThat(thrown.get()).isInstanceOf(UnsentInterruptedException.class);
      }
    }
    CountDownLatch asked = new CountDownLatch(1);
    RawServer.Script silent =
        c -> {
          asked.countDown();
          c.awaitClose();
        };
    try (RawServer server = new RawServer(silent)) {
      CompletableFuture<Throwable> thrown = new CompletableFuture<>();
      Thread caller = Thread.ofVirtual().start(() -> thrown.complete(thrownBy(server.url())));
      asked.await();
      caller.interrupt();
      assertThat(thrown.get()).isExactlyInstanceOf(InterruptedException.class);
    }
  }

  private static Throwable thrownBy(String url) {
    return catchThrowable(
        () -> http.send(new Request("GET", url, Map.of(), new byte[0]), limits(5000, 10_000)));
  }

  @Test
  void aSlowLineDoesNotCountAgainstTheAnswer() throws Exception {
    int size = 64 * 1024 * 1024; // more than the buffers between the two take
    RawServer.Script slow =
        c -> {
          time.advance(Duration.ofSeconds(3));
          c.read(size);
          c.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
        };
    try (HttpCaller caller = HttpCaller.create(vertx, time);
        RawServer server = new RawServer(slow)) {
      Request large = new Request("POST", server.url(), Map.of(), new byte[size]);
      Response answer = caller.send(large, limits(1500, 25_000));
      assertThat(new String(answer.body(), StandardCharsets.UTF_8)).isEqualTo("ok");
    }
  }

  @Test
  void anUploadThatNeverEndsIsBoundedByTheWhole() {
    RawServer.Script never =
        _ -> {
          time.advance(Duration.ofSeconds(2));
          new CountDownLatch(1).await();
        };
    try (HttpCaller caller = HttpCaller.create(vertx, time);
        RawServer server = new RawServer(never)) {
      Request large = new Request("POST", server.url(), Map.of(), new byte[64 * 1024 * 1024]);
      HttpFailedException e =
          catchThrowableOfType(
              HttpFailedException.class, () -> caller.send(large, limits(500, 1500)));
      assertThat(e.failure().code()).isEqualTo(FailureCode.TIMEOUT);
      assertThat(e.surelyNotSent()).isFalse();
    }
  }
}
