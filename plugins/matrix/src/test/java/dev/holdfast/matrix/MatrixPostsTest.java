package dev.holdfast.matrix;

import static dev.holdfast.matrix.MatrixRig.ANN;
import static dev.holdfast.matrix.MatrixRig.ME;
import static dev.holdfast.matrix.MatrixRig.MESSAGES;
import static dev.holdfast.matrix.MatrixRig.ROOM;
import static dev.holdfast.matrix.MatrixRig.SEND;
import static dev.holdfast.matrix.MatrixRig.again;
import static dev.holdfast.matrix.MatrixRig.ok;
import static dev.holdfast.matrix.MatrixRig.refused;
import static dev.holdfast.matrix.MatrixRig.reply;
import static dev.holdfast.matrix.MatrixRig.sync;
import static dev.holdfast.matrix.MatrixRig.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.StoredFile;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.testing.HttpDouble.Said;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MatrixPostsTest {
  @TempDir private Path folder;

  private MatrixRig rig() {
    MatrixRig rig = MatrixRig.syncing(folder);
    rig.context().rendered((markdown, markup) -> "<" + markup + ">" + markdown);
    return rig;
  }

  @Test
  void aReplyIsATextAndItsHtmlAndCallsNobody() throws Exception {
    try (MatrixRig rig = rig()) {
      PostOutcome outcome = rig.channel().post(reply(ROOM, "**hi** @room"));
      assertThat(outcome).isEqualTo(new PostOutcome.Sent("$e1"));
      assertThat(rig.sent().getFirst())
          .containsEntry("msgtype", "m.text")
          .containsEntry("body", "**hi** @room")
          .containsEntry("format", "org.matrix.custom.html")
          .containsEntry("formatted_body", "<MATRIX_HTML>**hi** @room")
          .containsEntry("m.mentions", Map.of());
      assertThat(rig.asked(SEND).getFirst().path())
          .isEqualTo(
              "/_matrix/client/v3/rooms/%21room%3Ahs.example/send/m.room.message/holdfast-r1");
      assertThat(rig.asked(SEND).getFirst().headers())
          .containsEntry("authorization", "Bearer " + MatrixRig.TOKEN);
    }
  }

  @Test
  void inAGroupAReplyNamesWhatItAnswersAndInAThreadItStaysThere() throws Exception {
    try (MatrixRig rig = rig()) {
      rig.channel().post(reply(ROOM, "one"));
      assertThat(JsonText.map(rig.sent().getFirst(), "m.relates_to"))
          .isEqualTo(Map.of("m.in_reply_to", Map.of("event_id", "$asked")));
      rig.channel().post(reply(ROOM + "|$root", "two"));
      assertThat(JsonText.map(rig.sent().getLast(), "m.relates_to"))
          .isEqualTo(
              Map.of(
                  "rel_type",
                  "m.thread",
                  "event_id",
                  "$root",
                  "is_falling_back",
                  true,
                  "m.in_reply_to",
                  Map.of("event_id", "$asked")));
    }
  }

  @Test
  void betweenTwoPeopleAReplyNamesNothing() throws Exception {
    try (MatrixRig rig = rig()) {
      rig.receive(sync("s1", text("asked", "hello")));
      rig.channel().post(reply(ROOM, "one"));
      assertThat(rig.sent().getFirst()).doesNotContainKey("m.relates_to");
    }
  }

  @Test
  void aReplyWhoseAnswerWasLostIsTheSameEventAgain() throws Exception {
    try (MatrixRig rig = rig()) {
      rig.next(SEND, Said.nothing());
      assertThat(rig.channel().post(reply(ROOM, "hi"))).isInstanceOf(PostOutcome.Unknown.class);
      assertThat(rig.channel().post(again(reply(ROOM, "hi")))).isInstanceOf(PostOutcome.Sent.class);
      assertThat(rig.asked(SEND))
          .extracting(asked -> asked.path())
          .hasSize(2)
          .containsOnly(rig.asked(SEND).getFirst().path());
      assertThat(rig.channel().dropsRepeats()).isTrue();
    }
  }

  @Test
  void whatTheHomeserverHasForgottenIsFoundInTheRoom() throws Exception {
    try (MatrixRig rig = rig()) {
      String own = MatrixRig.message("there", ME, "\"body\":\"hi\",\"dev.holdfast.reply\":\"r1\"");
      String another =
          MatrixRig.message("fake", ANN, "\"body\":\"hi\",\"dev.holdfast.reply\":\"r2\"");
      rig.always(MESSAGES, "{\"chunk\":[%s,%s]}".formatted(another, own));
      assertThat(rig.channel().post(again(reply(ROOM, "hi"))))
          .isEqualTo(new PostOutcome.Sent("$there"));
      assertThat(rig.sent()).isEmpty();
      OutboundReply other = new OutboundReply("r2", "e2", "main", ROOM, "", "other", 1, 1, true);
      rig.channel().post(other);
      assertThat(rig.sent()).as("anybody may write that field").hasSize(1);
    }
  }

  @Test
  void theReplyTakesThePlaceOfItsDraft() throws Exception {
    try (MatrixRig rig = rig()) {
      rig.draft("so far");
      PostOutcome outcome = rig.channel().post(reply(ROOM, "all of it"));
      assertThat(outcome).isEqualTo(new PostOutcome.Sent("$e1"));
      Map<String, Object> edit = rig.sent().getLast();
      assertThat(edit)
          .containsEntry("body", "* all of it")
          .containsEntry("m.relates_to", Map.of("rel_type", "m.replace", "event_id", "$e1"));
      assertThat(JsonText.map(edit, "m.new_content"))
          .containsEntry("body", "all of it")
          .containsEntry("formatted_body", "<MATRIX_HTML>all of it");
    }
  }

  @Test
  void afterARestartTheReplyStillTakesThePlaceOfItsDraft() throws Exception {
    try (MatrixRig rig = rig()) {
      rig.draft("so far");
      rig.start();
      assertThat(rig.channel().post(reply(ROOM, "all of it")))
          .isEqualTo(new PostOutcome.Sent("$e1"));
      assertThat(rig.sent()).hasSize(2);
    }
  }

  @Test
  void aDraftWhoseAnswerWasLostIsFoundByItsTransaction() throws Exception {
    try (MatrixRig rig = rig()) {
      rig.next(SEND, Said.nothing());
      assertThatThrownBy(() -> rig.draft("so far")).isInstanceOf(CallFailedException.class);
      assertThat(rig.channel().post(reply(ROOM, "all of it")))
          .isEqualTo(new PostOutcome.Sent("$e1"));
      List<String> paths = rig.asked(SEND).stream().map(asked -> asked.path()).toList();
      assertThat(paths.get(0)).isEqualTo(paths.get(1)).contains("/holdfast-draft-");
      assertThat(JsonText.map(rig.sent().getLast(), "m.relates_to"))
          .containsEntry("event_id", "$e1");
    }
  }

  @Test
  void aDraftThatCannotBeChangedIsReplaced() throws Exception {
    try (MatrixRig rig = rig()) {
      rig.draft("so far");
      rig.next(SEND, refused(400, "M_UNKNOWN"));
      assertThat(rig.channel().post(reply(ROOM, "all"))).isInstanceOf(PostOutcome.Sent.class);
      assertThat(rig.sent().getLast()).containsEntry("body", "all");
      rig.doBackground();
      assertThat(rig.asked("/redact/")).hasSize(1);
    }
  }

  @Test
  void aDraftThatIsAReplyByThenIsNotTakenAway() throws Exception {
    try (MatrixRig rig = rig()) {
      rig.draft("so far");
      rig.next(SEND, refused(400, "M_UNKNOWN"), refused(502, ""));
      assertThat(rig.channel().post(reply(ROOM, "all"))).isInstanceOf(PostOutcome.Unknown.class);
      assertThat(rig.channel().post(again(reply(ROOM, "all"))))
          .isEqualTo(new PostOutcome.Sent("$e1"));
      rig.doBackground();
      assertThat(rig.asked("/redact/")).isEmpty();
    }
  }

  @Test
  void aLimitPostponesAReplyForAsLongAsItSays() throws Exception {
    try (MatrixRig rig = rig()) {
      rig.next(SEND, refused(429, "M_LIMIT_EXCEEDED", ",\"retry_after_ms\":1500"));
      PostOutcome outcome = rig.channel().post(reply(ROOM, "hi"));
      assertThat(outcome)
          .isInstanceOfSatisfying(
              PostOutcome.NotDelivered.class,
              refused -> {
                assertThat(refused.failure().code()).isEqualTo(FailureCode.RATE_LIMITED);
                assertThat(refused.failure().retryAfter()).isEqualTo(Duration.ofMillis(1500));
              });
    }
  }

  @Test
  void aRoomThatTheAccountWasPutOutOfIsNamed() throws Exception {
    try (MatrixRig rig = rig()) {
      rig.next(SEND, refused(403, "M_FORBIDDEN"));
      assertThat(rig.channel().post(reply(ROOM, "hi")))
          .isInstanceOfSatisfying(
              PostOutcome.NotDelivered.class,
              refused -> {
                assertThat(refused.failure().message()).contains("M_FORBIDDEN", "invite it");
                assertThat(refused.failure().isPassing()).isFalse();
              });
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {500, 502, 504})
  void aFailureThatMayHaveSentItIsUnknown(int status) throws Exception {
    try (MatrixRig rig = rig()) {
      rig.next(SEND, new Said(status, Map.of(), "<html>"));
      assertThat(rig.channel().post(reply(ROOM, "hi"))).isInstanceOf(PostOutcome.Unknown.class);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 307})
  void aRedirectIsNoAnswerAndIsTriedAgain(int status) throws Exception {
    try (MatrixRig rig = rig()) {
      rig.next(SEND, new Said(status, Map.of("location", "https://login.example/"), "<html>"));
      assertThat(rig.channel().post(reply(ROOM, "hi")))
          .isInstanceOfSatisfying(
              PostOutcome.NotDelivered.class,
              refused -> {
                assertThat(refused.failure().code()).isEqualTo(FailureCode.NETWORK);
                assertThat(refused.failure().message()).contains("no homeserver", "base_url");
              });
      assertThat(rig.channel().post(reply(ROOM, "hi"))).isInstanceOf(PostOutcome.Sent.class);
    }
  }

  @Test
  void thePageOfAProxyIsNoAnswer() throws Exception {
    try (MatrixRig rig = rig()) {
      rig.next(
          SEND,
          new Said(200, Map.of(), "<html>"),
          Said.json(200, "{}"),
          Said.json(200, "{\"event_id\":\"none\"}"),
          new Said(202, Map.of(), "<html>"),
          new Said(204, Map.of(), ""));
      for (int tries = 1; tries <= 5; tries++) {
        assertThat(rig.channel().post(reply(ROOM, "hi"))).isInstanceOf(PostOutcome.Unknown.class);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "é", "語", "\"", "&", "\u0001", "\uD83D\uDE00"})
  void theLongestTextFitsIntoAnEvent(String unit) throws Exception {
    int units = MatrixContent.UNITS_MAX / unit.length();
    String longest = unit.repeat(units);
    try (MatrixRig rig = rig()) {
      rig.context().rendered((text, _) -> "<p>" + MatrixContent.escaped(text).repeat(2) + "</p>");
      rig.draft("so far");
      rig.channel().post(reply(ROOM, longest));
      rig.channel().post(new OutboundReply("r2", "e2", "main", ROOM, "", longest, 1, 1, false));
      assertThat(rig.asked(SEND))
          .allMatch(asked -> asked.body().getBytes(StandardCharsets.UTF_8).length < 60_000);
      Map<String, Object> edit = rig.sent().get(1);
      assertThat(JsonText.map(edit, "m.new_content")).containsEntry("body", longest);
      assertThat(rig.sent().get(2)).containsEntry("body", longest);
    }
  }

  private StoredFile file(String name, String type) throws IOException {
    Path file = Files.writeString(folder.resolve("stored"), "content");
    return new StoredFile(name, type, file, 7);
  }

  private OutboundReply withFile(String text, StoredFile file) {
    return new OutboundReply(
        "r1", "e1", "main", ROOM, "", text, 1, 1, false, List.of(file), List.of());
  }

  @Test
  void filesComeBehindTheText() throws Exception {
    try (MatrixRig rig = rig()) {
      rig.channel().post(withFile("here", file("a b.png", "image/png")));
      assertThat(rig.asked("/upload?filename=a%20b.png").getFirst().headers())
          .containsEntry("content-type", "image/png");
      assertThat(rig.sent())
          .extracting(each -> each.get("body"))
          .containsExactly("here", "a b.png");
      assertThat(rig.sent().getLast())
          .containsEntry("msgtype", "m.image")
          .containsEntry("url", "mxc://hs.example/Up1")
          .containsEntry("info", Map.of("mimetype", "image/png", "size", 7L));
    }
  }

  @Test
  void aFileThatIsThereAlreadyIsNotPostedAgain() throws Exception {
    try (MatrixRig rig = rig()) {
      String there =
          MatrixRig.message("f", ME, "\"body\":\"a\",\"dev.holdfast.reply\":\"r1-file-1\"");
      rig.always(MESSAGES, "{\"chunk\":[" + there + "]}");
      rig.channel().post(withFile("here", file("a.png", "image/png")));
      assertThat(rig.asked("/upload?")).isEmpty();
      assertThat(rig.sent()).extracting(each -> each.get("body")).containsExactly("here");
    }
  }

  @Test
  void aFileThatTheHomeserverDoesNotTakeIsToldOf() throws Exception {
    try (MatrixRig rig = rig()) {
      rig.always("/upload?", refused(413, "M_TOO_LARGE"));
      rig.channel().post(withFile("here", file("a.zip", "")));
      assertThat((String) rig.sent().getFirst().get("body"))
          .startsWith("here\n\n[The file \"a.zip\" could not be attached: ")
          .contains("M_TOO_LARGE");
    }
  }

  @Test
  void aFileThatFailsForNowKeepsTheReplyWaitingAndRepeatsNothing() throws Exception {
    try (MatrixRig rig = rig()) {
      rig.next("/upload?", refused(503, ""));
      OutboundReply reply = withFile("here", file("a.txt", "text/plain"));
      assertThat(rig.channel().post(reply)).isInstanceOf(PostOutcome.NotDelivered.class);
      assertThat(rig.sent()).isEmpty();
      assertThat(rig.channel().post(reply)).isInstanceOf(PostOutcome.Sent.class);
      assertThat(rig.channel().post(reply)).isInstanceOf(PostOutcome.Sent.class);
      assertThat(rig.asked(SEND).stream().map(asked -> asked.path()).distinct()).hasSize(2);
    }
  }

  @Test
  void aFileThatTheHomeserverHasIsNotUploadedAgain() throws Exception {
    try (MatrixRig rig = rig()) {
      rig.next("/upload?filename=b", refused(503, ""));
      OutboundReply reply =
          new OutboundReply(
              "r1",
              "e1",
              "main",
              ROOM,
              "",
              "here",
              1,
              1,
              false,
              List.of(file("a", "text/plain"), file("b", "text/plain")),
              List.of());
      assertThat(rig.channel().post(reply)).isInstanceOf(PostOutcome.NotDelivered.class);
      assertThat(rig.channel().post(reply)).isInstanceOf(PostOutcome.Sent.class);
      assertThat(rig.asked("/upload?filename=a")).hasSize(1);
      assertThat(rig.asked("/upload?filename=b")).hasSize(2);
    }
  }

  @Test
  void aFileOfAPersonIsFetchedWithTheToken() throws Exception {
    try (MatrixRig rig = rig()) {
      rig.always("/client/v1/media/download/hs.example/AbC", new Said(200, Map.of(), "content"));
      Attachment file = new Attachment("a", "", "mxc://hs.example/AbC", -1);
      assertThat(rig.channel().fetch("main", file, 100)).asString().isEqualTo("content");
      assertThat(rig.asked("/media/").getFirst().headers()).containsKey("authorization");
      assertThatThrownBy(() -> rig.channel().fetch("main", file, 3))
          .isInstanceOf(CallFailedException.class);
    }
  }

  @Test
  void anOldHomeserverIsAskedAtItsOldAddress() throws Exception {
    try (MatrixRig rig = rig()) {
      rig.always("/media/v3/download/hs.example/AbC", new Said(200, Map.of(), "old"));
      Attachment file = new Attachment("a", "", "mxc://hs.example/AbC", -1);
      assertThat(rig.channel().fetch("main", file, 100)).asString().isEqualTo("old");
      Attachment gone = new Attachment("a", "", "mxc://hs.example/Gone", -1);
      assertThatThrownBy(() -> rig.channel().fetch("main", gone, 100))
          .hasMessageContaining("does not have it");
      Attachment elsewhere = new Attachment("a", "", "https://evil.example/x", -1);
      assertThatThrownBy(() -> rig.channel().fetch("main", elsewhere, 100))
          .hasMessageContaining("does not lie on the homeserver");
    }
  }

  @Test
  void typingAndTheReceiptBeginWithTheAnswerAndEndWithIt() throws Exception {
    try (MatrixRig rig = rig()) {
      rig.receive(sync("s1", text("asked", "hello")));
      rig.channel().showTyping("main", ROOM);
      rig.channel().showTyping("main", ROOM);
      rig.doBackground();
      assertThat(rig.asked("/receipt/m.read/%24asked")).hasSize(1);
      rig.channel().post(reply(ROOM, "hi"));
      rig.doBackground();
      assertThat(rig.asked("/typing/%40bot%3Ahs.example"))
          .extracting(asked -> JsonText.object(asked.body()))
          .containsExactly(
              Map.of("typing", true, "timeout", 15_000L),
              Map.of("typing", true, "timeout", 15_000L),
              Map.of("typing", false));
    }
  }

  @Test
  void nothingOfTheTokenIsInAFailure() throws Exception {
    try (MatrixRig rig = rig()) {
      rig.always(SEND, ok("{}"));
      assertThat(rig.channel().post(reply(ROOM, "hi")).toString()).doesNotContain(MatrixRig.TOKEN);
    }
  }
}
