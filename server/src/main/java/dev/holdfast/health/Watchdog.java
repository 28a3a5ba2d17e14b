package dev.holdfast.health;

import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells systemd that the server lives, as long as every part really moves; when one is stuck it
 * falls silent, and systemd ends the process. Thread-safe.
 */
public final class Watchdog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Watchdog.class);

  private final SdNotify systemd;
  private final Health health;
  private final Time time;
  private final Duration interval;
  private List<String> stuckBefore = List.of();
  private Time.@Nullable Timer timer;
  private boolean closed;

  /** {@code interval}: a third of what systemd allows between two pings. */
  public Watchdog(SdNotify systemd, Health health, Time time, Duration interval) {
    this.systemd = systemd;
    this.health = health;
    this.time = time;
    this.interval = interval;
  }

  /**
   * A third of {@code WATCHDOG_USEC}; empty when systemd watches nobody or another process.
   *
   * @param pid of this process
   */
  public static Optional<Duration> interval(Map<String, String> environment, long pid) {
    String micros = environment.getOrDefault("WATCHDOG_USEC", "");
    String watched = environment.getOrDefault("WATCHDOG_PID", Long.toString(pid));
    if (!micros.matches("[1-9]\\d{0,15}") || !watched.equals(Long.toString(pid))) {
      return Optional.empty();
    }
    return Optional.of(Duration.ofNanos(Long.parseLong(micros) * 1000).dividedBy(3));
  }

  /** Pings now and then on; returns at once. */
  public void start() {
    beat();
  }

  @Override
  public synchronized void close() {
    closed = true;
    Time.Timer set = timer;
    if (set != null) {
      set.cancel();
    }
  }

  /** Pings if every part has moved since about the last ping. */
  private synchronized void beat() {
    if (closed) {
      return;
    }
    List<String> stuck = health.stuck(patience());
    if (stuck.isEmpty()) {
      systemd.watchdog();
    }
    if (!stuck.equals(stuckBefore)) {
      LOG.warn("watchdog: {}", stuck.isEmpty() ? "all parts move again" : "stuck: " + stuck);
      stuckBefore = stuck;
    }
    timer = time.after(interval, this::beat);
  }

  /** Parts tick about once a second, which a very short interval must not take for being stuck. */
  private Duration patience() {
    Duration twice = interval.multipliedBy(2);
    return twice.compareTo(Health.STUCK_AFTER) < 0 ? twice : Health.STUCK_AFTER;
  }
}
