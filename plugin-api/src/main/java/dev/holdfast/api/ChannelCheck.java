package dev.holdfast.api;

/**
 * Something that an account needs, and whether it has it.
 *
 * @param what for people, for example {@code the token is valid}; at most 500 UTF-16 units
 * @param isMet whether it is so
 * @param remedy what to do when it is not: one sentence without secrets, at most 1,000 UTF-16
 *     units; empty when it is
 */
public record ChannelCheck(String what, boolean isMet, String remedy) {
  private static final int WHAT_MAX = 500;
  private static final int REMEDY_MAX = 1000;

  public ChannelCheck {
    what = Bounds.text("what", what, WHAT_MAX);
    remedy = Bounds.text("remedy", remedy, REMEDY_MAX);
  }

  /** It is so. */
  public static ChannelCheck met(String what) {
    return new ChannelCheck(what, true, "");
  }

  /** It is not so. */
  public static ChannelCheck missing(String what, String remedy) {
    return new ChannelCheck(what, false, remedy);
  }
}
