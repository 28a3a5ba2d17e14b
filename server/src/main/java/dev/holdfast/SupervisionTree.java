package dev.holdfast;

import dev.holdfast.extensions.ExtensionView;
import dev.holdfast.extensions.Extensions;
import dev.holdfast.supervision.Criticality;
import dev.holdfast.supervision.Strategy;
import dev.holdfast.supervision.SupervisedThread;
import dev.holdfast.supervision.SupervisionNode;
import dev.holdfast.supervision.Supervisor;
import dev.holdfast.supervision.SupervisorGroup;
import dev.holdfast.tasks.rules.AgentHealth;
import dev.holdfast.tasks.run.Plans;
import dev.holdfast.tasks.workers.WorkerAgent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The parts of the server with those that watch over them. Thread-safe; answers from memory.
 *
 * @param readiness knows the parts that only a restart of the process can mend
 * @param extensions restart their processes by themselves, with the same limits
 * @param plans whose agents have their health on record
 */
record SupervisionTree(
    Readiness readiness, Supervisor supervisor, Extensions extensions, Plans plans)
    implements Supplier<SupervisionNode> {

  @Override
  public SupervisionNode get() {
    Set<SupervisedThread> grouped = new HashSet<>();
    List<SupervisionNode> nodes = new ArrayList<>();
    for (SupervisorGroup group : supervisor.groups()) {
      List<SupervisedThread> members = group.members();
      grouped.addAll(members);
      nodes.add(
          SupervisionNode.supervisor(
              group.name(),
              group.strategy(),
              group.criticality(),
              group.restarts(),
              members.stream().map(SupervisionNode::of).toList()));
    }
    Map<String, List<SupervisionNode>> kinds = new TreeMap<>();
    List<SupervisionNode> single = new ArrayList<>();
    for (SupervisedThread child : supervisor.children()) {
      if (!grouped.contains(child) && child.spec().id().isEmpty()) {
        single.add(SupervisionNode.of(child));
      } else if (!grouped.contains(child)) {
        kinds
            .computeIfAbsent(child.spec().kind(), _ -> new ArrayList<>())
            .add(SupervisionNode.of(child));
      }
    }
    kinds.put("extension", extensions.views().stream().map(SupervisionTree::node).toList());
    kinds.put("agent", plans.agents().all().stream().map(this::node).toList());
    List<SupervisionNode> all = new ArrayList<>();
    all.add(process());
    all.addAll(sorted(single));
    all.addAll(nodes);
    kinds.forEach(
        (kind, children) ->
            all.add(
                SupervisionNode.supervisor(
                    kind + "s",
                    Strategy.SIMPLE_ONE_FOR_ONE,
                    Criticality.RECOVERABLE,
                    0,
                    sorted(children))));
    return SupervisionNode.supervisor("server", Strategy.ONE_FOR_ONE, Criticality.CRITICAL, 0, all);
  }

  private static List<SupervisionNode> sorted(List<SupervisionNode> nodes) {
    return nodes.stream()
        .sorted(
            Comparator.comparing(SupervisionNode::criticality).thenComparing(SupervisionNode::name))
        .toList();
  }

  private SupervisionNode process() {
    List<SupervisionNode> parts = new ArrayList<>();
    readiness
        .parts()
        .forEach(
            (part, moves) -> {
              if (!part.equals(Readiness.ORCHESTRATOR)) {
                parts.add(
                    new SupervisionNode(
                        part,
                        null,
                        Criticality.CRITICAL,
                        moves ? "running" : "stuck",
                        0,
                        "",
                        "",
                        null,
                        List.of(),
                        List.of()));
              }
            });
    return SupervisionNode.supervisor(
        "process", Strategy.ONE_FOR_ALL, Criticality.CRITICAL, 0, parts);
  }

  private static SupervisionNode node(ExtensionView extension) {
    boolean failed = !extension.lastError().isEmpty();
    return new SupervisionNode(
        extension.id(),
        null,
        Criticality.RECOVERABLE,
        extension.state().name().toLowerCase(Locale.ROOT),
        extension.restarts(),
        failed ? "ACTOR_CRASHED" : "",
        extension.lastError(),
        extension.lastErrorAt(),
        List.of(),
        List.of());
  }

  private SupervisionNode node(WorkerAgent agent) {
    AgentHealth health = plans.ledger().agents().of(agent.id());
    int failures = health.consecutiveFailures();
    return new SupervisionNode(
        agent.id(),
        null,
        Criticality.RECOVERABLE,
        agent.actions().isEmpty() ? "absent" : health.state().name().toLowerCase(Locale.ROOT),
        0,
        failures > 0 ? "AGENT_UNAVAILABLE" : "",
        failures > 0 ? failures + " tasks failed in a row" : "",
        health.lastFailureAt(),
        List.of(),
        List.of());
  }
}
