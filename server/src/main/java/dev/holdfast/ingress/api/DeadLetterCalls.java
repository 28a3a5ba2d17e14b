package dev.holdfast.ingress.api;

import dev.holdfast.ingress.login.ThreadAccess;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.messages.DeadLetter;
import dev.holdfast.store.messages.DeadLetters;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.time.Time;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** What is asked of dead letters. */
final class DeadLetterCalls {
  private static final int PAGE = 100;

  /** Without an age all are meant, also those that a clock that ran ahead has dated. */
  private static final Duration AHEAD = Duration.ofDays(3650);

  private final DeadLetters letters;
  private final OperatorAudit records;
  private final ThreadAccess access;
  private final Time time;
  private final Runnable replayed;

  DeadLetterCalls(Store store, ThreadAccess access, Time time, Runnable replayed) {
    this.access = access;
    this.letters = store.deadLetters();
    this.records = new OperatorAudit(store.audit());
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
    JsonArray found = new JsonArray();
    ThreadReader reader = ThreadAccess.reader(request.caller());
    (oldestFirst
            ? letters.oldest(reader, kind, olderThan, upTo, limit)
            : letters.list(reader, kind, olderThan, limit))
        .forEach(letter -> found.add(view(letter)));
    JsonObject counts = new JsonObject();
    letters.counts().forEach(counts::put);
    return ApiAnswer.ok(
        new JsonObject()
            .put("dead_letters", found)
            .put("counts", counts)
            .put("newest", letters.newest()));
  }

  private ApiAnswer find(ApiRequest request) throws RefusedRequestException {
    return ApiAnswer.ok(view(letter(request)));
  }

  private ApiAnswer replay(ApiRequest request) throws RefusedRequestException, StoreException {
    DeadLetter letter = letter(request);
    boolean done = letters.replay(request.id());
    if (done) {
      replayed.run();
      record(request, "dead_letter_replayed", letter);
    }
    return ApiAnswer.ok(new JsonObject().put("replayed", done));
  }

  private ApiAnswer discard(ApiRequest request) throws RefusedRequestException, StoreException {
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
