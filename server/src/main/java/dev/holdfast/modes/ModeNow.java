package dev.holdfast.modes;

/**
 * The mode of now.
 *
 * @param number of the change that led to it; 0 when there was none
 * @param sentence what people are told, once, whose messages wait because of it; empty where there
 *     are other words for that
 */
public record ModeNow(Mode mode, long number, String sentence) {
  /** All is well, and always was. */
  public static final ModeNow FULL = new ModeNow(Mode.FULL, 0, "");
}
