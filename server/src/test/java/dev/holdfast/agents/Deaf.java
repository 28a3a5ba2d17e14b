package dev.holdfast.agents;

import java.util.concurrent.CountDownLatch;

/** Code that no interrupt ends. */
final class Deaf {
  private Deaf() {}

  static void await(CountDownLatch go) {
    while (true) {
      try {
        go.await();
        return;
      } catch (InterruptedException _) {
        continue; // that is what this is for
      }
    }
  }
}
