package dev.holdfast.tests.harness;

/**
 * How long campaigns and sweeps are: short in the normal run, at full length with {@code
 * -Dholdfast.full=true} ({@code ./holdfast test --full}).
 */
public final class RunLength {
  private static final boolean FULL = Boolean.getBoolean("holdfast.full");

  private RunLength() {}

  public static boolean isFull() {
    return FULL;
  }

  /**
   * How often something is done.
   *
   * @param property names another number than these two
   */
  public static int of(String property, int inTheNormalRun, int inFull) {
    return Integer.getInteger(property, FULL ? inFull : inTheNormalRun);
  }
}
