package dev.holdfast.channels;

import dev.holdfast.api.Failure;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How it goes with an account that listens.
 *
 * @param source {@code channel:account}
 */
public record ListenerStatus(String source, State state) {
  /** What it does. */
  public sealed interface State {}

  /** Another account listens with the same token; {@code holder}: which one. */
  public record TokenInUse(String holder) implements State {}

  /** It was called, and something came. */
  public record Receiving() implements State {}

  /** Nothing came for too long: it was interrupted and has not ended yet. */
  public record Silent() implements State {}

  /**
   * It was called and has not received anything yet, or will be called again.
   *
   * @param failure of the last call; null when it is the first one
   * @param failures calls in a row that received nothing, or the last one alone
   * @param next when it is called again; null while it runs
   */
  public record NotReceiving(@Nullable Failure failure, int failures, @Nullable Instant next)
      implements State {}

  /** It ends, because its channel was removed or the server stops. */
  public record Ending() implements State {}

  /** Whether messages of the account would come in now. */
  public boolean isUp() {
    return state instanceof Receiving;
  }
}
