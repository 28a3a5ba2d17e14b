package dev.holdfast.tasks.models;

import dev.holdfast.extensions.Texts;
import dev.holdfast.tasks.rules.HealthState;
import dev.holdfast.tasks.workers.AgentAction;
import dev.holdfast.tasks.workers.WorkerAgent;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** Worker agents, and texts of strangers, as models that plan read of them. */
final class StepForm {
  private static final int DESCRIPTION_SHOWN = 400;
  private static final int SCHEMA_SHOWN = 3000;
  private static final int ALL_SHOWN = 100_000;

  private StepForm() {}

  /** The agents with their actions. */
  static String agents(List<WorkerAgent> agents, Function<String, HealthState> health) {
    StringBuilder text = new StringBuilder();
    for (WorkerAgent agent : agents) {
      if (text.length() > ALL_SHOWN) {
        text.append("\n(more agents than can be shown)");
        break;
      }
      text.append("\nAgent ")
          .append(agent.id())
          .append(" (")
          .append(health.apply(agent.id()).name().toLowerCase(Locale.ROOT))
          .append("):");
      agent.actions().forEach(action -> text.append("\n- ").append(line(action)));
    }
    return text.isEmpty() ? "\n(none)" : text.toString();
  }

  private static String line(AgentAction action) {
    return "%s (%s): %s\n  payload: %s"
        .formatted(
            action.name(),
            action.replay().name().toLowerCase(Locale.ROOT),
            Texts.cut(Texts.visible(action.description()), DESCRIPTION_SHOWN),
            Texts.cut(Texts.visible(action.schema()), SCHEMA_SHOWN));
  }

  /** A text of somebody else's, in a frame that it cannot leave. */
  static String framed(String what, String text) {
    return "<%1$s>\n%2$s\n</%1$s>"
        .formatted(what, Texts.visible(text).replace("</" + what, "<\\/" + what));
  }
}
