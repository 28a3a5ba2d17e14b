package dev.holdfast;

import dev.holdfast.agents.dispatch.Orchestrator;
import dev.holdfast.bus.Bus;
import dev.holdfast.bus.ControlListener;
import dev.holdfast.channels.Listeners;
import dev.holdfast.drills.Drills;
import dev.holdfast.health.Condition;
import dev.holdfast.health.ConditionReport;
import dev.holdfast.health.Conditions;
import dev.holdfast.health.Health;
import dev.holdfast.health.ProbeEffect;
import dev.holdfast.health.Ticks;
import dev.holdfast.ingress.api.Probes;
import dev.holdfast.ingress.wire.ConnectionCount;
import dev.holdfast.models.Models;
import dev.holdfast.modes.Modes;
import dev.holdfast.plugins.PluginHost;
import dev.holdfast.replies.Replies;
import dev.holdfast.resilience.Guards;
import dev.holdfast.store.Store;
import dev.holdfast.store.backup.RestoredCopy;
import dev.holdfast.supervision.Supervisor;
import dev.holdfast.time.Time;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What must be well for the server to live and to be ready, and all else that can be unwell. */
final class Readiness implements Probes {
  static final String STORE_WRITER = "store-writer";
  static final String ORCHESTRATOR = "orchestrator";

  /** Stands still when code that computes for ever has taken all the threads under them. */
  static final String VIRTUAL_THREADS = "virtual-threads";

  /** How long an unclean stop is told of after the start. */
  private static final Duration RECOVERY_SHOWN = Duration.ofMinutes(5);

  private enum Stage {
    STARTING,
    SERVING,
    STOPPING
  }

  private final Conditions conditions;
  private final Health health;
  private volatile Stage stage = Stage.STARTING;

  Readiness(Conditions conditions, Ticks ticks) {
    this.conditions = conditions;
    health =
        new Health(
            ticks,
            List.of("http-0", "http-1", STORE_WRITER, ORCHESTRATOR, VIRTUAL_THREADS),
            conditions);
    conditions.add("server", ProbeEffect.READINESS, this::stage);
    conditions.look(); // before anybody can ask
  }

  void watchStore(Store store, Time time) {
    conditions.add(
        "store",
        ProbeEffect.NONE,
        () ->
            ServerConditions.damage(
                store.damagedRows(), store.threads().damagedLines(), store.repairs()));
    for (String family : List.of("store", "disk", "intake")) {
      conditions.add(
          family,
          ProbeEffect.READINESS,
          () -> ServerConditions.refusal(family, store.refusal().orElse(null)));
    }
    if (!store.wasClean()) {
      ConditionReport told = ServerConditions.uncleanStop();
      long end = time.nanos() + RECOVERY_SHOWN.toNanos();
      conditions.add(
          "recovery", ProbeEffect.NONE, () -> time.nanos() - end < 0 ? List.of(told) : List.of());
    }
  }

  void watchTurns(Orchestrator orchestrator, Models models, Store store, Time time) {
    conditions.add(
        "turns",
        ProbeEffect.LIVENESS,
        () -> ServerConditions.turns(orchestrator.hanging(), orchestrator.isClogged()));
    conditions.add(
        "models", ProbeEffect.NONE, () -> ServerConditions.models(orchestrator, store, time));
    conditions.add(
        "provider", ProbeEffect.NONE, () -> ServerConditions.providers(models, orchestrator, time));
  }

  void watchParts(Guards guards, Supervisor supervisor, ConfigWatch configuration) {
    conditions.add("breaker", ProbeEffect.NONE, () -> ServerConditions.breakers(guards.breakers()));
    conditions.add(
        "supervisor", ProbeEffect.NONE, () -> ServerConditions.supervised(supervisor.children()));
    conditions.add(
        "configuration", ProbeEffect.NONE, () -> configuration.condition().stream().toList());
  }

  void watchReplies(Guards guards, Replies replies) {
    conditions.add(
        "channel", ProbeEffect.NONE, () -> ServerConditions.absentAccounts(replies.absent()));
    conditions.add(
        "channel", ProbeEffect.NONE, () -> ServerConditions.refusedAccounts(replies.refused()));
    conditions.add("pace", ProbeEffect.NONE, () -> ServerConditions.paces(guards.longHolds()));
    conditions.add("pace", ProbeEffect.NONE, () -> ServerConditions.pacedThreads(replies.paced()));
  }

  void watchPlugins(PluginHost plugins) {
    conditions.add("plugin", ProbeEffect.NONE, plugins::conditions);
  }

  void watchListeners(Listeners listeners) {
    conditions.add(
        "listener", ProbeEffect.NONE, () -> ServerConditions.listeners(listeners.statuses()));
  }

  void watchExtensions(Tooling tooling) {
    conditions.add("extension", ProbeEffect.NONE, tooling.extensions()::reports);
    conditions.add(
        "configuration",
        ProbeEffect.NONE,
        () -> ServerConditions.leftOut(tooling.leftOut(), tooling.extensions()::view));
  }

  void watchAgents(Tasking tasking) {
    conditions.add("agent", ProbeEffect.NONE, tasking::reports);
  }

  void watchModes(Modes modes) {
    conditions.add("mode", ProbeEffect.NONE, modes::reports);
  }

  void watchCopy(RestoredCopy copy) {
    conditions.add("copy", ProbeEffect.NONE, () -> ServerConditions.copy(copy.isHeld()));
  }

  void watchBus(Bus bus) {
    conditions.add("bus", ProbeEffect.NONE, bus::reports);
  }

  void watchControl(ControlListener control) {
    conditions.add("bus", ProbeEffect.NONE, control::reports);
  }

  void watchDrills(Drills drills) {
    conditions.add("drill", ProbeEffect.NONE, drills::reports);
  }

  /** The parts that the watchdog looks at, and whether each moves. */
  Map<String, Boolean> parts() {
    return health.parts();
  }

  boolean isReady() {
    return health.ready().isUp();
  }

  List<Condition> current() {
    return conditions.current();
  }

  void watchConnections(ConnectionCount connections) {
    conditions.add(
        "connections", ProbeEffect.NONE, () -> ServerConditions.connections(connections));
  }

  Health probes() {
    return health;
  }

  void recovered() {
    become(Stage.SERVING);
  }

  void stopping() {
    become(Stage.STOPPING);
  }

  @Override
  public JsonObject live() {
    return health.live().body();
  }

  @Override
  public JsonObject ready() {
    return health.ready().body();
  }

  @Override
  public JsonObject health() {
    return health.health().body();
  }

  @Override
  public JsonArray conditions() {
    return new JsonArray(conditions.current().stream().map(Condition::toJson).toList());
  }

  private void become(Stage next) {
    stage = next;
    conditions.look();
  }

  private List<ConditionReport> stage() {
    return switch (stage) {
      case STARTING -> List.of(ServerConditions.starting());
      case SERVING -> List.of();
      case STOPPING -> List.of(ServerConditions.stopping());
    };
  }
}
