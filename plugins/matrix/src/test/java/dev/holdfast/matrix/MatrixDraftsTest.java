package dev.holdfast.matrix;

import static dev.holdfast.matrix.MatrixRig.ANN;
import static dev.holdfast.matrix.MatrixRig.ROOM;
import static dev.holdfast.matrix.MatrixRig.SEND;
import static dev.holdfast.matrix.MatrixRig.refused;
import static dev.holdfast.matrix.MatrixRig.reply;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Draft;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.testing.HttpDouble.Said;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MatrixDraftsTest {
  private static final Duration EVERY = Duration.ofSeconds(3);
  @TempDir private Path folder;

  @Test
  void aDraftIsAMessageThatIsEdited() throws Exception {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.draft("one");
      rig.context().advance(EVERY);
      rig.draft("one two");
      assertThat(rig.sent().getFirst()).containsEntry("body", "one");
      assertThat(JsonText.map(rig.sent().getLast(), "m.relates_to"))
          .isEqualTo(Map.of("rel_type", "m.replace", "event_id", "$e1"));
      assertThat(JsonText.map(rig.sent().getLast(), "m.new_content"))
          .containsEntry("body", "one two");
    }
  }

  @Test
  void whatComesTooSoonOrSaysNothingNewIsLeftOut() throws Exception {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.draft("");
      rig.draft("one");
      rig.draft("one two");
      rig.context().advance(EVERY);
      rig.draft("one");
      assertThat(rig.sent()).hasSize(1);
      rig.draft("one two three");
      assertThat(rig.sent()).hasSize(2);
    }
  }

  @Test
  void theLongerAnAnswerTakesTheRarerAreItsEdits() throws Exception {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      for (int second = 0; second < 600; second++) {
        rig.draft("second " + second);
        rig.context().advance(Duration.ofSeconds(1));
      }
      assertThat(rig.sent()).hasSizeBetween(40, 60);
    }
  }

  @Test
  void whatIsBeingDoneStandsBelow() throws Exception {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.channel().showDraft(new Draft("main", ROOM, "e1", "text", "Reading <a.txt>"));
      assertThat(rig.sent().getFirst())
          .containsEntry("body", "text\n\nReading <a.txt>")
          .containsEntry("formatted_body", "text<p><em>Reading &lt;a.txt&gt;</em></p>");
    }
  }

  @Test
  void aLimitHoldsUpTheReplyAndDraftsSomewhatLonger() throws Exception {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.next(SEND, refused(429, "M_LIMIT_EXCEEDED", ",\"retry_after_ms\":200"));
      rig.draft("one");
      assertThat(rig.channel().post(reply(ROOM, "all")))
          .isInstanceOfSatisfying(
              PostOutcome.NotDelivered.class,
              outcome ->
                  assertThat(outcome.failure().retryAfter()).isEqualTo(Duration.ofMillis(200)));
      rig.context().advance(EVERY);
      rig.draft("one two");
      assertThat(rig.sent()).hasSize(1);
      assertThat(rig.channel().post(reply(ROOM, "all"))).isInstanceOf(PostOutcome.Sent.class);
      assertThat(rig.sent()).hasSize(2);
    }
  }

  @Test
  void noDraftComesAfterItsReply() throws Exception {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.channel().post(reply(ROOM, "all"));
      rig.context().advance(EVERY);
      rig.draft("late");
      assertThat(rig.sent()).hasSize(1);
    }
  }

  @Test
  void aRoomThatTakesNoDraftIsNotAskedAgain() throws Exception {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.next(SEND, refused(403, "M_FORBIDDEN"));
      rig.draft("one");
      rig.context().advance(EVERY);
      rig.draft("two");
      assertThat(rig.sent()).hasSize(1);
    }
  }

  @Test
  void anUnknownDraftIsTheSameEventTheNextTime() throws Exception {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.next(SEND, new Said(504, Map.of(), ""));
      assertThatThrownBy(() -> rig.draft("one")).isInstanceOf(CallFailedException.class);
      rig.context().advance(EVERY);
      rig.draft("one two");
      assertThat(rig.asked(SEND)).extracting(asked -> asked.path()).hasSize(2);
      assertThat(rig.asked(SEND).get(0).path()).isEqualTo(rig.asked(SEND).get(1).path());
    }
  }

  @Test
  void aDraftOutsideAThreadNamesNobodysMessage() throws Exception {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      String _ = rig.room("room", ANN, "@bob:hs.example");
      String mention =
          MatrixRig.message("a", ANN, "\"msgtype\":\"m.text\",\"body\":\"@bot:hs.example: hi\"");
      rig.receive(MatrixRig.sync("s1", mention));
      rig.draft("so far");
      assertThat(rig.sent().getFirst()).doesNotContainKey("m.relates_to");
    }
  }

  @Test
  void aDraftWithoutAReplyIsTakenAway() throws Exception {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.draft("half");
      rig.start();
      rig.context().advance(Duration.ofMinutes(4));
      rig.context().job("matrix-drafts").run();
      assertThat(rig.asked("/redact/")).isEmpty();
      rig.context().advance(Duration.ofMinutes(2));
      rig.next("/redact/", refused(503, ""));
      rig.context().job("matrix-drafts").run();
      rig.context().job("matrix-drafts").run();
      rig.context().job("matrix-drafts").run();
      assertThat(rig.asked("/redact/%24e1/")).hasSize(2);
    }
  }

  @Test
  void aDraftThatBeginsAgainIsAnotherEvent() throws Exception {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.draft("half");
      rig.context().advance(Duration.ofMinutes(6));
      rig.context().job("matrix-drafts").run();
      assertThat(rig.asked("/redact/%24e1/")).hasSize(1);
      rig.draft("half and more");
      assertThat(rig.channel().post(reply(ROOM, "all"))).isEqualTo(new PostOutcome.Sent("$e3"));
      assertThat(JsonText.map(rig.sent().getLast(), "m.relates_to"))
          .containsEntry("event_id", "$e3");
    }
  }

  @Test
  void aDraftThatWasSurelyNotSentIsNoEventOfItsReply() throws Exception {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.next(SEND, refused(403, "M_FORBIDDEN"));
      rig.draft("one");
      rig.channel().post(reply(ROOM, "all"));
      assertThat(rig.sent()).hasSize(2);
      assertThat(rig.sent().getLast()).containsEntry("body", "all");
    }
  }
}
