package dev.holdfast.ingress.api;

import dev.holdfast.api.FailureCode;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.memory.MemorySweeps;
import dev.holdfast.memory.MemorySweeps.Answer;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.tools.memory.MemoryVersion;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;

/** What is asked of memories and their sweeps. */
final class MemoryCalls {
  private static final int CONFLICT = 409;
  private static final int PAGE = 20;

  private final MemorySweeps sweeps;

  MemoryCalls(MemorySweeps sweeps) {
    this.sweeps = sweeps;
  }

  Map<String, ApiCall> calls() {
    return Map.of(
        "getMemory", _ -> ApiAnswer.ok(sweeps.status()),
        "listMemorySweeps", this::list,
        "startMemorySweep", this::start,
        "getMemorySweep", this::find,
        "listMemoryProposals", _ -> proposals(),
        "approveMemoryProposal",
            request -> answer(sweeps.approve(request.id(), OperatorAudit.actor(request))),
        "rejectMemoryProposal",
            request -> answer(sweeps.reject(request.id(), OperatorAudit.actor(request))),
        "listMemoryVersions", this::versions,
        "restoreMemory", this::restore);
  }

  private ApiAnswer list(ApiRequest request) {
    JsonArray runs = sweeps.runs(request.whole("limit", PAGE));
    return ApiAnswer.ok(new JsonObject().put("sweeps", runs));
  }

  private ApiAnswer start(ApiRequest request) throws RefusedRequestException, StoreException {
    String id =
        sweeps
            .request(
                OperatorAudit.actor(request),
                thread(request),
                request.body().getBoolean("dry_run", false))
            .orElseThrow(() -> conflict("a sweep runs already: see holdfast memory status"));
    return new ApiAnswer(202, new JsonObject().put("id", id));
  }

  private ApiAnswer find(ApiRequest request) throws RefusedRequestException {
    return ApiAnswer.ok(
        sweeps
            .find(request.id())
            .orElseThrow(() -> RefusedRequestException.unknown("no such sweep")));
  }

  private ApiAnswer proposals() {
    JsonArray all = new JsonArray();
    sweeps.proposals().forEach(proposal -> all.add(proposal.toJson()));
    return ApiAnswer.ok(new JsonObject().put("proposals", all));
  }

  private ApiAnswer versions(ApiRequest request) throws RefusedRequestException {
    String threadId = known(request.text("thread", ""));
    try {
      JsonArray all = new JsonArray();
      for (MemoryVersion version : sweeps.history(threadId)) {
        all.add(
            new JsonObject()
                .put("version", version.number())
                .put("replaced_at", version.replacedAt().toString())
                .put("by", version.by())
                .put("bytes", version.bytes()));
      }
      return ApiAnswer.ok(new JsonObject().put("versions", all));
    } catch (IOException e) {
      throw diskRefused();
    }
  }

  private ApiAnswer restore(ApiRequest request) throws RefusedRequestException, StoreException {
    String threadId = thread(request);
    try {
      return answer(
          sweeps.restore(
              threadId,
              Objects.requireNonNullElse(request.body().getInteger("version"), 0),
              OperatorAudit.actor(request)));
    } catch (IOException e) {
      throw diskRefused();
    }
  }

  private String thread(ApiRequest request) throws RefusedRequestException {
    return known(Objects.requireNonNullElse(request.bodyText("thread"), ""));
  }

  /** As elsewhere in the API; empty is no thread. */
  private String known(String given) throws RefusedRequestException {
    if (given.isEmpty()) {
      return "";
    }
    String threadId = ApiRequest.threadId(given);
    if (!sweeps.isKnown(threadId)) {
      throw RefusedRequestException.unknown("no such conversation: " + threadId);
    }
    return threadId;
  }

  private static ApiAnswer answer(Answer answer) throws RefusedRequestException {
    return switch (answer) {
      case Answer.Done(JsonObject told) -> ApiAnswer.ok(told);
      case Answer.Unknown _ -> throw RefusedRequestException.unknown("no such proposal or version");
      case Answer.Refused(String why) -> throw conflict(why);
    };
  }

  private static RefusedRequestException conflict(String why) {
    return new RefusedRequestException(CONFLICT, FailureCode.INVALID_REQUEST, why);
  }

  private static RefusedRequestException diskRefused() {
    return new RefusedRequestException(503, FailureCode.IO, "the disk refused");
  }
}
