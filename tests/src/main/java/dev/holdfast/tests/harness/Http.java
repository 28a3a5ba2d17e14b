package dev.holdfast.tests.harness;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;

/** A client that speaks HTTP/1.1 and waits at most ten seconds for an answer. */
public final class Http {
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private final HttpClient client;

  public Http() {
    this.client = builder().build();
  }

  /** From another address of this machine, such as 127.0.0.9. */
  public Http(String from) {
    this.client = builder().localAddress(InetAddress.ofLiteral(from)).build();
  }

  private static HttpClient.Builder builder() {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .connectTimeout(Duration.ofSeconds(5));
  }

  public Answer get(String url, Map<String, String> headers) throws IOException {
    return send("GET", url, headers, "");
  }

  public Answer post(String url, Map<String, String> headers, String body) throws IOException {
    return send("POST", url, headers, body);
  }

  public Answer send(String method, String url, Map<String, String> headers, String body)
      throws IOException {
    return send(method, url, headers, HttpRequest.BodyPublishers.ofString(body));
  }

  public Answer send(
      String method, String url, Map<String, String> headers, HttpRequest.BodyPublisher body)
      throws IOException {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url)).timeout(LIMIT);
    headers.forEach(request::header);
    request.method(method, body);
    try {
      HttpResponse<String> response =
          client.send(request.build(), HttpResponse.BodyHandlers.ofString());
      return new Answer(response.statusCode(), response.headers(), response.body());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted in a request", e);
    }
  }
}
