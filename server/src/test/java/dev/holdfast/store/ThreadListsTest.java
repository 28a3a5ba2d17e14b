package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.ledgers.Approval;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.store.ledgers.AuditRow;
import dev.holdfast.store.ledgers.Schedule;
import dev.holdfast.store.ledgers.Schedules;
import dev.holdfast.store.messages.ChatThreads;
import dev.holdfast.store.messages.DeadLetter;
import dev.holdfast.store.messages.NewEvent;
import dev.holdfast.store.messages.ThreadReader;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every list of what belongs to chat threads, with something in it of each of these threads. */
class ThreadListsTest {
  private static final String HERS = "web:main:hers";
  private static final String SHARED = "web:main:shared";
  private static final String CLI = "web:main:cli";
  private static final List<String> ALL = List.of(HERS, SHARED, CLI, "web:main:other");
  private static final ThreadReader ANN = ThreadReader.owner("ann");

  @TempDir Path folder;
  @AutoClose private TestStore it;

  @BeforeEach
  void fill() throws Exception {
    it = new TestStore(folder);
    it.store.threadOwners().claim(HERS, "ann", false);
    it.store.threadOwners().claim(SHARED, "bob", true);
    it.store.threadOwners().claim(CLI, "ann", false); // before it was kept for operators
    for (String thread : ALL) {
      addTo(thread);
    }
  }

  private void addTo(String thread) throws Exception {
    Instant now = TestStore.NOW;
    NewEvent event = new NewEvent("web:main", thread, "key of " + thread, "{}", now);
    String id = it.store.inbox().append(event).join().event().id();
    TestStore.sql(
        folder,
        "insert into dead_letters (id, kind, ref, event_id, dedupe_key, thread_id, reason, payload,"
            + " attempts, at) values ('%1$s', 'event', 1, '%1$s', 'k', '%2$s', 'r', 'p', 1, 1)"
                .formatted(id, thread));
    it.store
        .approvals()
        .ask(
            new Approval(
                id,
                "7F3KX",
                id,
                thread,
                id + ".1.1",
                "shell",
                "aa",
                "shell: ls",
                "ann",
                Approval.State.WAITING,
                now,
                now.plusSeconds(600),
                "",
                "{}"));
    it.store
        .schedules()
        .add(
            new Schedule(
                id,
                id,
                thread,
                "ann",
                Schedule.Kind.EVERY,
                "3600",
                "UTC",
                "look",
                Schedule.Missed.ONCE,
                now,
                Schedule.State.ACTIVE,
                now.plusSeconds(3600),
                ""),
            new Schedules.Limits(10, 10),
            new AuditEntry("schedule.added", "", id, thread, "ann", "{}"));
  }

  /** The distinct threads of each list, the lists in the order of their names. */
  private List<List<String>> seenBy(ThreadReader reader) {
    return Stream.of(
            it.store.approvals().list(reader, Optional.empty(), "", 99).stream()
                .map(Approval::threadId),
            it.store.audit().list(reader, 0, 99).stream()
                .map(AuditRow::entry)
                .map(AuditEntry::threadId),
            it.store.deadLetters().list(reader, "", Instant.MAX, 99).stream()
                .map(DeadLetter::threadId),
            it.store.schedules().active(reader, "", 99).stream().map(Schedule::threadId),
            it.store.chatThreads().list(reader, "", 99).stream()
                .map(ChatThreads.ThreadRow::threadId))
        .map(threads -> threads.distinct().sorted().toList())
        .toList();
  }

  @Test
  void showWhatIsOnesOwnAndWhatIsSharedButNotTheThreadThatIsKeptForOperators() throws Exception {
    assertThat(seenBy(ThreadReader.OPERATOR))
        .containsOnly(ALL.stream().sorted().toList())
        .hasSize(5);
    assertThat(seenBy(ANN)).containsOnly(List.of(HERS, SHARED));
    it.store.threadOwners().share(CLI, true);
    assertThat(seenBy(ANN)).containsOnly(List.of(CLI, HERS, SHARED));
  }
}
