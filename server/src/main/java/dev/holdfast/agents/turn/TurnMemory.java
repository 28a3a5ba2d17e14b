package dev.holdfast.agents.turn;

import java.util.concurrent.Semaphore;

/**
 * Lets large turns run only as far as the heap has room for them together, in the order of their
 * arrival; small ones do not wait for them. Turns that may be what takes the process down run one
 * at a time, so that its end is held against one event only. Thread-safe.
 */
public final class TurnMemory {
  /** What a turn may hold without asking. */
  private static final long SMALL_BYTES = 256 * 1024;

  private static final int UNIT_BYTES = 1024;

  private final int unitsMax;
  private final Semaphore units;
  private final Semaphore suspects = new Semaphore(1, true);

  public TurnMemory(long bytes) {
    unitsMax = Math.toIntExact(Math.clamp(bytes / UNIT_BYTES, 1, Integer.MAX_VALUE));
    units = new Semaphore(unitsMax, true);
  }

  /** A quarter of the heap. */
  public static TurnMemory ofHeap() {
    return new TurnMemory(Runtime.getRuntime().maxMemory() / 4);
  }

  /**
   * Takes room for a turn, blocking until there is some. One that is larger than all of it runs
   * when no other large one does.
   *
   * @param suspect whether it runs alone among its kind
   */
  public Share take(long bytes, boolean suspect) throws InterruptedException {
    int wanted =
        bytes <= SMALL_BYTES
            ? 0
            : Math.toIntExact(Math.min(unitsMax, (bytes + UNIT_BYTES - 1) / UNIT_BYTES));
    if (suspect) {
      suspects.acquire();
    }
    try {
      if (wanted > 0) { // to ask for nothing means to wait in line, too
        units.acquire(wanted);
      }
    } catch (InterruptedException e) {
      if (suspect) {
        suspects.release();
      }
      throw e;
    }
    return new Share(wanted, suspect);
  }

  /** What one turn holds. */
  public final class Share {
    private final int taken;
    private final boolean suspect;

    private Share(int taken, boolean suspect) {
      this.taken = taken;
      this.suspect = suspect;
    }

    /** Once. */
    void giveBack() {
      units.release(taken);
      if (suspect) {
        suspects.release();
      }
    }
  }
}
