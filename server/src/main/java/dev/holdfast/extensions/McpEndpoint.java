package dev.holdfast.extensions;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.net.HttpCaller;
import dev.holdfast.net.HttpCaller.Limits;
import dev.holdfast.net.HttpCaller.Request;
import dev.holdfast.net.HttpCaller.Streamed;
import dev.holdfast.net.HttpFailedException;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The one address of a remote server, and what each request to it says besides its message. */
final class McpEndpoint {
  private static final int REDIRECTS_MAX = 3;
  private static final int SESSION_UNITS_MAX = 1024;
  private static final String VERSION = "io.modelcontextprotocol/protocolVersion";
  private static final Pattern PLAIN = Pattern.compile("[!-~]([ -~\\t]*[!-~])?");
  private static final Pattern VISIBLE = Pattern.compile("[!-~]+");

  private final HttpCaller http;
  private final RemoteConfig remote;
  private final ParameterHeaders parameterHeaders = new ParameterHeaders();
  private volatile URI address;
  private volatile String session = "";
  private volatile String version = "";

  McpEndpoint(HttpCaller http, RemoteConfig remote) {
    this.http = http;
    this.remote = remote;
    this.address = URI.create(remote.url());
  }

  /** Empty when the server keeps none. */
  String session() {
    return session;
  }

  void agreed(String negotiated) {
    version = negotiated;
  }

  /** Whether server and client have greeted each other, as the first era of the protocol does. */
  boolean hasGreeted() {
    return !version.isEmpty();
  }

  Streamed post(JsonObject message, Limits limits)
      throws HttpFailedException, InterruptedException {
    Map<String, String> headers = headers();
    headers.put("content-type", "application/json");
    headers.put("accept", "application/json, text/event-stream");
    describe(message, headers);
    byte[] body = message.encode().getBytes(StandardCharsets.UTF_8);
    Streamed answer = send("POST", headers, body, limits);
    if ("initialize".equals(message.getValue("method"))) {
      session = session(answer);
    }
    return answer;
  }

  /** A stream of what the server says without being asked, or of what is left of a broken one. */
  Streamed listen(String lastEvent, Limits limits)
      throws HttpFailedException, InterruptedException {
    Map<String, String> headers = headers();
    headers.put("accept", "text/event-stream");
    if (VISIBLE.matcher(lastEvent).matches()) {
      headers.put("last-event-id", lastEvent);
    }
    return send("GET", headers, new byte[0], limits);
  }

  /** Takes leave of a server that keeps a session. */
  void delete(Limits limits) throws HttpFailedException, InterruptedException {
    send("DELETE", headers(), new byte[0], limits).body().close();
  }

  static String header(Streamed answer, String name) {
    return answer.headers().getOrDefault(name, List.of("")).getFirst();
  }

  private static String session(Streamed answer) {
    String given = header(answer, "mcp-session-id");
    return given.length() <= SESSION_UNITS_MAX && VISIBLE.matcher(given).matches() ? given : "";
  }

  private Map<String, String> headers() {
    Map<String, String> headers = new TreeMap<>();
    remote.headers().forEach((name, value) -> headers.put(name, value.reveal()));
    headers.put("accept-encoding", "identity");
    headers.putIfAbsent("user-agent", "Holdfast");
    if (!session.isEmpty()) {
      headers.put("mcp-session-id", session);
    }
    if (!version.isEmpty()) {
      headers.put("mcp-protocol-version", version);
    }
    return headers;
  }

  /** A request of the second era says outside what stands inside, for whoever passes it on. */
  private void describe(JsonObject message, Map<String, String> headers) {
    JsonObject parameters = message.getJsonObject("params", new JsonObject());
    if (!(parameters.getValue("_meta") instanceof JsonObject meta)
        || !(meta.getValue(VERSION) instanceof String spoken)) {
      return;
    }
    headers.put("mcp-protocol-version", spoken);
    headers.put("mcp-method", message.getString("method"));
    Object name = parameters.getValue("name", parameters.getValue("uri"));
    if (name instanceof String text) {
      headers.put("mcp-name", encoded(text));
      if ("tools/call".equals(message.getString("method"))) {
        headers.putAll(parameters(text, parameters));
      }
    }
  }

  private Map<String, String> parameters(String tool, JsonObject given) {
    Object arguments = given.getValue("arguments");
    return arguments == null ? Map.of() : parameterHeaders.of(tool, arguments);
  }

  /** Looks through what was listed for arguments that belong into headers. */
  void learn(JsonObject listed) {
    parameterHeaders.learn(listed);
  }

  /** As a header can carry it. */
  static String encoded(String value) {
    return (value.isEmpty() || PLAIN.matcher(value).matches())
            && !(value.startsWith("=?") && value.endsWith("?="))
        ? value
        : "=?base64?"
            + Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8))
            + "?=";
  }

  private Streamed send(String method, Map<String, String> headers, byte[] body, Limits limits)
      throws HttpFailedException, InterruptedException {
    for (int redirects = 0; ; redirects++) {
      URI now = address;
      Streamed answer = http.stream(new Request(method, now.toString(), headers, body), limits);
      if (answer.status() != 307 && answer.status() != 308) {
        return answer;
      }
      answer.body().close();
      if (redirects == REDIRECTS_MAX) {
        throw refused("redirects again and again");
      }
      address = target(now, header(answer, "location"));
    }
  }

  /** Headers, the token among them, go to the host that the operator named and to no other. */
  private static URI target(URI from, String location) throws HttpFailedException {
    try {
      URI to = from.resolve(location);
      if (origin(to).equals(origin(from)) && to.getUserInfo() == null) {
        return to;
      }
      throw refused("redirects to another host, which is not followed; url: must name it");
    } catch (IllegalArgumentException e) {
      throw refused("redirects to what is no address");
    }
  }

  private static String origin(URI uri) {
    return uri.getScheme() + "://" + uri.getHost() + ":" + uri.getPort();
  }

  /** It was sent, and answered: the server is there, as it is for any other refusal. */
  private static HttpFailedException refused(String why) {
    return new HttpFailedException(
        Failure.of(FailureCode.INVALID_REQUEST, why).as(FailureKind.PERMANENT), false);
  }
}
