package dev.holdfast.agents.dispatch;

import java.util.concurrent.CountDownLatch;

/** Code that no interrupt ends. */
public final class UninterruptibleTool {
  private UninterruptibleTool() {}

  public static void await(CountDownLatch go) {
    while (go.getCount() > 0) {
      try {
        go.await();
      } catch (InterruptedException _) {
        // That is what this is for: it waits on.
      }
    }
  }
}
