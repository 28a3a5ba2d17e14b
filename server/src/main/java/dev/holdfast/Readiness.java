package dev.holdfast;

import dev.holdfast.agents.dispatch.Orchestrator;
import dev.holdfast.health.CheckState;
import dev.holdfast.health.Health;
import dev.holdfast.health.Ticks;
import dev.holdfast.ingress.api.Probes;
import dev.holdfast.resilience.BreakerView;
import dev.holdfast.resilience.Guards;
import dev.holdfast.store.Store;
import dev.holdfast.supervision.ChildSpec;
import dev.holdfast.supervision.Criticality;
import dev.holdfast.supervision.Supervisor;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** What must be well for the server to live and to be ready. */
final class Readiness implements Probes {
  static final String STORE_WRITER = "store-writer";
  static final String ORCHESTRATOR = "orchestrator";

  /** Stands still when code that computes for ever has taken all the threads under them. */
  static final String VIRTUAL_THREADS = "virtual-threads";

  private enum Stage {
    RECOVERING,
    SERVING,
    STOPPING
  }

  private final Health health;
  private volatile Stage stage = Stage.RECOVERING;

  Readiness(
      Ticks ticks,
      Store store,
      Orchestrator orchestrator,
      Guards guards,
      Supervisor supervisor,
      Supplier<String> configWarning) {
    health =
        new Health(ticks, List.of("http-0", "http-1", STORE_WRITER, ORCHESTRATOR, VIRTUAL_THREADS));
    health.livesWhile(
        "turns", () -> downIf(orchestrator.isClogged() ? "too many threads hang" : ""));
    health.readyWhen("server", this::stage);
    health.readyWhen("store", () -> downIf(store.refusal()));
    health.readyWhen("config", () -> degradedIf(configWarning.get()));
    health.readyWhen("models", () -> models(orchestrator));
    health.readyWhen("helpers", () -> helpers(supervisor, Criticality.IMPORTANT));
    health.tells("helpers", () -> helpers(supervisor, Criticality.NON_CRITICAL));
    health.readyWhen("dependencies", () -> dependencies(guards));
  }

  Health probes() {
    return health;
  }

  void recovered() {
    stage = Stage.SERVING;
  }

  void stopping() {
    stage = Stage.STOPPING;
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

  static String breaker(BreakerView view) {
    return new JsonObject().put("name", view.name()).put("state", view.state()).encode();
  }

  private CheckState stage() {
    return switch (stage) {
      case RECOVERING -> CheckState.down("recovering");
      case SERVING -> CheckState.ok();
      case STOPPING -> CheckState.down("stopping");
    };
  }

  private static CheckState models(Orchestrator orchestrator) {
    int parked = orchestrator.parked();
    return parked == 0 ? CheckState.ok() : CheckState.degraded(parked + " turns wait for a model");
  }

  private static CheckState dependencies(Guards guards) {
    long open =
        guards.breakers().stream().filter(breaker -> !breaker.state().equals("closed")).count();
    return open == 0
        ? CheckState.ok()
        : CheckState.degraded(open + " circuit breakers are not closed");
  }

  /** Those that crash too often, from the most important ones down to {@code least}. */
  private static CheckState helpers(Supervisor supervisor, Criticality least) {
    String names =
        supervisor.ailing().stream()
            .filter(child -> child.criticality().compareTo(least) <= 0)
            .map(ChildSpec::name)
            .collect(Collectors.joining(", "));
    return degradedIf(names.isEmpty() ? "" : "crashed too often, tried again slowly: " + names);
  }

  private static CheckState downIf(String reason) {
    return reason.isEmpty() ? CheckState.ok() : CheckState.down(reason);
  }

  private static CheckState degradedIf(String reason) {
    return reason.isEmpty() ? CheckState.ok() : CheckState.degraded(reason);
  }
}
