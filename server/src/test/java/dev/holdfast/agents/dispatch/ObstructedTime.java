package dev.holdfast.agents.dispatch;

import dev.holdfast.time.ManualTime;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Time that a test moves by hand, and that blocks or breaks whoever reads it inside of one method:
 * so two things meet in the order that the test wants. What is parked is never resumed.
 */
final class ObstructedTime implements Time {
  private final ManualTime time = new ManualTime();
  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch open = new CountDownLatch(1);
  private final AtomicInteger bugs = new AtomicInteger();
  private volatile String blockedIn = "";
  private volatile String brokenIn = "";

  /** {@code method}: as in {@code Orchestrator.reset}. */
  void blocksIn(String method) {
    blockedIn = method;
  }

  void awaitBlocked() throws InterruptedException {
    reached.await();
  }

  void open() {
    open.countDown();
  }

  /** {@code method}: as in {@code Orchestrator.reset}; so often it is broken. */
  void breaks(String method, int times) {
    bugs.set(times);
    brokenIn = method;
  }

  /** Until it was broken so often. */
  void awaitBroken() {
    while (bugs.get() > 0) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  void advance(Duration by) {
    time.advance(by);
  }

  @Override
  public Instant now() {
    obstruct();
    return time.now();
  }

  @Override
  public long nanos() {
    obstruct();
    return time.nanos();
  }

  private void obstruct() {
    if (isIn(blockedIn)) {
      reached.countDown();
      UninterruptibleTool.await(open);
    }
    if (isIn(brokenIn) && bugs.getAndUpdate(left -> left == 0 ? 0 : left - 1) > 0) {
      throw new IllegalStateException("as the test wants it");
    }
  }

  private static boolean isIn(String method) {
    return !method.isEmpty()
        && StackWalker.getInstance()
            .walk(
                frames ->
                    frames.anyMatch(
                        frame ->
                            (frame.getClassName() + "." + frame.getMethodName())
                                .endsWith("." + method)));
  }

  @Override
  public void sleep(Duration wait) throws InterruptedException {
    if (isIn("OutageQueue.run")) {
      new CountDownLatch(1).await();
    }
    time.sleep(wait);
  }

  @Override
  public Timer after(Duration wait, Runnable task) {
    return time.after(wait, task);
  }
}
