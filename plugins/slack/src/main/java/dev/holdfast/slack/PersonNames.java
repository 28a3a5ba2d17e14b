package dev.holdfast.slack;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.RecentMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * How people are called. A name that is not known is asked for later, by a job of its own, so that
 * no message waits for it; without the scope {@code users:read} there are none. Thread-safe.
 */
final class PersonNames {
  private static final int QUEUE_MAX = 1000;

  private final SlackApi api;
  private final RecentMap<String> names = new RecentMap<>();
  private final BlockingQueue<String> wanted = new ArrayBlockingQueue<>(QUEUE_MAX);
  private volatile boolean isRefused;

  PersonNames(SlackApi api) {
    this.api = api;
  }

  /** Empty when it is not known. */
  String name(String id) {
    String known = names.find(id).orElse("");
    if (known.isEmpty() && !isRefused && !names.has(id)) {
      boolean _ = wanted.offer(id); // when they are too many, the next message asks again
    }
    return known;
  }

  String nameOrId(String id) {
    String name = name(id);
    return name.isEmpty() ? id : name;
  }

  /** Asks for names until it is interrupted or Slack tells none. */
  void run() throws InterruptedException {
    while (!isRefused) {
      ask(wanted.take());
    }
  }

  void ask(String id) throws InterruptedException {
    if (names.has(id)) {
      return;
    }
    try {
      SlackAnswer answer = api.call("users.info", Map.of("user", id));
      if (answer.isOk()) {
        Map<String, Object> user = JsonText.map(answer.body(), "user");
        String real = JsonText.text(user, "real_name");
        names.put(id, real.isBlank() ? JsonText.text(user, "name") : real);
      } else if (answer.isRefusedEverywhere()) {
        isRefused = true;
      } else if (!answer.failure().isPassing()) {
        names.put(id, "");
      }
    } catch (CallFailedException _) {
      // The next message of the person asks again.
    }
  }
}
