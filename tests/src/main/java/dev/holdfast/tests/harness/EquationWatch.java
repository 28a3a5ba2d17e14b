package dev.holdfast.tests.harness;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Looks at /api/v1/status all the time: accepted must equal the sum of what became of it, at every
 * look (I5).
 */
public final class EquationWatch implements AutoCloseable {
  private static final List<String> PARTS =
      List.of(
          "pending",
          "running",
          "parked",
          "answered",
          "silent",
          "held",
          "dead_lettered",
          "cancelled");

  private final ServerApi api;
  private final Duration step;
  private final ConcurrentLinkedQueue<String> violations = new ConcurrentLinkedQueue<>();
  private final AtomicInteger looks = new AtomicInteger();
  private final Thread thread;
  private volatile boolean stopped;

  public EquationWatch(ServerApi api, Duration step) {
    this.api = api;
    this.step = step;
    this.thread = Thread.ofVirtual().start(this::run);
  }

  /** The looks at which the equation did not hold. */
  public List<String> violations() {
    return List.copyOf(violations);
  }

  public int looks() {
    return looks.get();
  }

  private void run() {
    while (!stopped) {
      try {
        JsonNode status = api.status();
        if (status.has("counts")) {
          looks.incrementAndGet();
          if (!holds(status.path("counts"))) {
            violations.add(status.path("counts").toString());
          }
        }
      } catch (IOException | RuntimeException e) {
        // The server is down or starting: nothing to look at.
      }
      Await.pause(step);
    }
  }

  static boolean holds(JsonNode counts) {
    long sum = PARTS.stream().mapToLong(part -> counts.path(part).asLong()).sum();
    return counts.path("accepted").asLong() == sum;
  }

  @Override
  public void close() {
    stopped = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
