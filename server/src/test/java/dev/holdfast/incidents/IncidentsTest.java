package dev.holdfast.incidents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.config.Secret;
import dev.holdfast.config.Secrets;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.messages.InboxConfig;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.time.ManualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Incidents on a real store. */
@Timeout(120)
class IncidentsTest {
  private static final String SECRET = "tok3n-of-somebody";

  @TempDir Path folder;
  private final ManualTime time = new ManualTime();
  private final Secrets secrets = new Secrets();
  private final List<String> heard = new ArrayList<>();
  private SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private TestStore store;
  private Incidents incidents;

  @BeforeEach
  void open() throws Exception {
    secrets.add(new Secret(SECRET));
    InboxConfig inbox = new InboxConfig(1000, 64, Duration.ofMillis(1), Duration.ofDays(7), 3);
    store = new TestStore(folder, inbox, time);
    meters = new SimpleMeterRegistry();
    incidents =
        Incidents.open(store.store.engine(), store.store.audit(), folder, secrets, time, meters);
    incidents.onChange(change -> heard.add(change.what() + " " + change.incident().part()));
  }

  @AfterEach
  void close() {
    store.store.close();
  }

  private void reopen() throws Exception {
    close();
    open();
  }

  private static NewIncident of(String part, String output) {
    return new NewIncident(
        IncidentKind.EXTENSION_DOWN,
        IncidentSeverity.WARNING,
        part,
        "The extension " + part + " cannot be kept running.",
        IncidentDetails.of(
                List.of("It ended."), List.of("Its output."), List.of("holdfast extensions list"))
            .withOutput(List.of(output)));
  }

  private Incident report(NewIncident incident) throws Exception {
    incidents.report(incident);
    incidents.drain();
    return incidents.list(false, "", 1).getFirst();
  }

  private List<Path> pages() throws IOException {
    Path pages = folder.resolve("memory/incidents");
    if (!Files.exists(pages)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(pages)) {
      return files.sorted().toList();
    }
  }

  private double total(IncidentKind kind) {
    return meters.get("holdfast.incidents").tag("kind", kind.label()).counter().count();
  }

  private double open(IncidentSeverity severity) {
    return meters.get("holdfast.incidents.open").tag("severity", severity.label()).gauge().value();
  }

  @Test
  void aReportIsARowAndAPageForItsOwnerAloneWithoutSecrets() throws Exception {
    Incident kept = report(of("git", "fatal: " + SECRET + "\n``` # not a heading"));

    assertThat(kept.isOpen()).isTrue();
    assertThat(kept.toJson().encode()).doesNotContain(SECRET).contains("fatal: ***");
    assertThat(incidents.find(kept.id())).contains(kept);
    Path page = pages().getFirst();
    assertThat(page.getFileName()).hasToString(IncidentFiles.name(kept));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(page)))
        .isEqualTo("rw-------");
    assertThat(page)
        .content()
        .doesNotContain(SECRET)
        .startsWith("# The extension git cannot be kept running.")
        .contains("- State: open", "- It ended.", "fatal: *** '' # not a heading")
        .contains("holdfast extensions list", "holdfast incidents resolve " + kept.id());
    assertThat(heard).containsExactly("incident.opened git");
    assertThat(total(IncidentKind.EXTENSION_DOWN)).isEqualTo(1);
    assertThat(total(IncidentKind.DAMAGE)).isZero();
    assertThat(open(IncidentSeverity.WARNING)).isEqualTo(1);
  }

  @Test
  void aPageIsWhatItLooksLike() throws Exception {
    NewIncident incident =
        new NewIncident(
            IncidentKind.ERROR_RATE,
            IncidentSeverity.INFO,
            "git",
            "It failed.",
            IncidentDetails.of(
                    List.of("A model says <script>\u202Etxt.\n# Heading"), List.of(), List.of())
                .withOutput(List.of("<stderr> \u2066x")));
    Incident _ = report(incident);
    assertThat(pages().getFirst())
        .content()
        .contains("\n- A model says \\<script>txt. # Heading\n", "\n<stderr> x\n");
  }

  @Test
  void theSameWithinAnHourIsCountedAndLaterOnItIsAnotherOne() throws Exception {
    Incident first = report(of("git", "one"));
    time.advance(Duration.ofMinutes(59));
    Incident again = report(of("git", "two"));
    assertThat(again.id()).isEqualTo(first.id());
    assertThat(again.times()).isEqualTo(2);
    assertThat(again.lastAt()).isEqualTo(first.at().plus(Duration.ofMinutes(59)));
    assertThat(again.details().output()).containsExactly("two");
    assertThat(pages()).hasSize(1);

    Incident other = report(of("hub", "three"));
    assertThat(other.id()).isNotEqualTo(first.id());
    time.advance(Duration.ofMinutes(61));
    assertThat(report(of("git", "four")).times()).isEqualTo(1);
    assertThat(incidents.list(true, "", 10)).hasSize(3);
  }

  @Test
  void oneThatHasToWaitForTheStoreIsDatedByWhenItHappened() throws Exception {
    Instant happened = time.now();
    incidents.report(of("git", "one"));
    time.advance(Duration.ofMinutes(4));
    incidents.drain();
    Incident kept = incidents.list(false, "", 1).getFirst();
    assertThat(kept.at()).isEqualTo(happened);
    assertThat(kept.lastAt()).isEqualTo(happened);
  }

  @Test
  void aLesserOneOfTheSameKindTakesNotTheWordsOfAGraverOne() throws Exception {
    NewIncident grave =
        new NewIncident(
            IncidentKind.MODE,
            IncidentSeverity.CRITICAL,
            "mode",
            "The server stopped its work.",
            IncidentDetails.of(List.of("a"), List.of("b"), List.of("c")));
    NewIncident lesser =
        new NewIncident(
            IncidentKind.MODE,
            IncidentSeverity.WARNING,
            "mode",
            "Something is missing.",
            IncidentDetails.of(List.of("d"), List.of("e"), List.of("f")));
    Incident _ = report(grave);
    Incident kept = report(lesser);
    assertThat(kept.times()).isEqualTo(2);
    assertThat(kept.severity()).isEqualTo(IncidentSeverity.CRITICAL);
    assertThat(kept.summary()).isEqualTo("The server stopped its work.");
  }

  @Test
  void oneThatIsResolvedIsAuditedOnceAndNotCountedOn() throws Exception {
    Incident kept = report(of("git", "one"));
    Incident resolved = incidents.resolveBy(kept.id(), "token:ann").orElseThrow();
    assertThat(incidents.resolveBy(kept.id(), "token:bob")).contains(resolved);
    incidents.drain();

    assertThat(resolved.resolvedBy()).isEqualTo("token:ann");
    assertThat(incidents.list(true, "", 10)).isEmpty();
    assertThat(incidents.list(false, "", 10)).containsExactly(resolved);
    assertThat(store.store.audit().list(ThreadReader.OPERATOR, 0, 10))
        .singleElement()
        .satisfies(row -> assertThat(row.entry().what()).isEqualTo("operator.incident_resolved"));
    assertThat(pages().getFirst()).content().contains(" by token:ann").doesNotContain("resolve 0");
    assertThat(open(IncidentSeverity.WARNING)).isZero();
    assertThat(report(of("git", "two")).id()).isNotEqualTo(kept.id());
    assertThat(incidents.resolveBy("none", "token:ann")).isEmpty();
  }

  @Test
  void whatWorksAgainIsResolvedWithoutAPersonAlsoAfterARestart() throws Exception {
    Incident git = report(of("git", "one"));
    Incident hub = report(of("hub", "one"));
    reopen();
    incidents.recovered(IncidentKind.PLUGIN_DOWN, "git");
    incidents.recovered(IncidentKind.EXTENSION_DOWN, "git");
    incidents.recovered(IncidentKind.EXTENSION_DOWN, "git");
    incidents.drain();

    assertThat(incidents.find(git.id()).orElseThrow().resolvedBy()).isEqualTo("recovered");
    assertThat(incidents.list(true, "", 10)).extracting(Incident::id).containsExactly(hub.id());
    assertThat(store.store.audit().list(ThreadReader.OPERATOR, 0, 10)).isEmpty();
    assertThat(heard).containsOnlyOnce("incident.resolved git");
  }

  @Test
  void missingPagesAreWrittenAtTheNextStartAndOnesWithoutAnIncidentGo() throws Exception {
    Incident kept = report(of("git", "one"));
    Path page = pages().getFirst();
    String text = Files.readString(page);
    Files.delete(page);
    Path stray = page.resolveSibling("2020-01-01-00000000-0000-7000-8000-000000000000.md");
    Files.writeString(stray, "of a purged one");
    Path notes = page.resolveSibling("notes.md");
    Files.writeString(notes, "a person's own");
    reopen();
    incidents.begin();

    assertThat(page).hasContent(text);
    assertThat(stray).doesNotExist();
    assertThat(notes).exists();
    assertThat(incidents.find(kept.id())).contains(kept);
  }

  @Test
  void aFullTableLosesTheOldestResolvedOnesFirstWithTheirPages() throws Exception {
    Incident oldest = report(of("p0", "one"));
    Incident second = report(of("p1", "one"));
    assertThat(incidents.resolveBy(second.id(), "token:ann")).isPresent();
    List<NewIncident> many =
        IntStream.range(2, Incidents.KEPT_MAX).mapToObj(i -> of("p" + i, "one")).toList();
    for (NewIncident each : many) {
      Incident _ = incidents.recordNow(each);
    }
    assertThat(pages()).hasSize(2);
    incidents.drain();

    report(of("one more", "one"));
    assertThat(incidents.find(second.id())).as("the resolved one").isEmpty();
    assertThat(incidents.find(oldest.id())).isPresent();
    report(of("and another", "one"));
    assertThat(incidents.find(oldest.id())).as("then the oldest").isEmpty();
    assertThat(incidents.list(false, "", 2000)).hasSize(Incidents.KEPT_MAX);
    assertThat(pages())
        .extracting(page -> page.getFileName().toString())
        .doesNotContain(IncidentFiles.name(oldest), IncidentFiles.name(second));
    assertThat(open(IncidentSeverity.WARNING)).isEqualTo(Incidents.KEPT_MAX);
  }

  @Test
  void listsArePagedNewestFirst() throws Exception {
    for (int i = 0; i < 5; i++) {
      Incident _ = report(of("p" + i, "one"));
      time.advance(Duration.ofSeconds(1));
    }
    List<Incident> first = incidents.list(false, "", 2);
    assertThat(first).extracting(Incident::part).containsExactly("p4", "p3");
    assertThat(incidents.list(false, first.getLast().id(), 10))
        .extracting(Incident::part)
        .containsExactly("p2", "p1", "p0");
  }

  @Test
  void aDamagedRowIsNotServed() throws Exception {
    Incident kept = report(of("git", "one"));
    store
        .store
        .engine()
        .call(tx -> tx.sql().update("update incidents_reports set summary = 'All is well.'"));
    assertThat(incidents.find(kept.id())).isEmpty();
    assertThat(incidents.list(false, "", 10)).isEmpty();
  }

  @Test
  void theLastOneOfAProcessIsRecordedAtTheNextStartIfItsStoreTookNothing() throws Exception {
    store.store.close();
    incidents.recordLast(of("turns", SECRET), Duration.ofSeconds(1));
    Path left = folder.resolve("unrecorded_incident.json");
    assertThat(left).content().doesNotContain(SECRET);
    open();
    incidents.begin();
    incidents.drain();
    assertThat(incidents.list(true, "", 10)).extracting(Incident::part).containsExactly("turns");
    assertThat(left).doesNotExist();

    incidents.recordLast(of("writer", "one"), Duration.ofSeconds(10));
    assertThat(left).doesNotExist();
    assertThat(incidents.list(true, "", 10)).hasSize(2);
  }

  @Test
  void oneThatIsBeingRecordedWhileTheOthersBeginIsNotTakenForTheLastRuns() throws Exception {
    store.store.close();
    incidents.recordLast(of("turns", "one"), Duration.ofSeconds(1));
    Path written = folder.resolve("unrecorded_incident.json");
    Path aside = Files.move(written, folder.resolve("aside"));
    open();
    Files.move(aside, written); // as if it were just on its way into the store
    incidents.begin();
    incidents.drain();
    assertThat(incidents.list(false, "", 10)).isEmpty();
  }

  @Test
  void aFileThatIsNoIncidentIsDropped() throws Exception {
    Path left = Files.writeString(folder.resolve("unrecorded_incident.json"), "{\"kind\":");
    reopen();
    incidents.begin();
    assertThat(left).doesNotExist();
    assertThat(incidents.list(false, "", 10)).isEmpty();
  }

  @Test
  void detailsAreBoundedAndAddedUp() {
    List<AffectedEvent> many =
        IntStream.range(0, 60).mapToObj(i -> new AffectedEvent("e" + i, "", "done")).toList();
    IncidentDetails details =
        IncidentDetails.of(List.of("x".repeat(5000)), List.of(), List.of())
            .withAffected(many, 60)
            .with(text -> text);
    assertThat(details.affected()).hasSize(IncidentDetails.AFFECTED_MAX);
    assertThat(details.affectedCount()).isEqualTo(60);
    assertThat(details.facts().getFirst()).hasSizeLessThan(1100);

    IncidentDetails one =
        IncidentDetails.of(List.of("a"), List.of(), List.of())
            .withAffected(List.of(new AffectedEvent("e1", "", "waits")), 1);
    IncidentDetails two =
        IncidentDetails.of(List.of("a", "b"), List.of(), List.of())
            .withAffected(
                List.of(
                    new AffectedEvent("e1", "", "answered"), new AffectedEvent("e2", "", "waits")),
                2);
    assertThat(one.and(two).facts()).containsExactly("a", "b");
    assertThat(one.and(two).affectedCount()).isEqualTo(2);
    assertThat(one.and(two).affected().getFirst().done()).isEqualTo("answered");
    assertThat(details.updated(details).affectedCount()).isEqualTo(60);
  }
}
