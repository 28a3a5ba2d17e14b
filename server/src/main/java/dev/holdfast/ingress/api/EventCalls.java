package dev.holdfast.ingress.api;

import dev.holdfast.agents.context.Incoming;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.channels.InboundPayload;
import dev.holdfast.config.Secrets;
import dev.holdfast.ingress.login.ThreadAccess;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.store.Store;
import dev.holdfast.store.ledgers.AuditRow;
import dev.holdfast.store.ledgers.ModelCallRow;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.Reply;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** {@code GET /api/v1/events/{id}}: the whole story of one message. */
final class EventCalls {
  private final Store store;
  private final ThreadAccess access;
  private final Secrets secrets;

  EventCalls(Store store, ThreadAccess access, Secrets secrets) {
    this.access = access;
    this.store = store;
    this.secrets = secrets;
  }

  private record Asked(Event event, boolean isDamaged) {}

  Map<String, ApiCall> calls() {
    return Map.of("getEvent", this::find);
  }

  private ApiAnswer find(ApiRequest request) throws RefusedRequestException {
    Asked asked = asked(request);
    Event event = asked.event();
    Optional<InboundMessage> message =
        asked.isDamaged() ? Optional.empty() : Optional.of(InboundPayload.read(event.payload()));
    List<ModelCallRow> modelCalls = store.usage().ofEvent(event.id());
    List<Reply> replies = store.outbox().ofEvent(event.id());
    List<JsonObject> story =
        EventStory.tell(event, store.stories().of(event.id()), modelCalls, replies);
    story.forEach(this::tellChanges);
    JsonObject view =
        new JsonObject()
            .put("event_id", event.id())
            .put("dedupe_key", WebMessages.givenKey(event.threadId(), event.dedupeKey()))
            .put("thread_id", event.threadId())
            .put("source", event.source())
            .put("sender", message.map(InboundMessage::sender).orElse(""))
            .put("text", message.map(InboundMessage::text).orElse(""))
            .put("state", asked.isDamaged() ? "damaged" : event.state().label())
            .put("attempts", event.attempts())
            .put(
                "sent_at",
                message
                    .map(one -> Incoming.sentAt(event, one))
                    .orElse(event.receivedAt())
                    .toString())
            .put("received_at", event.receivedAt().toString())
            .put("story", array(story))
            .put("model_calls", array(modelCalls.stream().map(EventCalls::view).toList()))
            .put("replies", array(replies.stream().map(this::view).toList()))
            .put("cost_usd", modelCalls.stream().mapToDouble(ModelCallRow::costUsd).sum());
    story.reversed().stream()
        .map(line -> line.getString("reason", ""))
        .filter(reason -> !reason.isEmpty())
        .findFirst()
        .ifPresent(reason -> view.put("reason", reason));
    if (asked.isDamaged()) {
      view.put("reason", damage(event, story));
    }
    return ApiAnswer.ok(view);
  }

  private static String damage(Event event, List<JsonObject> story) {
    String when =
        story.stream()
            .filter(line -> "event.damaged".equals(line.getString("what")))
            .findFirst()
            .map(line -> " at " + line.getString("at"))
            .orElse("");
    return ("its row was found damaged on disk%s; its text is kept but not shown, its story and its"
            + " replies are; it is %s%s")
        .formatted(
            when,
            event.state().label(),
            event.state() == EventState.DEAD_LETTERED ? ", see holdfast dlq list" : "");
  }

  /** Whether a tool call changed files, and whether that was undone, stands in the audit. */
  private void tellChanges(JsonObject line) {
    String execution = line.getString("execution", "");
    if (!"tool.ended".equals(line.getString("what")) || execution.isEmpty()) {
      return;
    }
    for (AuditRow row : store.audit().ofExecution(execution)) {
      switch (row.entry().what()) {
        case "tool.change" -> line.put("changed", true);
        case "tool.rolled_back" -> line.put("rolled_back", true);
        default -> {
          // Questions and answers stand in the story as well.
        }
      }
    }
  }

  /** By our id, or by the sender's own when only one that the caller may see has it. */
  private Asked asked(ApiRequest request) throws RefusedRequestException {
    String id = request.id();
    Predicate<Event> visible = event -> access.maySee(request.caller(), event.threadId());
    var ours = store.inbox().find(id).filter(visible);
    if (ours.isPresent()) {
      return new Asked(ours.get(), false);
    }
    List<Event> theirs =
        Stream.concat(
                store.inbox().findByDedupeKey(id).stream(),
                store.inbox().findByKeyStart(WebMessages.SOURCE, WebMessages.keyStart(id)).stream())
            .filter(visible)
            .toList();
    if (theirs.isEmpty()) {
      return store
          .inbox()
          .damaged(id)
          .filter(visible)
          .map(event -> new Asked(event, true))
          .orElseThrow(() -> RefusedRequestException.unknown("no such event"));
    }
    if (theirs.size() > 1) {
      throw new RefusedRequestException(
          409,
          FailureCode.INVALID_REQUEST,
          "several events have this id; use the server's: "
              + String.join(", ", theirs.stream().map(Event::id).toList()));
    }
    return new Asked(theirs.getFirst(), false);
  }

  private static JsonArray array(List<JsonObject> items) {
    return new JsonArray(List.copyOf(items));
  }

  private static JsonObject view(ModelCallRow call) {
    return new JsonObject()
        .put("at", call.at().toString())
        .put("provider", call.provider())
        .put("model", call.model())
        .put("outcome", call.outcome())
        .put("input_tokens", call.inputTokens())
        .put("cached_tokens", call.cacheReadTokens() + call.cacheWriteTokens())
        .put("output_tokens", call.outputTokens())
        .put("cost_usd", call.costUsd())
        .put("first_token_millis", call.firstTokenMillis())
        .put("millis", call.millis());
  }

  /** The detail of one that was sent is what a channel says; it is stored as it is. */
  private JsonObject view(Reply reply) {
    return new JsonObject()
        .put("reply_id", reply.reply().id())
        .put("part", reply.reply().part())
        .put("parts", reply.reply().parts())
        .put("state", reply.state().name().toLowerCase(Locale.ROOT))
        .put("attempts", reply.attempts())
        .put("unknowns", reply.unknowns())
        .put("planned_at", reply.plannedAt().toString())
        .put("next_at", reply.nextAt().toString())
        .put("text", reply.reply().text())
        .put("detail", secrets.redact(reply.detail()));
  }
}
