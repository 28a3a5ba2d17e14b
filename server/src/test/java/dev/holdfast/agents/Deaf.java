package dev.holdfast.agents;

import java.util.concurrent.CountDownLatch;

/** Code that no interrupt ends. */
final class Deaf {
  private Deaf() {}

  static void await(CountDownLatch go) {
    while (go.getCount() > 0) {
      try {
        go.await();
      } catch (InterruptedException _) {
        // That is what this is for: it waits on.
      }
    }
  }
}
