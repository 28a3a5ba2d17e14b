package dev.holdfast.store.ledgers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Choice;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.engine.Connections;
import dev.holdfast.store.ledgers.ClickVerdict.Meaning;
import dev.holdfast.store.messages.NewReply;
import dev.holdfast.store.messages.Reply;
import dev.holdfast.store.messages.ReplyChoices;
import dev.holdfast.store.messages.ThreadReader;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Buttons under questions, and what clicks on them change. */
class ClickTest {
  private static final String THREAD = "fake:main:t";
  private static final SecureRandom RANDOM = new SecureRandom();

  @TempDir Path folder;
  private final Instant now = TestStore.NOW;
  @AutoClose private TestStore it;

  @BeforeEach
  void open() throws Exception {
    it = new TestStore(folder);
  }

  private Approvals approvals() {
    return it.store.approvals();
  }

  private Approval question(String id) {
    return new Approval(
        id,
        "C-" + id,
        "e-1",
        THREAD,
        "e-1.1.1",
        "shell",
        "aa",
        "shell: ls",
        "ann",
        Approval.State.WAITING,
        now,
        now.plus(Duration.ofMinutes(10)),
        "",
        "{}");
  }

  private static NewReply post(String id, QuestionButtons buttons) {
    return new NewReply(
        id + ".p.1",
        "e-1",
        "fake:main",
        THREAD,
        "t",
        "m-1",
        "May I?",
        1,
        1,
        false,
        "",
        ReplyChoices.write(buttons.choices()));
  }

  private QuestionButtons ask(String id) throws Exception {
    approvals().ask(question(id));
    QuestionButtons buttons = QuestionButtons.draw(RANDOM, true);
    show(id, buttons);
    return buttons;
  }

  private void show(String id, QuestionButtons buttons) throws Exception {
    it.store.outbox().plan(List.of(post(id, buttons)), approvals().show(id, buttons));
  }

  private static String approve(QuestionButtons buttons) {
    return buttons.choices().getFirst().token();
  }

  private static String deny(QuestionButtons buttons) {
    return buttons.choices().getLast().token();
  }

  private Meaning click(String token) throws Exception {
    return approvals().click(token, THREAD, "ann", now).meaning();
  }

  private Approval.State state() {
    return approvals().ofCall("e-1.1.1").orElseThrow().state();
  }

  private List<String> audit() {
    return it.store.audit().list(ThreadReader.OPERATOR, 0, 10).stream()
        .map(entry -> entry.entry().what() + " " + entry.entry().actor())
        .toList();
  }

  private List<String> rows(String sql) throws SQLException {
    try (Connection database =
            DriverManager.getConnection("jdbc:sqlite:" + folder.resolve(Connections.FILE));
        Statement statement = database.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> found = new ArrayList<>();
      while (rows.next()) {
        StringBuilder row = new StringBuilder();
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          row.append(rows.getString(i)).append('|');
        }
        found.add(row.toString());
      }
      return found;
    }
  }

  @Test
  void tokensAreSixteenRandomBytesAndNeverComeTwice() {
    Set<String> tokens = new HashSet<>();
    for (int i = 0; i < 1000; i++) {
      QuestionButtons buttons = QuestionButtons.draw(RANDOM, true);
      for (Choice choice : buttons.choices()) {
        assertThat(choice.token()).matches("[A-Za-z0-9_-]{22}");
        tokens.add(choice.token());
      }
    }
    assertThat(tokens).hasSize(2000);
  }

  @Test
  void whatIsNotShownWholeHasNoButtonThatApproves() {
    QuestionButtons buttons = QuestionButtons.draw(RANDOM, false);
    assertThat(buttons.choices()).extracting(Choice::label).containsExactly("Deny");
    assertThat(buttons.choices()).noneMatch(Choice::isCareful);
    assertThat(buttons.approveHash()).isEmpty();
  }

  @Test
  void theFirstClickDecidesAndStandsInTheAuditAndNoOtherChangesAnything() throws Exception {
    QuestionButtons buttons = ask("a");
    assertThat(click(approve(buttons))).isEqualTo(Meaning.APPROVED);
    assertThat(approvals().find("a").orElseThrow().decidedBy()).isEqualTo("person:ann");
    assertThat(click(approve(buttons))).isEqualTo(Meaning.ALREADY_APPROVED);
    assertThat(click(deny(buttons))).isEqualTo(Meaning.ALREADY_APPROVED);
    assertThat(approvals().decide("a", false, "token:ops", now)).isFalse();
    assertThat(approvals().use("e-1.1.1", "aa")).isTrue();
    assertThat(click(deny(buttons))).isEqualTo(Meaning.ALREADY_APPROVED);
    assertThat(state()).isEqualTo(Approval.State.USED);
    assertThat(audit())
        .containsExactlyInAnyOrder(
            "approval.asked tool:shell", "approval.granted person:ann", "approval.used server");
    assertThat(it.store.audit().verify()).isEqualTo(new AuditVerdict.Whole(3));
  }

  @Test
  void theOtherButtonDenies() throws Exception {
    QuestionButtons buttons = ask("a");
    assertThat(click(deny(buttons))).isEqualTo(Meaning.DENIED);
    assertThat(click(approve(buttons))).isEqualTo(Meaning.ALREADY_DENIED);
    assertThat(approvals().use("e-1.1.1", "aa")).isFalse();
    assertThat(audit()).contains("approval.denied person:ann");
  }

  @Test
  void whatWasDecidedByOtherMeansIsNotDecidedAgain() throws Exception {
    QuestionButtons buttons = ask("a");
    assertThat(approvals().decide("a", false, "token:ops", now)).isTrue();
    assertThat(click(approve(buttons))).isEqualTo(Meaning.ALREADY_DENIED);
  }

  @Test
  void aStrangersClickChangesNothingAlsoBehindADecision() throws Exception {
    QuestionButtons buttons = ask("a");
    for (int round = 1; round <= 2; round++) {
      for (List<String> other :
          List.of(
              List.of(THREAD, "bob"),
              List.of(THREAD, "Ann"),
              List.of(THREAD, ""),
              List.of("fake:main:other", "ann"),
              List.of("fake:second:t", "ann"),
              List.of("else:main:t", "ann"))) {
        assertThat(
                approvals()
                    .click(approve(buttons), other.getFirst(), other.getLast(), now)
                    .meaning())
            .isEqualTo(Meaning.NOT_THEIRS);
      }
      assertThat(state()).isEqualTo(round == 1 ? Approval.State.WAITING : Approval.State.DENIED);
      assertThat(click(deny(buttons))).isNotEqualTo(Meaning.NOT_THEIRS);
    }
    assertThat(audit()).hasSize(2);
  }

  @Test
  void aClickAfterTheTimeIsNone() throws Exception {
    QuestionButtons buttons = ask("a");
    Instant end = now.plus(Duration.ofMinutes(10));
    assertThat(approvals().click(approve(buttons), THREAD, "ann", end).meaning())
        .isEqualTo(Meaning.CLOSED);
    assertThat(audit()).hasSize(1);
    assertThat(approvals().click(approve(buttons), THREAD, "ann", end.minusMillis(1)).meaning())
        .isEqualTo(Meaning.APPROVED);
  }

  @Test
  void noQuestionHasAButtonWithoutATokenOfItsOwn() throws Exception {
    approvals().ask(question("a"));
    assertThat(click("")).isEqualTo(Meaning.CLOSED);
    QuestionButtons buttons = QuestionButtons.draw(RANDOM, false);
    show("a", buttons);
    for (String token :
        List.of(
            "", buttons.denyHash(), deny(buttons).substring(1), deny(buttons) + "A", "%", "'")) {
      assertThat(click(token)).isEqualTo(Meaning.CLOSED);
    }
    assertThat(state()).isEqualTo(Approval.State.WAITING);
  }

  @Test
  void theQuestionKeepsHashesAloneAndTheReplyItsTokensUntilItIsSent() throws Exception {
    QuestionButtons buttons = ask("a");
    String row = rows("select * from approvals").getFirst();
    assertThat(row)
        .contains(buttons.approveHash(), buttons.denyHash())
        .doesNotContain(approve(buttons), deny(buttons));
    Reply planned = it.store.outbox().find("a.p.1").orElseThrow();
    assertThat(ReplyChoices.read(planned.reply().choices())).isEqualTo(buttons.choices());
    it.store.outbox().sending(planned.seq(), false);
    it.store.outbox().unknown(planned.seq(), now, "lost");
    it.store.outbox().sending(planned.seq(), true);
    assertThat(it.store.outbox().find("a.p.1").orElseThrow().reply().choices()).isNotEmpty();
    it.store.outbox().sent(planned.seq(), "p1");
    assertThat(it.store.outbox().find("a.p.1").orElseThrow().reply().choices()).isEmpty();
    assertThat(rows("select * from replies").getFirst())
        .doesNotContain(approve(buttons), deny(buttons));
    assertThat(click(approve(buttons))).isEqualTo(Meaning.APPROVED);
  }

  @Test
  void buttonsThatWereTamperedWithAreNotPosted() throws Exception {
    QuestionButtons _ = ask("a");
    TestStore.sql(folder, "update replies set choices = replace(choices, 'Deny', 'Fine')");
    assertThat(it.store.outbox().find("a.p.1")).isEmpty();
  }

  @Test
  void buttonsAreThereAfterARestart() throws Exception {
    QuestionButtons buttons = ask("a");
    it.close();
    it = new TestStore(folder);
    Reply planned = it.store.outbox().find("a.p.1").orElseThrow();
    assertThat(ReplyChoices.read(planned.reply().choices())).isEqualTo(buttons.choices());
    assertThat(click(approve(buttons))).isEqualTo(Meaning.APPROVED);
  }

  @Test
  void aQuestionGetsItsButtonsOnce() throws Exception {
    QuestionButtons buttons = ask("a");
    QuestionButtons later = QuestionButtons.draw(RANDOM, true);
    show("a", later);
    assertThat(click(approve(later))).isEqualTo(Meaning.CLOSED);
    assertThat(click(approve(buttons))).isEqualTo(Meaning.APPROVED);
  }

  @Test
  void aQuestionThatIsAskedAnewHasNewButtonsAlone() throws Exception {
    QuestionButtons old = ask("a");
    assertThat(approvals().expire("a")).isTrue();
    assertThat(click(approve(old))).isEqualTo(Meaning.CLOSED);
    QuestionButtons fresh = ask("b");
    assertThat(click(approve(old))).isEqualTo(Meaning.CLOSED);
    assertThat(click(approve(fresh))).isEqualTo(Meaning.APPROVED);
  }

  @Test
  void cardsAreOpenFromTheEndOfTheirQuestionUntilTheyAreClosed() throws Exception {
    QuestionButtons buttons = ask("a");
    Instant since = now.minus(Duration.ofDays(1));
    assertThat(approvals().openCards(since, now, 10)).isEmpty();
    assertThat(approvals().openCards(since, now.plus(Duration.ofMinutes(10)), 10))
        .as("its time is over, and nobody has noticed")
        .containsExactly("a");
    assertThat(click(deny(buttons))).isEqualTo(Meaning.DENIED);
    assertThat(approvals().openCards(since, now, 10)).containsExactly("a");
    assertThat(approvals().openCards(now.plus(Duration.ofMinutes(10)), now, 10))
        .as("void for too long")
        .isEmpty();
    approvals().closeCard("a");
    assertThat(approvals().openCards(since, now, 10)).isEmpty();
  }

  @Test
  void aQuestionWithoutButtonsHasNoCard() throws Exception {
    approvals().ask(question("a"));
    assertThat(approvals().decide("a", true, "person:ann", now)).isTrue();
    assertThat(approvals().openCards(now.minus(Duration.ofDays(1)), now, 10)).isEmpty();
  }

  @Test
  void ofManyClicksAtOnceOneDecides() throws Exception {
    QuestionButtons buttons = ask("a");
    List<Callable<Meaning>> clicks = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      String token = i % 2 == 0 ? approve(buttons) : deny(buttons);
      clicks.add(() -> click(token));
    }
    List<Meaning> meanings = new ArrayList<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Meaning> clicked : threads.invokeAll(clicks)) {
        meanings.add(clicked.get());
      }
    }
    assertThat(meanings.stream().filter(Set.of(Meaning.APPROVED, Meaning.DENIED)::contains))
        .hasSize(1);
    assertThat(audit()).hasSize(2);
  }

  /** In the writer's transaction, where every other event would wait for a look at all rows. */
  @Test
  void questionsAreFoundByTheirButtonsWithoutALookAtAllOfThem() throws Exception {
    for (String query : List.of(Approvals.OF_APPROVE, Approvals.OF_DENY, Approvals.OPEN_CARDS)) {
      List<String> steps = rows("explain query plan " + query.replace("?", "'1'"));
      assertThat(steps).anyMatch(step -> step.contains("USING INDEX approvals_"));
      assertThat(steps).noneMatch(step -> step.contains("SCAN"));
    }
  }
}
