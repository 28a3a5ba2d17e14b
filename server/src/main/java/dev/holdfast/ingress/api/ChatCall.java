package dev.holdfast.ingress.api;

import dev.holdfast.api.FailureCode;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.ingress.login.ThreadAccess;
import dev.holdfast.ingress.webhooks.MessageIntake;
import dev.holdfast.ingress.wire.AnswerBudget;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.ingress.wire.Responses;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.messages.Appended;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** {@code POST /api/v1/chat}: a message in, its answer out, in one request. */
final class ChatCall implements ApiCall {
  private static final String VERSION = "v1";

  private final Answers answers;
  private final EventOutcomes outcomes;
  private final ThreadAccess access;
  private final MessageIntake intake;
  private final Duration answerWait;
  private final Questions questions;

  /** What people are asked about an event, as the API shows it. */
  @FunctionalInterface
  interface Questions {
    JsonArray of(String eventId);
  }

  ChatCall(
      Answers answers,
      EventOutcomes outcomes,
      ThreadAccess access,
      MessageIntake intake,
      Questions questions,
      Duration answerWait) {
    this.questions = questions;
    this.access = access;
    this.answers = answers;
    this.outcomes = outcomes;
    this.intake = intake;
    this.answerWait = answerWait;
  }

  @Override
  public void stop() {
    outcomes.close();
  }

  @Override
  public ApiAnswer run(ApiRequest request)
      throws RefusedRequestException, StoreException, InterruptedException {
    JsonObject context = request.body().getJsonObject("context", new JsonObject());
    String named = context.getString("thread_id", "");
    String threadId = ApiRequest.threadId(named.isEmpty() ? WebMessages.newThread(request) : named);
    String correlationId = request.bodyText("correlation_id");
    if (correlationId == null) {
      correlationId = request.correlationId();
    } else if (correlationId.chars().anyMatch(Character::isISOControl)) {
      throw RefusedRequestException.invalid("correlation_id has a control character");
    }
    InboundMessage message =
        WebMessages.make(
            threadId,
            WebMessages.sender(request.caller(), context.getString("user_id")),
            request.body().getString("message"),
            List.of(),
            WebMessages.dedupeKey(request, threadId, ""));
    access.enter(request.caller(), threadId, context.getBoolean("shared"));
    try (EventOutcomes.Waiter waiter = outcomes.expect(threadId)) {
      Appended appended =
          WebMessages.checkSame(intake.commit(WebMessages.CHANNEL, message), message);
      String eventId = appended.event().id();
      boolean isAsked = appended.duplicate() && !questions.of(eventId).isEmpty();
      boolean ended =
          (appended.duplicate() && answers.find(eventId).isPresent())
              || (!isAsked && waiter.await(eventId, answerWait));
      // Without memory for it the answer is as if it came later: what was accepted is not refused.
      boolean isTold = ended && request.memory().take() == AnswerBudget.Grant.GRANTED;
      Optional<Answers.Answer> answer = isTold ? answers.find(eventId) : Optional.empty();
      JsonObject body =
          new JsonObject()
              .put("api_version", request.body().getString("api_version", VERSION))
              .put("correlation_id", correlationId)
              .put("status", "pending")
              .putNull("plan_id")
              .put("event_id", eventId)
              .put("thread_id", threadId)
              .putNull("output")
              .putNull("error")
              .put("approvals", ended ? new JsonArray() : questions.of(eventId));
      return answer.map(end -> ended(body, end)).orElse(new ApiAnswer(202, body));
    }
  }

  private static ApiAnswer ended(JsonObject body, Answers.Answer answer) {
    body.put("output", answer.text());
    FailureCode code = answer.failed();
    if (code == null) {
      return ApiAnswer.ok(body.put("status", "success"));
    }
    String said = answer.text().isEmpty() ? "the message was not answered" : answer.text();
    return new ApiAnswer(
        ChatFailures.statusOf(code),
        body.put("status", "error")
            .putNull("output")
            .put("error", Responses.error(code.name(), said).getJsonObject("error")));
  }
}
