package dev.holdfast.tasks.workers;

import dev.holdfast.api.ReplayClass;
import dev.holdfast.extensions.AttemptAnswer;
import dev.holdfast.extensions.ExtensionAction;
import dev.holdfast.extensions.ExtensionActions;
import dev.holdfast.extensions.TaskCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Extensions with actions that end as a test wants. */
final class FakeExtensionActions implements ExtensionActions {
  final Map<String, List<ExtensionAction>> actions = new TreeMap<>();
  final List<String> renewed = new ArrayList<>();
  final List<String> asked = new ArrayList<>();
  final List<TaskCall> calls = new ArrayList<>();
  Duration callLimit = Duration.ofSeconds(30);
  AttemptAnswer answer = new AttemptAnswer.Done("");

  void offer(String id, String... names) {
    actions.put(
        id,
        List.of(names).stream()
            .map(name -> new ExtensionAction(name, "does " + name, "{}", ReplayClass.KEYED))
            .toList());
  }

  @Override
  public List<String> ids() {
    return List.copyOf(actions.keySet());
  }

  @Override
  public List<ExtensionAction> actions(String id) {
    return actions.getOrDefault(id, List.of());
  }

  @Override
  public void renew(String id) {
    renewed.add(id);
  }

  @Override
  public Duration callLimit(String id) {
    return callLimit;
  }

  @Override
  public AttemptAnswer attempt(String id, TaskCall call) {
    asked.add(id);
    calls.add(call);
    return answer;
  }
}
