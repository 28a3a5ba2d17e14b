package dev.holdfast.models;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.tomakehurst.wiremock.WireMockServer;
import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.core.WireMockConfiguration;
import com.github.tomakehurst.wiremock.verification.LoggedRequest;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.Message;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.api.ModelListener;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.models.langchain.LangchainProvider;
import dev.holdfast.models.langchain.ProviderAccount;
import dev.holdfast.net.HttpCaller;
import dev.holdfast.time.SystemTime;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** A provider that answers what a test says, and our client for it. */
final class ProviderDouble implements AutoCloseable {
  static final String KEY = "sk-test-0123456789";
  static final ObjectMapper JSON = new ObjectMapper();

  private final Vertx vertx = Vertx.vertx();
  private final HttpCaller http = HttpCaller.create(vertx, new SystemTime()); // sockets
  private final WireMockServer server =
      new WireMockServer(WireMockConfiguration.options().dynamicPort());
  private final List<String> deltas = new ArrayList<>();

  ProviderDouble() {
    server.start();
  }

  private LangchainProvider provider(String name, String url, Duration patience) {
    HttpCaller.Limits limits =
        new HttpCaller.Limits(
            Duration.ofSeconds(5), patience, patience, Duration.ofSeconds(20), 32L * 1024 * 1024);
    return LangchainProvider.of(
        new ProviderAccount(name, KEY, url, false),
        new LangchainProvider.Connection(http, limits, new SystemTime()),
        _ -> 4096);
  }

  LangchainProvider provider(String name) {
    return provider(name, Duration.ofSeconds(5));
  }

  LangchainProvider provider(String name, Duration patience) {
    return provider(name, server.baseUrl(), patience);
  }

  LangchainProvider providerAt(String name, String url) {
    return provider(name, url, Duration.ofSeconds(5));
  }

  ProviderDouble answers(ResponseDefinitionBuilder response) {
    server.stubFor(any(anyUrl()).willReturn(response));
    return this;
  }

  ProviderDouble streams(String type, String body) {
    return answers(aResponse().withStatus(200).withHeader("content-type", type).withBody(body));
  }

  ProviderDouble refuses(int status, String body) {
    return answers(
        aResponse()
            .withStatus(status)
            .withHeader("content-type", "application/json")
            .withBody(body));
  }

  ModelAnswer ask(String provider, ModelRequest request)
      throws CallFailedException, InterruptedException {
    deltas.clear();
    return provider(provider).ask(request, deltas::add);
  }

  /** How many signs of work the answer to a question has. */
  int works(String provider) throws CallFailedException, InterruptedException {
    AtomicInteger works = new AtomicInteger();
    provider(provider)
        .ask(
            question("hi"),
            new ModelListener() {
              @Override
              public void onText(String delta) {}

              @Override
              public void onWork() {
                works.incrementAndGet();
              }
            });
    return works.get();
  }

  Failure failure(String provider) {
    return failure(provider, Duration.ofSeconds(5));
  }

  Failure failure(String provider, Duration patience) {
    deltas.clear();
    CallFailedException thrown =
        catchThrowableOfType(
            CallFailedException.class,
            () -> provider(provider, patience).ask(question("hi"), deltas::add));
    return thrown.failure();
  }

  List<String> deltas() {
    return deltas;
  }

  /** The requests so far, the newest last. */
  List<LoggedRequest> requests() {
    List<LoggedRequest> all =
        new ArrayList<>(
            server.findAll(
                com.github.tomakehurst.wiremock.client.WireMock.anyRequestedFor(anyUrl())));
    all.sort(java.util.Comparator.comparing(LoggedRequest::getLoggedDate));
    return all;
  }

  JsonNode sent() {
    try {
      return JSON.readTree(requests().getLast().getBodyAsString());
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  static ModelRequest question(String text) {
    return new ModelRequest("m1", "Be brief.", List.of(new Message.User(text)), List.of(), 1000);
  }

  static final ToolSpec WEATHER =
      new ToolSpec(
          "get_weather",
          "The weather of a city",
          "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\",\"pattern\":\"^[A-Z]\"}},"
              + "\"required\":[\"city\"],\"additionalProperties\":false}");

  /**
   * Server-sent events, each data line preceded by its event name where there is one: {@code
   * name|data}.
   */
  static String sse(String... events) {
    return List.of(events).stream()
        .map(
            event -> {
              int bar = event.indexOf('|');
              return bar < 0
                  ? "data: " + event + "\n\n"
                  : "event: "
                      + event.substring(0, bar)
                      + "\ndata: "
                      + event.substring(bar + 1)
                      + "\n\n";
            })
        .collect(Collectors.joining());
  }

  @Override
  public void close() {
    server.stop();
    http.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }
}
