package dev.holdfast.tests.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.kit.testing.Card;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.BoardRig;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.Setup;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Approvals by button, on a channel from a jar. */
@Timeout(300)
class ButtonTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @SuppressWarnings("NullAway.Init") // when the server is configured
  private static BoardRig board;

  @RegisterExtension
  static final Served SERVED =
      Served.alone(
          rig -> {
            Setup _ = rig.setup().timeScale(5);
            board = new BoardRig(rig);
          });

  private String t1;
  private String t2;
  private String t3;

  @BeforeEach
  void nameThreads() {
    t1 = SERVED.thread() + "-1";
    t2 = SERVED.thread() + "-2";
    t3 = SERVED.thread() + "-3";
  }

  private JsonNode approval(String thread) throws IOException {
    return board
        .rig()
        .api()
        .get("/api/v1/approvals?state=all&thread=" + BoardRig.threadId(thread))
        .json()
        .path("approvals")
        .path(0);
  }

  private void awaitRun(String name) {
    Await.until("it ran", LIMIT, () -> board.runs(name) == 1);
  }

  @Test
  void theRightPersonsClickLetsItRunOnceAndTheCardSaysSo() throws Exception {
    Card card = board.ask(t1 + "k1", t1, t1 + "one");
    assertThat(card.tokens()).containsOnlyKeys("Approve", "Deny");
    assertThat(card.text()).startsWith("May I do this?").contains("Use a button or reply /approve");
    String approve = card.token("Approve");
    board.click(t1 + "c1", t1, "bob", approve);
    assertThat(board.answer(t1 + "c1")).isEqualTo("Only the person who was asked may decide this.");
    board.click(t1 + "c2", t2, "ann", approve);
    assertThat(board.answer(t1 + "c2")).isEqualTo("Only the person who was asked may decide this.");
    board.click(t1 + "c3", t1, "ann", "A".repeat(22));
    assertThat(board.answer(t1 + "c3")).isEqualTo("This question is no longer open.");
    assertThat(board.runs(t1 + "one")).isZero();
    assertThat(approval(t1).path("state").asText()).isEqualTo("waiting");
    board.click(t1 + "c4", t1, "ann", approve);
    assertThat(board.answer(t1 + "c4")).isEqualTo("Approved.");
    awaitRun(t1 + "one");
    assertThat(board.settled(card.id()))
        .startsWith("May I do this?")
        .endsWith("\nApproved by ann.")
        .doesNotContain("/approve");
    for (String token : card.tokens().values()) {
      board.click(t1 + "c5" + token, t1, "ann", token);
      assertThat(board.answer(t1 + "c5" + token)).isEqualTo("This was already approved.");
    }
    assertThat(approval(t1).path("decided_by").asText()).isEqualTo("person:ann");
    assertThat(board.runs(t1 + "one")).isEqualTo(1);
    assertThat(board.rig().api().get("/api/v1/audit").json().path("entries"))
        .filteredOn(entry -> entry.path("thread_id").asText().equals(BoardRig.threadId(t1)))
        .extracting(entry -> entry.path("what").asText())
        .containsOnlyOnce("approval.granted");
  }

  @Test
  void aClickByWebhookIsAnsweredWhenItIsDecidedAndItsPersonIsToldAfterwards() throws Exception {
    Card card = board.ask(t1 + "k1", t1, t1 + "one");
    assertThat(board.post(t1 + "c1", t1, "bob", card.token("Deny")).body()).isEqualTo("taken");
    assertThat(board.answer(t1 + "c1")).isEqualTo("Only the person who was asked may decide this.");
    assertThat(board.post(t1 + "c2", t1, "ann", card.token("Deny")).body()).isEqualTo("taken");
    assertThat(approval(t1).path("state").asText()).as("once it is answered").isEqualTo("denied");
    assertThat(board.answer(t1 + "c2")).isEqualTo("Denied.");
    assertThat(board.settled(card.id())).endsWith("\nDenied by ann.");
    assertThat(board.runs(t1 + "one")).isZero();
  }

  @Test
  void howeverAQuestionEndsItsCardSaysSo() throws Exception {
    Card byCode = board.ask(t1 + "k1", t1, t1 + "one");
    board.say(t1 + "k2", t1, "ann", "/approve " + approval(t1).path("code").asText());
    assertThat(board.settled(byCode.id())).endsWith("\nApproved by ann.");
    awaitRun(t1 + "one");
    Card byOperator = board.ask(t1 + "k3", t2, t1 + "two");
    board
        .rig()
        .api()
        .post("/api/v1/approvals/" + approval(t2).path("id").asText() + "/deny", Map.of());
    assertThat(board.settled(byOperator.id())).contains("\nDenied by ");
    Card byStop = board.ask(t1 + "k4", t3, t1 + "three");
    board.say(t1 + "k5", t3, "ann", "/stop");
    assertThat(board.settled(byStop.id())).endsWith("\nNo longer needed.");
    board.click(t1 + "c1", t3, "ann", byStop.token("Approve"));
    assertThat(board.answer(t1 + "c1")).isEqualTo("This question is no longer open.");
    assertThat(board.runs(t1 + "two") + board.runs(t1 + "three")).isZero();
  }

  @Test
  void theButtonsOfBeforeAKillWorkAfterIt() throws Exception {
    Card card = board.ask(t1 + "k1", t1, t1 + "one");
    board.rig().restart();
    board.click(t1 + "c1", t1, "ann", card.token("Approve"));
    assertThat(board.answer(t1 + "c1")).isEqualTo("Approved.");
    awaitRun(t1 + "one");
    assertThat(board.settled(card.id())).endsWith("\nApproved by ann.");
  }
}
