package dev.holdfast.mattermost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Draft;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.kit.DraftMessages;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.testing.HttpDouble.Said;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MattermostDraftsTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  @TempDir private Path folder;
  private MattermostRig rig;

  @BeforeEach
  void start() {
    rig = MattermostRig.in(folder);
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private void show(String text, String activity) throws Exception {
    rig.channel().showDraft(MattermostRig.draft("chan:root1", text, activity));
  }

  private List<String> texts(String call) {
    return rig.bodies(call).stream().map(body -> JsonText.text(body, "message")).toList();
  }

  @Test
  void aDraftIsOnePostThatIsEdited() throws Exception {
    show("", "reading a file");
    rig.context().advance(SECOND);
    show("The *file*", "reading a file");
    assertThat(rig.bodies("POST /posts"))
        .containsExactly(
            Map.of("channel_id", "chan", "root_id", "root1", "message", "*reading a file*"));
    assertThat(texts("PUT /posts/*/patch")).containsExactly("The *file*\n\n*reading a file*");
  }

  @ParameterizedTest
  @ValueSource(strings = {"<html>log in</html>", "{}"})
  void aDraftWhoseAnswerIsNotMattermostsIsNotBegunAgain(String said) throws Exception {
    rig.next("POST /posts", Said.json(200, said));
    try {
      show("The", "");
    } catch (CallFailedException e) {
      assertThat(e.failure().isPassing()).isTrue();
    }
    rig.context().advance(SECOND);
    show("The file", "");
    assertThat(rig.asked("POST /posts")).hasSize(1);
  }

  @Test
  void whatIsBlankOrTooSoonIsLeftOut() throws Exception {
    show(" ", "");
    show("one", "");
    show("two", "");
    rig.context().advance(Duration.ofMillis(999));
    show("three", "");
    rig.context().advance(Duration.ofMillis(1));
    show("four", "");
    assertThat(texts("POST /posts")).containsExactly("one");
    assertThat(texts("PUT /posts/*/patch")).containsExactly("four");
  }

  @Test
  void allConversationsTogetherAreFiveASecondAtMost() throws Exception {
    for (int i = 0; i < 100; i++) {
      rig.channel().showDraft(new Draft("main", "chan" + i, "e" + i, "text", ""));
      rig.context().advance(Duration.ofMillis(10));
    }
    assertThat(rig.asked("POST /posts")).hasSize(5);
  }

  @Test
  void aDraftCallsNobody() throws Exception {
    show("@all look", "asking @here *now*\nor later");
    assertThat(texts("POST /posts")).containsExactly("＠all look\n\n*asking ＠here  now  or later*");
  }

  @Test
  void aFenceInWhatIsBeingDoneHidesNobody() throws Exception {
    show("", "~~~\n@all\n~~~\n");
    assertThat(texts("POST /posts")).containsExactly("*~~~ ＠all ~~~*");
  }

  @Test
  void aDraftThatFillsAPostHasNoLineBelow() throws Exception {
    String text = "x".repeat(PostBody.UNITS_MAX);
    show(text, "working");
    assertThat(texts("POST /posts")).containsExactly(text);
  }

  @Test
  void aDraftWhoseAnswerIsLostStaysTheOnlyOne() throws Exception {
    rig.next("POST /posts", Said.nothing());
    assertThatThrownBy(() -> show("one", "")).isInstanceOf(CallFailedException.class);
    rig.context().advance(SECOND);
    show("two", "");
    assertThat(rig.asked("POST /posts")).hasSize(1);
    assertThat(rig.channel().post(MattermostRig.reply("chan:root1", "done")))
        .isInstanceOf(PostOutcome.Sent.class);
  }

  @Test
  void aReplyIsNotPutWhereALateEditOfItsDraftWouldReplaceIt() throws Exception {
    for (Said said : List.of(Said.nothing(), Said.json(504, "{}"))) {
      int before = rig.asked("DELETE /posts/*").size();
      String event = "e" + before;
      rig.channel().showDraft(new Draft("main", "chan", event, "one", ""));
      rig.context().advance(SECOND);
      rig.next("PUT /posts/*/patch", said);
      assertThatThrownBy(() -> rig.channel().showDraft(new Draft("main", "chan", event, "two", "")))
          .isInstanceOf(CallFailedException.class);
      OutboundReply reply =
          new OutboundReply("r" + event, event, "main", "chan", "asked1", "done", 1, 1, false);
      assertThat(rig.channel().post(reply)).isInstanceOf(PostOutcome.Sent.class);
      rig.context().advance(SECOND);
      assertThat(rig.asked("DELETE /posts/*")).hasSize(before + 1);
    }
    assertThat(texts("POST /posts")).containsExactly("one", "done", "one", "done");
    assertThat(texts("PUT /posts/*/patch")).containsExactly("two", "two");
  }

  @Test
  void aLimitHoldsUpDraftsAndReplies() throws Exception {
    show("one", "");
    rig.context().advance(SECOND);
    rig.next("PUT /posts/*/patch", new Said(429, Map.of("X-Ratelimit-Reset", "60"), ""));
    show("two", "");
    rig.context().advance(Duration.ofSeconds(59));
    show("three", "");
    rig.channel().showDraft(new Draft("main", "elsewhere", "e2", "text", ""));
    rig.channel().showTyping("main", "elsewhere");
    assertThat(rig.channel().post(MattermostRig.reply("elsewhere", "done")))
        .isInstanceOfSatisfying(
            PostOutcome.NotDelivered.class,
            outcome -> assertThat(outcome.failure().retryAfter()).isEqualTo(SECOND));
    assertThat(rig.calls()).containsExactly("POST /posts", "PUT /posts/*/patch");
    rig.context().advance(SECOND);
    show("four", "");
    assertThat(texts("PUT /posts/*/patch")).containsExactly("two", "four");
  }

  @Test
  void noDraftComesAfterItsReply() throws Exception {
    show("one", "");
    rig.channel().post(MattermostRig.reply("chan:root1", "done"));
    rig.context().advance(SECOND);
    show("late", "");
    assertThat(texts("PUT /posts/*/patch")).containsExactly("done");
  }

  @Test
  void aDraftWithoutAReplyIsDeletedInTheEnd() throws Exception {
    show("one", "");
    rig.context().job("mattermost-drafts").run();
    assertThat(rig.asked("DELETE /posts/*")).isEmpty();
    rig.context().advance(DraftMessages.DRAFT_KEPT);
    rig.next("DELETE /posts/*", Said.json(503, "{}"));
    rig.context().job("mattermost-drafts").run();
    rig.context().job("mattermost-drafts").run();
    rig.context().job("mattermost-drafts").run();
    assertThat(rig.asked("DELETE /posts/*")).hasSize(2);
  }

  @Test
  void typingIsShownInTheThread() throws Exception {
    rig.channel().showTyping("main", "chan:root1");
    assertThat(rig.bodies("POST /users/me/typing"))
        .containsExactly(Map.of("channel_id", "chan", "parent_id", "root1"));
  }
}
