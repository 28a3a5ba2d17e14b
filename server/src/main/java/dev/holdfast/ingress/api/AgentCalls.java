package dev.holdfast.ingress.api;

import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.supervision.RecentResults;
import dev.holdfast.tasks.ledger.AgentReview;
import dev.holdfast.tasks.rules.AgentHealth;
import dev.holdfast.tasks.run.Plans;
import dev.holdfast.tasks.run.TaskRunner;
import dev.holdfast.tasks.workers.WorkerAgent;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What is asked of the worker agents. */
final class AgentCalls {
  private final Plans plans;
  private final TaskRunner runner;
  private final RecentResults results;

  AgentCalls(Plans plans, TaskRunner runner, RecentResults results) {
    this.plans = plans;
    this.runner = runner;
    this.results = results;
  }

  Map<String, ApiCall> calls() {
    return Map.of("listAgents", _ -> list(), "resetAgent", this::reset);
  }

  private ApiAnswer list() {
    JsonArray all = new JsonArray();
    plans.agents().all().forEach(agent -> all.add(view(agent)));
    return ApiAnswer.list(all);
  }

  private ApiAnswer reset(ApiRequest request) throws RefusedRequestException, StoreException {
    WorkerAgent agent =
        plans
            .agents()
            .find(request.id())
            .orElseThrow(() -> RefusedRequestException.unknown("no such agent"));
    AuditEntry entry =
        new AuditEntry(
            "operator.agent_reset",
            "",
            "",
            "",
            OperatorAudit.actor(request),
            new JsonObject().put("agent_id", agent.id()).encode());
    plans.ledger().agents().reset(agent.id(), entry);
    results.forget(agent.id());
    runner.signal();
    return ApiAnswer.ok(view(agent));
  }

  private JsonObject view(WorkerAgent agent) {
    AgentHealth health = plans.ledger().agents().of(agent.id());
    RecentResults.Rate rate = results.rate(agent.id());
    Optional<AgentReview> review = plans.ledger().agents().reviews().of(agent.id());
    JsonArray actions = new JsonArray();
    agent.actions().forEach(action -> actions.add(action.name()));
    return new JsonObject()
        .put("agent_id", agent.id())
        .put("health", health.state().name().toLowerCase(Locale.ROOT))
        .put("consecutive_failures", health.consecutiveFailures())
        .put("last_failure_at", time(health.lastFailureAt()))
        .put("last_success_at", time(health.lastSuccessAt()))
        .put("circuit_open_until", time(health.circuitOpenUntil()))
        .put("running", runner.running(agent.id()))
        .put("max_concurrent", agent.settings().maxConcurrent())
        .put("timeout_secs", agent.settings().timeout().toSeconds())
        .put("recent_results", rate.results())
        .put("recent_failures", rate.failures())
        .put("review", review.map(AgentCalls::view).orElse(null))
        .put("actions", actions);
  }

  /** What was chosen is null where the configured settings hold. */
  private static JsonObject view(AgentReview review) {
    Duration timeout = review.tuning().timeout();
    return new JsonObject()
        .put("at", time(review.at()))
        .put("decision", review.remedy().label())
        .put("by", review.byModel() ? "model" : "rule")
        .put("reason", review.reason())
        .put("timeout_secs", timeout == null ? null : timeout.toSeconds())
        .put("max_concurrent", review.tuning().maxConcurrent());
  }

  private static @Nullable String time(@Nullable Instant at) {
    return at == null ? null : at.toString();
  }
}
