package dev.holdfast.processes;

/** A line that a child wrote, without its end; what is not UTF-8 is replaced, and said so. */
public record OutputLine(String text, Ending ending) {
  /** How the line ended. */
  public enum Ending {
    WHOLE,
    /** It was too long; the rest of it was dropped. */
    CUT,
    /** It was no UTF-8. */
    GARBLED,
    /** The stream ended within it. */
    STREAM_ENDED
  }

  public boolean isWhole() {
    return ending == Ending.WHOLE;
  }
}
