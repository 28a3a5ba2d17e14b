package dev.holdfast.store.messages;

import dev.holdfast.store.StoreConfig;
import dev.holdfast.store.engine.Counters;
import dev.holdfast.store.engine.FailStop;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Writer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Decides whether new events may come in now. Thread-safe. */
public final class Admission {
  private static final Duration SLOW = Duration.ofSeconds(1);

  private final StoreConfig config;
  private final Path folder;
  private final Counters counters;
  private final Writer writer;
  private final FailStop failStop;
  private volatile long freeBytes;
  private volatile boolean stopped;

  public Admission(
      StoreConfig config, Path folder, Counters counters, Writer writer, FailStop failStop) {
    this.config = config;
    this.folder = folder;
    this.counters = counters;
    this.writer = writer;
    this.failStop = failStop;
    look();
  }

  /** Measures the free space. */
  void look() {
    try {
      freeBytes = Files.getFileStore(folder).getUsableSpace();
    } catch (IOException _) {
      freeBytes = 0; // a disk that cannot even be asked takes no events
    }
  }

  public void stop() {
    stopped = true;
  }

  int pendingMax() {
    return config.inbox().pendingMax();
  }

  StoreException tooMany() {
    return Writer.overloaded(fullText(), 10);
  }

  Optional<StoreException> check() {
    // The number of open events is checked by the writer, exactly, and after the redeliveries.
    return now().map(refusal -> Writer.overloaded(refusal.message(), stopped ? 5 : 30));
  }

  /** Why no new event is taken; empty when one is. */
  public Optional<Refusal> refusal() {
    return now().or(this::fullInbox);
  }

  private Optional<Refusal> fullInbox() {
    return counters.open() >= pendingMax()
        ? refusal(Refusal.Cause.INBOX_FULL, fullText())
        : Optional.empty();
  }

  private String fullText() {
    return pendingMax() + " events are waiting, which is the limit";
  }

  /** Of what is checked before an event is queued. */
  private Optional<Refusal> now() {
    String dead = failStop.cause();
    if (dead != null) {
      return refusal(Refusal.Cause.STORE_FAILED, dead);
    }
    if (stopped) {
      return refusal(Refusal.Cause.STOPPING, "the server is stopping");
    }
    if (writer.isFull()) {
      return refusal(Refusal.Cause.DISK_TAKES_NOTHING, Writer.TAKES_NOTHING);
    }
    long free = freeBytes;
    if (free < config.freeBytesMin()) {
      return refusal(
          Refusal.Cause.LOW_SPACE,
          "only " + free + " bytes of disk are free, the reserve is " + config.freeBytesMin());
    }
    if (writer.busyFor().compareTo(SLOW) > 0) {
      return refusal(Refusal.Cause.DISK_SLOW, "the disk is too slow");
    }
    return Optional.empty();
  }

  private static Optional<Refusal> refusal(Refusal.Cause cause, String message) {
    return Optional.of(new Refusal(cause, message));
  }
}
