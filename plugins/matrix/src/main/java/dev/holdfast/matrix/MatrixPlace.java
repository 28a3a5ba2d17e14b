package dev.holdfast.matrix;

/**
 * Where something is said: a room, or a thread in one.
 *
 * @param root the event that the thread hangs on; empty for what stands in the room itself
 */
record MatrixPlace(String room, String root) {
  /** No id has it. */
  private static final char BETWEEN = '|';

  /** As {@link dev.holdfast.api.InboundMessage#thread} has it. */
  static MatrixPlace ofThread(String thread) {
    int between = thread.indexOf(BETWEEN);
    return between < 0
        ? new MatrixPlace(thread, "")
        : new MatrixPlace(thread.substring(0, between), thread.substring(between + 1));
  }

  String thread() {
    return root.isEmpty() ? room : room + BETWEEN + root;
  }

  /** The key of an event in a room. */
  static String key(String room, String event) {
    return room + BETWEEN + event;
  }

  /** The event that a key names; empty when it is the key of something else. */
  static String eventOf(String key) {
    String event = key.substring(key.indexOf(BETWEEN) + 1);
    return MatrixIds.isEvent(event) ? event : "";
  }
}
