package dev.holdfast.config;

import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Locale;

/**
 * What the records of the configuration refuse: {@code max_rounds must be ...}. The exception
 * carries the key, by which {@link Section#read} finds the line.
 */
public final class Check {
  private Check() {}

  /**
   * @throws RefusedValueException when {@code value} is outside {@code min} to {@code max}, both
   *     allowed
   */
  public static void inRange(String key, long value, long min, long max) {
    that(
        value >= min && value <= max, key, "must be from " + min + " to " + max + ", got " + value);
  }

  /**
   * @throws RefusedValueException when {@code value} is outside {@code min} to {@code max}, both
   *     allowed, or not a number
   */
  public static void inRange(String key, double value, double min, double max) {
    that(
        value >= min && value <= max, key, "must be from " + min + " to " + max + ", got " + value);
  }

  /**
   * @throws RefusedValueException when {@code value} is below {@code min}
   */
  public static void atLeast(String key, long value, long min) {
    that(value >= min, key, "must be at least " + min + ", got " + value);
  }

  /**
   * @throws RefusedValueException when {@code value} is shorter than {@code min}
   */
  public static void atLeast(String key, Duration value, Duration min) {
    that(
        value.compareTo(min) >= 0, key, "must be at least " + plain(min) + ", got " + plain(value));
  }

  /**
   * @throws RefusedValueException when {@code value} is outside {@code min} to {@code max}, both
   *     allowed
   */
  public static void inRange(String key, Duration value, Duration min, Duration max) {
    that(
        value.compareTo(min) >= 0 && value.compareTo(max) <= 0,
        key,
        "must be from " + plain(min) + " to " + plain(max) + ", got " + plain(value));
  }

  /**
   * @throws RefusedValueException when {@code value} has no visible character
   */
  public static void notBlank(String key, String value) {
    that(!value.isBlank(), key, "must not be empty");
  }

  /**
   * @throws RefusedValueException when {@code value} was not given
   */
  public static void given(String key, Secret value) {
    that(!value.isEmpty(), key, "must be given");
  }

  /** A port to listen on; 0 lets the system choose one. */
  public static void port(String key, int value) {
    inRange(key, value, 0, 65535);
  }

  /**
   * An absolute {@code http} or {@code https} address with a host. The value is not repeated in the
   * message: it may hold a password.
   */
  public static void httpUrl(String key, String value) {
    try {
      URI uri = new URI(value);
      String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
      boolean http = scheme.equals("http") || scheme.equals("https");
      that(http && uri.getHost() != null, key, "must be a http:// or https:// address with a host");
    } catch (URISyntaxException e) {
      throw new RefusedValueException(key, key + " must be a http:// or https:// address", e);
    }
  }

  /**
   * Refuses to listen to the world without a token that the operator chose.
   *
   * @param tokenGiven whether calls from outside must show a configured token
   * @throws RefusedValueException when {@code host} is not a loopback address and there is none
   */
  public static void publicBindHasToken(String key, String host, boolean tokenGiven) {
    that(
        isLoopback(host) || tokenGiven,
        key,
        "is "
            + host
            + ", which others can reach: set HOLDFAST_TOKEN or api.tokens first, or bind"
            + " 127.0.0.1");
  }

  /**
   * Whether only this machine reaches {@code host}. Asks no name server: an unknown name is public.
   */
  public static boolean isLoopback(String host) {
    String bare =
        host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
    if (bare.equalsIgnoreCase("localhost")) {
      return true;
    }
    try {
      return InetAddress.ofLiteral(bare).isLoopbackAddress();
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  /**
   * For what the other checks cannot say.
   *
   * @param rest the sentence after the key
   * @throws RefusedValueException when {@code holds} is false
   */
  public static void that(boolean holds, String key, String rest) {
    if (!holds) {
      throw new RefusedValueException(key, key + " " + rest);
    }
  }

  private static String plain(Duration duration) {
    return duration.toMillis() % 1000 == 0
        ? duration.toSeconds() + " s"
        : duration.toMillis() + " ms";
  }
}
