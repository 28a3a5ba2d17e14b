package dev.holdfast.tests.harness;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.kit.testing.WireExchange;
import dev.holdfast.kit.testing.WireRequest;
import dev.holdfast.kit.testing.WireServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The other side of the {@code webhook} channel: receives replies, checks their signatures, writes
 * each into a synced ledger and then does what its plan says. Thread-safe.
 */
public final class FakePlatform implements AutoCloseable {
  private final WireServer server = new WireServer(this::receive);
  private final Signer signer;
  private final @Nullable Ledger ledger;
  private final ConcurrentLinkedQueue<Post> posts = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<JsonNode> bodies = new ConcurrentLinkedQueue<>();
  private volatile Function<Post, PlatformMode> plan = _ -> PlatformMode.ACCEPT;

  /**
   * @param ledger where posts are written down, on another folder than the server's; null keeps
   *     them in memory only
   */
  public FakePlatform(String secret, @Nullable Path ledger) {
    this.signer = new Signer(secret);
    this.ledger = ledger == null ? null : new Ledger(ledger);
  }

  public String replyUrl() {
    return server.url("/replies");
  }

  /** What is done with each post from now on; the post is shown to it in mode ACCEPT. */
  public void plan(Function<Post, PlatformMode> plan) {
    this.plan = plan;
  }

  public void always(PlatformMode mode) {
    plan = _ -> mode;
  }

  /** Refuses connections until {@link #accept()}. */
  public void refuse() {
    server.refuse();
  }

  public void accept() {
    server.accept();
  }

  /** The whole bodies of the posts with files in answer to one event. */
  public List<JsonNode> bodiesFor(String webhookId) {
    return bodies.stream()
        .filter(body -> body.path("in_reply_to").asText().equals(webhookId))
        .toList();
  }

  /** All posts in the order of their arrival, refused ones too. */
  public List<Post> posts() {
    return List.copyOf(posts);
  }

  /** The posts that the person saw in answer to one event. */
  public List<Post> shownFor(String webhookId) {
    return posts.stream()
        .filter(post -> post.inReplyTo().equals(webhookId) && post.mode().shows())
        .toList();
  }

  public Post awaitPost(String webhookId, Duration limit) {
    Await.until("a reply to " + webhookId, limit, () -> !shownFor(webhookId).isEmpty());
    return shownFor(webhookId).getFirst();
  }

  /** Waits for a reply to the event whose text holds {@code words}. */
  public Post awaitText(String webhookId, String words, Duration limit) {
    Await.until(
        "a reply to " + webhookId + " with '" + words + "'; there are " + shownFor(webhookId),
        limit,
        () -> shownFor(webhookId).stream().anyMatch(post -> post.text().contains(words)));
    return shownFor(webhookId).stream()
        .filter(post -> post.text().contains(words))
        .findFirst()
        .orElseThrow();
  }

  /** Waits for a post that holds {@code words}, whatever it answers. */
  public String awaitSaid(String words, Duration limit) {
    return Await.value(
        "somebody says " + words,
        limit,
        () -> posts.stream().map(Post::text).filter(text -> text.contains(words)).findFirst());
  }

  /** As it began: it accepts, and has seen nothing. */
  void reset() {
    always(PlatformMode.ACCEPT);
    accept();
    posts.clear();
    bodies.clear();
  }

  private void receive(WireRequest request, WireExchange exchange) throws IOException {
    JsonNode body = Json.read(request.text());
    if (body.has("attachments")) { // the others are told by their posts
      bodies.add(body);
    }
    Post seen =
        new Post(
            request.header("webhook-id"),
            body.path("in_reply_to").asText(),
            body.path("thread").asText(),
            body.path("text").asText(),
            body.path("part").asInt(),
            body.path("parts").asInt(),
            signer.verifies(
                request.header("webhook-signature"),
                request.header("webhook-id"),
                request.header("webhook-timestamp"),
                request.text()),
            request.atNanos(),
            PlatformMode.ACCEPT);
    PlatformMode mode = seen.signatureRight() ? plan.apply(seen) : PlatformMode.GONE;
    if (ledger != null) {
      ledger.append(request.atNanos() + " " + mode + " " + seen.replyId() + " " + request.text());
    }
    posts.add(
        new Post(
            seen.replyId(),
            seen.inReplyTo(),
            seen.thread(),
            seen.text(),
            seen.part(),
            seen.parts(),
            seen.signatureRight(),
            seen.atNanos(),
            mode));
    answer(mode, exchange);
  }

  private static void answer(PlatformMode mode, WireExchange exchange) throws IOException {
    Map<String, String> json = Map.of("content-type", "application/json");
    Map<String, String> later = Map.of("retry-after", "1", "content-type", "application/json");
    switch (mode) {
      case ACCEPT -> exchange.respond(200, json, "{\"ok\":true}");
      case LOSE_ANSWER -> exchange.reset();
      case GATEWAY_TIMEOUT -> exchange.respond(504, Map.of(), "");
      case HANG -> exchange.hang(Duration.ofMinutes(2));
      case LIMIT -> exchange.respond(429, later, "{\"error\":\"slow down\"}");
      case LIMIT_FOR_A_DAY -> exchange.respond(429, Map.of("retry-after", "86400"), "");
      case UNAVAILABLE -> exchange.respond(503, later, "{\"error\":\"away\"}");
      case GONE -> exchange.respond(404, json, "{\"error\":\"no such channel\"}");
    }
  }

  @Override
  public void close() {
    server.close();
    if (ledger != null) {
      ledger.close();
    }
  }
}
