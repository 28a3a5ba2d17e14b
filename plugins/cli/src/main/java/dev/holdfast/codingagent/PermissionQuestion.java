package dev.holdfast.codingagent;

import java.nio.file.Path;

/**
 * The words in which a person is asked for a permission: all of it, so that nobody signs blindly.
 */
final class PermissionQuestion {
  /** The server takes 4,000 characters. */
  private static final int DETAIL_MAX = 3000;

  private static final int TITLE_MAX = 300;

  private PermissionQuestion() {}

  /** {@code full}: where all of the request can be read when it is too long for a question. */
  static String of(PermissionRequest request, Path folder, Path full) {
    String detail = visible(request.detail());
    StringBuilder text = new StringBuilder("May the coding agent do this in ");
    text.append(cut(visible(folder.toString()), TITLE_MAX)).append("?\n");
    text.append(cut(visible(request.title()), TITLE_MAX));
    if (!detail.isEmpty()) {
      text.append("\n\n").append(cut(detail, DETAIL_MAX));
    }
    if (isCut(request)) {
      text.append(
          "\n\nThis is only the beginning of it: all %d characters are in the file %s."
              .formatted(detail.length(), full));
    }
    return text.toString();
  }

  static boolean isCut(PermissionRequest request) {
    return visible(request.detail()).length() > DETAIL_MAX;
  }

  private static String cut(String text, int max) {
    return text.length() <= max ? text : text.substring(0, max) + "…";
  }

  /** What nobody would see, or what would turn a line round, is shown as an escape. */
  static String visible(String text) {
    StringBuilder shown = new StringBuilder();
    text.codePoints()
        .forEach(
            one -> {
              int type = Character.getType(one);
              boolean isHidden =
                  one != '\n'
                      && one != '\t'
                      && (type == Character.CONTROL
                          || type == Character.FORMAT
                          || type == Character.SURROGATE
                          || type == Character.PRIVATE_USE
                          || type == Character.UNASSIGNED);
              if (isHidden) {
                shown.append("\\u{%x}".formatted(one));
              } else {
                shown.appendCodePoint(one);
              }
            });
    return shown.toString();
  }
}
