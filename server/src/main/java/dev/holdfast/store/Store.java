package dev.holdfast.store;

/** All that is on disk. Open once per process, under the instance lock. */
public final class Store implements AutoCloseable {
  Store() {}

  public Inbox inbox() {
    throw new UnsupportedOperationException();
  }

  public Outbox outbox() {
    throw new UnsupportedOperationException();
  }

  public Stories stories() {
    throw new UnsupportedOperationException();
  }

  public Usage usage() {
    throw new UnsupportedOperationException();
  }

  public DeadLetters deadLetters() {
    throw new UnsupportedOperationException();
  }

  public Approvals approvals() {
    throw new UnsupportedOperationException();
  }

  public ThreadFolders threads() {
    throw new UnsupportedOperationException();
  }

  /** Whether new events can be accepted now, and why not; empty when they can. */
  public String refusal() {
    throw new UnsupportedOperationException();
  }

  /** Refuses new events from now on; what is queued is still written. */
  public void stopIntake() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }
}
