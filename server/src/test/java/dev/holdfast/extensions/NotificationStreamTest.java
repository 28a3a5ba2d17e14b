package dev.holdfast.extensions;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.net.HttpCaller;
import dev.holdfast.time.ManualTime;
import dev.holdfast.time.SystemTime;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How often a server is asked for a stream that does not last. */
@Timeout(60)
class NotificationStreamTest {
  private final ManualTime time = new ManualTime();
  private final Vertx vertx = Vertx.vertx();
  private final HttpCaller http = HttpCaller.create(vertx, new SystemTime()); // sockets
  private final InboundQueue inbound = new InboundQueue();
  private Duration lasts = Duration.ZERO;

  @AfterEach
  void close() throws Exception {
    http.close();
    vertx.close().toCompletionStage().toCompletableFuture().get();
  }

  /** The waits between so many requests. */
  private List<Duration> waits(String flag, int requests) throws Exception {
    try (RemoteServer far = new RemoteServer(flag)) {
      RemoteConfig remote =
          ExtensionRig.parsed(far.entry("demo", "")).getFirst().remote().orElseThrow();
      McpEndpoint endpoint = new McpEndpoint(http, remote);
      AtomicInteger made = new AtomicInteger();
      NotificationStream stream =
          new NotificationStream(
              (last, limits) -> {
                if (made.incrementAndGet() > requests) {
                  throw new InterruptedException();
                }
                time.advance(lasts);
                return endpoint.listen(last, limits);
              },
              1000,
              inbound,
              time);
      assertThatThrownBy(stream::run).isInstanceOf(InterruptedException.class);
    }
    return time.sleeps();
  }

  @ParameterizedTest
  @CsvSource({"get-closed", "get-busy"})
  void oneThatEndsAtOnceOrIsRefusedForNowIsAskedForEverMoreRarely(String flag) throws Exception {
    assertThat(waits(flag, 8))
        .containsExactly(
            ofSeconds(1),
            ofSeconds(2),
            ofSeconds(4),
            ofSeconds(8),
            ofSeconds(16),
            ofSeconds(32),
            ofSeconds(60),
            ofSeconds(60));
  }

  @Test
  void oneThatLastedAWhileIsAskedForAgainSoon() throws Exception {
    lasts = ofSeconds(20);
    assertThat(waits("get-closed", 3)).containsExactly(ofSeconds(1), ofSeconds(1), ofSeconds(1));
  }

  @Test
  void aWaitThatTheServerNamesIsKept() throws Exception {
    assertThat(waits("get-paused", 2)).containsExactly(ofSeconds(90), ofSeconds(90));
  }
}
