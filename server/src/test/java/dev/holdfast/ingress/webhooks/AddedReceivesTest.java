package dev.holdfast.ingress.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.channels.Channels;
import dev.holdfast.registry.Registration;
import dev.holdfast.time.ManualTime;
import dev.holdfast.time.TimedWait;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AddedReceivesTest {
  private static final WebhookVerdict NOTHING = new WebhookVerdict.Messages(List.of());

  private final ManualTime time = new ManualTime();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final AddedReceives receives = new AddedReceives(time, meters);
  private final Channels channels = new Channels(List.of());
  private final BlockingQueue<ReceiveOutcome> outcomes = new LinkedBlockingQueue<>();
  private volatile Behaviour behaviour = () -> NOTHING;
  private Registration added;

  /** What the adapter does with a request. */
  private interface Behaviour {
    WebhookVerdict receive() throws InterruptedException;
  }

  private final class Adapter implements ChannelAdapter {
    @Override
    public String channel() {
      return "late";
    }

    @Override
    public Set<String> accounts() {
      return Set.of("main");
    }

    @Override
    public WebhookVerdict receive(WebhookRequest request) throws InterruptedException {
      return behaviour.receive();
    }

    @Override
    public int textUnitsMax() {
      return 1000;
    }

    @Override
    public PostOutcome post(OutboundReply reply) {
      return new PostOutcome.Sent("");
    }
  }

  @BeforeEach
  void add() throws Exception {
    added = channels.add(new Adapter(), time.now());
  }

  private void begin() {
    receives.begin(
        channels.begin("late").orElseThrow(),
        new WebhookRequest("POST", "main", Map.of(), Map.of(), new byte[0], time.now()),
        outcomes::add);
  }

  private ReceiveOutcome outcome() throws InterruptedException {
    ReceiveOutcome outcome = outcomes.poll(20, TimeUnit.SECONDS);
    assertThat(outcome).isNotNull();
    return outcome;
  }

  private int status() throws InterruptedException {
    return outcome() instanceof ReceiveOutcome.Refused(var why) ? why.status() : 200;
  }

  private double failures(String reason) {
    var counter = meters.find(AddedReceives.FAILURES).tag("reason", reason).counter();
    return counter == null ? 0 : counter.count();
  }

  @Test
  void aVerdictIsToldFromAVirtualThread() throws Exception {
    boolean[] virtual = {false};
    behaviour =
        () -> {
          virtual[0] = Thread.currentThread().isVirtual();
          return NOTHING;
        };
    begin();
    assertThat(outcome()).isEqualTo(new ReceiveOutcome.Told(NOTHING));
    assertThat(virtual[0]).isTrue();
  }

  @Test
  void oneThatIsLateIsInterruptedAndItsSenderMayTryAgain() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    behaviour =
        () -> {
          running.countDown();
          try {
            new CountDownLatch(1).await();
          } finally {
            interrupted.countDown();
          }
          return NOTHING;
        };
    begin();
    running.await();
    time.advance(AddedReceives.LIMIT.minusMillis(1));
    assertThat(outcomes).isEmpty();
    time.advance(Duration.ofMillis(1));
    assertThat(status()).isEqualTo(503);
    interrupted.await();
    added.remove();
    assertThat(added.awaitEnd(Duration.ofSeconds(20))).isTrue();
    assertThat(outcomes).isEmpty();
    assertThat(failures("late")).isOne();
    assertThat(failures("threw")).isZero();
  }

  @Test
  void whateverItThrowsIs500AndCounted() throws Exception {
    for (Throwable thrown :
        List.of(new IllegalStateException(), new NoClassDefFoundError(), new AssertionError())) {
      behaviour =
          () -> {
            AddedReceivesTest.<RuntimeException>sneak(thrown);
            return NOTHING;
          };
      begin();
      assertThat(status()).isEqualTo(500);
    }
    assertThat(failures("threw")).isEqualTo(3);
  }

  /** Throws also what no signature allows, as plugins can. */
  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void sneak(Throwable thrown) throws T {
    throw (T) thrown;
  }

  /** Those above the limit wait for a place, and not for longer than for a verdict. */
  @Test
  void onlySomeRunAtOnce() throws Exception {
    AtomicInteger running = new AtomicInteger();
    CountDownLatch goOn = new CountDownLatch(1);
    behaviour =
        () -> {
          running.incrementAndGet();
          boolean interrupted = false;
          while (goOn.getCount() > 0) {
            try {
              goOn.await();
            } catch (InterruptedException _) {
              interrupted = true;
            }
          }
          assertThat(interrupted).isTrue();
          return NOTHING;
        };
    for (int i = 0; i < 100; i++) {
      begin();
    }
    TimedWait.until("64 run", () -> running.get() == 64);
    time.advance(AddedReceives.LIMIT);
    for (int i = 0; i < 100; i++) {
      assertThat(status()).isEqualTo(503);
    }
    assertThat(running.get()).isEqualTo(64);
    goOn.countDown();
    added.remove();
    assertThat(added.awaitEnd(Duration.ofSeconds(20))).isTrue();
    assertThat(outcomes).isEmpty();
  }
}
