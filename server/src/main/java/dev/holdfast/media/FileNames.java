package dev.holdfast.media;

import java.util.regex.Pattern;

/** Names that strangers give to files, as they may be shown. */
public final class FileNames {
  private static final int POINTS_MAX = 100;

  /** Line ends, what turns the direction of writing around, and other things nobody sees. */
  private static final Pattern UNSEEN = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\"]");

  private FileNames() {}

  /** The last step of what may look like a path, without anything unseen; never empty. */
  public static String shown(String name) {
    String last = name.substring(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
    String plain = UNSEEN.matcher(last).replaceAll("").strip();
    int[] points = plain.codePoints().limit(POINTS_MAX).toArray();
    String clipped = new String(points, 0, points.length);
    return clipped.isEmpty() || clipped.matches("\\.+") ? "file" : clipped;
  }
}
