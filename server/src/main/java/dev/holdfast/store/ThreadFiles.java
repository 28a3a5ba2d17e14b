package dev.holdfast.store;

import java.io.IOException;
import java.util.List;

/**
 * The folder of one chat thread: {@code context.jsonl}, {@code log.jsonl}, {@code meta.json}. Used by one thread at a
 * time. No method is cut short by an interrupt.
 */
public final class ThreadFiles {
  ThreadFiles() {}

  /** What loading found. {@code quarantined}: bad lines that were moved to {@code context.quarantine.jsonl}. */
  public record Loaded(List<ContextEntry> entries, int quarantined, boolean tornTail) {}

  /** Reads the context; repairs a torn tail, moves bad lines to quarantine. A missing file is an empty context. */
  public Loaded loadContext() throws IOException {
    throw new UnsupportedOperationException();
  }

  /** {@code scratch/} in the folder of the thread, made when it is missing: where tools work. */
  public java.nio.file.Path scratch() {
    throw new UnsupportedOperationException();
  }

  /** Appends without fsync. */
  public void append(ContextEntry entry) throws IOException {
    throw new UnsupportedOperationException(entry.toString());
  }

  /** Makes all that was appended durable. A failed fsync ends the process (exit 74): the page cache lies after it. */
  public void sync() throws IOException {
    throw new UnsupportedOperationException();
  }

  /** Replaces the context atomically; what was there before stays as {@code context.<n>.jsonl.gz}. */
  public void replaceContext(List<ContextEntry> entries) throws IOException {
    throw new UnsupportedOperationException(entries.toString());
  }

  /** Appends to {@code log.jsonl}: who said what. Not fsynced. */
  public void log(String json) throws IOException {
    throw new UnsupportedOperationException(json);
  }

  /** The newest {@code limit} whole lines of the log, oldest first. */
  public List<String> readLog(int limit) throws IOException {
    throw new UnsupportedOperationException("" + limit);
  }
}
