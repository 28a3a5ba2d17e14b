package dev.holdfast.registry;

import java.time.Duration;

/** The handle of something that was registered. Thread-safe. */
public interface Registration {
  String name();

  /**
   * Nobody finds it any more and no call of it begins; calls that run may end. Returns at once; a
   * second call does nothing.
   */
  void remove();

  /**
   * Waits until it was removed and the last of its calls has ended.
   *
   * @return false when that takes longer than {@code limit}
   */
  boolean awaitEnd(Duration limit) throws InterruptedException;
}
