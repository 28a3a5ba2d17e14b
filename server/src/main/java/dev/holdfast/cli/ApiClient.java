package dev.holdfast.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.function.BiConsumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/**
 * The API of a running server. Blocks the calling thread; thread-safe.
 *
 * <p>A call goes over {@link HttpURLConnection}, which starts in a fifth of the time that the JDK's
 * newer client takes. A stream needs that one: it is closed while another thread reads.
 */
final class ApiClient {
  private static final Duration CONNECT_MAX = Duration.ofSeconds(5);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(30);

  static {
    // Otherwise a request that was cut off is sent again, and what it asks for may be done twice.
    System.setProperty("sun.net.http.retryPost", "false");
  }

  private final URI base;
  private final String token;

  /**
   * @param token empty when there is none
   */
  public ApiClient(URI base, String token) {
    this.base = base;
    this.token = token;
  }

  /** Reading the certificates of the world takes longer than most commands, and is not needed. */
  private HttpClient streaming() {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_MAX)
            .followRedirects(HttpClient.Redirect.NEVER);
    if (!base.getScheme().equals("http")) {
      return builder.build();
    }
    try {
      SSLContext trustsNobody = SSLContext.getInstance("TLS");
      trustsNobody.init(null, new TrustManager[0], null);
      return builder.sslContext(trustsNobody).build();
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
    return accepted(send("GET", path, "", ANSWER_MAX));
  }

  /** What anybody may know of the server's health, whatever its status. */
  JsonNode health() throws UnavailableException, InterruptedException {
    return json(send("GET", "/health", "", ANSWER_MAX).body());
  }

  JsonNode post(String path, JsonNode body)
      throws UnavailableException, RefusedException, InterruptedException {
    return call("POST", path, body.toString());
  }

  JsonNode delete(String path) throws UnavailableException, RefusedException, InterruptedException {
    return call("DELETE", path, "");
  }

  /**
   * Sends a text of JSON and returns the answer as it came; empty when there is none.
   *
   * @param most how long the server may be silent
   */
  String exchange(String path, String body, Duration most)
      throws UnavailableException, RefusedException, InterruptedException {
    return accepted(send("POST", path, body, most));
  }

  /** Opens a stream of server-sent events. The caller closes it. */
  InputStream stream(String path, String lastEventId)
      throws UnavailableException, RefusedException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(base.resolve(path)).timeout(ANSWER_MAX);
    put(request::header, "Accept", "text/event-stream");
    if (!token.isEmpty()) {
      put(request::header, "Authorization", "Bearer " + token);
    }
    if (!lastEventId.isEmpty()) {
      put(request::header, "Last-Event-ID", lastEventId);
    }
    try {
      HttpResponse<InputStream> response =
          streaming().send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
      if (response.statusCode() != 200) {
        try (InputStream body = response.body()) {
          throw refused(response.statusCode(), text(body.readNBytes(65536)));
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
    return json(accepted(send(method, path, body, ANSWER_MAX)));
  }

  private record Answer(int status, String body) {}

  private static String accepted(Answer answer) throws RefusedException {
    if (answer.status() >= 300) {
      throw refused(answer.status(), answer.body());
    }
    return answer.body();
  }

  private Answer send(String method, String path, String body, Duration most)
      throws UnavailableException, InterruptedException {
    try {
      HttpURLConnection connection = connection(path);
      connection.setRequestMethod(method);
      connection.setReadTimeout(Math.toIntExact(most.toMillis()));
      if (!body.isEmpty()) {
        connection.setDoOutput(true);
        connection.setRequestProperty("Content-Type", "application/json");
        try (OutputStream out = connection.getOutputStream()) {
          out.write(body.getBytes(StandardCharsets.UTF_8));
        }
      }
      int status = connection.getResponseCode();
      if (status < 0) {
        throw new IOException("no answer of HTTP");
      }
      try (InputStream in =
          status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
        return new Answer(status, in == null ? "" : text(in.readAllBytes()));
      }
    } catch (IOException e) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      throw unavailable(e);
    }
  }

  private HttpURLConnection connection(String path) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) base.resolve(path).toURL().openConnection();
    connection.setConnectTimeout(Math.toIntExact(CONNECT_MAX.toMillis()));
    connection.setInstanceFollowRedirects(false);
    if (!token.isEmpty()) {
      put(connection::setRequestProperty, "Authorization", "Bearer " + token);
    }
    return connection;
  }

  /** What the library throws would show the value. */
  private static void put(BiConsumer<String, String> header, String name, String value) {
    try {
      header.accept(name, value);
    } catch (IllegalArgumentException _) {
      throw new IllegalStateException("the header " + name + " cannot have this value");
    }
  }

  private static String text(byte[] utf8) {
    return new String(utf8, StandardCharsets.UTF_8);
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
          case HttpTimeoutException _, SocketTimeoutException _ -> "no answer in time";
          case ConnectException _ -> "connection refused";
          case UnknownHostException _ -> "no such host";
          default -> e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        };
    UnavailableException unavailable = new UnavailableException(reason);
    unavailable.initCause(e);
    return unavailable;
  }
}
