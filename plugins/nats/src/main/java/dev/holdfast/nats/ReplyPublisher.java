package dev.holdfast.nats;

import dev.holdfast.api.PostOutcome;
import java.util.Map;

/** Publishes answers. */
@FunctionalInterface
interface ReplyPublisher {
  /** Publishes once; returns when NATS has it, as far as it says so. */
  PostOutcome publish(String subject, Map<String, String> headers, byte[] body)
      throws InterruptedException;
}
