package dev.holdfast.processes;

import dev.holdfast.libc.Descriptors;
import dev.holdfast.libc.PollSet;
import dev.holdfast.processes.ChildPipe.Next;
import dev.holdfast.time.Time;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads and writes the streams of all children on one thread: each has a chunk in its turn, and
 * none is waited for. Thread-safe.
 */
final class PipeLoop implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PipeLoop.class);

  /** The most that is read of one stream before the next has its turn, in bytes. */
  static final int CHUNK = 64 << 10;

  private static final Duration REST = Duration.ofMillis(1);
  private static final int FOREVER = -1;

  private final Time time;
  private final Descriptors.Pipe wakeUps;
  private final Map<ChildPipe, Turn> turns = new LinkedHashMap<>();
  private List<ChildPipe> added = new ArrayList<>();
  private boolean isClosing;
  private boolean isOver;

  /** When a stream is served. */
  private static final class Turn {
    private Next next = Next.WHEN_READY;
    private long restsUntil;
    private int place;
  }

  private PipeLoop(Descriptors.Pipe wakeUps, Time time) {
    this.wakeUps = wakeUps;
    this.time = time;
  }

  /**
   * Begins.
   *
   * @throws IllegalStateException when no file descriptor is free
   */
  static PipeLoop start(Time time) {
    Descriptors.Pipe wakeUps = Descriptors.pipe();
    if (wakeUps == null) {
      throw new IllegalStateException("no file descriptor is free");
    }
    PipeLoop loop = new PipeLoop(wakeUps, time);
    Thread.ofPlatform().name("child pipes").daemon().start(loop::run);
    return loop;
  }

  /** Serves this one from now on, or again. Returns at once. */
  void add(ChildPipe pipe) {
    boolean isServed;
    synchronized (this) {
      isServed = !isOver;
      if (isServed) {
        added.add(pipe);
        wakeUp();
      }
    }
    if (!isServed) {
      pipe.end();
    }
  }

  /** It ends when the last stream has. Returns at once. */
  @Override
  public synchronized void close() {
    if (!isOver) {
      isClosing = true;
      wakeUp();
    }
  }

  private void wakeUp() {
    try (Arena arena = Arena.ofConfined()) {
      Descriptors.write(wakeUps.writeEnd(), arena.allocate(1)); // if it is full it was woken
    }
  }

  private void run() {
    try (Arena arena = Arena.ofConfined();
        PollSet waiting = new PollSet()) {
      MemorySegment room = arena.allocate(CHUNK);
      while (takeAdded()) {
        await(waiting);
        if (waiting.isReady(0)) {
          Descriptors.read(wakeUps.readEnd(), room);
        }
        turns.entrySet().removeIf(each -> !serve(each.getKey(), each.getValue(), waiting, room));
      }
    } finally {
      end();
    }
  }

  /** False when there is nothing more to do. */
  private synchronized boolean takeAdded() {
    added.stream().filter(pipe -> !pipe.hasEnded()).forEach(pipe -> turns.put(pipe, new Turn()));
    added = new ArrayList<>();
    isOver = isClosing && turns.isEmpty();
    return !isOver;
  }

  private void await(PollSet waiting) {
    waiting.clear();
    waiting.addRead(wakeUps.readEnd());
    boolean anyRests = false;
    for (Map.Entry<ChildPipe, Turn> each : turns.entrySet()) {
      Turn turn = each.getValue();
      turn.place = 0;
      if (turn.next == Next.AFTER_REST) {
        anyRests = true;
      } else if (turn.next == Next.WHEN_READY) {
        ChildPipe pipe = each.getKey();
        turn.place =
            pipe.isInput()
                ? waiting.addWrite(pipe.descriptor())
                : waiting.addRead(pipe.descriptor());
      }
    }
    waiting.await(anyRests ? (int) REST.toMillis() : FOREVER);
  }

  /** False when it has come to its end. */
  private boolean serve(ChildPipe pipe, Turn turn, PollSet waiting, MemorySegment room) {
    boolean isReady = turn.place > 0 && waiting.isReady(turn.place);
    if (turn.next == Next.AFTER_REST && time.nanos() - turn.restsUntil >= 0) {
      turn.next = Next.WHEN_READY; // it is asked about with the others
    }
    if (!isReady && !pipe.isAbandoned()) {
      return true;
    }
    try {
      turn.next = pipe.isAbandoned() ? Next.NEVER : pipe.serve(room);
    } catch (RuntimeException bug) {
      LOG.error("children: a stream is served no further", bug);
      turn.next = Next.NEVER;
    }
    if (turn.next == Next.AFTER_REST) {
      turn.restsUntil = time.nanos() + REST.toNanos();
    }
    if (turn.next == Next.NEVER) {
      pipe.end();
    }
    return turn.next != Next.NEVER;
  }

  /** Nothing waits here any more, unless a bug has ended the loop. */
  private void end() {
    List<ChildPipe> left;
    synchronized (this) {
      isOver = true;
      left = added;
      Descriptors.close(wakeUps.readEnd());
      Descriptors.close(wakeUps.writeEnd());
    }
    turns.keySet().forEach(ChildPipe::end);
    left.forEach(ChildPipe::end);
  }
}
