package dev.holdfast.agents.turn;

import static java.time.Duration.ofSeconds;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import java.time.Duration;

/** The {@code threads} section of holdfast.yaml. */
public record ThreadsConfig(
    int activeMax, Duration idle, int mailbox, int concurrentTurnsMax, WhileBusy whileBusy) {

  /** What happens to a message that comes while a turn of its chat thread runs. */
  public enum WhileBusy {
    /** It waits for a turn of its own. */
    QUEUE,
    /** It joins the running turn after the current tool. */
    STEER,
    /** Those that wait become one turn together. */
    COLLECT
  }

  public ThreadsConfig {
    Check.inRange("max_active", activeMax, 1, 10_000_000);
    Check.atLeast("idle_secs", idle, ofSeconds(1));
    Check.inRange("mailbox", mailbox, 1, 100_000);
    Check.inRange("max_concurrent_turns", concurrentTurnsMax, 1, 100_000);
  }

  public static ThreadsConfig from(Section threads) {
    return new ThreadsConfig(
        threads.whole("max_active", 10_000),
        threads.seconds("idle_secs", 300),
        threads.whole("mailbox", 64),
        threads.whole("max_concurrent_turns", 256),
        threads.choice("while_busy", WhileBusy.class, WhileBusy.QUEUE));
  }
}
