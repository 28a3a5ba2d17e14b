package dev.holdfast.drills;

/** Puts the fault of a drill into a part of the server. */
@FunctionalInterface
public interface Injection {
  /**
   * The fault begins. Returns soon.
   *
   * @param target which of several is meant; empty for all, or for the one that there is
   * @throws DrillRefusedException when there is nothing that the fault could happen to
   */
  Fault begin(String target) throws DrillRefusedException;

  /** A fault that goes on until it is closed. */
  interface Fault extends AutoCloseable {
    /** How often it has struck. */
    long strikes();

    /** Whether the part works again by itself; asked after the end. */
    default boolean isRepaired() {
      return true;
    }

    /** Called several times a second while the drill runs. */
    default void tick() {}

    /** Ends it. A second call does nothing. */
    @Override
    void close();
  }
}
