package dev.holdfast.training;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.channels.StandardWebhooks;
import dev.holdfast.config.Secret;
import dev.holdfast.time.Time;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What people, platforms and monitors ask of a server in its first minutes: messages by webhook and
 * API, with and without tools, the page, its stream, lists, metrics. Thread-safe; calls block.
 */
final class TrainingLoad implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration ANSWER_MAX = Duration.ofSeconds(30);
  private static final int CHAT_THREADS = 60;

  /** Of the pages and calls, in turn, one for each tenth message. */
  private static final List<String> LOOKS =
      List.of(
          "/chat",
          "/live",
          "/ready",
          "/health",
          "/api/v1/status",
          "/api/v1/threads",
          "/api/v1/threads/t1/log",
          "/api/v1/conditions",
          "/api/v1/breakers",
          "/api/v1/dead-letters",
          "/api/v1/usage",
          "/api/v1/schedules",
          "/api/v1/approvals");

  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
  private final String base;
  private final String metrics;
  private final String token;
  private final StandardWebhooks signing;
  private final TrainingPeer peer;
  private final Time time;
  private final AtomicLong sent = new AtomicLong();

  /**
   * @param base of the server, without a slash at its end
   * @param metrics the address of its figures
   */
  TrainingLoad(
      String base, String metrics, String token, Secret secret, TrainingPeer peer, Time time) {
    this.base = base;
    this.metrics = metrics;
    this.token = token;
    this.signing = StandardWebhooks.of(List.of(secret));
    this.peer = peer;
    this.time = time;
  }

  /** How many messages were sent so far. */
  long sent() {
    return sent.get();
  }

  /** One message and its answer, now and then a look at something else. */
  void next() throws IOException, InterruptedException {
    long number = sent.incrementAndGet();
    String text =
        number % 4 == 0
            ? TrainingPeer.WITH_TOOLS + ", please: message " + number
            : "What is there to say about number " + number + "?";
    if (number % 8 == 0) {
      chat("api-" + number % CHAT_THREADS, text);
    } else {
      post("event-" + number, "t" + number % CHAT_THREADS, text);
    }
    if (number % 10 == 0) {
      look(number / 10);
    }
  }

  private void post(String id, String thread, String text)
      throws IOException, InterruptedException {
    byte[] body =
        JSON.writeValueAsBytes(Map.of("thread", thread, "sender", "trainer", "text", text));
    HttpRequest.Builder request =
        request(URI.create(base + "/webhooks/webhook/training"), body)
            .header("Content-Type", "application/json");
    signing.sign(id, time.now(), body).forEach(request::header);
    peer.expect(id);
    client.send(request.build(), HttpResponse.BodyHandlers.discarding());
    peer.awaitReply(id, ANSWER_MAX.toSeconds());
  }

  private void chat(String thread, String text) throws IOException, InterruptedException {
    byte[] body =
        JSON.writeValueAsBytes(
            Map.of("message", text, "context", Map.of("thread_id", thread, "user_id", "trainer")));
    client.send(
        authorized(request(URI.create(base + "/api/v1/chat"), body))
            .header("Content-Type", "application/json")
            .build(),
        HttpResponse.BodyHandlers.discarding());
  }

  private void look(long number) throws IOException, InterruptedException {
    String path = LOOKS.get((int) (number % LOOKS.size()));
    get(base + path);
    get(metrics);
    if (path.equals("/chat")) {
      watch();
    }
  }

  private void get(String url) throws IOException, InterruptedException {
    client.send(
        authorized(HttpRequest.newBuilder(URI.create(url))).timeout(ANSWER_MAX).build(),
        HttpResponse.BodyHandlers.discarding());
  }

  /** Opens the page's stream and reads what comes first. */
  private void watch() throws IOException, InterruptedException {
    HttpResponse<InputStream> stream =
        client.send(
            authorized(HttpRequest.newBuilder(URI.create(base + "/api/v1/stream")))
                .timeout(ANSWER_MAX)
                .header("Accept", "text/event-stream")
                .build(),
            HttpResponse.BodyHandlers.ofInputStream());
    try (InputStream body = stream.body()) {
      body.readNBytes(64);
    }
  }

  private static HttpRequest.Builder request(URI uri, byte[] body) {
    return HttpRequest.newBuilder(uri)
        .timeout(ANSWER_MAX)
        .POST(HttpRequest.BodyPublishers.ofByteArray(body));
  }

  private HttpRequest.Builder authorized(HttpRequest.Builder request) {
    return request.header("Authorization", "Bearer " + token);
  }

  @Override
  public void close() {
    client.shutdownNow();
    client.close();
  }
}
