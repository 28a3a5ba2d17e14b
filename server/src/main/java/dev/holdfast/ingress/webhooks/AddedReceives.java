package dev.holdfast.ingress.webhooks;

import dev.holdfast.api.FailureCode;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.channels.Channel;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.registry.Use;
import dev.holdfast.supervision.Crash;
import dev.holdfast.supervision.Fatal;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the adapters of channels that were added: code that may block, hang and throw whatever it
 * likes. Each call has a virtual thread of its own and a time limit, and of one channel only some
 * run at once; the others wait within their own limit. Thread-safe; one for all event loops.
 */
public final class AddedReceives {
  private static final Logger LOG = LoggerFactory.getLogger(AddedReceives.class);

  /** Platforms give up after 3 s and send again; a clear 503 before that tells them more. */
  static final Duration LIMIT = Duration.ofMillis(2500);

  /** {@code reason}: {@code threw} or {@code late}. */
  public static final String FAILURES = "holdfast.channel.receive.failures";

  private static final Duration RETRY_LATER = Duration.ofSeconds(5);

  private final Time time;
  private final MeterRegistry meters;

  public AddedReceives(Time time, MeterRegistry meters) {
    this.time = time;
    this.meters = meters;
  }

  /**
   * Begins a call and returns at once.
   *
   * @param use closed when the call has really ended, which may be long after its limit
   * @param then hears the outcome once, on another thread
   */
  void begin(Use<Channel> use, WebhookRequest request, Consumer<ReceiveOutcome> then) {
    new Receive(use, request, then).begin();
  }

  private final class Receive implements Runnable {
    private final Use<Channel> use;
    private final WebhookRequest request;
    private final Consumer<ReceiveOutcome> then;
    private final AtomicBoolean told = new AtomicBoolean();

    Receive(Use<Channel> use, WebhookRequest request, Consumer<ReceiveOutcome> then) {
      this.use = use;
      this.request = request;
      this.then = then;
    }

    private String channel() {
      return use.value().facts().name();
    }

    void begin() {
      Thread thread = Thread.ofVirtual().name("receive-" + channel()).unstarted(this);
      Time.Timer limit = time.after(LIMIT, () -> isLate(thread));
      try {
        thread.start();
      } finally {
        if (thread.getState() == Thread.State.NEW) {
          limit.cancel();
          use.close();
        }
      }
    }

    private void isLate(Thread thread) {
      if (tell(new ReceiveOutcome.Refused(late()))) {
        count("late");
        LOG.warn(
            "channel {}: its adapter took longer than {} ms on a request and was interrupted",
            channel(),
            LIMIT.toMillis());
        thread.interrupt();
      }
    }

    @Override
    public void run() {
      ReceiveOutcome outcome;
      try (use) {
        outcome = new ReceiveOutcome.Told(use.value().receiveInTurn(request));
      } catch (Throwable thrown) {
        Fatal.check(thrown);
        if (told.get()) {
          return; // the interrupt at its limit
        }
        count("threw");
        LOG.error(
            "channel {}: its adapter failed on a request: {}", channel(), Crash.describe(thrown));
        LOG.debug("channel {}: the failure", channel(), thrown);
        outcome = new ReceiveOutcome.Refused(ReceiveOutcome.internalError());
      }
      boolean _ = tell(outcome);
    }

    private boolean tell(ReceiveOutcome outcome) {
      boolean isFirst = told.compareAndSet(false, true);
      if (isFirst) {
        then.accept(outcome);
      }
      return isFirst;
    }

    private void count(String reason) {
      meters.counter(FAILURES, "channel", channel(), "reason", reason).increment();
    }
  }

  private static RefusedRequestException late() {
    return new RefusedRequestException(
        503, FailureCode.OVERLOADED, "the channel is too slow now; send again", RETRY_LATER);
  }
}
