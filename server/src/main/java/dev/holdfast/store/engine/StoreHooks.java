package dev.holdfast.store.engine;

/**
 * What the store tells its owner.
 *
 * @param tick called by the writer after each commit and at least once a second while it is idle:
 *     it lives
 * @param fatal called at most once, by any thread: nothing that the store says can be trusted any
 *     more
 */
public record StoreHooks(Runnable tick, Fatal fatal) {
  /** Ends the process at once, without a clean marker. */
  @FunctionalInterface
  public interface Fatal {
    /**
     * @param exitCode 74 when the disk failed, 65 when the database is damaged, 70 when the writer
     *     died of a bug
     */
    void end(int exitCode, String text);
  }
}
