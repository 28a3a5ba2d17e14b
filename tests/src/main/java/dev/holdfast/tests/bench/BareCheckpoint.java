package dev.holdfast.tests.bench;

import dev.holdfast.store.Store;
import dev.holdfast.store.StoreConfig;
import dev.holdfast.store.engine.StoreHooks;
import dev.holdfast.store.messages.InboxConfig;
import dev.holdfast.store.threads.ContextEntry;
import dev.holdfast.store.threads.ThreadFiles;
import dev.holdfast.store.threads.ThreadFilesConfig;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.time.SystemTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.HdrHistogram.Histogram;

/**
 * One line of a context and its fsync, written as the server writes each checkpoint of a turn, but
 * in this process and without a turn around it.
 */
final class BareCheckpoint {
  private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");
  private static final String TEXT = "x".repeat(900); // with what is around it, about 1 KiB

  private BareCheckpoint() {}

  /** Latencies in nanoseconds. */
  static Histogram measure(Duration span) throws Exception {
    Path folder = ServerRig.newFolder("holdfast-checkpoint");
    StoreHooks hooks =
        new StoreHooks(
            () -> {},
            (code, text) -> {
              throw new IllegalStateException(code + ": " + text);
            });
    Histogram nanos = new Histogram(3);
    try (Store store =
        Store.open(config(), folder, new SystemTime(), new SimpleMeterRegistry(), hooks)) {
      ThreadFiles files = store.threads().of("webhook:ci:bench");
      long end = System.nanoTime() + span.toNanos();
      for (int i = 0; System.nanoTime() < end; i++) {
        ContextEntry entry = entry(i);
        long start = System.nanoTime();
        files.append(entry);
        files.sync();
        nanos.recordValue(System.nanoTime() - start);
      }
    } finally {
      ServerRig.delete(folder);
    }
    return nanos;
  }

  private static StoreConfig config() {
    return new StoreConfig(
        new InboxConfig(1000, 512, Duration.ofMillis(2), Duration.ofHours(1), 3),
        0,
        new ThreadFilesConfig(4_194_304, 50));
  }

  private static ContextEntry entry(int number) {
    String id = "i" + number;
    String json =
        "{\"type\":\"tool_result\",\"id\":\"%s\",\"at\":\"%s\",\"event\":\"e\",\"text\":\"%s\"}"
            .formatted(id, AT, TEXT);
    return new ContextEntry("tool_result", id, "e", AT, json);
  }
}
