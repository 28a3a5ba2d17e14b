package dev.holdfast.mattermost;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.MessageSink;
import java.lang.System.Logger.Level;
import java.time.Duration;

/**
 * Watches over whether the bot is where it was configured to be: in a team, and in the channels
 * that {@code allow.chats} names. Looks when something says that this may have changed, and every
 * few minutes while it is missing somewhere. For one thread at a time.
 */
final class ConfiguredPlaces {
  /** Anybody may add a bot and remove it, again and again. */
  static final Duration LOOK_LEAST = Duration.ofSeconds(10);

  static final Duration LOOK_AGAIN = Duration.ofMinutes(5);

  private final MattermostBot bot;
  private boolean mayHaveChanged = true;
  private boolean isIncomplete;
  private long lookedAt;

  ConfiguredPlaces(MattermostBot bot) {
    this.bot = bot;
    this.lookedAt = bot.context().nanos() - LOOK_LEAST.toNanos();
  }

  /** It was put in or out somewhere, or nobody has listened for a while. */
  void changed() {
    mayHaveChanged = true;
  }

  /** Looks when it is time, and tells what it has found. Blocks for 15 s and a call at most. */
  void look(MessageSink sink) throws InterruptedException {
    Duration since = Duration.ofNanos(bot.context().nanos() - lookedAt);
    boolean isTime = mayHaveChanged ? since.compareTo(LOOK_LEAST) >= 0 : isIncomplete;
    if (!isTime || (!mayHaveChanged && since.compareTo(LOOK_AGAIN) < 0)) {
      return;
    }
    mayHaveChanged = false;
    lookedAt = bot.context().nanos();
    try {
      int missing =
          (int) MattermostChecks.places(bot).stream().filter(check -> !check.isMet()).count();
      isIncomplete = missing > 0;
      sink.missingFrom(missing);
    } catch (CallFailedException e) {
      isIncomplete = true; // nobody knows: later again
      bot.context()
          .logger()
          .log(
              Level.DEBUG,
              "account {0}: where the bot is, is not known: {1}",
              bot.name(),
              e.failure().summary());
    }
  }
}
