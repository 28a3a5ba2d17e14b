package dev.holdfast.telegram;

import static dev.holdfast.telegram.TelegramRig.refused;
import static dev.holdfast.telegram.TelegramRig.reply;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Draft;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.kit.testing.HttpDouble.Said;
import dev.holdfast.telegram.TelegramRig.Called;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class DraftPosterTest {
  @TempDir private Path folder;
  private TelegramRig rig;

  @BeforeEach
  void start() {
    rig = TelegramRig.polling(folder);
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private void show(String thread, String text, String activity) throws Exception {
    rig.channel().showDraft(new Draft("main", thread, "e1", text, activity));
  }

  /** Later than the platform's limits ask for. */
  private void showLater(String thread, String text) throws Exception {
    rig.context().advance(Duration.ofSeconds(10));
    show(thread, text, "");
  }

  private PostOutcome post(String thread, String text) throws Exception {
    return rig.channel().post(reply(thread, text));
  }

  private List<String> calls() {
    return rig
        .called("sendMessage", "editMessageText", "sendMessageDraft", "deleteMessage")
        .stream()
        .map(call -> call.method() + " " + call.text())
        .toList();
  }

  private void sweep(Duration after) throws Exception {
    rig.context().advance(after);
    rig.context().job("telegram-drafts").run();
  }

  @Test
  void inAPrivateChatADraftIsTelegramsOwnAndTheReplyIsSent() throws Exception {
    show("7", "half", "");
    showLater("7", "half of it");
    Called draft = rig.called("sendMessageDraft").getFirst();
    assertThat((Long) draft.parameters().get("draft_id")).isPositive();
    assertThat(draft.parameters()).containsEntry("chat_id", 7L);
    assertThat(post("7", "all of it")).isInstanceOf(PostOutcome.Sent.class);
    assertThat(calls())
        .containsExactly(
            "sendMessageDraft half", "sendMessageDraft half of it", "sendMessage all of it");
  }

  @Test
  void aPrivateChatSeesADraftASecondAtMost() throws Exception {
    for (int i = 0; i < 100; i++) {
      show("7", "text " + i, "");
      rig.context().advance(Duration.ofMillis(100));
    }
    assertThat(calls()).hasSize(10);
  }

  @Test
  void aGroupSeesFifteenDraftsAMinuteAtMostWhateverTheTopic() throws Exception {
    for (int i = 0; i < 600; i++) {
      rig.channel().showDraft(new Draft("main", "-100/" + i % 3, "e" + i % 3, "t" + i, ""));
      rig.context().advance(Duration.ofMillis(100));
    }
    assertThat(calls()).hasSize(15);
  }

  @Test
  void allChatsTogetherSeeTwentyDraftsASecondAtMost() throws Exception {
    for (int i = 0; i < 1000; i++) {
      rig.channel().showDraft(new Draft("main", "" + (i + 1), "e" + i, "text", ""));
      rig.context().advance(Duration.ofMillis(1));
    }
    assertThat(calls()).hasSize(20);
  }

  @Test
  void inAGroupADraftIsAMessageThatBecomesTheReply() throws Exception {
    show("-100/42", "half", "");
    showLater("-100/42", "half of it");
    assertThat(post("-100/42", "all of it")).isEqualTo(new PostOutcome.Sent("-100:501"));
    assertThat(calls())
        .containsExactly(
            "sendMessage half", "editMessageText half of it", "editMessageText all of it");
    assertThat(rig.called("sendMessage").getFirst().parameters())
        .containsEntry("message_thread_id", 42L)
        .containsEntry("disable_notification", true);
    assertThat(folder.resolve("drafts.json")).content().isEqualTo("{}");
    showLater("-100/42", "too late");
    assertThat(calls()).hasSize(3);
  }

  @Test
  void whatIsNotTelegramsAnswerLeavesItInDoubtWhetherADraftBecameTheReply() throws Exception {
    show("-100/42", "half", "");
    rig.next(
        "editMessageText",
        Said.json(200, "<html>sign in</html>"),
        Said.json(200, "{}"),
        TelegramRig.ok("true"),
        TelegramRig.ok("{\"message_id\":500}"));
    for (int tries = 1; tries <= 4; tries++) {
      assertThat(post("-100/42", "all of it")).isInstanceOf(PostOutcome.Unknown.class);
    }
    assertThat(post("-100/42", "all of it")).isEqualTo(new PostOutcome.Sent("-100:501"));
    assertThat(rig.called("sendMessage")).hasSize(1);
  }

  @Test
  void onlyTheFirstPartTakesTheDraftsPlace() throws Exception {
    show("-100", "half", "");
    post("-100", "one");
    rig.channel().post(new OutboundReply("r2", "e1", "main", "-100", "", "two", 2, 2, false));
    assertThat(calls())
        .containsExactly("sendMessage half", "editMessageText one", "sendMessage two");
  }

  @Test
  void afterARestartTheReplyStillTakesTheDraftsPlace() throws Exception {
    show("-100", "half", "");
    rig.start();
    showLater("-100", "half again");
    assertThat(post("-100", "all")).isEqualTo(new PostOutcome.Sent("-100:501"));
    assertThat(calls())
        .containsExactly("sendMessage half", "editMessageText half again", "editMessageText all");
  }

  @Test
  void aReplyWhoseAnswerWasLostIsWrittenIntoTheSameMessageAgain() throws Exception {
    show("-100", "half", "");
    rig.next("editMessageText", Said.nothing());
    assertThat(post("-100", "all")).isInstanceOf(PostOutcome.Unknown.class);
    rig.start();
    sweep(Duration.ofHours(1)); // it may be the reply, so it stays
    rig.next("editMessageText", refused(400, "Bad Request: message is not modified: ..."));
    assertThat(post("-100", "all")).isEqualTo(new PostOutcome.Sent("-100:501"));
    assertThat(calls())
        .containsExactly("sendMessage half", "editMessageText all", "editMessageText all");
  }

  @Test
  void aDraftThatCannotBeChangedIsReplaced() throws Exception {
    show("-100", "half", "");
    rig.always("editMessageText", refused(400, "Bad Request: message to edit not found"));
    assertThat(post("-100", "all")).isEqualTo(new PostOutcome.Sent("-100:502"));
    assertThat(calls())
        .containsExactly(
            "sendMessage half", "editMessageText all", "sendMessage all", "deleteMessage ");
  }

  @Test
  void aDraftWithoutAReplyIsTakenAwayAndTheReplyThatComesLateIsSent() throws Exception {
    show("-100", "half", "");
    sweep(Duration.ofMinutes(4));
    assertThat(rig.called("deleteMessage")).isEmpty();
    sweep(Duration.ofMinutes(1));
    assertThat(rig.called("deleteMessage").getFirst().parameters())
        .containsEntry("chat_id", -100L)
        .containsEntry("message_id", 501L);
    sweep(Duration.ofMinutes(9));
    assertThat(rig.called("deleteMessage")).hasSize(1);
    post("-100", "all");
    assertThat(calls()).last().isEqualTo("sendMessage all");
  }

  @Test
  void aDraftThatAnEarlierRunLeftIsTakenAwayToo() throws Exception {
    show("-100", "half", "");
    rig.start();
    rig.next("deleteMessage", Said.nothing());
    sweep(Duration.ofMinutes(5));
    sweep(Duration.ofMinutes(1));
    assertThat(rig.called("deleteMessage")).hasSize(2);
    assertThat(folder.resolve("drafts.json")).content().isEqualTo("{}");
  }

  @Test
  void aReplyThatTelegramHoldsUpLeavesNoHalfTextForEver() throws Exception {
    show("-100", "half", "");
    rig.next("editMessageText", refused(429, "slow", "{\"retry_after\":3600}"));
    assertThat(post("-100", "all")).isInstanceOf(PostOutcome.NotDelivered.class);
    sweep(Duration.ofMinutes(5));
    assertThat(rig.called("deleteMessage")).hasSize(1);
    post("-100", "all");
    assertThat(calls()).last().isEqualTo("sendMessage all");
  }

  @Test
  void whatMayBeTheReplyStaysThoughALaterTryIsRefused() throws Exception {
    show("-100", "half", "");
    rig.next("editMessageText", Said.nothing(), refused(429, "slow", "{\"retry_after\":3600}"));
    assertThat(post("-100", "all")).isInstanceOf(PostOutcome.Unknown.class);
    OutboundReply again = new OutboundReply("r1", "e1", "main", "-100", "", "all", 1, 1, true);
    assertThat(rig.channel().post(again)).isInstanceOf(PostOutcome.NotDelivered.class);
    sweep(Duration.ofMinutes(10));
    assertThat(rig.called("deleteMessage")).isEmpty();
  }

  /** The sweep found it left over, and takes away another one first. */
  @Test
  void aDraftThatBecomesTheReplyDuringASweepStays() throws Exception {
    rig.channel().showDraft(new Draft("main", "-200", "e0", "half of another", ""));
    show("-100", "half", "");
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    rig.always(
        "deleteMessage",
        asked -> {
          begun.countDown();
          await(go);
          return TelegramRig.ok("true");
        });
    Thread sweep = Thread.ofVirtual().start(() -> sweepQuietly());
    await(begun);
    assertThat(post("-100", "all")).isEqualTo(new PostOutcome.Sent("-100:502"));
    go.countDown();
    sweep.join();
    assertThat(rig.called("deleteMessage")).hasSize(1);
  }

  private void sweepQuietly() {
    try {
      sweep(Duration.ofMinutes(5));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whatALimitAsksOfDraftsHoldsUpNoReply() throws Exception {
    rig.next("sendMessageDraft", refused(429, "slow", "{\"retry_after\":60}"));
    show("7", "half", "");
    showLater("7", "more");
    assertThat(rig.called("sendMessageDraft")).hasSize(1);
    assertThat(post("7", "all")).isInstanceOf(PostOutcome.Sent.class);
    rig.context().advance(Duration.ofMinutes(1));
    rig.channel().showDraft(new Draft("main", "7", "e2", "next", ""));
    assertThat(rig.called("sendMessageDraft")).hasSize(2);
  }

  @Test
  void whatALimitAsksOfMessagesHoldsUpTheReplyToo() throws Exception {
    show("-100", "half", "");
    rig.next("editMessageText", refused(429, "slow", "{\"retry_after\":60}"));
    showLater("-100", "more");
    assertThat(post("-100", "all"))
        .isInstanceOfSatisfying(
            PostOutcome.NotDelivered.class,
            outcome -> assertThat(outcome.failure().retryAfter()).isEqualTo(Duration.ofMinutes(1)));
    rig.context().advance(Duration.ofMinutes(1));
    assertThat(post("-100", "all")).isInstanceOf(PostOutcome.Sent.class);
    assertThat(calls())
        .containsExactly("sendMessage half", "editMessageText more", "editMessageText all");
  }

  @Test
  void whereTelegramHasNoDraftsAMessageIsEdited() throws Exception {
    rig.always("sendMessageDraft", refused(404, "Not Found: method not found"));
    show("7", "half", "");
    showLater("7", "half of it");
    showLater("7", "most of it");
    post("7", "all of it");
    assertThat(calls())
        .containsExactly(
            "sendMessageDraft half",
            "sendMessage half of it",
            "editMessageText most of it",
            "editMessageText all of it");
  }

  @Test
  void whatIsBeingDoneStandsBelowTheText() throws Exception {
    show("7", "", "reading <a> file");
    rig.context().advance(Duration.ofSeconds(2));
    show("7", "text", "searching");
    rig.context().advance(Duration.ofSeconds(2));
    show("7", "x".repeat(4096), "searching");
    assertThat(rig.called("sendMessageDraft"))
        .extracting(Called::text)
        .containsExactly(
            "<i>reading &lt;a&gt; file</i>", "text\n\n<i>searching</i>", "x".repeat(4096));
  }

  @Test
  void aDraftThatIsRefusedIsLeftOutAndAForbiddenOneIsTold() throws Exception {
    rig.next("sendMessage", refused(400, "Bad Request: can't parse entities"));
    show("-100", "*half", "");
    rig.next("sendMessage", refused(403, "Forbidden: bot was kicked"));
    assertThatThrownBy(() -> showLater("-100", "more")).isInstanceOf(CallFailedException.class);
  }

  @Test
  void aReplyWaitsForADraftThatIsOnItsWay() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    rig.always("editMessageText", TelegramRig.ok("{\"message_id\":9}"));
    rig.always(
        "sendMessage",
        asked -> {
          begun.countDown();
          await(go);
          return TelegramRig.ok("{\"message_id\":9}");
        });
    Thread draft = Thread.ofVirtual().start(() -> showQuietly("-100", "half"));
    await(begun);
    Thread reply = Thread.ofVirtual().start(() -> postQuietly("-100", "all"));
    showLater("-100", "left out");
    go.countDown();
    draft.join();
    reply.join();
    assertThat(calls()).containsExactly("sendMessage half", "editMessageText all");
  }

  private void showQuietly(String thread, String text) {
    try {
      show(thread, text, "");
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private void postQuietly(String thread, String text) {
    try {
      post(thread, text);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void typingIsShownWhereTheConversationIs() throws Exception {
    rig.channel().showTyping("main", "-100/42");
    assertThat(rig.called("sendChatAction").getFirst().parameters())
        .containsEntry("action", "typing")
        .containsEntry("chat_id", -100L)
        .containsEntry("message_thread_id", 42L);
    rig.next("sendChatAction", refused(403, "Forbidden"));
    assertThatThrownBy(() -> rig.channel().showTyping("main", "7"))
        .isInstanceOf(CallFailedException.class);
  }
}
