package dev.holdfast.codingagent;

import java.util.function.Consumer;

/** Tells what is being done, no more often than people read, and the last word in any case. */
final class ProgressLabels {
  private static final long PAUSE_NANOS = 500_000_000L;
  private static final int UNITS_MAX = 200;

  private final Consumer<String> listener;
  private String told = "";
  private String waiting = "";
  private long toldAt = System.nanoTime() - PAUSE_NANOS;

  ProgressLabels(Consumer<String> listener) {
    this.listener = listener;
  }

  void does(String label) {
    String line = label.strip().lines().findFirst().orElse("");
    if (!line.isEmpty()) {
      waiting = line.length() <= UNITS_MAX ? line : line.substring(0, UNITS_MAX - 1) + "…";
      flush();
    }
  }

  /** To be called now and then. */
  void flush() {
    if (!waiting.isEmpty() && System.nanoTime() - toldAt >= PAUSE_NANOS) {
      if (!waiting.equals(told)) {
        listener.accept(waiting);
        told = waiting;
        toldAt = System.nanoTime();
      }
      waiting = "";
    }
  }
}
