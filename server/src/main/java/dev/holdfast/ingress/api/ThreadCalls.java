package dev.holdfast.ingress.api;

import dev.holdfast.agents.thread.ThreadView;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.channels.InboundPayload;
import dev.holdfast.channels.MessageOptions;
import dev.holdfast.ingress.login.ThreadAccess;
import dev.holdfast.ingress.stream.EventStreams;
import dev.holdfast.ingress.webhooks.MessageIntake;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.media.AttachmentsConfig;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.Usage;
import dev.holdfast.store.messages.Appended;
import dev.holdfast.store.messages.ChatThreads;
import dev.holdfast.store.messages.ChatThreads.Archived;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.threads.LogPage;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What is asked of chat threads. */
final class ThreadCalls {
  private static final int PAGE = 100;
  private static final int LOG_PAGE = 200;
  private static final int PENDING_MAX = 200;

  /** Of one page of a log, in units of UTF-16; the last entry may go beyond. */
  private static final long LOG_UNITS_MAX = 1024 * 1024;

  private final Store store;
  private final ThreadControl threads;
  private final ThreadAccess access;
  private final MessageIntake intake;
  private final EventStreams streams;
  private final OperatorAudit records;
  private final AttachmentCalls files;
  private final MessageChoices choices;

  ThreadCalls(
      Store store,
      ThreadControl threads,
      ThreadAccess access,
      MessageIntake intake,
      EventStreams streams,
      AttachmentsConfig attachments,
      List<String> choice) {
    this.store = store;
    this.threads = threads;
    this.access = access;
    this.intake = intake;
    this.streams = streams;
    this.records = new OperatorAudit(store.audit());
    this.files = new AttachmentCalls(store, access, attachments);
    this.choices = new MessageChoices(store, access, choice);
  }

  Map<String, ApiCall> calls() {
    return Map.of(
        "listThreads", this::list,
        "getThread", seen(this::find),
        "getThreadLog", seen(this::log),
        "postMessage", this::post,
        "stopThread", seen(this::stop),
        "resetThread", seen(this::reset),
        "postAttachment", files::post,
        "getAttachment", seen(files::get));
  }

  /** A call on a thread that others neither see nor touch. */
  private ApiCall seen(ApiCall call) {
    return request -> {
      access.check(request.caller(), request.threadId());
      return call.run(request);
    };
  }

  private ApiAnswer list(ApiRequest request) {
    int limit = request.whole("limit", PAGE);
    List<ChatThreads.ThreadRow> rows =
        store
            .chatThreads()
            .list(
                ThreadAccess.reader(request.caller()),
                Archived.valueOf(request.text("archived", "without").toUpperCase(Locale.ROOT)),
                request.text("after", ""),
                limit);
    JsonArray views = new JsonArray();
    rows.forEach(row -> views.add(view(row)));
    String next = rows.size() < limit ? null : rows.getLast().place();
    return ApiAnswer.ok(new JsonObject().put("threads", views).put("next", next));
  }

  private ApiAnswer find(ApiRequest request) throws RefusedRequestException {
    ChatThreads.ThreadRow row =
        store
            .chatThreads()
            .find(request.threadId())
            .orElseThrow(() -> RefusedRequestException.unknown("no such thread"));
    Usage.ThreadTotal total = store.usage().ofThread(row.threadId());
    return ApiAnswer.ok(
        view(row)
            .put(
                "usage",
                new JsonObject()
                    .put("calls", total.calls())
                    .put("input_tokens", total.inputTokens())
                    .put("output_tokens", total.outputTokens())
                    .put("cost_usd", total.costUsd())));
  }

  private JsonObject view(ChatThreads.ThreadRow row) {
    Optional<ThreadView> active = threads.find(row.threadId());
    return new JsonObject()
        .put("thread_id", row.threadId())
        .put("title", row.title())
        .put("archived", row.archived())
        .put("owner", row.owner())
        .put("shared", row.shared())
        .put("last_at", row.lastAt().toString())
        .put("events", row.events())
        .put("open", row.open())
        .put("doing", active.map(ThreadView::doing).orElse("inactive"))
        .put("since", active.map(view -> view.since().toString()).orElse(null))
        .put("event_id", active.map(ThreadView::eventId).orElse(""))
        .put("waiting", active.map(ThreadView::waiting).orElse(0));
  }

  private ApiAnswer log(ApiRequest request) throws IOException {
    String threadId = request.threadId();
    String cursor = streams.cursor(); // before reading, so that nothing falls in between
    String before = request.text("before", "");
    LogPage page = new LogPage(request.whole("limit", LOG_PAGE), LOG_UNITS_MAX, before);
    Map<String, JsonObject> entries = new LinkedHashMap<>();
    List<String> lines = store.threads().of(threadId).readLog(page);
    for (String line : lines) {
      entry(line).ifPresent(entry -> entries.put(entry.getString("id"), entry));
    }
    String next =
        page.isFull(lines) && !entries.isEmpty() ? entries.keySet().iterator().next() : null;
    addFacts(entries);
    if (before.isEmpty()) {
      addPending(threadId, entries);
    }
    return ApiAnswer.ok(
        new JsonObject().put("entries", inOrder(entries)).put("cursor", cursor).put("next", next));
  }

  /** What somebody said comes before what was said of it, also if that was written down first. */
  private static JsonArray inOrder(Map<String, JsonObject> entries) {
    Set<JsonObject> all = new LinkedHashSet<>();
    for (JsonObject entry : entries.values()) {
      JsonObject said = entries.get(entry.getString("event_id"));
      if (said != null) {
        boolean _ = all.add(said);
      }
      boolean _ = all.add(entry);
    }
    return new JsonArray(List.copyOf(all));
  }

  private void addPending(String threadId, Map<String, JsonObject> entries) {
    long units = 0;
    for (Event event : store.inbox().openOf(threadId, 0, PENDING_MAX)) {
      if (units < LOG_UNITS_MAX && !entries.containsKey(event.id())) {
        entries.put(event.id(), pending(event));
        units += event.payload().length();
      }
    }
  }

  /** So that a page need not ask for the story of each answer to know whether there is one. */
  private void addFacts(Map<String, JsonObject> entries) {
    List<String> events =
        entries.values().stream()
            .filter(entry -> "assistant".equals(entry.getString("role")))
            .map(entry -> entry.getString("event_id"))
            .toList();
    Map<String, Integer> counts = store.stories().count("tool.ended", events);
    Map<String, String> models = store.usage().models(events);
    for (JsonObject entry : entries.values()) {
      if (!"assistant".equals(entry.getString("role"))) {
        continue;
      }
      String event = entry.getString("event_id");
      if (counts.containsKey(event)) {
        entry.put("tools", counts.get(event));
      }
      if (models.containsKey(event)) {
        entry.put("model", models.get(event));
      }
    }
  }

  private static Optional<JsonObject> entry(String line) {
    JsonObject logged;
    try {
      logged = new JsonObject(line);
    } catch (DecodeException _) {
      return Optional.empty(); // a torn line: the log is a help for people and holds no promise
    }
    JsonObject entry =
        new JsonObject()
            .put("id", logged.getString("id", ""))
            .put("at", logged.getString("at", ""))
            .put("role", logged.getString("role", ""))
            .put("event_id", logged.getString("event", ""))
            .put("sender", logged.getString("sender", ""))
            .put("text", logged.getString("text", ""));
    if (logged.containsKey("supersedes")) {
      entry.put("supersedes", logged.getString("supersedes", ""));
    }
    if (logged.getValue("attachments") instanceof JsonArray attachments) {
      entry.put("attachments", attachments);
    }
    return Optional.of(entry);
  }

  private static JsonObject pending(Event event) {
    return new JsonObject()
        .put("id", event.id())
        .put("at", event.receivedAt().toString())
        .put("role", "user")
        .put("event_id", event.id())
        .put("pending", true)
        .mergeIn(
            MessageIntake.shown(
                InboundPayload.read(event.payload()), InboundPayload.options(event.payload())));
  }

  private ApiAnswer post(ApiRequest request)
      throws RefusedRequestException, StoreException, IOException, InterruptedException {
    WebMessages.checkThread(request.threadId());
    access.enter(request.caller(), request.threadId(), request.body().getBoolean("shared"));
    String key = request.bodyText("dedupe_key");
    InboundMessage message =
        WebMessages.make(
            request.threadId(),
            WebMessages.sender(request.caller(), request.bodyText("user_id")),
            request.body().getString("text"),
            files.named(request),
            WebMessages.dedupeKey(request, request.threadId(), key == null ? "" : key));
    MessageOptions options = choices.options(request, message);
    Appended appended =
        WebMessages.checkSame(
            intake.commit(WebMessages.CHANNEL, message, options), message, options);
    return new ApiAnswer(
        202,
        new JsonObject()
            .put("event_id", appended.event().id())
            .put("duplicate", appended.duplicate()));
  }

  private ApiAnswer stop(ApiRequest request) {
    boolean all = request.body().getBoolean("all", false);
    JsonObject stopped = new JsonObject().put("stopped", threads.stop(request.threadId(), all));
    records.done(request, "thread_stop", request.threadId(), stopped.copy().put("all", all));
    return ApiAnswer.ok(stopped);
  }

  private ApiAnswer reset(ApiRequest request) {
    threads.reset(request.threadId());
    records.done(request, "thread_reset", request.threadId(), new JsonObject());
    return ApiAnswer.ok(new JsonObject().put("reset", true));
  }
}
