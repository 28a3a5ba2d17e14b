package dev.holdfast.codingagent;

import java.nio.file.Path;

/**
 * The words in which a person is asked for a permission: all of it, so that nobody signs blindly.
 */
final class PermissionQuestion {
  /** The server takes 4,000 characters. */
  private static final int DETAIL_MAX = 3000;

  private static final int LINE_MAX = 200;

  private PermissionQuestion() {}

  static String ofAll(PermissionRequest request, Path folder) {
    return "%s\n\n%s".formatted(asked(request, folder), fingerprint(request));
  }

  /** {@code file}: where all of the request can be read, as it is too long for a question. */
  static String ofBeginning(PermissionRequest request, Path folder, Path file) {
    return "%s\n\nThis is only the beginning of it: all %d characters are in the file %s. Before you allow this, check that the SHA-256 of the file is its name."
        .formatted(asked(request, folder), full(request).length(), file);
  }

  private static String asked(PermissionRequest request, Path folder) {
    String detail = visible(request.detail());
    return "May the coding agent do this in %s?\n%s%s%s"
        .formatted(
            cut(visible(folder.toString()), LINE_MAX),
            title(request),
            detail.isEmpty() ? "" : "\n\n",
            cut(detail, DETAIL_MAX));
  }

  /** All that a person should read, as it stands in the file. */
  static String full(PermissionRequest request) {
    return "%s\n\n%s\n\n%s\n"
        .formatted(fullTitle(request), visible(request.detail()), fingerprint(request));
  }

  /** Two requests that read the same differ here. */
  private static String fingerprint(PermissionRequest request) {
    return "Fingerprint: " + request.hash();
  }

  /** In one line. */
  static String title(PermissionRequest request) {
    return cut(fullTitle(request), LINE_MAX);
  }

  private static String fullTitle(PermissionRequest request) {
    return visible(request.title()).replace("\n", "\\n");
  }

  static boolean isCut(PermissionRequest request) {
    return visible(request.detail()).length() > DETAIL_MAX
        || fullTitle(request).length() > LINE_MAX;
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
