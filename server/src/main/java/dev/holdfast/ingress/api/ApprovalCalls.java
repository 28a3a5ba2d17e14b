package dev.holdfast.ingress.api;

import dev.holdfast.api.FailureCode;
import dev.holdfast.ingress.login.ThreadAccess;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.Caller;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.ingress.wire.Scope;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.Approval;
import dev.holdfast.store.ledgers.Approvals;
import dev.holdfast.time.Time;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Calls that wait for approval. An operator may answer for anybody. A token that may only chat
 * answers for the person of its own name on the web channel: what it wrote itself.
 */
final class ApprovalCalls {
  private static final int PAGE = 100;
  private static final String ALL = "all";
  private static final String WEB = "web:";

  private final Approvals approvals;
  private final ApprovalOutcomes outcomes;
  private final ApprovalDecisions decisions;
  private final ThreadAccess access;
  private final Time time;

  ApprovalCalls(Store store, ApprovalDecisions decisions, ThreadAccess access, Time time) {
    this.approvals = store.approvals();
    this.outcomes = new ApprovalOutcomes(store.audit(), store.stories());
    this.decisions = decisions;
    this.access = access;
    this.time = time;
  }

  Map<String, ApiCall> calls() {
    return Map.of(
        "listApprovals", this::list,
        "approve", request -> decide(request, true),
        "deny", request -> decide(request, false));
  }

  /** What people are asked about an event. */
  JsonArray waiting(String eventId) {
    Instant now = time.now();
    JsonArray waiting = new JsonArray();
    approvals.waitingOf(eventId).forEach(approval -> waiting.add(view(approval, now)));
    return waiting;
  }

  private ApiAnswer list(ApiRequest request) {
    String wanted = request.text("state", "waiting").toUpperCase(Locale.ROOT);
    Optional<Approval.State> state =
        wanted.equalsIgnoreCase(ALL)
            ? Optional.empty()
            : Optional.of(Approval.State.valueOf(wanted));
    Instant now = time.now();
    String thread = request.text("thread", "");
    JsonArray found = new JsonArray();
    approvals
        .list(
            ThreadAccess.reader(request.caller()),
            state,
            thread.isEmpty() ? "" : ApiRequest.threadId(thread),
            request.whole("limit", PAGE))
        .stream()
        .filter(approval -> state.isEmpty() || approval.stateAt(now) == state.get())
        .forEach(approval -> found.add(view(approval, now)));
    return ApiAnswer.ok(new JsonObject().put("approvals", found));
  }

  private ApiAnswer decide(ApiRequest request, boolean yes)
      throws RefusedRequestException, StoreException {
    Approval asked = find(request);
    if (!mayAnswer(request.caller(), asked)) {
      throw new RefusedRequestException(
          403, FailureCode.AUTH, "only the person who is asked, or an operator, can answer this");
    }
    boolean counts = decisions.decide(asked.id(), yes, OperatorAudit.actor(request));
    Approval now = find(request);
    if (!counts) {
      throw new RefusedRequestException(
          409,
          FailureCode.INVALID_REQUEST,
          "it is no longer waiting: it is " + name(now.stateAt(time.now())));
    }
    return ApiAnswer.ok(view(now, time.now()));
  }

  private Approval find(ApiRequest request) throws RefusedRequestException {
    return decisions
        .find(request.id())
        .filter(asked -> access.maySee(request.caller(), asked.threadId()))
        .orElseThrow(() -> RefusedRequestException.unknown("no such approval"));
  }

  private static boolean mayAnswer(Caller caller, Approval asked) {
    return caller.scope().covers(Scope.ADMIN)
        || (asked.threadId().startsWith(WEB) && WebMessages.isBy(caller, asked.person()));
  }

  private JsonObject view(Approval approval, Instant now) {
    return new JsonObject()
        .put("id", approval.id())
        .put("code", approval.code())
        .put("event_id", approval.eventId())
        .put("thread_id", approval.threadId())
        .put("execution", approval.key())
        .put("tool", approval.tool())
        .put("label", approval.shown())
        .put("arguments", approval.arguments())
        .put("person", approval.person())
        .put("state", name(approval.stateAt(now)))
        .put("asked_at", approval.askedAt().toString())
        .put("expires_at", approval.expiresAt().toString())
        .put("decided_by", approval.decidedBy())
        .mergeIn(outcomes.of(approval, now));
  }

  private static String name(Approval.State state) {
    return state.name().toLowerCase(Locale.ROOT);
  }
}
