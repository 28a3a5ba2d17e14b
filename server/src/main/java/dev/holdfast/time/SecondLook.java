package dev.holdfast.time;

/**
 * For who looks now and then whether something gives signs of life: silence at one look may come of
 * a {@link Standstill}, in which nothing could give a sign; at two looks in a row it does not.
 * Thread-safe.
 */
public final class SecondLook {
  private boolean before;

  /** Whether there was silence at the look before too. */
  public synchronized boolean confirms(boolean isSilent) {
    boolean both = before && isSilent;
    before = isSilent;
    return both;
  }
}
