package dev.holdfast.ingress.api;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.holdfast.ingress.login.Authenticator;
import dev.holdfast.ingress.stream.EventStreams;
import dev.holdfast.ingress.wire.AnswerBudget;
import dev.holdfast.ingress.wire.Refusals;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.openapi.contract.OpenAPIContract;
import io.vertx.openapi.contract.OpenAPIVersion;
import io.vertx.openapi.contract.impl.OpenAPIContractImpl;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * {@code /api/v1} for all event loops. Its contract is read in the background from the start on.
 * Thread-safe.
 */
public final class Api implements AutoCloseable {
  public static final String PREFIX = "/api/";

  private final Map<String, ApiCall> calls;
  private final Authenticator authenticator;
  private final EventStreams streams;
  private final Idempotency idempotency;
  private final AnswerBudget answers;
  private final Refusals refusals;
  private final Future<Contract> contract;

  /** {@code calls}: has an entry for each operation of the contract but the stream. */
  public Api(
      Vertx vertx,
      Map<String, ApiCall> calls,
      Authenticator authenticator,
      EventStreams streams,
      Idempotency idempotency,
      AnswerBudget answers,
      Refusals refusals) {
    this.calls = calls;
    this.authenticator = authenticator;
    this.streams = streams;
    this.idempotency = idempotency;
    this.answers = answers;
    this.refusals = refusals;
    this.contract = loadContract(vertx);
  }

  /** {@code problems}: says what of a body the contract does not allow. */
  private record Contract(OpenAPIContract read, BodyProblems problems) {}

  private static Future<Contract> loadContract(Vertx vertx) {
    return vertx
        .executeBlocking(Api::enforced)
        .compose(json -> read(vertx, json).map(read -> new Contract(read, new BodyProblems(json))));
  }

  /**
   * As {@link OpenAPIContract#from}, which also tries the document against the rules for all such
   * documents: a test has done so, and each start would pay for it.
   */
  private static Future<OpenAPIContract> read(Vertx vertx, JsonObject json) {
    JsonObject document = json.copy(); // it is noted in it where each part stands
    OpenAPIVersion version = OpenAPIVersion.fromContract(document);
    return version
        .getRepository(vertx, "app://")
        .compose(
            schemas ->
                version
                    .resolve(vertx, schemas, document)
                    .map(resolved -> new OpenAPIContractImpl(resolved, version, schemas)));
  }

  /** What stands outside the API has code of its own and is described for readers alone. */
  private static JsonObject enforced() throws IOException {
    JsonObject document = readContract();
    document.getJsonObject("paths").getMap().keySet().removeIf(path -> !path.startsWith(PREFIX));
    return document;
  }

  /** The whole document, as readers get it. */
  static JsonObject readContract() throws IOException {
    try (InputStream in = Api.class.getClassLoader().getResourceAsStream("openapi.yaml")) {
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

  /** Runs {@code then}, on an event loop, when the contract was read or could not be. */
  public void whenContractWasRead(Runnable then) {
    contract.onComplete(_ -> then.run());
  }

  /** For one event loop: {@code vertx} is its own. Requests that come before the contract wait. */
  public Handler<HttpServerRequest> handler(Vertx vertx) {
    Future<Router> router = contract.map(known -> routes(vertx, known).router(known.read()));
    return request -> {
      if (router.succeeded()) {
        router.result().handle(request);
        return;
      }
      request.pause();
      router
          .onSuccess(
              ready -> {
                ready.handle(request); // listens first, then the body may come
                request.resume();
              })
          .onFailure(why -> refusals.send(request, why));
    };
  }

  private ApiRoutes routes(Vertx vertx, Contract known) {
    return new ApiRoutes(
        vertx, known.problems(), calls, authenticator, streams, idempotency, answers, refusals);
  }

  /** Ends the streams and the calls that wait. */
  @Override
  public void close() {
    streams.endAll();
    calls.values().forEach(ApiCall::stop);
  }
}
