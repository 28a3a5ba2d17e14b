package dev.holdfast.natskit;

import io.nats.client.Connection;
import io.nats.client.ErrorListener;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

/**
 * Hears why a connection fails: the library throws the same whatever the reason is, and tells it to
 * its listener, on a thread of its own. For one connection. Thread-safe.
 */
public class ConnectErrors implements ErrorListener {
  private static final long HEARD_WITHIN_MS = 1000;

  private final String servers;
  private final String section;
  private final String help;
  private final CompletableFuture<Exception> first = new CompletableFuture<>();
  private volatile String refusal = "";

  /**
   * @param servers as people may read them
   * @param section what stands before the keys that are named: empty, or ends with a dot
   * @param help where to read more
   */
  public ConnectErrors(String servers, String section, String help) {
    this.servers = servers;
    this.section = section;
    this.help = help;
  }

  @Override
  public void errorOccurred(Connection connection, String error) {
    if (NatsAddresses.isRefusal(error)) {
      refusal = NatsAddresses.shown(error);
    }
  }

  @Override
  public void exceptionOccurred(Connection connection, Exception failure) {
    boolean _ = first.complete(failure);
  }

  /** Why NATS does not let the user in, in its own words; empty when it has not said so. */
  public String refusal() {
    return refusal;
  }

  /**
   * Why there is no connection, as a sentence that says what to do. Afterwards {@link #refusal}
   * tells whether it is the user's. Blocks for a second at most.
   *
   * @param thrown by the library
   */
  public String why(Exception thrown) throws InterruptedException {
    Throwable cause = thrown;
    try {
      cause = first.get(HEARD_WITHIN_MS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException _) {
      // What was thrown has to do.
    }
    while (cause instanceof ExecutionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (refusal.isEmpty() && NatsAddresses.isRefusal(NatsAddresses.said(thrown))) {
      refusal = NatsAddresses.said(thrown);
    }
    return "NATS at " + servers + why(cause);
  }

  private String why(Throwable cause) {
    String said = NatsAddresses.said(cause);
    if (cause instanceof SSLException) {
      return "%s (%s): see %s, TLS".formatted(tlsProblem(cause), said, help);
    }
    if (cause instanceof TimeoutException) {
      return " does not answer in time: see " + help + ", TLS, if it wants TLS";
    }
    return switch (Objects.requireNonNullElse(cause.getMessage(), "")) {
      case "SSL required by server." -> " wants TLS: write tls:// in " + section + "servers";
      case "SSL connection wanted by client." ->
          " offers no TLS, which a tls:// in %sservers demands of all: enable it in nats-server"
              .formatted(section);
      default -> " cannot be reached: " + said;
    };
  }

  private static String tlsProblem(Throwable failure) {
    String problem = " does not complete the handshake of TLS";
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      switch (cause) {
        case CertificateExpiredException _ -> {
          return " has a certificate that has expired";
        }
        case CertificateNotYetValidException _ -> {
          return " has a certificate that is not valid yet";
        }
        case CertPathBuilderException _, CertPathValidatorException _ ->
            problem = " is not trusted: no CA that is trusted has issued its certificate";
        case CertificateException _ -> problem = " is not trusted";
        default -> {}
      }
    }
    return problem;
  }
}
