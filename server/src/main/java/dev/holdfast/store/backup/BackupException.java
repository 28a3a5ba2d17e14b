package dev.holdfast.store.backup;

/** A backup cannot be made or is not one. The message tells an operator why and what to do. */
public final class BackupException extends Exception {
  private static final long serialVersionUID = 1L;

  public BackupException(String message) {
    super(message);
  }
}
