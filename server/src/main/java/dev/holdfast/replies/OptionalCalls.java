package dev.holdfast.replies;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.channels.Channel;
import dev.holdfast.channels.Channels;
import dev.holdfast.registry.Use;
import dev.holdfast.resilience.Guards;
import dev.holdfast.supervision.Crash;
import dev.holdfast.supervision.Fatal;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls of channels that may be left out, because no message depends on them. Each has 5 s, 64 run
 * at once, and none runs while the breaker of the account is open; how one ends says nothing of the
 * account. Thread-safe.
 */
public final class OptionalCalls {
  private static final Logger LOG = LoggerFactory.getLogger(OptionalCalls.class);

  static final Duration CALL_MAX = Duration.ofSeconds(5);
  private static final int RUNNING_MAX = 64;

  private final Channels channels;
  private final Function<String, PostGuard> guards;
  private final String failures;
  private final Time time;
  private final MeterRegistry meters;
  private final Semaphore places = new Semaphore(RUNNING_MAX);

  /** What is called. */
  @FunctionalInterface
  public interface Deed {
    void on(ChannelAdapter adapter) throws Exception;
  }

  /** How a call ended. */
  public enum Ending {
    DONE,
    /** Not begun: too many run. */
    CROWDED,
    /** Not begun: the account is not there, or its breaker is open. */
    CLOSED,
    FAILED,
    /** Failed, and would again. */
    REFUSED
  }

  /** {@code failures}: the counter of those that failed, by channel. */
  public OptionalCalls(
      Channels channels, Guards guards, String failures, Time time, MeterRegistry meters) {
    this(
        channels,
        (String source) -> new PostGuard.OfGuard(guards.guard(Replies.guardName(source))),
        failures,
        time,
        meters);
  }

  OptionalCalls(
      Channels channels,
      Function<String, PostGuard> guards,
      String failures,
      Time time,
      MeterRegistry meters) {
    this.channels = channels;
    this.guards = guards;
    this.failures = failures;
    this.time = time;
    this.meters = meters;
  }

  /** Blocks the calling thread; clears its interrupt. */
  public Ending make(String channel, String account, Deed deed) {
    if (!places.tryAcquire()) {
      return Ending.CROWDED;
    }
    try {
      Optional<Use<Channel>> begun = channels.begin(channel);
      if (begun.isEmpty()) {
        return Ending.CLOSED;
      }
      try (Use<Channel> use = begun.get()) {
        boolean isOpen =
            use.value().facts().accounts().contains(account)
                && !guards.apply(channel + ":" + account).opensIn().isPositive();
        return isOpen ? run(channel, deed, use.value().adapter()) : Ending.CLOSED;
      }
    } finally {
      places.release();
    }
  }

  private Ending run(String channel, Deed deed, ChannelAdapter adapter) {
    Thread here = Thread.currentThread();
    Time.Timer limit = time.after(CALL_MAX, here::interrupt);
    try {
      deed.on(adapter);
      return Ending.DONE;
    } catch (Throwable thrown) {
      Fatal.check(thrown);
      meters.counter(failures, "channel", channel).increment();
      LOG.debug("channel {}: a call was left out: {}", channel, Crash.describe(thrown));
      return thrown instanceof CallFailedException failed && !failed.isPassing()
          ? Ending.REFUSED
          : Ending.FAILED;
    } finally {
      limit.cancel();
      boolean _ = Thread.interrupted(); // the limit's
    }
  }
}
