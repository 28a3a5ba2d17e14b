package dev.holdfast.tasks.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.incidents.FakeIncidents;
import dev.holdfast.incidents.IncidentSeverity;
import dev.holdfast.incidents.NewIncident;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.supervision.RecentResults;
import dev.holdfast.tasks.ledger.AgentReview;
import dev.holdfast.tasks.ledger.AgentReviews;
import dev.holdfast.tasks.ledger.PlanLedger;
import dev.holdfast.tasks.rules.AgentRemedy;
import dev.holdfast.tasks.rules.AgentTuning;
import dev.holdfast.tasks.workers.AgentAction;
import dev.holdfast.tasks.workers.AgentSettings;
import dev.holdfast.tasks.workers.Assignment;
import dev.holdfast.tasks.workers.AttemptResult;
import dev.holdfast.tasks.workers.WorkerAgent;
import dev.holdfast.time.ManualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentRecoveryTest {
  private static final Duration COOLDOWN = Duration.ofMinutes(10);
  private static final AgentTuning SLOWER = new AgentTuning(Duration.ofSeconds(60), null);

  @TempDir Path folder;
  private final ManualTime time = new ManualTime();
  private final RecentResults results = new RecentResults(time);
  private final FakeIncidents incidents = new FakeIncidents();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final List<String> renewed = new ArrayList<>();
  private final List<AgentJudge.Findings> asked = new ArrayList<>();
  private AgentJudge.@Nullable Verdict verdict;
  private boolean mayAct = true;
  private boolean mayJudge = true;
  @AutoClose private TestStore it;
  private PlanLedger ledger;
  private AgentRecovery recovery;

  @BeforeEach
  void open() throws Exception {
    it = new TestStore(folder);
    begin();
  }

  private void begin() throws Exception {
    ledger = PlanLedger.open(it.store.engine(), it.store.inbox(), it.store.audit(), time);
    recovery =
        new AgentRecovery(
            reviews(),
            directory(),
            results,
            judge(),
            new AgentRecovery.Settings(() -> mayAct, () -> mayJudge, COOLDOWN),
            incidents,
            time,
            meters);
  }

  private AgentReviews reviews() {
    return ledger.agents().reviews();
  }

  private AgentJudge judge() {
    return new AgentJudge() {
      @Override
      public boolean isThere() {
        return true;
      }

      @Override
      public Optional<Verdict> judge(Findings findings) {
        asked.add(findings);
        return Optional.ofNullable(verdict);
      }
    };
  }

  private AgentDirectory directory() {
    WorkerAgent agent =
        new WorkerAgent() {
          @Override
          public String id() {
            return "files";
          }

          @Override
          public AgentSettings settings() {
            return AgentSettings.DEFAULT;
          }

          @Override
          public List<AgentAction> actions() {
            return List.of();
          }

          @Override
          public void renew() {
            assertThat(reviews().of("files")).as("on disk first").isPresent();
            renewed.add("files");
          }

          @Override
          public AttemptResult attempt(Assignment assignment) {
            throw new AssertionError("nothing is to be done");
          }
        };
    return new AgentDirectory() {
      @Override
      public Optional<WorkerAgent> find(String id) {
        return all().stream().filter(each -> each.id().equals(id)).findFirst();
      }

      @Override
      public List<WorkerAgent> all() {
        return List.of(agent);
      }
    };
  }

  private void fail(int times) {
    for (int i = 0; i < times; i++) {
      results.failed("files", "TIMEOUT", "too slow");
    }
  }

  private double counted(AgentRemedy remedy) {
    return meters.counter("holdfast.agent.reviews", "remedy", remedy.label()).count();
  }

  private AgentReview last() {
    return reviews().of("files").orElseThrow();
  }

  @Test
  void theJudgeSeesTheErrorsAndWhatItSaysIsDoneOnceUntilTheCooldownIsOver() throws Exception {
    verdict = new AgentJudge.Verdict(AgentRemedy.RESTART, AgentTuning.NONE, "It may help.");
    fail(9);
    recovery.step();
    assertThat(asked).as("nine say nothing").isEmpty();
    fail(1);
    recovery.step();
    assertThat(asked).singleElement().satisfies(seen -> assertThat(seen.errors()).hasSize(10));
    assertThat(renewed).hasSize(1);
    assertThat(counted(AgentRemedy.RESTART)).isEqualTo(1);
    assertThat(last().byModel()).isTrue();
    assertThat(last().done()).isTrue();
    NewIncident incident = incidents.reported.getFirst();
    assertThat(incident.severity()).isEqualTo(IncidentSeverity.INFO);
    assertThat(String.join(" ", incident.details().facts())).contains("too slow", "It may help.");

    fail(20);
    time.advance(COOLDOWN.minusSeconds(1));
    recovery.step();
    assertThat(renewed).hasSize(1);
    time.advance(Duration.ofSeconds(2));
    recovery.step();
    assertThat(renewed).hasSize(2);

    for (int i = 0; i < 10; i++) {
      results.succeeded("files");
    }
    recovery.step();
    assertThat(incidents.recovered).containsExactly("error_rate files");
  }

  @Test
  void withoutAJudgementItStartsAnew() throws Exception {
    fail(10);
    recovery.step();
    assertThat(asked).hasSize(1);
    assertThat(renewed).hasSize(1);
    assertThat(last().byModel()).isFalse();
    mayJudge = false;
    fail(10);
    time.advance(COOLDOWN.plusSeconds(1));
    recovery.step();
    assertThat(asked).as("the mode forbids it").hasSize(1);
    assertThat(renewed).hasSize(2);
  }

  @Test
  void nothingIsDoneWhileTasksRest() throws Exception {
    mayAct = false;
    fail(20);
    recovery.step();
    assertThat(renewed).isEmpty();
    assertThat(reviews().of("files")).isEmpty();
  }

  @Test
  void newSettingsOutliveARestartUntilTheyAreReset() throws Exception {
    verdict = new AgentJudge.Verdict(AgentRemedy.RECONFIGURE, SLOWER, "It needs more time.");
    fail(10);
    recovery.step();
    assertThat(renewed).isEmpty();
    begin();
    assertThat(reviews().tuning("files")).isEqualTo(SLOWER);

    verdict =
        new AgentJudge.Verdict(AgentRemedy.RECONFIGURE, new AgentTuning(null, 1), "One by one.");
    time.advance(COOLDOWN.plusSeconds(1));
    fail(10);
    recovery.step();
    AgentTuning both = new AgentTuning(Duration.ofSeconds(60), 1);
    assertThat(reviews().tuning("files")).isEqualTo(both);
    verdict = new AgentJudge.Verdict(AgentRemedy.INVESTIGATE, AgentTuning.NONE, "Look.");
    time.advance(COOLDOWN.plusSeconds(1));
    fail(10);
    recovery.step();
    assertThat(reviews().tuning("files")).isEqualTo(both);
    assertThat(incidents.reported.getLast().severity()).isEqualTo(IncidentSeverity.WARNING);

    AuditEntry entry = new AuditEntry("operator.agent_reset", "", "", "", "token:x", "{}");
    ledger.agents().reset("files", entry);
    assertThat(reviews().tuning("files").isNone()).isTrue();
    begin();
    assertThat(reviews().of("files")).isEmpty();
  }

  @Test
  void whatWasDecidedAndNotDoneIsDoneAfterARestart() throws Exception {
    reviews()
        .decide(
            new AgentReview(
                "files", time.now(), AgentRemedy.RESTART, true, "x", AgentTuning.NONE, false));
    begin();
    recovery.step();
    assertThat(renewed).hasSize(1);
    assertThat(incidents.reported).hasSize(1);
    recovery.step();
    assertThat(renewed).hasSize(1);
  }
}
