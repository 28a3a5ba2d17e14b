package dev.holdfast.tasks.run;

import dev.holdfast.incidents.IncidentDetails;
import dev.holdfast.incidents.IncidentKind;
import dev.holdfast.incidents.IncidentReports;
import dev.holdfast.incidents.IncidentSeverity;
import dev.holdfast.incidents.NewIncident;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.supervision.RecentResults;
import dev.holdfast.tasks.ledger.AgentReview;
import dev.holdfast.tasks.ledger.AgentReviews;
import dev.holdfast.tasks.rules.AgentRemedy;
import dev.holdfast.tasks.rules.AgentTuning;
import dev.holdfast.tasks.workers.WorkerAgent;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Helps agents that fail too often: a judge chooses how, and without one they start anew. Each
 * decision is on disk before it is acted on, and the next one about the same agent has to wait.
 */
public final class AgentRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(AgentRecovery.class);
  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final Duration AFTER_REFUSAL = Duration.ofSeconds(5);
  private static final String COUNTER = "holdfast.agent.reviews";

  private final AgentReviews reviews;
  private final AgentDirectory agents;
  private final RecentResults results;
  private final AgentJudge judge;
  private final Settings settings;
  private final IncidentReports incidents;
  private final Time time;
  private final MeterRegistry meters;
  private final Set<String> reported = new HashSet<>();

  /**
   * When agents are helped.
   *
   * @param mayAct whether anything is done now
   * @param mayJudge whether the judge is asked now
   * @param cooldown how long a decision keeps others about the same agent away
   */
  public record Settings(BooleanSupplier mayAct, BooleanSupplier mayJudge, Duration cooldown) {}

  public AgentRecovery(
      AgentReviews reviews,
      AgentDirectory agents,
      RecentResults results,
      AgentJudge judge,
      Settings settings,
      IncidentReports incidents,
      Time time,
      MeterRegistry meters) {
    this.reviews = reviews;
    this.agents = agents;
    this.results = results;
    this.judge = judge;
    this.settings = settings;
    this.incidents = incidents;
    this.time = time;
    this.meters = meters;
    for (AgentRemedy remedy : AgentRemedy.values()) {
      count(remedy, 0);
    }
  }

  private void count(AgentRemedy remedy, int by) {
    meters.counter(COUNTER, "remedy", remedy.label()).increment(by);
  }

  /** Runs until interrupted. */
  public void run() throws InterruptedException {
    while (true) {
      Duration pause = PERIOD;
      try {
        step();
      } catch (StoreException e) {
        LOG.warn("agents: waiting, the store refuses writes: {}", e.failure().message());
        pause = AFTER_REFUSAL;
      }
      time.sleep(pause);
    }
  }

  /** One look at all agents. */
  void step() throws StoreException, InterruptedException {
    results.keepOnly(agents.all().stream().map(WorkerAgent::id).toList());
    tellOfTheWell();
    if (!settings.mayAct().getAsBoolean()) {
      return;
    }
    for (AgentReview undone : reviews.undone()) {
      act(undone, List.of());
    }
    for (String id : results.failing()) {
      Optional<WorkerAgent> agent = agents.find(id);
      if (agent.isPresent() && !isCoolingDown(id)) {
        review(agent.get());
      }
    }
  }

  private void tellOfTheWell() {
    List.copyOf(reported).stream()
        .filter(id -> results.rate(id).isGood())
        .forEach(
            id -> {
              reported.remove(id);
              incidents.recovered(IncidentKind.ERROR_RATE, id);
            });
  }

  private boolean isCoolingDown(String id) {
    return reviews
        .of(id)
        .filter(last -> last.at().plus(settings.cooldown()).isAfter(time.now()))
        .isPresent();
  }

  private void review(WorkerAgent agent) throws StoreException, InterruptedException {
    RecentResults.Rate rate = results.rate(agent.id());
    List<String> errors = results.errors(agent.id());
    AgentJudge.Findings findings =
        new AgentJudge.Findings(agent, rate.results(), rate.failures(), errors);
    Optional<AgentJudge.Verdict> judged =
        judge.isThere() && settings.mayJudge().getAsBoolean()
            ? judge.judge(findings)
            : Optional.empty();
    AgentJudge.Verdict verdict =
        judged.orElse(
            new AgentJudge.Verdict(
                AgentRemedy.RESTART, AgentTuning.NONE, "No model could be asked."));
    AgentReview review =
        new AgentReview(
            agent.id(),
            time.now(),
            verdict.remedy(),
            judged.isPresent(),
            verdict.reason(),
            reviews.tuning(agent.id()).and(verdict.tuning()),
            false);
    reviews.decide(review);
    LOG.warn(
        "agent {}: {} of its last {} results are failures; decided: {} ({})",
        agent.id(),
        rate.failures(),
        rate.results(),
        verdict.remedy().label(),
        verdict.reason());
    count(verdict.remedy(), 1);
    act(review, facts(findings, errors));
  }

  private static List<String> facts(AgentJudge.Findings findings, List<String> errors) {
    List<String> facts = new ArrayList<>();
    facts.add(
        "%d of its last %d results were failures."
            .formatted(findings.failures(), findings.results()));
    errors.subList(Math.max(0, errors.size() - 5), errors.size()).stream()
        .map(error -> "It failed: " + error)
        .forEach(facts::add);
    return facts;
  }

  /** May be done twice when the first time was cut off. */
  private void act(AgentReview review, List<String> facts) throws StoreException {
    String id = review.agentId();
    switch (review.remedy()) {
      case RESTART -> agents.find(id).ifPresent(WorkerAgent::renew);
      case RECONFIGURE, INVESTIGATE -> {
        // The new settings hold since they are on disk; a person hears of the incident below.
      }
    }
    incidents.report(incident(review, facts));
    reported.add(id);
    results.forget(id);
    reviews.done(review);
  }

  private static NewIncident incident(AgentReview review, List<String> facts) {
    String id = review.agentId();
    List<String> all = new ArrayList<>(facts);
    all.add(done(review.remedy()) + " " + review.reason());
    return new NewIncident(
        IncidentKind.ERROR_RATE,
        review.remedy() == AgentRemedy.INVESTIGATE
            ? IncidentSeverity.WARNING
            : IncidentSeverity.INFO,
        id,
        "More than half of the last results of the worker agent %s were failures.".formatted(id),
        IncidentDetails.of(
            all,
            List.of("Check its errors, and what it depends on."),
            List.of("holdfast agents list", "holdfast agents reset " + id)));
  }

  private static String done(AgentRemedy remedy) {
    return switch (remedy) {
      case RESTART -> "It was restarted.";
      case RECONFIGURE -> "Its settings were changed among those that reconfigure allows.";
      case INVESTIGATE -> "Nothing was changed; a person should look.";
    };
  }
}
