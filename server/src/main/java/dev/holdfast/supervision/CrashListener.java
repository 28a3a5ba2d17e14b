package dev.holdfast.supervision;

/** Hears what becomes of children that crash more often than they are restarted. */
public interface CrashListener {
  /**
   * A critical child is given up. Called on its thread; the process usually ends there.
   *
   * @param crash what it was, in a few words
   */
  void gaveUp(ChildSpec child, String crash);

  /** Any other is tried again at a slow pace. Hand over and return. */
  void ailing(ChildSpec child, String crash);

  /** It has run for a while again. Hand over and return. */
  void recovered(ChildSpec child);
}
