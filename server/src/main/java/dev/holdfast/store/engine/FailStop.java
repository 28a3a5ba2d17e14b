package dev.holdfast.store.engine;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends the process when the disk can no longer be trusted: once, and for good. Thread-safe. */
public final class FailStop {
  private static final Logger LOG = LoggerFactory.getLogger(FailStop.class);

  private final StoreHooks.Fatal fatal;
  private final AtomicReference<@Nullable String> cause = new AtomicReference<>();

  public FailStop(StoreHooks.Fatal fatal) {
    this.fatal = fatal;
  }

  public void end(int exitCode, String text) {
    if (cause.compareAndSet(null, text)) {
      LOG.error("store: fail-stop, exit {}: {}", exitCode, text);
      fatal.end(exitCode, text);
    }
  }

  /** Why it ended; null while all is well. */
  public @Nullable String cause() {
    return cause.get();
  }
}
