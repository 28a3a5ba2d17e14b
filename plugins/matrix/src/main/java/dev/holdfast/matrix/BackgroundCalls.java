package dev.holdfast.matrix;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.PluginContext;
import java.lang.System.Logger.Level;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Small calls that nobody waits for and whose failure changes nothing, one after the other on a
 * thread of their own. Thread-safe.
 */
final class BackgroundCalls {
  private static final int QUEUE_MAX = 1000;

  private final PluginContext context;
  private final String account;
  private final BlockingQueue<Call> queue = new ArrayBlockingQueue<>(QUEUE_MAX);

  BackgroundCalls(PluginContext context, String account) {
    this.context = context;
    this.account = account;
  }

  /** A call. */
  @FunctionalInterface
  interface Call {
    MatrixAnswer run() throws CallFailedException, InterruptedException;
  }

  /** Left out when too many wait. */
  void add(Call call) {
    boolean _ = queue.offer(call);
  }

  /** Until it is interrupted. */
  void run() throws InterruptedException {
    while (true) {
      doOne(queue.take());
    }
  }

  /** Does those that wait. */
  void doAll() throws InterruptedException {
    for (Call call = queue.poll(); call != null; call = queue.poll()) {
      doOne(call);
    }
  }

  private void doOne(Call call) throws InterruptedException {
    String problem;
    try {
      MatrixAnswer answer = call.run();
      problem = answer.isOk() ? "" : answer.failure().summary();
    } catch (CallFailedException e) {
      problem = e.failure().summary();
    }
    if (!problem.isEmpty()) {
      context.logger().log(Level.DEBUG, "account {0}: {1}", account, problem);
    }
  }
}
