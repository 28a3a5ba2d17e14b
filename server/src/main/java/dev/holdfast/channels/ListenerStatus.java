package dev.holdfast.channels;

import dev.holdfast.api.Failure;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How it goes with an account that listens.
 *
 * @param source {@code channel:account}
 */
public record ListenerStatus(String source, State state, History history) {
  /** Passing failures in a row that tell nobody anything: a connection may break now and then. */
  private static final int FAILURES_FEW = 2;

  /** A platform that asks for a longer pause is worth a look at once. */
  private static final Duration PAUSE_SHORT = Duration.ofMinutes(1);

  /**
   * What has been since the channel was added.
   *
   * @param since when its last call began
   * @param receivedAt when it has received last; null: not yet
   * @param restarts how often its call has ended or was ended
   * @param failure of the call that ended last; null: none has ended
   */
  public record History(
      Instant since, @Nullable Instant receivedAt, long restarts, @Nullable Failure failure) {}

  /** What it does. */
  public sealed interface State {}

  /** Another account listens with the same token; {@code holder}: which one. */
  public record TokenInUse(String holder) implements State {}

  /**
   * It was called, and something came.
   *
   * @param placesMissing in how many of the configured places the bot is not
   */
  public record Receiving(int placesMissing) implements State {}

  /** Nothing came for too long: it was interrupted and has not ended yet. */
  public record Silent() implements State {}

  /**
   * It was called and has not received anything yet, or will be called again.
   *
   * @param failure of the last call; null when it is the first one
   * @param failures calls in a row that received nothing, or ended soon after they had; or the last
   *     one alone
   * @param next when it is called again; null while it runs
   */
  public record NotReceiving(@Nullable Failure failure, int failures, @Nullable Instant next)
      implements State {
    /** Whether it has failed too often, or in a way that no other try mends. */
    boolean needsAttention() {
      return failure != null
          && (failures > FAILURES_FEW
              || !failure.isPassing()
              || failure.retryAfter().compareTo(PAUSE_SHORT) > 0);
    }
  }

  /** It ends, because its channel was removed or the server stops. */
  public record Ending() implements State {}

  /** Whether somebody should look: no messages come in, though they should. */
  public boolean needsAttention() {
    return switch (state) {
      case TokenInUse _, Silent _ -> true;
      case NotReceiving failed -> failed.needsAttention();
      case Receiving _, Ending _ -> false;
    };
  }

  /** Whether messages of the account would come in now. */
  public boolean isUp() {
    return state instanceof Receiving;
  }
}
