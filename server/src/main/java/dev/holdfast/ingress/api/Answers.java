package dev.holdfast.ingress.api;

import dev.holdfast.api.FailureCode;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds what an event ended with. */
@FunctionalInterface
public interface Answers {
  /** Blocks. Empty while the event has not ended. */
  Optional<Answer> find(String eventId);

  /**
   * How an event ended.
   *
   * @param failed what went wrong; null when the event was answered
   * @param text what its sender is told; empty when nothing was said
   */
  record Answer(@Nullable FailureCode failed, String text) {}
}
