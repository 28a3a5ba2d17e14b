package dev.holdfast.net;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.net.HttpCaller.Limits;
import dev.holdfast.time.Standstill;
import dev.holdfast.time.Time;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.RequestOptions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One request and its answer: an event loop on one side, one blocked thread on the other. Every
 * wait has a timer; the first failure wins and resets the request, which closes its connection.
 */
final class HttpExchange {
  /**
   * Bytes that may wait for the reader; then the connection is read no further. Much, because what
   * Vert.x holds back for a paused reader is lost when the other side closes the connection behind
   * its answer.
   */
  private static final long BYTES_AHEAD = 4L << 20;

  /**
   * How long the end of a stream that nobody reads any more is waited for, to keep the connection.
   */
  private static final Duration TAIL = Duration.ofSeconds(1);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition();
  private final Queue<Buffer> chunks = new ArrayDeque<>();
  private final Time time;
  private final Context loop;
  private final Limits limits;
  private final String target;
  private long startedAt;

  private @Nullable HttpClientRequest request;
  private @Nullable HttpClientResponse response;
  private @Nullable HttpFailedException failure;
  private boolean sent;
  private boolean written;
  private long sentAt;
  private boolean begun;
  private boolean discards;
  private boolean ended;
  private long waits;
  private long dueNanos;
  private long bytes;
  private long ahead;
  private boolean isHeldBack;

  HttpExchange(Time time, Context loop, Limits limits, String target) {
    this.time = time;
    this.loop = loop;
    this.limits = limits;
    this.target = target;
    this.startedAt = time.nanos();
  }

  /** Blocks until the head of the answer is there. */
  HttpClientResponse open(HttpClient client, RequestOptions options, byte[] body)
      throws HttpFailedException, InterruptedException {
    loop.runOnContext(
        _ ->
            client
                .request(options)
                .onComplete(
                    made -> connected(made, body),
                    cause -> fail(TransportFailures.connecting(cause, target), cause)));
    await(
        () -> sent,
        limits.connect(),
        Failure.of(
            FailureCode.NETWORK,
            "no connection to " + target + " within " + limits.connect().toMillis() + " ms"));
    await(() -> written || response != null, limits.total(), slowUpload());
    await(() -> response != null, limits.firstByte(), silence());
    lock.lock();
    try {
      return java.util.Objects.requireNonNull(response);
    } finally {
      lock.unlock();
    }
  }

  /** The next part of the body; null at its end. Blocks within the limits. */
  @Nullable Buffer next() throws HttpFailedException, InterruptedException {
    Duration firstLeft = limits.firstByte().minusNanos(time.nanos() - sentAt);
    await(
        () -> !chunks.isEmpty() || ended,
        begun ? limits.idle() : firstLeft,
        begun
            ? Failure.of(
                FailureCode.STREAM_TIMEOUT,
                target + " sent nothing for " + limits.idle().toMillis() + " ms")
            : silence());
    lock.lock();
    try {
      begun = true;
      Buffer chunk = chunks.poll();
      if (chunk != null) {
        ahead -= chunk.length();
      }
      if (isHeldBack && ahead < BYTES_AHEAD / 2 && !ended) {
        isHeldBack = false;
        flow(HttpClientResponse::resume);
      }
      return chunk;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Gives up: nothing more is read, the connection is closed. Does nothing once the body has ended.
   */
  void abort() {
    fail(Failure.of(FailureCode.CANCELLED, "the request to " + target + " was given up"), null);
  }

  /** Drops the rest of the body; the connection lives on if the end comes soon. */
  void release() {
    lock.lock();
    try {
      if (ended || failure != null) {
        return;
      }
      discards = true;
      chunks.clear();
      flow(HttpClientResponse::resume);
    } finally {
      lock.unlock();
    }
    Time.Timer tail = time.after(TAIL, this::abort);
    lock.lock();
    try {
      if (ended) {
        tail.cancel();
      }
    } finally {
      lock.unlock();
    }
  }

  private Failure slowUpload() {
    return Failure.of(
        FailureCode.TIMEOUT,
        target + " did not take the request within " + limits.total().toMillis() + " ms");
  }

  private Failure silence() {
    return Failure.of(
        FailureCode.TIMEOUT,
        target + " did not answer within " + limits.firstByte().toMillis() + " ms");
  }

  private void await(BooleanSupplier done, Duration limit, Failure late)
      throws HttpFailedException, InterruptedException {
    Duration left = limits.total().minusNanos(time.nanos() - startedAt);
    boolean totalFirst = left.compareTo(limit) < 0;
    Failure what =
        totalFirst
            ? Failure.of(
                FailureCode.TIMEOUT,
                target + " took longer than " + limits.total().toMillis() + " ms")
            : late;
    Duration wait = totalFirst ? left : limit;
    lock.lock();
    try {
      // A stream that never lets its reader wait would otherwise never notice the interrupt.
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      if (settled(done)) {
        return;
      }
      Duration from = wait.isNegative() ? Duration.ZERO : wait;
      dueNanos = time.nanos() + from.toNanos();
      Wait current = new Wait(++waits, done, what);
      Time.Timer timer = time.after(from, () -> timeOver(current));
      try {
        while (!settled(done)) {
          news.await();
        }
      } finally {
        waits++;
        timer.cancel();
        forgive(); // a wait that ended long after it was due: no timer has told of the standstill
      }
    } catch (InterruptedException e) {
      abort();
      throw sent ? e : unsent(e);
    } finally {
      lock.unlock();
    }
  }

  private static InterruptedException unsent(InterruptedException cause) {
    InterruptedException unsent = new UnsentInterruptedException();
    unsent.initCause(cause);
    return unsent;
  }

  /** What has come counts, also when the connection broke behind it. */
  private boolean settled(BooleanSupplier done) throws HttpFailedException {
    boolean isDone = done.getAsBoolean();
    if (!isDone && failure != null) {
      throw failure;
    }
    return isDone;
  }

  private record Wait(long number, BooleanSupplier done, Failure expired) {}

  /**
   * The time of a wait is over. A wait that has its answer is not failed, even if its thread has
   * not seen it yet: the request would count as lost though nothing was.
   */
  private void timeOver(Wait wait) {
    lock.lock();
    try {
      if (waits != wait.number() || wait.done().getAsBoolean()) {
        return;
      }
      if (!forgive()) {
        fail(wait.expired(), null);
        return;
      }
      time.after(Standstill.CATCH_UP, () -> timeOver(wait));
    } finally {
      lock.unlock();
    }
  }

  /** False when the process did not stand still: what it did counts against no limit. */
  private boolean forgive() {
    Duration stood = Standstill.since(dueNanos, time);
    if (!stood.isPositive()) {
      return false;
    }
    long notOurs = stood.plus(Standstill.CATCH_UP).toNanos();
    startedAt += notOurs;
    sentAt += notOurs;
    dueNanos += notOurs;
    return true;
  }

  private void connected(HttpClientRequest made, byte[] body) {
    lock.lock();
    try {
      request = made;
      if (failure != null) {
        made.reset();
        return;
      }
      sent = true;
      sentAt = time.nanos();
      news.signalAll();
    } finally {
      lock.unlock();
    }
    made.exceptionHandler(cause -> fail(TransportFailures.talking(cause, target), cause));
    made.response()
        .onComplete(this::answered, cause -> fail(TransportFailures.talking(cause, target), cause));
    made.end(Buffer.buffer(body))
        .onComplete(_ -> written(), cause -> fail(TransportFailures.talking(cause, target), cause));
  }

  /** A large body on a slow line takes its time: the answer is waited for from here on. */
  private void written() {
    lock.lock();
    try {
      if (!written) {
        written = true;
        sentAt = time.nanos();
        news.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  private void answered(HttpClientResponse head) {
    head.exceptionHandler(cause -> fail(TransportFailures.talking(cause, target), cause));
    head.handler(this::received);
    head.endHandler(_ -> finished());
    written(); // whoever answers has read enough
    lock.lock();
    try {
      response = head;
      news.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void received(Buffer chunk) {
    lock.lock();
    try {
      bytes += chunk.length();
      if (!discards && failure == null) {
        chunks.add(chunk);
        ahead += chunk.length();
        if (ahead >= BYTES_AHEAD && !isHeldBack) {
          isHeldBack = true;
          flow(HttpClientResponse::pause);
        }
      }
      if (bytes > limits.bodyBytesMax()) {
        fail(tooLong(), null);
      }
      news.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Not passing: whoever sends too much once sends too much again. */
  private Failure tooLong() {
    return Failure.of(
            FailureCode.BACKEND_FAILURE,
            target + " sent more than " + limits.bodyBytesMax() + " bytes")
        .as(FailureKind.INVALID);
  }

  private void finished() {
    lock.lock();
    try {
      ended = true;
      news.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void fail(Failure what, @Nullable Throwable cause) {
    lock.lock();
    try {
      if (failure != null || ended) {
        return;
      }
      failure =
          cause == null
              ? new HttpFailedException(what, !sent)
              : new HttpFailedException(what, !sent, cause);
      chunks.clear();
      HttpClientRequest started = request;
      if (started != null) {
        loop.runOnContext(_ -> started.reset());
      }
      news.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** In the order of the calls, on the loop. */
  private void flow(Consumer<HttpClientResponse> change) {
    HttpClientResponse head = response;
    if (head != null) {
      loop.runOnContext(_ -> change.accept(head));
    }
  }
}
