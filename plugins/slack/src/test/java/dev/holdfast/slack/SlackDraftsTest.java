package dev.holdfast.slack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Draft;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.kit.testing.HttpDouble.Said;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SlackDraftsTest {
  @TempDir private Path folder;
  private SlackRig rig;

  @BeforeEach
  void start() {
    rig = SlackRig.events(folder);
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private void show(String thread, String text, String activity) throws Exception {
    rig.channel().showDraft(new Draft("main", thread, "e1", text, activity));
    rig.context().advance(Duration.ofSeconds(4));
  }

  private void someoneWroteIn(String channel) throws InterruptedException {
    rig.receiveEvent(SlackRig.message(channel, "10.000001", "U1", "hello"));
  }

  private PostOutcome post(String thread, String text) throws InterruptedException {
    return rig.channel().post(SlackRig.reply(thread, text));
  }

  @Test
  void inAThreadADraftIsAStreamForWhoeverAsked() throws Exception {
    someoneWroteIn("C1");
    show("C1:10.000001", "One", "");
    show("C1:10.000001", "One two", "");
    assertThat(rig.calls("chat.startStream").getFirst().parameters())
        .containsEntry("channel", "C1")
        .containsEntry("thread_ts", "10.000001")
        .containsEntry("recipient_user_id", "U1")
        .containsEntry("recipient_team_id", "T1")
        .containsEntry("markdown_text", "One");
    assertThat(rig.calls("chat.appendStream").getFirst().parameters())
        .containsEntry("ts", "101.000001")
        .containsEntry("markdown_text", " two");
    assertThat(post("C1:10.000001", "One two three")).isEqualTo(new PostOutcome.Sent("101.000001"));
    assertThat(rig.methods())
        .containsExactly("chat.startStream", "chat.appendStream", "chat.stopStream", "chat.update");
    assertThat(rig.calls("chat.update").getFirst().parameters())
        .containsEntry("text", "One two three")
        .containsEntry("blocks", "[]")
        .containsKey("metadata");
  }

  /** With a status of success, and nothing that Slack would say. */
  private static Stream<Said> notSlack() {
    return Stream.of(
        new Said(200, Map.of("content-type", "text/html"), "<html>log in</html>"),
        new Said(204, Map.of(), ""),
        Said.json(200, "{}"),
        SlackRig.ok(""));
  }

  @ParameterizedTest
  @MethodSource("notSlack")
  void whatIsNotSlacksAnswerLeavesItInDoubtWhetherADraftBecameTheReply(Said said) throws Exception {
    show("C1", "half", "");
    rig.next("chat.update", said, SlackRig.ok("\"ts\":\"999.000001\""));
    for (int tries = 1; tries <= 2; tries++) {
      assertThat(post("C1", "all of it")).isInstanceOf(PostOutcome.Unknown.class);
    }
    assertThat(post("C1", "all of it")).isEqualTo(new PostOutcome.Sent("101.000001"));
    assertThat(rig.calls("chat.postMessage")).hasSize(1);
  }

  @ParameterizedTest
  @MethodSource("notSlack")
  void aDraftWhoseAnswerIsNotSlacksIsNotBegunAgain(Said said) throws Exception {
    rig.next("chat.postMessage", said);
    try {
      show("C1", "half", "");
    } catch (CallFailedException e) {
      assertThat(e.failure().isPassing()).isTrue();
    }
    rig.context().advance(Duration.ofSeconds(4));
    show("C1", "half of it", "");
    assertThat(rig.methods()).containsExactly("chat.postMessage");
  }

  @Test
  void theReplyIsRightWhenTheModelBeganAgainOrAPieceWasLost() throws Exception {
    someoneWroteIn("C1");
    show("C1:10.000001", "One two", "");
    show("C1:10.000001", "Other", "");
    assertThat(rig.calls("chat.appendStream")).isEmpty();
    rig.next("chat.appendStream", Said.nothing());
    assertThatThrownBy(() -> show("C1:10.000001", "One two three", ""))
        .isInstanceOf(CallFailedException.class);
    rig.context().advance(Duration.ofSeconds(4));
    show("C1:10.000001", "One two three four", "");
    assertThat(rig.calls("chat.appendStream").getLast().get("markdown_text"))
        .as("no piece comes twice")
        .isEqualTo(" four");
    post("C1:10.000001", "Other, whole");
    assertThat(rig.calls("chat.update").getLast().get("text")).isEqualTo("Other, whole");
  }

  @Test
  void aStreamCallsNobody() throws Exception {
    someoneWroteIn("C1");
    show("C1:10.000001", "hey <", "");
    show("C1:10.000001", "hey <!channel> <@U2>", "");
    String all =
        rig.calls("chat.startStream").getFirst().get("markdown_text")
            + rig.calls("chat.appendStream").getFirst().get("markdown_text");
    assertThat(all).isEqualTo("hey <\u200B!channel> <\u200B@U2>");
  }

  @Test
  void elsewhereADraftIsAMessageThatIsEditedIntoTheReply() throws Exception {
    show("D1", "One", "");
    show("D1", "One two", "Reads a page");
    assertThat(post("D1", "One two three")).isEqualTo(new PostOutcome.Sent("101.000001"));
    assertThat(rig.methods()).containsExactly("chat.postMessage", "chat.update", "chat.update");
    assertThat(rig.calls("chat.update").getFirst().get("text"))
        .isEqualTo("One two\n\n_Reads a page_");
    show("D1", "late", "");
    assertThat(rig.methods()).as("no draft after its reply").hasSize(3);
  }

  @Test
  void whereSlackHasNoStreamsDraftsAreEdits() throws Exception {
    someoneWroteIn("C1");
    rig.always("chat.startStream", SlackRig.error("unknown_method"));
    show("C1:10.000001", "One", "");
    show("C1:10.000001", "One two", "");
    show("C1:10.000001", "One two three", "");
    assertThat(rig.methods())
        .containsExactly("chat.startStream", "chat.postMessage", "chat.update");
  }

  @Test
  void noMoreThanOneEditInThreeSeconds() throws Exception {
    for (int i = 1; i <= 60; i++) {
      rig.channel().showDraft(new Draft("main", "D1", "e1", "x".repeat(i), ""));
      rig.context().advance(Duration.ofMillis(500));
    }
    assertThat(rig.methods()).hasSizeBetween(8, 10);
  }

  @Test
  void allConversationsTogetherStayWithinWhatSlackTakes() throws Exception {
    for (int tick = 0; tick < 60; tick++) {
      for (int i = 0; i < 50; i++) {
        rig.channel().showDraft(new Draft("main", "D" + i, "e" + i, "x".repeat(tick + 1), ""));
      }
      rig.context().advance(Duration.ofSeconds(1));
    }
    assertThat(rig.methods()).hasSizeLessThanOrEqualTo(41);
  }

  @Test
  void aWaitThatSlackAsksForHoldsUpDraftsAndTheReply() throws Exception {
    show("D1", "One", "");
    rig.next(
        "chat.update",
        new Said(429, Map.of("retry-after", "30"), "{\"ok\":false,\"error\":\"ratelimited\"}"));
    show("D1", "One two", "");
    show("D1", "One two three", "");
    assertThat(post("D1", "whole"))
        .isInstanceOfSatisfying(
            PostOutcome.NotDelivered.class,
            outcome -> assertThat(outcome.failure().retryAfter()).isPositive());
    assertThat(rig.calls("chat.update")).hasSize(1);
    rig.context().advance(Duration.ofSeconds(30));
    assertThat(post("D1", "whole")).isInstanceOf(PostOutcome.Sent.class);
    assertThat(rig.calls("chat.update")).hasSize(2);
  }

  @Test
  void aDraftThatIsGoneIsFollowedByAPostOfItsOwn() throws Exception {
    show("D1", "One", "");
    rig.always("chat.update", SlackRig.error("message_not_found"));
    assertThat(post("D1", "whole")).isEqualTo(new PostOutcome.Sent("102.000001"));
    assertThat(rig.methods())
        .containsExactly("chat.postMessage", "chat.update", "chat.delete", "chat.postMessage");
  }

  @Test
  void anEditWhoseAnswerIsLostIsMadeAgainAndPostsNothingTwice() throws Exception {
    show("D1", "One", "");
    rig.next("chat.update", Said.nothing());
    assertThat(post("D1", "whole")).isInstanceOf(PostOutcome.Unknown.class);
    rig.start(); // after a crash, too
    assertThat(post("D1", "whole")).isEqualTo(new PostOutcome.Sent("101.000001"));
    assertThat(rig.calls("chat.postMessage")).hasSize(1);
  }

  @Test
  void whenADraftsOwnAnswerIsLostThereIsNoSecondDraft() throws Exception {
    rig.next("chat.postMessage", Said.nothing());
    assertThatThrownBy(() -> show("D1", "One", "")).isInstanceOf(CallFailedException.class);
    rig.context().advance(Duration.ofSeconds(4));
    show("D1", "One two", "");
    assertThat(rig.calls("chat.postMessage")).hasSize(1);
  }

  @Test
  void afterARestartADraftIsFoundAgain() throws Exception {
    someoneWroteIn("C1");
    show("C1:10.000001", "One", "");
    rig.start();
    show("C1:10.000001", "One two", "");
    assertThat(rig.methods()).containsExactly("chat.startStream", "chat.stopStream", "chat.update");
  }

  @Test
  void aDraftWithoutAReplyIsTakenAwayLater() throws Exception {
    show("D1", "One", "");
    rig.start();
    rig.context().job("slack-drafts").run();
    assertThat(rig.calls("chat.delete")).isEmpty();
    rig.context().advance(Duration.ofMinutes(10));
    rig.next("chat.delete", SlackRig.error("ratelimited"));
    rig.context().job("slack-drafts").run();
    rig.context().job("slack-drafts").run();
    rig.context().job("slack-drafts").run();
    assertThat(rig.calls("chat.delete")).hasSize(2);
  }

  @Test
  void aMessageThatMayBeTheReplyIsNeverTakenAway() throws Exception {
    show("D1", "One", "");
    rig.next("chat.update", Said.nothing());
    post("D1", "whole");
    rig.context().advance(Duration.ofMinutes(20));
    rig.context().job("slack-drafts").run();
    assertThat(rig.calls("chat.delete")).isEmpty();
  }

  @Test
  void aReplyThatSlackRefusesLeavesNoHalfTextForEver() throws Exception {
    show("D1", "One", "");
    rig.next("chat.update", SlackRig.error("ratelimited"));
    assertThat(post("D1", "whole")).isInstanceOf(PostOutcome.NotDelivered.class);
    rig.context().advance(Duration.ofMinutes(5));
    rig.context().job("slack-drafts").run();
    assertThat(rig.calls("chat.delete")).hasSize(1);
  }

  @Test
  void typingIsShownBelowThreadsUntilSlackRefusesIt() throws Exception {
    rig.channel().showTyping("main", "D1");
    rig.channel().showTyping("main", "C1:10.000001");
    assertThat(rig.calls("assistant.threads.setStatus")).hasSize(1);
    rig.always("assistant.threads.setStatus", SlackRig.error("missing_scope"));
    rig.channel().showTyping("main", "C1:10.000001");
    rig.channel().showTyping("main", "C1:10.000001");
    assertThat(rig.calls("assistant.threads.setStatus")).hasSize(2);
    assertThat(List.of(rig.channel().typingEvery())).containsExactly(Duration.ofSeconds(50));
  }
}
