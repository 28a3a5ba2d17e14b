package dev.holdfast.github;

import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.StateFile;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/**
 * A copy of how far one account was read, for its user and not for its token, which expires.
 * Thread-safe.
 */
final class KeptPosition {
  /** More than there are accounts; those of other users are older. */
  static final int ENTRIES_MAX = 32;

  private static final String TEXT = "position";

  private final GithubBot bot;
  private final StateFile file;
  private final String key;

  /** {@code file}: of all accounts. */
  KeptPosition(GithubBot bot, StateFile file, GithubIdentity me) {
    this.bot = bot;
    this.file = file;
    this.key = bot.name() + " " + me.id();
  }

  Optional<String> find() {
    return file.find(key).map(kept -> JsonText.text(kept, TEXT)).filter(text -> !text.isEmpty());
  }

  /** That it cannot be written is logged: it matters only when the token is renewed. */
  void save(String position) {
    try {
      file.put(key, Map.of(TEXT, position));
    } catch (IOException e) {
      bot.warn("how far it was read is not kept for another token: " + e.getMessage());
    }
  }
}
