package dev.holdfast.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.api.FailureCode;
import dev.holdfast.net.HttpCaller.Limits;
import dev.holdfast.net.HttpCaller.Request;
import dev.holdfast.time.SystemTime;
import dev.holdfast.time.Time;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process that was stopped for a while: the timers come before the network's news. */
@Timeout(30)
class StandstillTest {
  private static final String OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
  private static final Limits LIMITS =
      new Limits(
          Duration.ofSeconds(5),
          Duration.ofSeconds(20),
          Duration.ofSeconds(3),
          Duration.ofSeconds(30),
          1024);

  private final HeldTime time = new HeldTime();
  private Vertx vertx;
  private HttpCaller http;

  @BeforeEach
  void open() {
    vertx = Vertx.vertx(new VertxOptions().setAddressResolverOptions(HttpCaller.names()));
    http = HttpCaller.create(vertx, time);
  }

  @AfterEach
  void close() {
    http.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private static Request get(String url) {
    return new Request("GET", url, Map.of(), new byte[0]);
  }

  /** It had its connection, only its thread had not seen it yet. */
  @Test
  void aRequestThatGotItsConnectionIsNotEndedByTheTimerForIt() throws Exception {
    time.firesOnEventLoops = true;
    try (RawServer server = new RawServer(c -> c.write(OK))) {
      assertThat(http.send(get(server.url()), LIMITS).status()).isEqualTo(200);
      assertThat(time.fired).hasPositiveValue();
    }
  }

  @Test
  void anAnswerThatCameWhileWeStoodStillIsRead() throws Exception {
    try (RawServer server =
        new RawServer(
            c -> {
              time.move(Duration.ofMinutes(2));
              c.write(OK);
            })) {
      assertThat(http.send(get(server.url()), LIMITS).status()).isEqualTo(200);
      assertThat(time.fired).hasPositiveValue();
    }
  }

  /** The network's news came before the timers, which were never needed. */
  @Test
  void theRestOfAnAnswerThatBeganBehindAStandstillIsRead() throws Exception {
    try (RawServer server =
        new RawServer(
            c -> {
              time.moved.addAndGet(Duration.ofMinutes(2).toNanos());
              time.set.drainPermits();
              c.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n");
              assertThat(time.set.tryAcquire(5, TimeUnit.SECONDS))
                  .as("waits for the rest")
                  .isTrue();
              c.write("ok");
            })) {
      assertThat(http.send(get(server.url()), LIMITS).body()).asString().isEqualTo("ok");
      assertThat(time.fired).hasValue(0);
    }
  }

  @Test
  void silenceAfterAStandstillEndsTheRequest() throws Exception {
    try (RawServer server =
        new RawServer(
            c -> {
              time.move(Duration.ofMinutes(2));
              do { // whichever wait it is in by then
                time.move(Duration.ofSeconds(1));
              } while (!c.isClosedWithin(Duration.ofMillis(10)));
            })) {
      HttpFailedException e =
          catchThrowableOfType(
              HttpFailedException.class, () -> http.send(get(server.url()), LIMITS));
      assertThat(e.failure().code()).isEqualTo(FailureCode.TIMEOUT);
      assertThat(e.surelyNotSent()).isFalse();
    }
  }

  /** Its timers run when the test says so. */
  private static final class HeldTime implements Time {
    private final SystemTime real = new SystemTime(); // sockets are real
    private final AtomicLong moved = new AtomicLong();
    private final AtomicReference<Runnable> last = new AtomicReference<>(() -> {});
    private volatile boolean firesOnEventLoops;
    private final AtomicInteger fired = new AtomicInteger();
    private final Semaphore set = new Semaphore(0);

    void move(Duration by) {
      moved.addAndGet(by.toNanos());
      fire();
    }

    private void fire() {
      Runnable due = last.getAndSet(() -> {}); // a timer that is set meanwhile stays
      fired.incrementAndGet();
      due.run();
    }

    @Override
    public Instant now() {
      return real.now();
    }

    @Override
    public long nanos() {
      if (firesOnEventLoops && Thread.currentThread().getName().contains("eventloop")) {
        fire();
      }
      return real.nanos() + moved.get();
    }

    @Override
    public void sleep(Duration wait) throws InterruptedException {
      real.sleep(wait);
    }

    @Override
    public Timer after(Duration wait, Runnable task) {
      last.set(task);
      set.release();
      return wait.isZero() ? real.after(wait, task) : () -> {};
    }
  }
}
