package dev.holdfast.ingress.openai;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.RefusedRequestException;
import java.util.Optional;

/** One operation: plain blocking code on a virtual thread, which is interrupted at a hang-up. */
@FunctionalInterface
interface OpenAiCall {
  /** Returns empty when the answer was streamed. */
  Optional<ApiAnswer> run(OpenAiExchange exchange)
      throws RefusedRequestException, CallFailedException, InterruptedException;
}
