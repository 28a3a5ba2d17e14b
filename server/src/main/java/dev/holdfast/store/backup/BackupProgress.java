package dev.holdfast.store.backup;

/** Hears how far it has come; called often. */
public interface BackupProgress {
  /**
   * @param step what is being done, such as {@code verifying}
   * @param files how many files are done
   * @param bytes how many bytes of files are done
   */
  void at(String step, long files, long bytes);
}
