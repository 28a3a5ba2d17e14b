package dev.holdfast.libc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Descriptors that are waited for together: poll(2). Belongs to one thread. */
public final class PollSet implements AutoCloseable {
  private static final short POLLIN = 1;
  private static final short POLLOUT = 4;
  private static final long ENTRY_BYTES = 8;
  private static final int EVENTS_AT = 4;
  private static final int FOUND_AT = 6;

  /** For so many descriptors at first. */
  private static final int ROOM = 64;

  private static final MethodHandle POLL =
      Libc.find("poll", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));

  private final Arena arena = Arena.ofConfined();
  private MemorySegment entries = arena.allocate(ROOM * ENTRY_BYTES, Long.BYTES);
  private int size;

  /** Forgets all of them. */
  public void clear() {
    size = 0;
  }

  /** The next wait is for something to read, or for the end, as well. Returns its place. */
  public int addRead(int descriptor) {
    return add(descriptor, POLLIN);
  }

  /** The next wait is for room to write, or for a closed other side, as well. Returns its place. */
  public int addWrite(int descriptor) {
    return add(descriptor, POLLOUT);
  }

  private int add(int descriptor, short events) {
    if (size * ENTRY_BYTES == entries.byteSize()) {
      MemorySegment larger = arena.allocate(2 * entries.byteSize(), Long.BYTES);
      entries = larger.copyFrom(entries); // what it was before is given back with the set
    }
    MemorySegment entry = entries.asSlice(size * ENTRY_BYTES, ENTRY_BYTES);
    entry.set(JAVA_INT, 0, descriptor);
    entry.set(JAVA_SHORT, EVENTS_AT, events);
    entry.set(JAVA_SHORT, FOUND_AT, (short) 0);
    return size++;
  }

  /**
   * Waits until something can be done with one of them, at most so long; a negative number of
   * milliseconds is for ever. A signal ends the wait early.
   */
  public void await(int millis) {
    Libc.callOnce((_, state) -> (int) POLL.invokeExact(state, entries, (long) size, millis));
  }

  /** Whether something could be done with the one in that place when the last wait was over. */
  public boolean isReady(int place) {
    return entries.get(JAVA_SHORT, place * ENTRY_BYTES + FOUND_AT) != 0;
  }

  @Override
  public void close() {
    arena.close();
  }
}
