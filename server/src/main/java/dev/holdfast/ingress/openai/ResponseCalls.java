package dev.holdfast.ingress.openai;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.ingress.api.WebMessages;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.store.messages.Event;
import dev.holdfast.time.Time;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;

/**
 * {@code /v1/responses}. What the agent answers is stored: its message is a durable one of a chat
 * thread, and the response is found again by it, whatever became of the client or the server.
 */
public final class ResponseCalls {
  private static final String PREVIOUS = "previous_response_id";

  private final OfferedModels models;
  private final ModelAnswers direct;
  private final ThreadAnswers threads;
  private final Stops stops;
  private final Time time;

  /** Ends turns. */
  @FunctionalInterface
  public interface Stops {
    /** Ends the turn of a thread that is about messages up to the place, or the next of them. */
    int stop(String threadId, long place);
  }

  ResponseCalls(
      OfferedModels models, ModelAnswers direct, ThreadAnswers threads, Stops stops, Time time) {
    this.models = models;
    this.direct = direct;
    this.threads = threads;
    this.stops = stops;
    this.time = time;
  }

  Optional<ApiAnswer> create(OpenAiExchange exchange)
      throws RefusedRequestException, CallFailedException, InterruptedException {
    JsonObject body = exchange.request().body();
    OpenAiParameters.checkResponse(body);
    String model = models.of(body);
    OpenAiMessages messages = OpenAiMessages.ofResponse(body);
    body.remove("input"); // may be megabytes, and an answer may take minutes
    List<ToolSpec> tools = OpenAiMessages.tools(body);
    boolean isAgent = model.equals(OfferedModels.AGENT);
    Optional<String> reason = storedBecause(exchange, body, isAgent);
    if (reason.isPresent() && !isAgent) {
      throw OpenAiErrors.invalid(
          "model", "only the model " + OfferedModels.AGENT + " answers with " + reason.get());
    }
    boolean isForAgent = messages.isPersonsWordsAlone() && tools.isEmpty();
    if (reason.isPresent() && !isForAgent) {
      throw OpenAiErrors.invalid(
          "input",
          "with "
              + reason.get()
              + " the agent answers, which has its own instructions, memory and tools: send the"
              + " user's new messages alone, or store: false");
    }
    boolean isStored = isAgent && isForAgent && !Boolean.FALSE.equals(body.getValue("store"));
    if (reason.isPresent() && !isStored) {
      throw OpenAiErrors.invalid("store", "with " + reason.get() + " store must be true");
    }
    return isStored
        ? stored(exchange, messages.allOfUser())
        : unstored(exchange, model, messages, tools);
  }

  /** What of a request asks for an answer that is stored; empty when nothing does. */
  private static Optional<String> storedBecause(
      OpenAiExchange exchange, JsonObject body, boolean isAgent) throws RefusedRequestException {
    if (AskedThread.named(exchange, isAgent).isPresent()) {
      return Optional.of("a conversation");
    }
    if (body.getValue(PREVIOUS) != null) {
      return Optional.of(PREVIOUS);
    }
    if (Boolean.TRUE.equals(body.getValue("background"))) {
      return Optional.of("background: true");
    }
    return Boolean.TRUE.equals(body.getValue("store"))
        ? Optional.of("store: true")
        : Optional.empty();
  }

  private static boolean streams(JsonObject body) {
    return Boolean.TRUE.equals(body.getValue("stream"));
  }

  private Optional<ApiAnswer> unstored(
      OpenAiExchange exchange, String model, OpenAiMessages messages, List<ToolSpec> tools)
      throws RefusedRequestException, CallFailedException, InterruptedException {
    JsonObject body = exchange.request().body();
    ResponseFacts facts = ResponseFacts.unstored(time.now(), model, body);
    ResponseStream stream = new ResponseStream(exchange, facts, -1);
    String level = models.levelOf(model);
    String user = AskedThread.user(exchange);
    String sender = WebMessages.sender(exchange.request().caller(), user.isEmpty() ? null : user);
    if (!streams(body)) {
      CompletedAnswer answer =
          direct.ask(level, sender, messages.question(tools), AnswerProgress.NONE);
      return Optional.of(
          ApiAnswer.ok(facts.completed(answer, List.of(), facts.answerId(), time.now())));
    }
    stream.begin(List.of());
    try {
      CompletedAnswer answer = direct.ask(level, sender, messages.question(tools), stream);
      stream.end(answer, List.of(), 1, time.now());
    } catch (CallFailedException e) {
      FailureCode code = e.failure().code();
      stream.last(
          "response.failed", facts.failed(code.name(), OpenAiErrors.said(e.failure()), List.of()));
    }
    return Optional.empty();
  }

  private Optional<ApiAnswer> stored(OpenAiExchange exchange, OpenAiMessages.PersonsWords words)
      throws RefusedRequestException, CallFailedException, InterruptedException {
    ApiRequest request = exchange.request();
    ThreadAnswers.Sent sent =
        threads.send(request, threadOf(exchange, words.text()), AskedThread.user(exchange), words);
    ResponseFacts facts = ResponseFacts.of(sent.event(), request.body());
    if (streams(request.body())) {
      stream(exchange, sent, facts, -1);
      return Optional.empty();
    }
    if (Boolean.TRUE.equals(request.body().getValue("background"))) {
      return Optional.of(ApiAnswer.ok(facts.view("queued", new JsonArray(), null)));
    }
    FollowedAnswer came =
        threads.follow(
            sent,
            ChatCompletions.WAIT_MAX,
            ThreadAnswers.Patience.UNTIL_IT_WAITS,
            AnswerProgress.NONE);
    return Optional.of(ApiAnswer.ok(view(sent.event(), facts, came)));
  }

  private String threadOf(OpenAiExchange exchange, String said) throws RefusedRequestException {
    ApiRequest request = exchange.request();
    Optional<String> named = AskedThread.named(exchange, true);
    Object previous = request.body().getValue(PREVIOUS);
    if (previous == null) {
      return named
          .or(() -> AskedThread.ofPage(exchange, said))
          .orElseGet(() -> ApiRequest.threadId(WebMessages.newThread(request)));
    }
    if (named.isPresent()) {
      throw OpenAiErrors.invalid(PREVIOUS, "give a conversation or " + PREVIOUS + ", not both");
    }
    return ResponseFacts.eventId(String.valueOf(previous))
        .flatMap(id -> threads.find(request, id))
        .map(Event::threadId)
        .orElseThrow(
            () ->
                OpenAiErrors.unknown(
                    PREVIOUS, "previous_response_not_found", "there is no response " + previous));
  }

  /** As it is now. */
  private JsonObject view(Event event, ResponseFacts facts, FollowedAnswer came) {
    List<String> questions = threads.questions(event.id());
    return switch (came) {
      case FollowedAnswer.Answered(CompletedAnswer answer) ->
          facts.completed(answer, questions, facts.answerId(), threads.endedAt(event.id()));
      case FollowedAnswer.Failed(FailureCode code, String text) ->
          facts.failed(code.name(), text, questions);
      case FollowedAnswer.Behind behind ->
          facts.view("in_progress", facts.waitsBehind(behind.text()), null);
      case FollowedAnswer.Asks _, FollowedAnswer.Later _ ->
          facts.view("in_progress", facts.questions(questions), null);
    };
  }

  private void stream(
      OpenAiExchange exchange, ThreadAnswers.Sent sent, ResponseFacts facts, long after)
      throws RefusedRequestException, InterruptedException {
    ResponseStream stream = new ResponseStream(exchange, facts, after);
    stream.begin(sent.isKnown() ? threads.questions(sent.event().id()) : List.of());
    FollowedAnswer came =
        threads.follow(
            sent, ChatCompletions.WAIT_MAX, ThreadAnswers.Patience.UNTIL_THE_END, stream);
    switch (came) {
      case FollowedAnswer.Answered(CompletedAnswer answer) -> {
        String eventId = sent.event().id();
        stream.end(
            answer, threads.questions(eventId), threads.runs(eventId), threads.endedAt(eventId));
      }
      case FollowedAnswer.Failed _ ->
          stream.last("response.failed", view(sent.event(), facts, came));
      case FollowedAnswer.Behind behind ->
          throw OpenAiErrors.accepted(
              FailureCode.AGENT_UNAVAILABLE,
              behind.text() + "\n\nThe answer will be in the response " + facts.id() + ".");
      case FollowedAnswer.Asks _, FollowedAnswer.Later _ -> {} // the client comes back for more
    }
  }

  private Event found(ApiRequest request) throws RefusedRequestException {
    return ResponseFacts.eventId(request.id())
        .flatMap(id -> threads.find(request, id))
        .orElseThrow(
            () ->
                OpenAiErrors.unknown(
                    "response_id",
                    "response_not_found",
                    "there is no response " + request.id() + ", or it was not stored"));
  }

  Optional<ApiAnswer> find(OpenAiExchange exchange)
      throws RefusedRequestException, InterruptedException {
    ApiRequest request = exchange.request();
    Event event = found(request);
    ResponseFacts facts = ResponseFacts.of(event, new JsonObject());
    return switch (request.text("stream", "false")) {
      case "true" -> {
        stream(exchange, threads.again(event), facts, after(request));
        yield Optional.empty();
      }
      case "false" -> Optional.of(ApiAnswer.ok(now(event, facts)));
      default -> throw OpenAiErrors.invalid("stream", "stream must be true or false");
    };
  }

  private JsonObject now(Event event, ResponseFacts facts) {
    return view(
        event,
        facts,
        threads.end(event.id()).orElseGet(() -> new FollowedAnswer.Later("it is not answered")));
  }

  private static long after(ApiRequest request) throws RefusedRequestException {
    try {
      return Long.parseLong(request.text("starting_after", "-1"));
    } catch (NumberFormatException _) {
      throw OpenAiErrors.invalid("starting_after", "starting_after must be a whole number");
    }
  }

  /**
   * Ends it if it is its turn; what has ended stays as it is.
   *
   * @throws RefusedRequestException 409 while an older message of its conversation is answered
   */
  Optional<ApiAnswer> cancel(OpenAiExchange exchange) throws RefusedRequestException {
    Event event = found(exchange.request());
    if (threads.end(event.id()).isEmpty()) {
      if (!threads.isNext(event)) {
        throw new RefusedRequestException(
            409,
            FailureCode.INVALID_REQUEST,
            "older messages of its conversation have to be answered first");
      }
      int _ = stops.stop(event.threadId(), event.seq());
    }
    return Optional.of(ApiAnswer.ok(now(event, ResponseFacts.of(event, new JsonObject()))));
  }
}
