package dev.holdfast.ingress.api;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.Audit;
import dev.holdfast.store.messages.DiscardedWork;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;

/** What is asked of a restored copy. */
final class PromotionCalls {
  private final Promotion promotion;
  private final OperatorAudit audit;

  PromotionCalls(Promotion promotion, Audit audit) {
    this.promotion = promotion;
    this.audit = new OperatorAudit(audit);
  }

  Map<String, ApiCall> calls() {
    return Map.of("promote", this::promote);
  }

  private ApiAnswer promote(ApiRequest request) throws RefusedRequestException, StoreException {
    String open = Objects.requireNonNullElse(request.bodyText("open"), "send");
    boolean discard =
        switch (open) {
          case "send" -> false;
          case "discard" -> true;
          default -> throw RefusedRequestException.invalid("open must be send or discard");
        };
    if (!promotion.isAwaited()) {
      return ApiAnswer.ok(view(false, new DiscardedWork(0, 0)));
    }
    DiscardedWork discarded;
    try {
      discarded = promotion.promote(discard);
    } catch (IOException e) {
      throw new StoreException(
          Failure.of(
              FailureCode.BACKEND_FAILURE,
              "the mark of the copy cannot be removed: " + e.getMessage()));
    }
    JsonObject done = view(true, discarded);
    audit.done(request, "promote", "", done.copy().put("open", open));
    return ApiAnswer.ok(done);
  }

  private static JsonObject view(boolean changed, DiscardedWork discarded) {
    return new JsonObject()
        .put("changed", changed)
        .put("discarded_messages", discarded.messages())
        .put("discarded_replies", discarded.replies());
  }
}
