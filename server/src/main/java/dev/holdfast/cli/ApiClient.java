package dev.holdfast.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/** The API of a running server. Blocks the calling thread; thread-safe. */
final class ApiClient {
  private static final Duration CONNECT_MAX = Duration.ofSeconds(5);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(30);

  private final HttpClient client;
  private final URI base;
  private final String token;

  /**
   * @param token empty when there is none
   */
  public ApiClient(URI base, String token) {
    this.base = base;
    this.token = token;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_MAX)
            .followRedirects(HttpClient.Redirect.NEVER);
    this.client = (base.getScheme().equals("http") ? withoutTls(builder) : builder).build();
  }

  /** Reading the certificates of the world takes longer than most commands, and is not needed. */
  private static HttpClient.Builder withoutTls(HttpClient.Builder builder) {
    try {
      SSLContext trustsNobody = SSLContext.getInstance("TLS");
      trustsNobody.init(null, new TrustManager[0], null);
      return builder.sslContext(trustsNobody);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Java without TLS", e);
    }
  }

  /** The server did not answer at all: another try may find it. */
  static final class UnavailableException extends IOException {
    private static final long serialVersionUID = 1L;

    UnavailableException(String reason) {
      super(reason);
    }
  }

  /** The server answered, and refused. */
  static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;

    RefusedException(int status, String message) {
      super(message);
      this.status = status;
    }

    int status() {
      return status;
    }

    /** Whether the same request may be taken later. */
    boolean isPassing() {
      return status == 429 || status >= 500;
    }
  }

  URI base() {
    return base;
  }

  JsonNode get(String path) throws UnavailableException, RefusedException, InterruptedException {
    return call("GET", path, "");
  }

  /** An answer that is no JSON to be read here. */
  String getText(String path) throws UnavailableException, RefusedException, InterruptedException {
    HttpResponse<String> response = send("GET", path, "");
    if (response.statusCode() >= 300) {
      throw refused(response.statusCode(), response.body());
    }
    return response.body();
  }

  /** What anybody may know of the server's health, whatever its status. */
  JsonNode health() throws UnavailableException, InterruptedException {
    return json(send("GET", "/health", "").body());
  }

  JsonNode post(String path, JsonNode body)
      throws UnavailableException, RefusedException, InterruptedException {
    return call("POST", path, body.toString());
  }

  JsonNode delete(String path) throws UnavailableException, RefusedException, InterruptedException {
    return call("DELETE", path, "");
  }

  /** Sends a text of JSON and returns the answer as it came; empty when there is none. */
  String exchange(String path, String body, Duration most)
      throws UnavailableException, RefusedException, InterruptedException {
    HttpResponse<String> response = send("POST", path, body, most);
    if (response.statusCode() >= 300) {
      throw refused(response.statusCode(), response.body());
    }
    return response.body();
  }

  /** Opens a stream of server-sent events. The caller closes it. */
  InputStream stream(String path, String lastEventId)
      throws UnavailableException, RefusedException, InterruptedException {
    HttpRequest.Builder request = request(path).header("Accept", "text/event-stream").GET();
    if (!lastEventId.isEmpty()) {
      put(request, "Last-Event-ID", lastEventId);
    }
    try {
      HttpResponse<InputStream> response =
          client.send(
              request.timeout(ANSWER_MAX).build(), HttpResponse.BodyHandlers.ofInputStream());
      if (response.statusCode() != 200) {
        try (InputStream body = response.body()) {
          throw refused(
              response.statusCode(), new String(body.readNBytes(65536), StandardCharsets.UTF_8));
        }
      }
      return response.body();
    } catch (IOException e) {
      throw unavailable(e);
    }
  }

  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private JsonNode call(String method, String path, String body)
      throws UnavailableException, RefusedException, InterruptedException {
    HttpResponse<String> response = send(method, path, body);
    if (response.statusCode() >= 300) {
      throw refused(response.statusCode(), response.body());
    }
    return json(response.body());
  }

  private HttpResponse<String> send(String method, String path, String body)
      throws UnavailableException, InterruptedException {
    return send(method, path, body, ANSWER_MAX);
  }

  private HttpResponse<String> send(String method, String path, String body, Duration most)
      throws UnavailableException, InterruptedException {
    HttpRequest.Builder request = request(path).timeout(most);
    if (body.isEmpty()) {
      request.method(method, HttpRequest.BodyPublishers.noBody());
    } else {
      request
          .header("Content-Type", "application/json")
          .method(method, HttpRequest.BodyPublishers.ofString(body));
    }
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw unavailable(e);
    }
  }

  private HttpRequest.Builder request(String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(base.resolve(path));
    if (!token.isEmpty()) {
      put(request, "Authorization", "Bearer " + token);
    }
    return request;
  }

  /** What the library throws would show the value. */
  private static void put(HttpRequest.Builder request, String name, String value) {
    try {
      request.header(name, value);
    } catch (IllegalArgumentException _) {
      throw new IllegalStateException("the header " + name + " cannot have this value");
    }
  }

  private static JsonNode json(String body) {
    try {
      return CliJson.parse(body);
    } catch (JsonProcessingException _) {
      return CliJson.object();
    }
  }

  private static RefusedException refused(int status, String body) {
    JsonNode error = json(body).path("error");
    String message = CliJson.text(error, "message");
    String code = CliJson.text(error, "code");
    String said = message.isEmpty() ? "HTTP " + status : message;
    return new RefusedException(status, code.isEmpty() ? said : said + " (" + code + ")");
  }

  private UnavailableException unavailable(IOException e) {
    String reason =
        switch (e) {
          case HttpTimeoutException _ -> "no answer in time";
          case ConnectException _ -> "connection refused";
          default -> e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        };
    UnavailableException unavailable = new UnavailableException(reason);
    unavailable.initCause(e);
    return unavailable;
  }
}
