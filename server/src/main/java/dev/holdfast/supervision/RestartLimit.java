package dev.holdfast.supervision;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import dev.holdfast.resilience.Backoff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * How often what crashes is started again: at most {@code maxRestarts} times in any {@code window},
 * after a wait that grows with each crash of the window.
 */
public record RestartLimit(
    int maxRestarts, Duration window, Duration initialBackoff, Duration maxBackoff) {
  public static final RestartLimit DEFAULT =
      new RestartLimit(5, Duration.ofMinutes(5), Duration.ofSeconds(1), Duration.ofSeconds(16));

  public RestartLimit {
    Check.inRange("max_restarts", maxRestarts, 0, 10_000);
    Check.atLeast("window_secs", window, Duration.ofSeconds(1));
    Check.atLeast("initial_backoff_ms", initialBackoff, Duration.ZERO);
    Check.atLeast("max_backoff_ms", maxBackoff, initialBackoff);
  }

  /** The limits of the {@code supervision} section of holdfast.yaml. */
  public static RestartLimit from(Section supervision) {
    return new RestartLimit(
        supervision.whole("max_restarts", DEFAULT.maxRestarts),
        supervision.seconds("window_secs", DEFAULT.window.toSeconds()),
        supervision.millis("initial_backoff_ms", DEFAULT.initialBackoff.toMillis()),
        supervision.millis("max_backoff_ms", DEFAULT.maxBackoff.toMillis()));
  }

  /** When a child crashed within the window, oldest first, by the clock that never jumps. */
  public record History(List<Long> crashedNanos) {
    public static final History CLEAN = new History(List.of());

    public History {
      crashedNanos = List.copyOf(crashedNanos);
    }

    public int crashes() {
      return crashedNanos.size();
    }
  }

  /** What a crash leads to; {@code history} is to be handed in at the next one. */
  public sealed interface Decision {
    History history();
  }

  public record Restart(Duration rest, History history) implements Decision {}

  public record GiveUp(History history) implements Decision {}

  /** What to do about a crash that happened at {@code nowNanos}. Pure. */
  public Decision afterCrash(History before, long nowNanos) {
    List<Long> recent = new ArrayList<>();
    for (long crashed : before.crashedNanos()) {
      if (nowNanos - crashed < window.toNanos()) {
        recent.add(crashed);
      }
    }
    recent.add(nowNanos);
    History history = new History(recent);
    return history.crashes() > maxRestarts
        ? new GiveUp(history)
        : new Restart(new Backoff(initialBackoff, maxBackoff).after(history.crashes()), history);
  }
}
