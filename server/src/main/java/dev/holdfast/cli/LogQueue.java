package dev.holdfast.cli;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.spi.ILoggingEvent;
import java.util.concurrent.atomic.LongAdder;

/**
 * Hands lines to a thread that writes them. A reader of the log that hangs must never block a turn:
 * when the queue is full, lines are dropped and counted.
 */
public final class LogQueue extends AsyncAppender {
  private final LongAdder dropped = new LongAdder();

  public LogQueue() {
    setNeverBlock(true);
    setDiscardingThreshold(0);
    setIncludeCallerData(false);
  }

  @Override
  protected void append(ILoggingEvent event) {
    if (getRemainingCapacity() == 0) {
      dropped.increment();
    } else {
      super.append(event);
    }
  }

  long dropped() {
    return dropped.sum();
  }
}
