package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a request, for which its caller waits. What the server asks meanwhile is answered
 * on the caller's thread, and the time that this takes does not count. Thread-safe.
 */
final class AwaitedAnswer {
  /** What else one request asks at the same time is not put to anybody. */
  private static final int QUESTIONS_MAX = 4;

  private final McpInputs inputs;
  private final CompletableFuture<JsonObject> answer = new CompletableFuture<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<Question> questions = new ArrayDeque<>();

  /**
   * What the server asks.
   *
   * @param moot completes when it does not want to know any more
   * @param reply takes the result; empty when that cannot be asked here
   */
  record Question(JsonObject asked, CompletableFuture<Void> moot, Reply reply) {}

  /** Tells the server. */
  interface Reply {
    void send(Optional<JsonObject> result) throws InterruptedException;
  }

  AwaitedAnswer(McpInputs inputs) {
    this.inputs = inputs;
    CompletableFuture<Void> _ =
        answer.handle(
            (_, _) -> {
              signal();
              return null;
            });
  }

  McpInputs inputs() {
    return inputs;
  }

  void complete(JsonObject result) {
    answer.complete(result);
  }

  void fail(Failure failure) {
    answer.completeExceptionally(new CallFailedException(failure));
  }

  /** False when it asks too much at once, or is over. */
  boolean ask(Question question) {
    lock.lock();
    try {
      if (answer.isDone() || questions.size() >= QUESTIONS_MAX) {
        return false;
      }
      questions.add(question);
      changed.signalAll();
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void signal() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Blocks until the server has answered.
   *
   * @param timeout without the time in which a person is asked
   * @throws CallFailedException what {@link #fail} was given
   */
  JsonObject get(Duration timeout)
      throws CallFailedException, TimeoutException, InterruptedException {
    try {
      long left = timeout.toNanos();
      while (!answer.isDone()) {
        @Nullable Question next;
        lock.lockInterruptibly();
        try {
          while (left > 0 && questions.isEmpty() && !answer.isDone()) {
            left = changed.awaitNanos(left);
          }
          next = questions.peek();
        } finally {
          lock.unlock();
        }
        if (next != null && !answer.isDone()) {
          put(next);
        } else if (left <= 0 && !answer.isDone()) {
          throw new TimeoutException();
        }
      }
      return answer.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof CallFailedException failed) {
        throw new CallFailedException(failed.failure());
      }
      throw new IllegalStateException(e);
    } finally {
      leave();
    }
  }

  private void put(Question question) throws InterruptedException {
    CompletableFuture<Object> moot = CompletableFuture.anyOf(question.moot(), answer);
    Optional<JsonObject> result = inputs.elicit(question.asked(), moot);
    take(question);
    if (!question.moot().isDone()) {
      question.reply().send(result);
    }
  }

  private void take(Question question) {
    lock.lock();
    try {
      questions.remove(question);
    } finally {
      lock.unlock();
    }
  }

  /** Whoever waited is gone: nobody will answer what is left. */
  private void leave() throws InterruptedException {
    answer.cancel(false);
    for (Question left = poll(); left != null; left = poll()) {
      if (!left.moot().isDone()) {
        left.reply().send(Optional.of(McpInputs.cancelled()));
      }
    }
  }

  private @Nullable Question poll() {
    lock.lock();
    try {
      return questions.poll();
    } finally {
      lock.unlock();
    }
  }
}
