package dev.holdfast.matrix;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.kit.StateFile;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Tells the people of an encrypted room, once, that nothing of it can be read. Thread-safe. */
final class EncryptedRooms {
  static final int ROOMS_MAX = 1000;
  static final String SENTENCE =
      "This room is encrypted, so I cannot read what is written here: write to me in a room without"
          + " encryption.";
  private static final Duration CALL_MAX = Duration.ofSeconds(10);

  private final StateFile told;

  /** {@code told}: the rooms of all accounts. */
  EncryptedRooms(StateFile told) {
    this.told = told;
  }

  /** Somebody wrote there. */
  void noticed(MatrixBot bot, String room) {
    if (told.find(key(bot, room)).isEmpty()) {
      bot.background().add(() -> tell(bot, room));
    }
  }

  private static String key(MatrixBot bot, String room) {
    return bot.name() + " " + room;
  }

  private MatrixAnswer tell(MatrixBot bot, String room)
      throws CallFailedException, InterruptedException {
    if (told.find(key(bot, room)).isPresent()) {
      return MatrixAnswer.done(); // several messages came before the first could be answered
    }
    Map<String, Object> content = new LinkedHashMap<>(MatrixContent.notice(SENTENCE));
    MatrixAnswer answer =
        bot.api().sendEvent(room, "holdfast-encrypted-" + room, content, CALL_MAX);
    if (answer.isOk() || !answer.failure().isPassing()) {
      bot.context()
          .logger()
          .log(
              Level.WARNING,
              "account {0}: the room {1} is encrypted: nothing that is said there can be read",
              bot.name(),
              room);
      keep(bot, room);
    }
    return answer;
  }

  private void keep(MatrixBot bot, String room) {
    try {
      told.put(key(bot, room), Map.of());
    } catch (IOException e) {
      bot.context()
          .logger()
          .log(
              Level.WARNING, "the list of encrypted rooms could not be written: {0}", e.toString());
    }
  }
}
