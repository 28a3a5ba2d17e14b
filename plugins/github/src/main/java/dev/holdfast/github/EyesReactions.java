package dev.holdfast.github;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.kit.RecentMap;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Puts eyes under what is being answered, once each. Forgets at a restart what it has seen.
 * Thread-safe.
 */
final class EyesReactions {
  private static final Duration CALL_MAX = Duration.ofSeconds(4);

  private final GithubApi api;
  private final RecentMap<String> newest = new RecentMap<>();
  private final RecentMap<Boolean> mentions = new RecentMap<>();
  private final RecentMap<Boolean> seen = new RecentMap<>();

  EyesReactions(GithubApi api) {
    this.api = api;
  }

  /**
   * Something was written in a conversation. What mentions nobody does not take the place of a
   * mention that has no eyes yet.
   *
   * @param path where the API has it
   */
  void read(String thread, String path, boolean isMention) {
    if (isMention) {
      mentions.put(path, true);
    } else if (newest.find(thread).filter(this::waits).isPresent()) {
      return;
    }
    newest.put(thread, path);
  }

  private boolean waits(String path) {
    return mentions.has(path) && !seen.has(path);
  }

  /** Reacts to the newest of a conversation, mentions first, once each. */
  void show(String thread) throws CallFailedException, InterruptedException {
    Optional<String> path = newest.find(thread);
    if (path.isEmpty() || seen.has(path.get())) {
      return;
    }
    seen.put(path.get(), true);
    Map<String, Object> _ =
        api.post(path.get() + "/reactions", Map.of("content", "eyes"), CALL_MAX).orThrow();
  }
}
