package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.config.Secrets;
import dev.holdfast.incidents.Incident;
import dev.holdfast.incidents.IncidentKind;
import dev.holdfast.incidents.IncidentSeverity;
import dev.holdfast.incidents.Incidents;
import dev.holdfast.modes.Mode;
import dev.holdfast.modes.ModeChange;
import dev.holdfast.modes.ModeRule;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.messages.DamagedRow;
import dev.holdfast.supervision.ChildSpec;
import dev.holdfast.supervision.Criticality;
import dev.holdfast.time.ManualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What other packages find, as it is kept. */
@Timeout(60)
class IncidentSourcesTest {
  @TempDir Path folder;
  private final List<String> ended = new ArrayList<>();
  private TestStore store;
  private Incidents incidents;
  private IncidentSources sources;
  private Thread writing;

  @BeforeEach
  void open() throws Exception {
    store = new TestStore(folder);
    incidents =
        Incidents.open(
            store.store.engine(),
            store.store.audit(),
            folder,
            new Secrets(),
            new ManualTime(),
            new SimpleMeterRegistry());
    sources =
        new IncidentSources(
            incidents,
            child -> ended.add(child.name() + " after " + incidents.list(true, "", 10).size()));
    writing =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    incidents.run();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
  }

  @AfterEach
  void close() throws Exception {
    writing.interrupt();
    writing.join();
    store.store.close();
  }

  private Incident only() throws Exception {
    TestStore.await(() -> incidents.list(false, "", 10).size() == 1);
    return incidents.list(false, "", 10).getFirst();
  }

  @Test
  void aPartThatIsGivenUpIsRecordedBeforeTheProcessEnds() throws Exception {
    sources.gaveUp(ChildSpec.platform("orchestrator"), "IllegalStateException at agents.X");
    assertThat(ended).containsExactly("orchestrator after 1");
    assertThat(only().kind()).isEqualTo(IncidentKind.GAVE_UP);
    assertThat(only().severity()).isEqualTo(IncidentSeverity.CRITICAL);
    assertThat(only().details().facts().getFirst()).contains("IllegalStateException at agents.X");
  }

  @Test
  void onePartThatRunsAgainIsResolved() throws Exception {
    ChildSpec child = ChildSpec.virtual("cards").as(Criticality.NON_CRITICAL);
    sources.ailing(child, "a crash");
    assertThat(only().severity()).isEqualTo(IncidentSeverity.WARNING);
    sources.recovered(child);
    TestStore.await(() -> incidents.list(true, "", 10).isEmpty());
    assertThat(only().resolvedBy()).isEqualTo(Incidents.RECOVERED);
    assertThat(ended).isEmpty();
  }

  @Test
  void whyTheModeChangedIsOneSentenceWithoutTheWordsOfAnOperator() throws Exception {
    for (String[] row :
        new String[][] {
          {"token:ops", "<b>bob's key</b>", "asked for it; holdfast mode shows the reason."},
          {"server", "No model answers", "before. Why it changed: No model answers."},
          {"server", "The part git is down.", "before. Why it changed: The part git is down."}
        }) {
      sources.modeChanged(
          new ModeChange(1, Instant.EPOCH, Mode.FULL, ModeRule.STOPPED_BY_HAND, row[1], row[0]));
      TestStore.await(() -> fact().endsWith(row[2]));
      assertThat(fact()).doesNotContain("bob");
      sources.modeChanged(
          new ModeChange(2, Instant.EPOCH, Mode.SAFE, ModeRule.ALL_WELL, "all", "server"));
      TestStore.await(() -> incidents.list(true, "", 10).isEmpty());
    }
  }

  @Test
  void safeModeIsCriticalButForARestoredCopy() throws Exception {
    for (ModeRule rule : List.of(ModeRule.RESTORED_COPY, ModeRule.CRITICAL_PARTS_DOWN)) {
      sources.modeChanged(new ModeChange(1, Instant.EPOCH, Mode.FULL, rule, "why", "server"));
      TestStore.await(() -> incidents.list(true, "", 10).size() == 1);
      assertThat(incidents.list(true, "", 10).getFirst().severity())
          .isEqualTo(
              rule == ModeRule.RESTORED_COPY ? IncidentSeverity.INFO : IncidentSeverity.CRITICAL);
      sources.modeChanged(
          new ModeChange(2, Instant.EPOCH, Mode.SAFE, ModeRule.ALL_WELL, "all", "server"));
      TestStore.await(() -> incidents.list(true, "", 10).isEmpty());
    }
  }

  private String fact() {
    return incidents.list(true, "", 10).stream()
        .map(incident -> incident.details().facts().getFirst())
        .findFirst()
        .orElse("");
  }

  @Test
  void damagedRowsOfOneTableAreOneIncidentWithAllTheirEvents() throws Exception {
    sources.damaged(new DamagedRow("event", "first-event", true));
    sources.damaged(new DamagedRow("event", "second-event", false));
    TestStore.await(
        () ->
            incidents.list(true, "", 10).stream()
                .anyMatch(incident -> incident.details().affectedCount() == 2));
    assertThat(only().part()).isEqualTo("inbox");
    assertThat(new IncidentNotes(incidents).newest())
        .singleElement()
        .asString()
        .contains("damage, critical, 2 times, open", only().id())
        .doesNotContain("first-event");
  }
}
