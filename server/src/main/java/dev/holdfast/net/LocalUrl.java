package dev.holdfast.net;

/** The address under which this machine's own programs and browsers reach a listener. */
public final class LocalUrl {
  private LocalUrl() {}

  /**
   * @param host that the listener binds; of one that stands for every address, the loopback one
   * @return without a slash at its end
   */
  public static String of(String host, int port) {
    String reachable =
        switch (host) {
          case "0.0.0.0" -> "127.0.0.1";
          case "::", "[::]" -> "::1";
          default -> host;
        };
    boolean isBare = reachable.contains(":") && !reachable.startsWith("[");
    return "http://" + (isBare ? "[" + reachable + "]" : reachable) + ":" + port;
  }
}
