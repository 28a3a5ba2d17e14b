package dev.holdfast.ingress.webhooks;

import dev.holdfast.api.FailureCode;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.ingress.wire.RefusedRequestException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What an adapter made of a request, or why the request is refused without its verdict. */
sealed interface ReceiveOutcome {
  record Told(WebhookVerdict verdict) implements ReceiveOutcome {}

  /** Its messages are on their way to the disk; {@code answer}: what the platform gets then. */
  record Taken(List<CompletableFuture<?>> commits, Optional<WebhookVerdict.Answer> answer)
      implements ReceiveOutcome {}

  record Refused(RefusedRequestException why) implements ReceiveOutcome {}

  /** The adapter failed; its sender learns no more. */
  static RefusedRequestException internalError() {
    return new RefusedRequestException(500, FailureCode.INTERNAL, "internal error");
  }
}
