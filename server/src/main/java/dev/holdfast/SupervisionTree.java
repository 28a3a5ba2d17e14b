package dev.holdfast;

import dev.holdfast.api.FailureCode;
import dev.holdfast.channels.ChannelFacts;
import dev.holdfast.channels.Channels;
import dev.holdfast.extensions.ExtensionView;
import dev.holdfast.extensions.Extensions;
import dev.holdfast.replies.AbsentAccount;
import dev.holdfast.replies.Replies;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StoreRefusal;
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
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * The parts of the server with those that watch over them. Thread-safe; answers from memory.
 *
 * @param readiness knows the parts that only a restart of the process can mend
 * @param store whose intake takes messages in
 * @param channels whose accounts replies are posted to
 * @param extensions restart their processes by themselves, with the same limits
 * @param plans whose agents have their health on record
 */
record SupervisionTree(
    Readiness readiness,
    Supervisor supervisor,
    Store store,
    Channels channels,
    Replies replies,
    Extensions extensions,
    Plans plans)
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
    kinds.put("channel", accounts());
    kinds.put("extension", extensions.views().stream().map(SupervisionTree::node).toList());
    kinds.put("agent", plans.agents().all().stream().map(this::node).toList());
    List<SupervisionNode> all = new ArrayList<>();
    all.add(process());
    all.add(intake());
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

  private SupervisionNode intake() {
    Optional<StoreRefusal> refusal = store.refusal();
    return new SupervisionNode(
        "intake",
        null,
        Criticality.CRITICAL,
        refusal.isPresent() ? "refusing" : "running",
        0,
        refusal.map(why -> why.cause().name()).orElse(""),
        refusal.map(StoreRefusal::message).orElse(""),
        null,
        List.of(Readiness.STORE_WRITER),
        List.of());
  }

  /** Where replies go: each account of a channel has a queue and a breaker of its own. */
  private List<SupervisionNode> accounts() {
    Set<String> sources = new TreeSet<>();
    for (ChannelFacts channel : channels.all()) {
      channel.accounts().forEach(account -> sources.add(channel.name() + ":" + account));
    }
    List<String> absent = replies.absent().stream().map(AbsentAccount::source).toList();
    List<String> refused = replies.refused();
    sources.addAll(absent);
    return sources.stream()
        .map(
            source ->
                account(
                    source,
                    absent.contains(source)
                        ? "absent"
                        : refused.contains(source) ? "refused" : "running"))
        .toList();
  }

  private static SupervisionNode account(String source, String state) {
    boolean refused = state.equals("refused");
    return new SupervisionNode(
        source,
        null,
        Criticality.RECOVERABLE,
        state,
        0,
        refused ? FailureCode.AUTH.name() : "",
        refused ? "its platform has refused its last post" : "",
        null,
        List.of(),
        List.of());
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
