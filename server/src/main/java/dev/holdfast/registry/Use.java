package dev.holdfast.registry;

import java.util.concurrent.atomic.AtomicBoolean;

/** A call of a registered value that runs: the value is there until it is closed. Thread-safe. */
public final class Use<T> implements AutoCloseable {
  private final T value;
  private final Registry.Running running;
  private final AtomicBoolean closed = new AtomicBoolean();

  Use(T value, Registry.Running running) {
    this.value = value;
    this.running = running;
  }

  public T value() {
    return value;
  }

  /** Whether it was removed meanwhile: what follows this call is not to begin. */
  public boolean isRemoved() {
    return running.isRemoved();
  }

  /** The same once more, for work that may outlast this one; to be closed too. */
  public Use<T> another() {
    running.beginAnother();
    return new Use<>(value, running);
  }

  /** The call has ended; a second time does nothing. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      running.end();
    }
  }
}
