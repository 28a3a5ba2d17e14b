package dev.holdfast.agents.dispatch;

import dev.holdfast.agents.context.Incoming;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Commands that overtake the messages of their thread: a few run at once beside the dispatching
 * loop, more of them wait here, and the rest on disk. Those of one chat thread run one after the
 * other, so that none of them holds up the commands of others. Thread-safe.
 */
final class CommandQueue {
  static final int AT_ONCE = 16;
  static final int WAITING_MAX = 2000;
  static final int WAITING_OF_ONE_MAX = 1000;

  private final Consumer<Incoming> obey;
  private final Runnable scan;
  private final SequencedMap<Long, Incoming> waiting = new LinkedHashMap<>();

  /** The chat threads one of whose commands runs. */
  private final Set<String> busy = new HashSet<>();

  private boolean leftOnDisk;

  /** {@code scan}: has open events looked for, those that found no place here too. */
  CommandQueue(Consumer<Incoming> obey, Runnable scan) {
    this.obey = obey;
    this.scan = scan;
  }

  /** Returns at once. Nothing of what was said is kept but the command. */
  synchronized void add(Incoming whole) {
    Incoming command = whole.withoutText();
    if (busy.size() < AT_ONCE && busy.add(threadOf(command))) {
      start(command);
    } else if (hasRoomFor(command)) {
      waiting.putIfAbsent(command.seq(), command);
    } else {
      leftOnDisk = true;
    }
  }

  private boolean hasRoomFor(Incoming command) {
    return waiting.size() < WAITING_MAX
        && waiting.values().stream()
                .filter(other -> threadOf(other).equals(threadOf(command)))
                .count()
            < WAITING_OF_ONE_MAX;
  }

  private void start(Incoming command) {
    Thread.ofVirtual().name("command").start(() -> run(command));
  }

  private void run(Incoming first) {
    Incoming command = first;
    try {
      while (command != null) {
        obey.accept(command);
        command = next(command);
      }
    } finally {
      if (command != null) { // a bug ended it: the others are obeyed all the same
        Incoming next = next(command);
        if (next != null) {
          start(next);
        }
      }
    }
  }

  /** Null when none may run now: then one less runs. */
  private synchronized @Nullable Incoming next(Incoming done) {
    busy.remove(threadOf(done));
    Optional<Incoming> next =
        waiting.values().stream().filter(command -> !busy.contains(threadOf(command))).findFirst();
    if (next.isPresent()) {
      waiting.remove(next.get().seq());
      busy.add(threadOf(next.get()));
      return next.get();
    }
    if (leftOnDisk && waiting.isEmpty()) {
      leftOnDisk = false;
      scan.run();
    }
    return null;
  }

  private static String threadOf(Incoming command) {
    return command.event().threadId();
  }
}
