package dev.holdfast.matrix;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * The ids of Matrix: {@code @person:server}, {@code !room:server} (without a server from room
 * version 12 on) and {@code $event}. Ids are compared as they are: case matters.
 */
final class MatrixIds {
  private static final int UNITS_MAX = 255;
  private static final String SERVER = "[A-Za-z0-9.:\\[\\]-]{1,230}";
  private static final Pattern USER = Pattern.compile("@[!-9;-{}~]{0,250}:" + SERVER);

  /** Rooms and events of old versions of rooms have ids of many forms. */
  private static final Pattern OPAQUE = Pattern.compile("[^\\s|\\p{C}]{1,254}");

  private static final Pattern MEDIA = Pattern.compile("mxc://" + SERVER + "/[A-Za-z0-9_-]{1,255}");

  private MatrixIds() {}

  static boolean isUser(String id) {
    return id.length() <= UNITS_MAX && USER.matcher(id).matches();
  }

  static boolean isRoom(String id) {
    return id.startsWith("!") && OPAQUE.matcher(id.substring(1)).matches();
  }

  static boolean isEvent(String id) {
    return id.startsWith("$") && OPAQUE.matcher(id.substring(1)).matches();
  }

  /** Whether it is the address of a file. */
  static boolean isMedia(String address) {
    return MEDIA.matcher(address).matches();
  }

  /** The homeserver of a person. */
  static String serverOf(String user) {
    return user.substring(user.indexOf(':') + 1);
  }

  /** As one segment of a path, or a value of a query. */
  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
