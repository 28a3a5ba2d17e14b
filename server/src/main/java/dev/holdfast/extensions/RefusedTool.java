package dev.holdfast.extensions;

/**
 * A tool that a server lists and that cannot be used.
 *
 * @param name as the server calls it; empty when it has none
 * @param reason for people
 */
record RefusedTool(String name, String reason) {
  private static final int NAME_UNITS_MAX = 64;

  @Override
  public String toString() {
    String shown = Texts.visible(name).replaceAll("\\s+", " ");
    boolean isCut = shown.length() > NAME_UNITS_MAX;
    String head = isCut ? Texts.cut(shown, NAME_UNITS_MAX) + "…" : shown;
    return head.isBlank() ? "a tool without a name: " + reason : head + ": " + reason;
  }
}
