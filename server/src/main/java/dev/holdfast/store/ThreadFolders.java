package dev.holdfast.store;

import java.util.List;

/** Finds the folder of a chat thread: named by a hash of its id, so that no id leads anywhere else. Thread-safe. */
public final class ThreadFolders {
  ThreadFolders() {}

  /** Makes the folder when it is missing, at the first write. */
  public ThreadFiles of(String threadId) {
    throw new UnsupportedOperationException(threadId);
  }

  /** Known thread ids after {@code after} in order of their ids, from the database. */
  public List<ThreadRow> list(String after, int limit) {
    throw new UnsupportedOperationException(after + limit);
  }

  /** A chat thread as the database knows it. */
  public record ThreadRow(String threadId, java.time.Instant lastAt, long events, long open) {}
}
