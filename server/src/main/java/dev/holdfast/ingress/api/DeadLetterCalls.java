package dev.holdfast.ingress.api;

import dev.holdfast.api.FailureCode;
import dev.holdfast.bus.BusLetter;
import dev.holdfast.bus.DiskQueue;
import dev.holdfast.ingress.login.ThreadAccess;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.Audit;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.store.messages.DeadLetter;
import dev.holdfast.store.messages.DeadLetters;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.tasks.ledger.Plan;
import dev.holdfast.tasks.ledger.Task;
import dev.holdfast.tasks.ledger.TaskLetters;
import dev.holdfast.tasks.run.Plans;
import dev.holdfast.time.Time;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** What is asked of dead letters. */
final class DeadLetterCalls {
  private static final int PAGE = 100;

  /** Without an age all are meant, also those that a clock that ran ahead has dated. */
  private static final Duration AHEAD = Duration.ofDays(3650);

  private static final String TASK = "task";
  private static final String BUS = "bus";

  private final DeadLetters letters;
  private final Plans plans;
  private final TaskLetters tasks;
  private final DiskQueue bus;
  private final Audit audit;
  private final OperatorAudit records;
  private final ThreadAccess access;
  private final Time time;
  private final Runnable replayed;

  DeadLetterCalls(
      Store store, Plans plans, DiskQueue bus, ThreadAccess access, Time time, Runnable replayed) {
    this.bus = bus;
    this.plans = plans;
    this.tasks = plans.ledger().letters();
    this.access = access;
    this.letters = store.deadLetters();
    this.audit = store.audit();
    this.records = new OperatorAudit(audit);
    this.time = time;
    this.replayed = replayed;
  }

  Map<String, ApiCall> calls() {
    return Map.of(
        "listDeadLetters", this::list,
        "getDeadLetter", this::find,
        "replayDeadLetter", this::replay,
        "discardDeadLetter", this::discard);
  }

  private ApiAnswer list(ApiRequest request) {
    int age = request.whole("older_than_secs", 0);
    Instant olderThan = age == 0 ? time.now().plus(AHEAD) : time.now().minusSeconds(age);
    String kind = request.text("kind", "");
    int limit = request.whole("limit", PAGE);
    int upTo = request.whole("up_to", Integer.MAX_VALUE);
    boolean oldestFirst = request.text("order", "newest").equals("oldest");
    ThreadReader reader = ThreadAccess.reader(request.caller());
    // Who brings back all means messages: the others are asked for by their kind.
    boolean any = kind.isEmpty() && !oldestFirst;
    List<JsonObject> found = new ArrayList<>();
    if (!kind.equals(TASK) && !kind.equals(BUS)) {
      (oldestFirst
              ? letters.oldest(reader, kind, olderThan, upTo, limit)
              : letters.list(reader, kind, olderThan, limit))
          .forEach(letter -> found.add(view(letter)));
    }
    if (any || kind.equals(TASK)) {
      tasks
          .list(reader, olderThan, any ? Long.MAX_VALUE : upTo, oldestFirst, limit)
          .forEach(letter -> found.add(view(letter)));
    }
    if (any || kind.equals(BUS)) {
      bus.letters(reader, olderThan, any ? Long.MAX_VALUE : upTo, oldestFirst, limit)
          .forEach(letter -> found.add(view(letter)));
    }
    if (any) {
      found.sort(Comparator.comparing((JsonObject one) -> one.getString("at")).reversed());
    }
    JsonObject counts = new JsonObject();
    letters.counts(reader).forEach(counts::put);
    counts.put(TASK, tasks.count(reader));
    counts.put(BUS, bus.letters(reader));
    return ApiAnswer.ok(
        new JsonObject()
            .put("dead_letters", new JsonArray(found.stream().limit(limit).toList()))
            .put("counts", counts)
            .put("newest", newest(reader, kind)));
  }

  /** A bound for who brings back all; how many others have is nobody else's business. */
  private long newest(ThreadReader reader, String kind) {
    if (!reader.everything()) {
      return 0;
    }
    return switch (kind) {
      case TASK -> tasks.newest();
      case BUS -> bus.newest();
      default -> letters.newest();
    };
  }

  private static JsonObject view(BusLetter letter) {
    return new JsonObject()
        .put("id", letter.id())
        .put("kind", BUS)
        .put("event_id", "")
        .put("dedupe_key", letter.id())
        .put("thread_id", letter.threadId())
        .put("subject", letter.subject())
        .put("reason", letter.reason())
        .put("payload", letter.payload())
        .put("attempts", letter.attempts())
        .put("at", letter.at().toString());
  }

  private Optional<BusLetter> published(ApiRequest request) {
    return bus.letter(request.id())
        .filter(letter -> access.maySee(request.caller(), letter.threadId()));
  }

  private static AuditEntry entry(ApiRequest request, String what, BusLetter letter) {
    return new AuditEntry(
        "operator." + what,
        "",
        "",
        letter.threadId(),
        OperatorAudit.actor(request),
        new JsonObject().put("id", letter.id()).put("kind", BUS).encode());
  }

  private static JsonObject view(TaskLetters.Letter letter) {
    Task task = letter.task();
    return new JsonObject()
        .put("id", task.id())
        .put("kind", TASK)
        .put("event_id", letter.plan().origin().eventId())
        .put("dedupe_key", task.id())
        .put("thread_id", letter.plan().origin().threadId())
        .put("plan_id", task.planId())
        .put("reason", task.reason())
        .put(
            "payload",
            new JsonObject()
                .put("step", task.step().name())
                .put("agent", task.agent())
                .put("action", task.step().action())
                .put("payload", new JsonObject(task.step().payload()))
                .encode())
        .put("attempts", task.attempts())
        .put("at", Objects.requireNonNullElse(task.endedAt(), task.madeAt()).toString());
  }

  private Optional<TaskLetters.Letter> task(ApiRequest request) {
    return tasks
        .find(request.id())
        .filter(letter -> access.maySee(request.caller(), letter.plan().origin().threadId()));
  }

  private static AuditEntry entry(ApiRequest request, String what, TaskLetters.Letter letter) {
    return new AuditEntry(
        "operator." + what,
        "",
        letter.plan().origin().eventId(),
        letter.plan().origin().threadId(),
        OperatorAudit.actor(request),
        new JsonObject().put("id", letter.task().id()).put("kind", TASK).encode());
  }

  private ApiAnswer find(ApiRequest request) throws RefusedRequestException {
    Optional<TaskLetters.Letter> task = task(request);
    if (task.isPresent()) {
      return ApiAnswer.ok(view(task.get()));
    }
    Optional<BusLetter> published = published(request);
    return ApiAnswer.ok(published.isPresent() ? view(published.get()) : view(letter(request)));
  }

  private ApiAnswer replay(ApiRequest request) throws RefusedRequestException, StoreException {
    Optional<TaskLetters.Letter> task = task(request);
    if (task.isPresent()) {
      Optional<Plan> plan =
          plans.retry(request.id(), entry(request, "dead_letter_replayed", task.get()));
      if (plan.isEmpty() && !task.get().plan().state().isTerminal()) {
        throw new RefusedRequestException(409, FailureCode.INVALID_REQUEST, TaskCalls.PLAN_RUNS);
      }
      return ApiAnswer.ok(
          new JsonObject()
              .put("replayed", plan.isPresent())
              .put("plan_id", plan.map(Plan::id).orElse(null)));
    }
    Optional<BusLetter> published = published(request);
    if (published.isPresent()) {
      AuditEntry entry = entry(request, "dead_letter_replayed", published.get());
      return ApiAnswer.ok(new JsonObject().put("replayed", bus.replay(request.id(), audit, entry)));
    }
    DeadLetter letter = letter(request);
    boolean done = letters.replay(request.id());
    if (done) {
      replayed.run();
      record(request, "dead_letter_replayed", letter);
    }
    return ApiAnswer.ok(new JsonObject().put("replayed", done));
  }

  private ApiAnswer discard(ApiRequest request) throws RefusedRequestException, StoreException {
    Optional<TaskLetters.Letter> task = task(request);
    if (task.isPresent()) {
      boolean gone =
          tasks.discard(request.id(), entry(request, "dead_letter_discarded", task.get()));
      return ApiAnswer.ok(new JsonObject().put("discarded", gone));
    }
    Optional<BusLetter> published = published(request);
    if (published.isPresent()) {
      AuditEntry entry = entry(request, "dead_letter_discarded", published.get());
      return ApiAnswer.ok(
          new JsonObject().put("discarded", bus.discard(request.id(), audit, entry)));
    }
    DeadLetter letter = letter(request);
    boolean done = letters.discard(request.id());
    if (done) {
      record(request, "dead_letter_discarded", letter);
    }
    return ApiAnswer.ok(new JsonObject().put("discarded", done));
  }

  private void record(ApiRequest request, String what, DeadLetter letter) {
    JsonObject details =
        new JsonObject()
            .put("id", letter.id())
            .put("kind", letter.kind())
            .put("event_id", letter.eventId());
    records.done(request, what, letter.threadId(), details);
  }

  private DeadLetter letter(ApiRequest request) throws RefusedRequestException {
    return letters
        .find(request.id())
        .filter(letter -> access.maySee(request.caller(), letter.threadId()))
        .orElseThrow(() -> RefusedRequestException.unknown("no such dead letter"));
  }

  private static JsonObject view(DeadLetter letter) {
    return new JsonObject()
        .put("id", letter.id())
        .put("kind", letter.kind())
        .put("event_id", letter.eventId())
        .put("dedupe_key", WebMessages.givenKey(letter.threadId(), letter.dedupeKey()))
        .put("thread_id", letter.threadId())
        .put("reason", letter.reason())
        .put("payload", letter.payload())
        .put("attempts", letter.attempts())
        .put("at", letter.at().toString());
  }
}
