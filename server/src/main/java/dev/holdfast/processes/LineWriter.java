package dev.holdfast.processes;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Writes lines to a child, each whole and in their order. Whoever writes to a child that does not
 * read waits no longer than it wants to.
 */
final class LineWriter extends PipeWriter {
  private final int bytesMax;

  /**
   * @param bytesMax what may wait to be read
   */
  LineWriter(int descriptor, int bytesMax) {
    super(descriptor);
    this.bytesMax = bytesMax;
  }

  /**
   * Hands a line over; on return it will be written whole, should the child read it.
   *
   * @throws CallFailedException INVALID when it is too long, TRANSIENT when there is no room for it
   *     in time or the input has ended
   */
  void write(String line, Duration timeout) throws CallFailedException, InterruptedException {
    byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
    if (bytes.length > bytesMax) {
      throw failed(FailureCode.INVALID_REQUEST, "a line for the child is too long");
    }
    long left = timeout.toNanos();
    lock.lockInterruptibly();
    try {
      while (!isClosing() && queuedBytes() + bytes.length > bytesMax) {
        if (left <= 0) {
          throw failed(FailureCode.TIMEOUT, "the child does not read its input");
        }
        left = changed.awaitNanos(left);
      }
      if (isClosing()) {
        throw failed(FailureCode.IO, "the child's input has ended");
      }
      put(bytes);
    } finally {
      lock.unlock();
    }
  }

  private static CallFailedException failed(FailureCode code, String text) {
    return new CallFailedException(Failure.of(code, text));
  }
}
