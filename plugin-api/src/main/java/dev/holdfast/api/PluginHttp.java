package dev.holdfast.api;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The server's HTTP client behind guards of the plugin's own, one for each host and port: each
 * request has a deadline, one that may be repeated is tried again after a passing failure, and a
 * host that keeps failing, or that asks for a pause, is left alone for a while; the others are not.
 * Metrics and {@code /ready} show the names of hosts, so none may hold a secret. Beyond 16 hosts
 * that were used within 10 min, further ones share a guard. Thread-safe.
 */
public interface PluginHttp {
  /**
   * Sends one request. Blocks the calling thread; interrupting it aborts the request.
   *
   * @return whatever status the other side answered with, unless the request may be repeated: then
   *     408, 425, 429, 500, 502, 503 and 504 are failures that are tried again
   * @throws CallFailedException when no answer came: NETWORK, TIMEOUT, CIRCUIT_OPEN, BULKHEAD_FULL;
   *     {@link Failure#isUnsent} says whether the other side can have got anything of it
   */
  Answer send(Request request) throws CallFailedException, InterruptedException;

  /**
   * Fetches a file, or what says where one is: as {@link #send}, behind a guard that the host has
   * for files alone. Files that are cut or slow hold back no other call, and no other call holds
   * them back.
   *
   * @throws CallFailedException as {@link #send}
   */
  default Answer download(Request request) throws CallFailedException, InterruptedException {
    return send(request);
  }

  /**
   * Opens a WebSocket, behind the guard of its host, in one try. Blocks until its handshake is
   * done; interrupting the thread gives it up. It is closed when the plugin stops.
   *
   * @throws CallFailedException as {@link #send}; AUTH when the other side answers the handshake
   *     with 401 or 403, RATE_LIMITED with 429, BACKEND_FAILURE with 408, 425 or from 500 on, else
   *     INVALID_REQUEST. The status stands in the failure's context under {@code status}
   * @throws IllegalStateException when 64 of the plugin are open already, or it was stopped
   */
  default PluginSocket connect(PluginSocket.Request request)
      throws CallFailedException, InterruptedException {
    throw new IllegalStateException("this client opens no sockets");
  }

  /**
   * Judges an address that a model or a stranger named, as {@code web_fetch} does: whether this
   * server may be made to connect there. Blocks while the name is looked up, for 5 s at most.
   *
   * @param url absolute, {@code http} or {@code https}
   * @return what to connect to, in place of the name: looked up again, that may stand for another
   *     address
   * @throws CallFailedException INVALID_REQUEST when it is not public and the operator does not let
   *     it through; NETWORK, TIMEOUT when the name cannot be looked up
   */
  default InetSocketAddress judge(String url) throws CallFailedException, InterruptedException {
    throw new IllegalStateException("this client judges no addresses");
  }

  /**
   * A request.
   *
   * @param url absolute, {@code http} or {@code https}
   * @param body empty for none; not to be changed afterwards
   * @param timeout for everything, from 1 s to 10 min
   * @param answerBytesMax a longer answer is a failure; at most 16 MiB
   * @param repeatable whether a second one does no harm
   */
  @SuppressWarnings("ArrayRecordComponent") // copying a megabyte per request helps nobody
  record Request(
      String method,
      String url,
      Map<String, String> headers,
      byte[] body,
      Duration timeout,
      int answerBytesMax,
      boolean repeatable) {
    private static final Duration USUAL = Duration.ofSeconds(30);
    private static final int USUAL_BYTES_MAX = 1024 * 1024;

    public Request {
      headers = Map.copyOf(headers);
    }

    /** To fetch something; may be repeated. */
    public static Request get(String url, Map<String, String> headers) {
      return new Request("GET", url, headers, new byte[0], USUAL, USUAL_BYTES_MAX, true);
    }

    /** To change something; sent once. */
    public static Request post(String url, Map<String, String> headers, byte[] body) {
      return new Request("POST", url, headers, body, USUAL, USUAL_BYTES_MAX, false);
    }
  }

  /**
   * An answer.
   *
   * @param headers by lower-case name, every value in the order it came
   */
  @SuppressWarnings("ArrayRecordComponent") // as in the request
  record Answer(int status, Map<String, List<String>> headers, byte[] body) {}
}
