package dev.holdfast.tasks.chat;

import dev.holdfast.api.Tool;
import dev.holdfast.registry.Registration;
import dev.holdfast.registry.RegistrationRefusedException;
import dev.holdfast.tasks.run.Plans;
import dev.holdfast.tools.Toolbox;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/**
 * Offers models the tools for worker agents while there are any: where there is none, nobody pays
 * for their descriptions. Thread-safe.
 */
public final class AgentTools {
  private final Toolbox toolbox;
  private final Plans plans;
  private final List<Tool> tools;
  private final List<Registration> offered = new ArrayList<>();

  /**
   * @param personBehind who is behind an event, by its id; the second one when nobody else is
   */
  public AgentTools(Toolbox toolbox, Plans plans, BiFunction<String, String, String> personBehind) {
    this.toolbox = toolbox;
    this.plans = plans;
    PlanCallers callers = new PlanCallers(plans, personBehind);
    tools = List.of(new DelegateTool(callers), new PlanTool(callers), new PlanStatusTool(plans));
  }

  /** Looks whether there are agents now. */
  public synchronized void refresh() {
    boolean wanted = !plans.agents().all().isEmpty();
    if (wanted && offered.isEmpty()) {
      tools.forEach(this::offer);
    } else if (!wanted) {
      offered.forEach(Registration::remove);
      offered.clear();
    }
  }

  private void offer(Tool tool) {
    try {
      offered.add(toolbox.addOwn(tool));
    } catch (RegistrationRefusedException e) {
      throw new IllegalStateException("a tool of our own is refused: " + e.getMessage(), e);
    }
  }
}
