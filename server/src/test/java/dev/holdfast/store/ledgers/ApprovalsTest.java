package dev.holdfast.store.ledgers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.TestStore;
import dev.holdfast.store.engine.Connections;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.ThreadReader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApprovalsTest {
  @TempDir Path folder;

  private static Approval question(String id, Instant at) {
    return new Approval(
        id,
        "7F3KX",
        "e-" + id,
        "web:main:t",
        "e-" + id + ".1.1",
        "shell",
        "aa",
        "shell: ls",
        "ann",
        Approval.State.WAITING,
        at,
        at.plus(Duration.ofMinutes(10)),
        "",
        "{}");
  }

  private static Approval about(Event event, String id, Instant at) {
    Approval any = question(id, at);
    return new Approval(
        id,
        "C-" + id,
        event.id(),
        event.threadId(),
        id + ".1.1",
        any.tool(),
        any.argumentsHash(),
        any.shown(),
        any.person(),
        any.state(),
        at,
        any.expiresAt(),
        "",
        any.arguments());
  }

  @Test
  void aYesIsSpentOnceAndOnlyForTheSameArguments() throws Exception {
    Instant now = TestStore.NOW;
    try (TestStore it = new TestStore(folder)) {
      Approvals approvals = it.store.approvals();
      approvals.ask(question("a", now));
      assertThat(approvals.use("e-a.1.1", "aa")).as("before the yes").isFalse();
      assertThat(approvals.decide("a", true, "person:ann", now.plusSeconds(600))).isFalse();
      assertThat(approvals.decide("a", true, "person:ann", now.plusSeconds(599))).isTrue();
      assertThat(approvals.use("e-a.1.1", "ab")).as("changed arguments").isFalse();
      assertThat(approvals.use("e-b.1.1", "aa")).as("another call").isFalse();
      assertThat(approvals.use("e-a.1.1", "aa")).isTrue();
      assertThat(approvals.use("e-a.1.1", "aa")).as("once").isFalse();
      assertThat(it.store.audit().verify()).isEqualTo(new AuditVerdict.Whole(3));
    }
  }

  @Test
  void theSameCallAskedAgainKeepsItsFirstQuestion() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      it.store.approvals().ask(question("a", TestStore.NOW));
      it.store.approvals().ask(question("a", TestStore.NOW));
      assertThat(it.store.audit().list(ThreadReader.OPERATOR, 0, 10)).hasSize(1);
    }
  }

  @Test
  void theEndOfAnEventWithdrawsItsOwnQuestionsAloneWhateverTheirState() throws Exception {
    Instant now = TestStore.NOW;
    try (TestStore it = new TestStore(folder)) {
      Event ended = it.append("t", "k1");
      Event other = it.append("t", "k2");
      Approvals approvals = it.store.approvals();
      approvals.ask(about(ended, "waiting", now));
      approvals.ask(about(ended, "granted", now));
      approvals.ask(about(other, "elsewhere", now));
      approvals.decide("granted", true, "person:ann", now);
      it.store.inbox().finish(TestStore.finish(ended, EventState.CANCELLED));
      assertThat(approvals.use("granted.1.1", "aa")).isFalse();
      assertThat(approvals.waitingOf(ended.id())).isEmpty();
      assertThat(approvals.waitingOf(other.id())).hasSize(1);
    }
  }

  /** In the writer's transaction, where every other event would wait for a look at all rows. */
  @Test
  void theQuestionsOfAnEventAreFoundWithoutALookAtAllOfThem() throws Exception {
    try (TestStore it = new TestStore(folder);
        Connection database =
            DriverManager.getConnection("jdbc:sqlite:" + folder.resolve(Connections.FILE));
        Statement sql = database.createStatement();
        ResultSet plan = sql.executeQuery("explain query plan " + Approvals.OPEN_OF_EVENT)) {
      assertThat(it.store).isNotNull();
      List<String> steps = new ArrayList<>();
      while (plan.next()) {
        steps.add(plan.getString("detail"));
      }
      assertThat(steps).anyMatch(step -> step.contains("approvals_event"));
      assertThat(steps).noneMatch(step -> step.startsWith("SCAN"));
    }
  }

  @Test
  void oldQuestionsAreForgottenAndTheAuditOfThemIsKept() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      it.store.approvals().ask(question("old", TestStore.NOW.minus(Duration.ofDays(8))));
      it.store.approvals().ask(question("new", TestStore.NOW));
      it.purge();
      assertThat(it.store.approvals().list(ThreadReader.OPERATOR, Optional.empty(), "", 10))
          .extracting(Approval::id)
          .containsExactly("new");
      assertThat(it.store.audit().list(ThreadReader.OPERATOR, 0, 10)).hasSize(2);
    }
  }
}
