package dev.holdfast.agents.dispatch;

import dev.holdfast.agents.context.Incoming;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Commands that overtake the messages of their thread: a few run at once beside the dispatching
 * loop, more of them wait here, and the rest on disk. Thread-safe.
 */
final class CommandQueue {
  static final int AT_ONCE = 16;
  static final int WAITING_MAX = 1000;

  private final Consumer<Incoming> obey;
  private final Runnable scan;
  private final SequencedMap<Long, Incoming> waiting = new LinkedHashMap<>();
  private int running;
  private boolean leftOnDisk;

  /** {@code scan}: has open events looked for, those that found no place here too. */
  CommandQueue(Consumer<Incoming> obey, Runnable scan) {
    this.obey = obey;
    this.scan = scan;
  }

  /** Returns at once. Nothing of what was said is kept but the command. */
  synchronized void add(Incoming whole) {
    Incoming command = whole.withoutText();
    if (running < AT_ONCE) {
      running++;
      start(command);
    } else if (waiting.size() < WAITING_MAX) {
      waiting.putIfAbsent(command.seq(), command);
    } else {
      leftOnDisk = true;
    }
  }

  private void start(Incoming command) {
    Thread.ofVirtual().name("command").start(() -> run(command));
  }

  private void run(Incoming first) {
    Incoming command = first;
    try {
      while (command != null) {
        obey.accept(command);
        command = next();
      }
    } finally {
      if (command != null) { // a bug ended it: the others are obeyed all the same
        Incoming next = next();
        if (next != null) {
          start(next);
        }
      }
    }
  }

  /** Null when there is none: then one less runs. */
  private synchronized @Nullable Incoming next() {
    Map.Entry<Long, Incoming> first = waiting.pollFirstEntry();
    if (first != null) {
      return first.getValue();
    }
    running--;
    if (leftOnDisk) {
      leftOnDisk = false;
      scan.run();
    }
    return null;
  }
}
