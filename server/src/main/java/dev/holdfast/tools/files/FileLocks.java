package dev.holdfast.tools.files;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/** One change at a time for a file and for an execution. Thread-safe. */
final class FileLocks {
  private static final int STRIPES = 256;

  private final ReentrantLock[] stripes = new ReentrantLock[STRIPES];

  FileLocks() {
    Arrays.setAll(stripes, _ -> new ReentrantLock());
  }

  /** Gives back what was taken. */
  record Held(Deque<ReentrantLock> locks) implements AutoCloseable {
    @Override
    public void close() {
      locks.forEach(ReentrantLock::unlock);
    }
  }

  /** Blocks. Always takes them in the same order, so that no two wait for each other. */
  Held take(String execution, List<AllowedPath> paths) throws InterruptedException {
    TreeSet<Integer> wanted = new TreeSet<>();
    Stream.concat(Stream.of(execution), paths.stream())
        .forEach(each -> wanted.add(Math.floorMod(each.hashCode(), STRIPES)));
    Deque<ReentrantLock> taken = new ArrayDeque<>();
    boolean all = false;
    try {
      for (int index : wanted) {
        stripes[index].lockInterruptibly();
        taken.push(stripes[index]);
      }
      all = true;
      return new Held(taken);
    } finally {
      if (!all) {
        taken.forEach(ReentrantLock::unlock);
      }
    }
  }
}
