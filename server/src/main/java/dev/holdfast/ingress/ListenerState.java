package dev.holdfast.ingress;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.holdfast.ingress.api.ApiCall;
import dev.holdfast.ingress.api.ApiCalls;
import dev.holdfast.ingress.api.ApiRoutes;
import dev.holdfast.ingress.api.Idempotency;
import dev.holdfast.ingress.login.Authenticator;
import dev.holdfast.ingress.login.LoginThrottle;
import dev.holdfast.ingress.login.StrangerBudget;
import dev.holdfast.ingress.pages.Assets;
import dev.holdfast.ingress.stream.EventOutcomes;
import dev.holdfast.ingress.stream.EventStreams;
import dev.holdfast.ingress.stream.NewsEventOutcomes;
import dev.holdfast.ingress.webhooks.MessageIntake;
import dev.holdfast.ingress.wire.Refusals;
import dev.holdfast.ingress.wire.Uploads;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.openapi.contract.OpenAPIContract;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** What the event loops of the {@code http} listener have in common. Thread-safe. */
public final class ListenerState implements AutoCloseable {
  /** Requests of strangers whose bodies are on their way, and the room for them. */
  private static final int STRANGERS_MAX = 1024;

  private static final long STRANGERS_BYTES_MIN = 32L * 1024 * 1024;
  private static final int BODIES_AT_ONCE = 32;

  private final IngressParts parts;
  private final AtomicInteger connections = new AtomicInteger();
  private final Assets assets = new Assets();
  private final Refusals refusals;
  private final StrangerBudget preAuth;
  private final Authenticator authenticator;
  private final MessageIntake acceptor;
  private final EventStreams streams;
  private final EventOutcomes finishes;
  private final Uploads uploads = new Uploads();
  private final Idempotency idempotency;
  private final Map<String, ApiCall> calls;
  private final Future<OpenAPIContract> contract;

  ListenerState(IngressParts parts, EventStreams.Limits limits) {
    this.parts = parts;
    refusals = new Refusals(parts.meters());
    preAuth =
        new StrangerBudget(
            STRANGERS_MAX,
            Math.max(STRANGERS_BYTES_MIN, (long) parts.http().maxBodyBytes() * BODIES_AT_ONCE));
    authenticator =
        new Authenticator(parts.tokens(), parts.sessions(), new LoginThrottle(parts.time()));
    acceptor = new MessageIntake(parts.intake(), parts.news(), parts.time(), parts.meters());
    streams = new EventStreams(parts.vertx(), parts.news(), authenticator, limits);
    finishes = new NewsEventOutcomes(parts.news(), parts.hasEnded());
    idempotency = new Idempotency(parts.time());
    calls = parts.calls().make(new ApiCalls.Given(parts, acceptor, finishes, streams));
    contract = loadContract(parts.vertx());
  }

  private static Future<OpenAPIContract> loadContract(Vertx vertx) {
    return vertx
        .executeBlocking(ListenerState::enforced)
        .compose(json -> OpenAPIContract.from(vertx, json));
  }

  /** What stands outside the API has code of its own and is described for readers alone. */
  private static JsonObject enforced() throws IOException {
    JsonObject document = readContract();
    document
        .getJsonObject("paths")
        .getMap()
        .keySet()
        .removeIf(path -> !path.startsWith(RequestRouter.API_PREFIX));
    return document;
  }

  /** The whole document, as readers get it. */
  static JsonObject readContract() throws IOException {
    try (InputStream in =
        ListenerState.class.getClassLoader().getResourceAsStream("openapi.yaml")) {
      if (in == null) {
        throw new IllegalStateException("openapi.yaml is missing from the jar");
      }
      // The validator knows no event streams and refuses the whole contract for one; it only ever
      // reads requests here.
      String text =
          new String(in.readAllBytes(), StandardCharsets.UTF_8)
              .replace("text/event-stream:", "text/plain:");
      Map<String, Object> yaml =
          new ObjectMapper(new YAMLFactory()).readValue(text, new TypeReference<>() {});
      return new JsonObject(yaml);
    }
  }

  /** The API of one event loop. */
  ApiRoutes api(Vertx vertx) {
    return new ApiRoutes(
        vertx, new ApiRoutes.Parts(authenticator, idempotency, calls, streams, uploads, refusals));
  }

  IngressParts parts() {
    return parts;
  }

  AtomicInteger connections() {
    return connections;
  }

  Assets assets() {
    return assets;
  }

  Refusals refusals() {
    return refusals;
  }

  StrangerBudget preAuth() {
    return preAuth;
  }

  Authenticator authenticator() {
    return authenticator;
  }

  MessageIntake acceptor() {
    return acceptor;
  }

  EventStreams streams() {
    return streams;
  }

  Future<OpenAPIContract> contract() {
    return contract;
  }

  @Override
  public void close() {
    streams.endAll();
    finishes.close();
  }
}
