package dev.holdfast.resilience;

import dev.holdfast.api.CallFailedException;

/** A call to something outside that may fail in foreseen ways. */
@FunctionalInterface
public interface Call<T> {
  /** Blocks the calling thread; an interrupt ends it. */
  T run() throws CallFailedException, InterruptedException;
}
