package dev.holdfast.extensions;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.function.Consumer;

/** What tests of attempts at tasks ask for. */
abstract class AttemptCase extends ExtensionCase {
  static TaskCall task(String action, String payload, Duration limit) {
    return task(action, payload, limit, _ -> {});
  }

  static TaskCall task(String action, String payload, Duration limit, Consumer<String> progress) {
    return new TaskCall(
        "worker",
        "plan-1",
        "task-1",
        "task-key",
        2,
        action,
        payload,
        "web:main:t",
        "event-1",
        "ann",
        limit,
        progress,
        null);
  }

  AttemptAnswer attempt(String id, String action, String payload) throws InterruptedException {
    return rig.extensions().attempt(id, task(action, payload, Duration.ofSeconds(30)));
  }

  static String output(AttemptAnswer answer) {
    assertThat(answer).isInstanceOf(AttemptAnswer.Done.class);
    return answer instanceof AttemptAnswer.Done(String output) ? output : "";
  }

  static AttemptAnswer.Failed failed(AttemptAnswer answer) {
    if (answer instanceof AttemptAnswer.Failed failed) {
      return failed;
    }
    throw new AssertionError("did not fail: " + answer);
  }
}
