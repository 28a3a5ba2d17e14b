package dev.holdfast.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.api.FailureCode;
import dev.holdfast.net.HttpCaller.Limits;
import dev.holdfast.net.HttpCaller.Request;
import dev.holdfast.net.HttpCaller.Response;
import dev.holdfast.net.HttpCaller.Streamed;
import dev.holdfast.time.SystemTime;
import io.vertx.core.AbstractVerticle;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.ThreadingModel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class HttpCallerTest extends HttpCase {
  private static final String HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n";
  private static final String CHUNKED = HEAD + "transfer-encoding: chunked\r\n\r\n";

  private static Limits limits(int firstMillis, int idleMillis, int totalMillis) {
    return new Limits(
        Duration.ofSeconds(2),
        Duration.ofMillis(firstMillis),
        Duration.ofMillis(idleMillis),
        Duration.ofMillis(totalMillis),
        1024 * 1024);
  }

  private static final Duration LONG = Duration.ofSeconds(10);
  private static final Limits PATIENT = limits(5000, 5000, 10_000);

  private static Request get(String url) {
    return new Request("GET", url, Map.of("x-test", "1"), new byte[0]);
  }

  private static HttpFailedException failure(String url, Limits limits) {
    return catchThrowableOfType(HttpFailedException.class, () -> http.send(get(url), limits));
  }

  @Test
  void givesStatusHeadersAndBodyOfAnyAnswer() throws Exception {
    try (RawServer server =
        new RawServer(
            c -> c.write("HTTP/1.1 503 No\r\nRetry-After: 7\r\ncontent-length: 4\r\n\r\nbusy"))) {
      Response answer = http.send(get(server.url()), PATIENT);
      assertThat(answer.status()).isEqualTo(503);
      assertThat(answer.headers().get("retry-after")).containsExactly("7");
      assertThat(new String(answer.body(), StandardCharsets.UTF_8)).isEqualTo("busy");
    }
  }

  @Test
  void aRefusedConnectionWasSurelyNotSent() throws Exception {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    HttpFailedException e = failure("http://127.0.0.1:" + port, PATIENT);
    assertThat(e.failure().code()).isEqualTo(FailureCode.NETWORK);
    assertThat(e.isPassing()).isTrue();
    assertThat(e.surelyNotSent()).isTrue();
  }

  @Test
  void anUnknownNameWasSurelyNotSent() {
    HttpFailedException e = failure("http://no-such-host.invalid/secret-path", PATIENT);
    assertThat(e.failure().code()).isEqualTo(FailureCode.NETWORK);
    assertThat(e.failure().message())
        .contains("no-such-host.invalid")
        .doesNotContain("secret-path");
    assertThat(e.surelyNotSent()).isTrue();
  }

  @Test
  void anAddressOrHeaderThatIsNotValidIsNotSent() {
    assertThat(failure("ftp://example.org", PATIENT).surelyNotSent()).isTrue();
    assertThat(failure("not a url", PATIENT).failure().code())
        .isEqualTo(FailureCode.INVALID_REQUEST);
    Request smuggled =
        new Request("GET", "http://127.0.0.1:1", Map.of("a", "b\r\nc: d"), new byte[0]);
    HttpFailedException e =
        catchThrowableOfType(HttpFailedException.class, () -> http.send(smuggled, PATIENT));
    assertThat(e.failure().code()).isEqualTo(FailureCode.INVALID_REQUEST);
  }

  @Test
  void silenceEndsAtTheFirstByteLimitAndMayHaveBeenRead() throws Exception {
    try (RawServer server = new RawServer(RawServer.Connection::awaitClose)) {
      HttpFailedException e = failure(server.url(), limits(200, 5000, 10_000));
      assertThat(e.failure().code()).isEqualTo(FailureCode.TIMEOUT);
      assertThat(e.surelyNotSent()).isFalse();
      assertThat(server.gone().await(5, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aStalledBodyEndsAtTheIdleLimit() throws Exception {
    try (RawServer server =
        new RawServer(
            c -> {
              c.write(CHUNKED);
              c.chunk("begun");
              c.awaitClose();
            })) {
      HttpFailedException e = failure(server.url(), limits(5000, 200, 10_000));
      assertThat(e.failure().code()).isEqualTo(FailureCode.STREAM_TIMEOUT);
      assertThat(server.gone().await(5, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aTrickleEndsAtTheTotalLimit() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    try (RawServer server =
        new RawServer(
            c -> {
              c.write(CHUNKED);
              while (!never.await(20, TimeUnit.MILLISECONDS)) {
                c.chunk(".");
              }
            })) {
      HttpFailedException e = failure(server.url(), limits(5000, 5000, 400));
      assertThat(e.failure().code()).isEqualTo(FailureCode.TIMEOUT);
    }
  }

  @Test
  void anEndlessBodyIsCutOffAtItsLimit() throws Exception {
    try (RawServer server =
        new RawServer(
            c -> {
              c.write(CHUNKED);
              while (true) {
                c.chunk("x".repeat(10_000));
              }
            })) {
      HttpFailedException e = failure(server.url(), PATIENT);
      assertThat(e.failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
      assertThat(e.isPassing()).isFalse();
      assertThat(server.gone().await(5, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aBodyThatIsCutOffIsAFailure() throws Exception {
    try (RawServer server =
        new RawServer(
            c -> {
              c.write(CHUNKED);
              c.chunk("half");
              c.reset();
            })) {
      HttpFailedException e = failure(server.url(), PATIENT);
      assertThat(e.failure().code()).isEqualTo(FailureCode.NETWORK);
      assertThat(e.surelyNotSent()).isFalse();
    }
    try (RawServer server = new RawServer(c -> c.write(HEAD + "content-length: 10\r\n\r\nhalf"))) {
      assertThat(failure(server.url(), PATIENT).failure().code()).isEqualTo(FailureCode.NETWORK);
    }
  }

  @Test
  void anInterruptClosesTheConnection() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    try (RawServer server =
        new RawServer(
            c -> {
              asked.countDown();
              c.awaitClose();
            })) {
      CompletableFuture<Throwable> thrown = new CompletableFuture<>();
      Thread caller =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      http.send(get(server.url()), PATIENT);
                    } catch (HttpFailedException | InterruptedException e) {
                      thrown.complete(e);
                    }
                  });
      assertThat(asked.await(5, TimeUnit.SECONDS)).isTrue();
      caller.interrupt();
      assertThat(thrown.get(5, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
      assertThat(server.gone().await(5, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aSlowReaderHoldsTheSenderBack() throws Exception {
    try (RawServer server =
        new RawServer(
            c -> {
              c.write(CHUNKED);
              for (int i = 0; i < 4000; i++) {
                c.chunk("x".repeat(10_000));
              }
              c.write("0\r\n\r\n");
              c.readHead(); // stays open: a close would race with what is still to be read
            })) {
      Limits large =
          new Limits(
              Duration.ofSeconds(2),
              Duration.ofSeconds(5),
              Duration.ofSeconds(5),
              Duration.ofSeconds(20),
              100_000_000);
      Streamed answer = http.stream(get(server.url()), large);
      long before = -1;
      while (before != server.written()) {
        before = server.written();
        new CountDownLatch(1).await(200, TimeUnit.MILLISECONDS);
      }
      assertThat(server.written()).isLessThan(15_000_000);
      assertThat(answer.body().readAllBytes()).hasSize(40_000_000);
    }
  }

  /** As a model's server does that answers fast and keeps no connection. */
  @Test
  void anAnswerIsReadToItsEndThoughItsConnectionIsClosedBehindIt() throws Exception {
    try (RawServer server =
        new RawServer(
            c -> {
              c.write(CHUNKED);
              for (int i = 0; i < 50; i++) {
                c.chunk("x".repeat(48_000));
              }
              c.write("0\r\n\r\n");
            })) {
      Limits large = new Limits(LONG, LONG, LONG, LONG, 100_000_000);
      for (int round = 0; round < 10; round++) {
        Streamed answer = http.stream(get(server.url()), large);
        long before = -1;
        while (before != server.written()) {
          before = server.written();
          new CountDownLatch(1).await(50, TimeUnit.MILLISECONDS);
        }
        assertThat(answer.body().readAllBytes()).hasSize(50 * 48_000);
      }
    }
  }

  @Test
  void theConnectionIsKeptWhenTheRestOfABodyIsLeft() throws Exception {
    try (RawServer server =
        new RawServer(
            c -> {
              while (true) {
                c.write(CHUNKED);
                c.chunk("first");
                c.chunk("second");
                c.write("0\r\n\r\n");
                c.readHead();
              }
            })) {
      for (int i = 0; i < 3; i++) {
        Streamed answer = http.stream(get(server.url()), PATIENT);
        assertThat(answer.body().read()).isEqualTo('f');
        answer.body().release();
        assertThat(answer.body().read()).isEqualTo(-1);
        new CountDownLatch(1).await(50, TimeUnit.MILLISECONDS);
      }
      assertThat(server.connections()).isEqualTo(1);
    }
  }

  @Test
  void closingABodyClosesTheConnection() throws Exception {
    try (RawServer server =
        new RawServer(
            c -> {
              c.write(CHUNKED);
              c.chunk("first");
              c.awaitClose();
            })) {
      try (BodyStream body = http.stream(get(server.url()), PATIENT).body()) {
        assertThat(body.read()).isEqualTo('f');
      }
      assertThat(server.gone().await(5, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void compressedDataIsNotUnpacked() throws Exception {
    try (RawServer server =
        new RawServer(
            c -> c.write(HEAD + "content-encoding: gzip\r\ncontent-length: 3\r\n\r\nbad"))) {
      assertThat(http.send(get(server.url()), PATIENT).body()).hasSize(3);
    }
  }

  @Test
  void redirectsAreAnswersNotFollowed() throws Exception {
    String answer = "HTTP/1.1 302 Found\r\nlocation: /b\r\ncontent-length: 0\r\n\r\n";
    try (RawServer server = new RawServer(c -> c.write(answer))) {
      assertThat(http.send(get(server.url()), PATIENT).status()).isEqualTo(302);
    }
  }

  @Test
  void thousandCallsAtOnceDoNotBlockEachOther() throws Exception {
    try (RawServer server =
        new RawServer(
            c -> {
              while (true) {
                c.write(HEAD + "content-length: 2\r\n\r\nok");
                c.readHead();
              }
            })) {
      CountDownLatch done = new CountDownLatch(1000);
      for (int i = 0; i < 1000; i++) {
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    http.send(get(server.url()), limits(20_000, 20_000, 20_000));
                    done.countDown();
                  } catch (HttpFailedException | InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                });
      }
      assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  /** What comes behind the head takes nothing from it, however soon it comes. */
  @Test
  void aHeadThatCameIsAnAnswerWhateverBreaksThen() throws Exception {
    try (RawServer server =
        new RawServer(
            c -> {
              c.write(HEAD + "content-length: 100\r\n\r\nhalf");
              c.reset();
            })) {
      for (int i = 0; i < 500; i++) {
        Streamed answer = http.stream(get(server.url()), PATIENT);
        answer.body().release();
        assertThat(answer.status()).isEqualTo(200);
      }
    }
  }

  @Test
  void aVerticleOnAVirtualThreadMayBlockOnIt() throws Exception {
    try (RawServer server = new RawServer(c -> c.write(HEAD + "content-length: 2\r\n\r\nok"))) {
      CompletableFuture<Integer> status = new CompletableFuture<>();
      vertx.deployVerticle(
          new AbstractVerticle() {
            @Override
            public void start() throws Exception {
              status.complete(http.send(get(server.url()), PATIENT).status());
            }
          },
          new DeploymentOptions().setThreadingModel(ThreadingModel.VIRTUAL_THREAD));
      assertThat(status.get(10, TimeUnit.SECONDS)).isEqualTo(200);
    }
  }

  @Test
  void aClosedClientFailsCleanly() throws IOException {
    HttpCaller own = HttpCaller.create(vertx, new SystemTime()); // sockets are real
    own.close();
    HttpFailedException e =
        catchThrowableOfType(
            HttpFailedException.class, () -> own.send(get("http://127.0.0.1:1"), PATIENT));
    assertThat(e.surelyNotSent()).isTrue();
  }
}
