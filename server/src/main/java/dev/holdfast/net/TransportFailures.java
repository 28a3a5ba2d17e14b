package dev.holdfast.net;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

/**
 * Turns what the transport throws into failures. The texts name the host and never a path: it may
 * hold a token.
 */
final class TransportFailures {
  private static final int DEPTH_MAX = 10;

  private TransportFailures() {}

  static Failure connecting(Throwable cause, String target) {
    if (has(cause, ConnectionPoolTooBusyException.class)) {
      return Failure.of(FailureCode.BULKHEAD_FULL, "too many requests wait for " + target);
    }
    return Failure.of(FailureCode.NETWORK, "no connection to " + target + ": " + why(cause));
  }

  static Failure talking(Throwable cause, String target) {
    return Failure.of(FailureCode.NETWORK, "the connection to " + target + " broke: " + why(cause));
  }

  private static String why(Throwable cause) {
    if (has(cause, UnknownHostException.class)) {
      return "the name cannot be resolved";
    }
    if (has(cause, SSLException.class)) {
      return "TLS refused: " + clip(deepest(cause, SSLException.class));
    }
    if (has(cause, TimeoutException.class)) {
      return "timeout";
    }
    if (has(cause, ConnectException.class)) {
      return "refused or unreachable";
    }
    return cause.getClass().getSimpleName();
  }

  private static boolean has(Throwable thrown, Class<? extends Throwable> type) {
    Throwable cause = thrown;
    for (int depth = 0; cause != null && depth < DEPTH_MAX; depth++) {
      if (type.isInstance(cause)) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  private static String deepest(Throwable thrown, Class<? extends Throwable> type) {
    String text = "";
    Throwable cause = thrown;
    for (int depth = 0; cause != null && depth < DEPTH_MAX; depth++) {
      if (cause.getMessage() != null && (type.isInstance(cause) || !text.isEmpty())) {
        text = cause.getMessage();
      }
      cause = cause.getCause();
    }
    return text;
  }

  private static String clip(String text) {
    String line = text.lines().findFirst().orElse("");
    return line.length() > 150 ? line.substring(0, 150) : line;
  }
}
