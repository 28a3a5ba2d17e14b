package dev.holdfast.matrix;

import static dev.holdfast.matrix.MatrixRig.ANN;
import static dev.holdfast.matrix.MatrixRig.ME;
import static dev.holdfast.matrix.MatrixRig.MESSAGES;
import static dev.holdfast.matrix.MatrixRig.SYNC;
import static dev.holdfast.matrix.MatrixRig.limited;
import static dev.holdfast.matrix.MatrixRig.member;
import static dev.holdfast.matrix.MatrixRig.ok;
import static dev.holdfast.matrix.MatrixRig.refused;
import static dev.holdfast.matrix.MatrixRig.sync;
import static dev.holdfast.matrix.MatrixRig.synced;
import static dev.holdfast.matrix.MatrixRig.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ListenSpec;
import dev.holdfast.api.Origin;
import dev.holdfast.kit.testing.FakeSink;
import dev.holdfast.kit.testing.HttpDouble.Said;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SyncPollerTest {
  @TempDir private Path folder;

  @Test
  void anAccountThatIsNewHereAnswersNothingOld() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.listen(sync("s1", text("old", "from last year")), sync("s2", text("new", "hello")));
      assertThat(rig.sink().texts()).containsExactly("hello");
      assertThat(rig.asked(SYNC).get(0).path()).contains("timeout=0").doesNotContain("since=");
      assertThat(rig.asked(SYNC).get(1).path()).contains("since=s1");
      assertThat(rig.sink().position()).contains("s2");
    }
  }

  @Test
  void goesOnWhereAnEarlierRunHasStopped() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.sink().savePosition("s7");
      rig.receive(sync("s8", text("a", "while it was off")));
      assertThat(rig.sink().texts()).containsExactly("while it was off");
      assertThat(rig.asked(SYNC).getFirst().path()).contains("since=s7");
      assertThat(rig.sink().bot())
          .as("a renewed token goes on, too")
          .startsWith("http")
          .endsWith(" " + MatrixRig.ME);
    }
  }

  @Test
  void theTokenIsKeptOnlyAfterWhatCameWithIt() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.sink()
          .onAccept(
              () -> {
                throw new IllegalStateException("the disk is gone");
              });
      assertThatThrownBy(() -> rig.receive(sync("s1", text("a", "hello"))))
          .hasRootCauseMessage("the disk is gone");
      assertThat(rig.sink().position()).contains("s0");
    }
  }

  @Test
  void aMessageThatCanNeverBeTakenHoldsUpNoOther() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.sink().refuses(message -> message.text().equals("too long"));
      FakeSink sink = rig.receive(sync("s1", text("a", "too long"), text("b", "short")));
      assertThat(sink.texts()).containsExactly("short");
      assertThat(sink.position()).contains("s1");
    }
  }

  @Test
  void aLimitedTimelineIsFilledFromTheHistoryOldestFirst() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.next(
          MESSAGES,
          ok("{\"chunk\":[%s,%s],\"end\":\"t8\"}".formatted(text("c", "3"), text("b", "2"))),
          ok("{\"chunk\":[%s]}".formatted(text("a", "1"))));
      FakeSink sink = rig.receive(limited(text("d", "4")));
      assertThat(sink.texts()).containsExactly("1", "2", "3", "4");
      assertThat(rig.asked(MESSAGES).stream().map(MatrixRig::decodedPath))
          .allMatch(path -> path.contains("dir=b") && path.contains("to=s0"))
          .satisfiesExactly(
              path -> assertThat(path).contains("from=t9"),
              path -> assertThat(path).contains("from=t8"));
    }
  }

  @Test
  void aHistoryWithoutEndIsLookedThroughToABound() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      String chunk =
          IntStream.range(0, 100)
              .mapToObj(i -> text("x" + i, "x"))
              .collect(Collectors.joining(","));
      for (int page = 0; page < 30; page++) {
        rig.next(MESSAGES, ok("{\"chunk\":[%s],\"end\":\"p%d\"}".formatted(chunk, page)));
      }
      rig.receive(limited());
      assertThat(rig.asked(MESSAGES)).hasSize(10);
      assertThat(rig.sink().messages()).hasSize(1000);
    }
  }

  @Test
  void aHistoryThatFailsForNowLosesNothing() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.next(MESSAGES, refused(502, ""));
      CallFailedException failed = rig.listen(sync("s0"), limited());
      assertThat(failed.failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
      assertThat(rig.sink().position()).contains("s0");
    }
  }

  @Test
  void aRoomWhoseHistoryAlwaysFailsHoldsUpNoOtherForEver() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.sink().savePosition("s0");
      rig.always(MESSAGES, refused(500, "M_UNKNOWN"));
      Said broken = limited(text("d", "4"));
      for (int i = 0; i < 4; i++) {
        assertThat(rig.listen(broken).failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
        assertThat(rig.sink().position()).contains("s0");
      }
      assertThat(rig.listen(broken).failure().code()).isEqualTo(FailureCode.AUTH);
      assertThat(rig.sink().texts()).containsExactly("4");
      assertThat(rig.sink().position()).contains("s1");
    }
  }

  @Test
  void thePageOfAProxyIsNoHistoryAndLosesNothing() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.sink().savePosition("s0");
      Said page = new Said(200, Map.of("content-type", "text/html"), "<html>Welcome</html>");
      Said limited = limited();
      rig.next(MESSAGES, page);
      assertThat(rig.listen(limited).failure().message()).contains("no homeserver");
      assertThat(rig.asked(MESSAGES)).as("not in smaller pieces").hasSize(1);
      assertThat(rig.sink().position()).contains("s0");
      rig.next(MESSAGES, ok("{\"chunk\":[" + text("a", "meanwhile") + "]}"));
      rig.receive(limited);
      assertThat(rig.sink().texts()).containsExactly("meanwhile");
    }
  }

  @Test
  void aRoomWhoseHistoryIsAlwaysThePageOfAProxyHoldsUpNoOtherForEver() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.sink().savePosition("s0");
      rig.always(MESSAGES, "<html>Welcome</html>");
      Said limited = limited(text("d", "4"));
      for (int i = 0; i < 4; i++) {
        assertThat(rig.listen(limited).failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
      }
      rig.listen(limited);
      assertThat(rig.sink().texts()).containsExactly("4");
    }
  }

  @Test
  void aRoomWhoseHistoryNeverComesInTimeHoldsUpNoOtherForEver() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.sink().savePosition("s0");
      rig.always(MESSAGES, MatrixRig.LATE);
      Said slow = limited(text("d", "4"));
      for (int i = 0; i < 4; i++) {
        assertThat(rig.listen(slow).failure().code()).isEqualTo(FailureCode.TIMEOUT);
      }
      rig.listen(slow);
      assertThat(rig.sink().texts()).containsExactly("4");
      assertThat(rig.sink().position()).contains("s1");
    }
  }

  @Test
  void aRoomWhoseMembersAreNeverToldIsTakenForAGroup() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.sink().savePosition("s0");
      rig.always(MatrixRig.MEMBERS, refused(500, "M_UNKNOWN"));
      Said said = sync("s1", text("d", "4"));
      for (int i = 0; i < 4; i++) {
        assertThat(rig.listen(said).failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
      }
      rig.listen(said);
      assertThat(rig.sink().messages())
          .singleElement()
          .matches(message -> message.origin().place() == Origin.Place.GROUP);
      rig.always(MatrixRig.MEMBERS, "{\"joined\":{\"%s\":{},\"%s\":{}}}".formatted(ANN, ME));
      rig.context().advance(Duration.ofMinutes(1));
      rig.listen(sync("s2", text("e", "5")));
      assertThat(rig.sink().messages().getLast().origin().place()).isEqualTo(Origin.Place.DIRECT);
    }
  }

  @Test
  void severalMessagesOfARoomWhoseMembersAreNeverToldAreTaken() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.sink().savePosition("s0");
      rig.always(MatrixRig.MEMBERS, MatrixRig.LATE);
      Said said = sync("s1", text("d", "4"), text("e", "5"));
      for (int i = 0; i < 5; i++) {
        rig.listen(said);
      }
      assertThat(rig.sink().texts()).containsExactly("4", "5");
      assertThat(rig.asked(MatrixRig.MEMBERS)).hasSize(5);
    }
  }

  @Test
  void whatWasSaidBeforeTheAccountWasInvitedIsNotAnswered() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      FakeSink sink =
          rig.receive(
              sync(
                  "s1",
                  text("a", "before"),
                  member(ANN, ME, "invite"),
                  text("b", "are you there?"),
                  member(ME, ME, "join"),
                  text("c", "hello")));
      assertThat(sink.texts()).containsExactly("are you there?", "hello");
    }
  }

  @Test
  void anotherDisplayNameOfTheAccountIsNoBeginning() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      String renamed =
          member(ME, ME, "join")
              .replace(
                  "\"content\"",
                  "\"unsigned\":{\"prev_content\":{\"membership\":\"join\"}},\"content\"");
      FakeSink sink = rig.receive(sync("s1", text("a", "one"), renamed, text("b", "two")));
      assertThat(sink.texts()).containsExactly("one", "two");
    }
  }

  @Test
  void aReceiveCountsWhenItHasCompleted() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.receive(sync("s1"), sync("s2"));
      assertThat(rig.sink().receives()).isEqualTo(2);
    }
  }

  @Test
  void aHomeserverThatDoesNotWaitIsNotAskedInALoop() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.receive(ok("{\"next_batch\":\"s0\"}"), ok("{\"next_batch\":\"s0\"}"));
      assertThat(rig.context().sleeps()).hasSize(2).allMatch(Duration.ofSeconds(1)::equals);
    }
  }

  @Test
  void kindsOfRoomsWithoutRoomsAreNothing() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      Said none = ok("{\"next_batch\":\"s0\",\"rooms\":{\"join\":{},\"leave\":{}}}");
      rig.receive(none, none);
      assertThat(rig.context().sleeps()).hasSize(2).allMatch(Duration.ofSeconds(1)::equals);
    }
  }

  /** Such an answer would be followed by the next at once, thousands of times a second. */
  @Test
  void aTokenThatDoesNotGoOnEndsTheCallSoThatTheServerWaits() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.sink().savePosition("s0");
      CallFailedException failed = rig.listen(sync("s0", text("a", "hello")));
      assertThat(failed.failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
      assertThat(failed.failure().message()).contains("again and again", "check base_url");
      assertThat(rig.sink().texts()).containsExactly("hello");
      assertThat(rig.sink().receives()).isZero();
    }
  }

  @Test
  void anAnswerThatCannotBeReadIsNotSkippedForEver() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.sink().savePosition("s1");
      Said large = ok("{\"next_batch\":\"s1\",\"x\":[" + "1,".repeat(100_001) + "1]}");
      assertThat(rig.listen(large, large, large).failure().message()).contains("again and again");
    }
  }

  @Test
  void aRevokedTokenIsNamedWithTheNextStepAndWithoutItself() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      CallFailedException failed =
          rig.listen(refused(401, "M_UNKNOWN_TOKEN", ",\"soft_logout\":true"));
      assertThat(failed.failure().code()).isEqualTo(FailureCode.AUTH);
      assertThat(failed.failure().message())
          .contains("not valid", "the session was ended", "log in again")
          .doesNotContain(MatrixRig.TOKEN);
    }
  }

  @Test
  void aWaitThatTheHomeserverAsksForIsPassedOn() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      CallFailedException inBody =
          rig.listen(refused(429, "M_LIMIT_EXCEEDED", ",\"retry_after_ms\":3600000"));
      assertThat(inBody.failure().retryAfter()).isEqualTo(Duration.ofHours(1));
      CallFailedException inHeader =
          rig.listen(
              new Said(429, Map.of("retry-after", "7"), "{\"errcode\":\"M_LIMIT_EXCEEDED\"}"));
      assertThat(inHeader.failure().code()).isEqualTo(FailureCode.RATE_LIMITED);
      assertThat(inHeader.failure().retryAfter()).isEqualTo(Duration.ofSeconds(7));
    }
  }

  @Test
  void thePageOfAProxyIsNoHomeserver() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      Said page = new Said(200, Map.of("content-type", "text/html"), "<html>Welcome</html>");
      rig.sink().savePosition("s0");
      assertThat(rig.listen(page).failure().message()).contains("no homeserver", "base_url");
      Said bad = new Said(502, Map.of("content-type", "text/html"), "<html>Bad Gateway</html>");
      assertThat(rig.listen(bad).failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
      assertThat(rig.sink().receives()).isZero();
      assertThat(rig.sink().position()).contains("s0");
    }
  }

  @Test
  void anAnswerThatIsTooLargeIsAskedForInSmallerPieces() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      String values = "1,".repeat(100_001);
      Said large = ok("{\"next_batch\":\"s1\",\"x\":[" + values + "1]}");
      FakeSink sink = rig.receive(large, large, sync("s1", text("a", "hello")));
      assertThat(sink.texts()).containsExactly("hello");
      assertThat(rig.asked(SYNC).stream().map(MatrixRig::decodedPath))
          .satisfiesExactly(
              path -> assertThat(path).contains("\"limit\":50"),
              path -> assertThat(path).contains("\"limit\":5"),
              path -> assertThat(path).contains("\"limit\":1"),
              path -> assertThat(path).contains("\"limit\":50"));
    }
  }

  @Test
  void anAnswerThatNeverFitsIsSkipped() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      Said large = ok("{\"next_batch\":\"s1\",\"x\":[" + "1,".repeat(100_001) + "1]}");
      FakeSink sink = rig.receive(large, large, large, sync("s2", text("a", "hello")));
      assertThat(sink.texts()).containsExactly("hello");
      assertThat(rig.asked(SYNC).get(3).path()).contains("since=s1");
    }
  }

  @Test
  void aDeepEventDoesNotHideTheOthers() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      String deep = MatrixRig.message("a", ANN, "\"x\":" + "[".repeat(30_000) + "]".repeat(30_000));
      rig.listen(sync("s0", deep), sync("s1", deep, text("b", "hello")));
      assertThat(rig.sink().texts()).containsExactly("hello");
      assertThat(rig.asked(SYNC)).hasSize(3);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.holdfast.matrix.MatrixRig#oddValues")
  void anEventThatJsonDoesNotAllowCostsItselfAtMost(String odd) {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      String bad = MatrixRig.message("b", ANN, "\"msgtype\":\"m.text\",\"body\":" + odd);
      rig.next(MESSAGES, ok("{\"chunk\":[%s,%s]}".formatted(bad, text("0", "long before"))));
      rig.receive(limited(text("a", "before"), bad, text("c", "behind")));
      assertThat(rig.sink().texts()).containsSubsequence("long before", "before", "behind");
      assertThat(rig.sink().drops()).doesNotContain(DropReason.UNREADABLE);
      assertThat(rig.asked(SYNC)).as("it was not asked for in pieces").hasSize(2);
      assertThat(rig.context().warnings()).isEmpty();
    }
  }

  @Test
  void whatIsNoJsonIsSaidWithItsReason() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      Said broken = ok("{\"next_batch\":\"s1\",\"rooms\":{\"secret\"}}");
      FakeSink sink = rig.receive(broken, broken, broken, sync("s2", text("a", "hello")));
      assertThat(sink.texts()).containsExactly("hello");
      assertThat(sink.drops()).containsExactly(DropReason.UNREADABLE);
      assertThat(rig.context().warnings())
          .singleElement()
          .asString()
          .contains("a colon is missing at character 37")
          .doesNotContain("secret", "too many values");
    }
  }

  @Test
  void aHistoryThatIsNoJsonIsSaidWithItsReason() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.always(MESSAGES, "{\"chunk\":[}");
      FakeSink sink = rig.receive(limited(text("a", "4")));
      assertThat(sink.texts()).containsExactly("4");
      assertThat(rig.context().warnings())
          .singleElement()
          .asString()
          .contains("cannot be read", "no value begins")
          .doesNotContain("looked through");
    }
  }

  @Test
  void aFirstAnswerThatCannotBeReadIsSkipped() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      Said large = ok("{\"next_batch\":\"s1\",\"x\":[" + "1,".repeat(100_001) + "1]}");
      rig.listen(large, sync("s2", text("a", "hello")));
      assertThat(rig.sink().texts()).containsExactly("hello");
      assertThat(rig.sink().position()).contains("s2");
    }
  }

  @Test
  void aTokenThatTheHomeserverHasForgottenIsReplacedOnce() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.sink().savePosition("s0");
      CallFailedException failed =
          rig.listen(refused(400, "M_UNKNOWN"), sync("s5"), refused(400, "M_UNKNOWN"));
      assertThat(failed.failure().code()).isEqualTo(FailureCode.INVALID_REQUEST);
      assertThat(rig.asked(SYNC)).hasSize(3);
      assertThat(rig.sink().position()).contains("s5");
    }
  }

  @Test
  void anotherRefusalOfARequestSkipsNothing() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.sink().savePosition("s0");
      for (Said said : List.of(refused(400, "M_NOT_JSON"), new Said(400, Map.of(), "<html>"))) {
        rig.listen(said);
        assertThat(rig.sink().position()).contains("s0");
      }
      assertThat(rig.asked(SYNC)).hasSize(2).allMatch(asked -> asked.path().contains("since=s0"));
    }
  }

  @Test
  void aTokenOfAnotherUserIsNamed() {
    Map<String, ?> keys = Map.of("user_id", "@other:hs.example");
    try (MatrixRig rig = new MatrixRig(keys, folder)) {
      assertThat(rig.listen(sync("s1")).failure().message()).contains(ME, "@other:hs.example");
      assertThat(rig.asked(SYNC)).isEmpty();
    }
  }

  @Test
  void aPlaceIsKeptWhenTheTokenOfAKnownUserIsReplaced() {
    Map<String, ?> keys = Map.of("user_id", ME);
    try (MatrixRig rig = new MatrixRig(keys, folder)) {
      assertThat(rig.channel().listens().values())
          .extracting(ListenSpec::token)
          .allMatch(token -> token.contains(ME) && !token.contains(MatrixRig.TOKEN));
    }
  }

  @Test
  void namesComeFromTheMembersOfTheRoom() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.receive(
          synced(
              "s1",
              "\"events\":[" + text("a", "hello") + "]",
              ",\"state\":{\"events\":["
                  + member(ANN, ANN, "join")
                  + "]}"
                  + ",\"summary\":{\"m.joined_member_count\":2}"));
      assertThat(rig.sink().messages().getFirst().origin().senderName())
          .isEqualTo("Name of " + ANN);
      assertThat(rig.asked(MatrixRig.MEMBERS)).as("the summary says how many").isEmpty();
    }
  }

  @Test
  void ownMessagesAreNeverAnswered() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      String own = MatrixRig.message("a", ME, "\"msgtype\":\"m.text\",\"body\":\"echo\"");
      FakeSink sink = rig.receive(sync("s1", own));
      assertThat(sink.messages()).isEmpty();
      assertThat(sink.drops()).containsExactly(DropReason.OWN_ECHO);
    }
  }

  @Test
  void theRoomOfAnEncryptedMessageIsToldOnce() throws Exception {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      String secret = MatrixRig.event("m.room.encrypted", "a", ANN, "\"ciphertext\":\"x\"");
      rig.receive(sync("s1", secret, secret));
      rig.doBackground();
      rig.start();
      rig.receive(sync("s2", secret));
      rig.doBackground();
      assertThat(rig.sent())
          .extracting(content -> content.get("body"))
          .containsExactly(EncryptedRooms.SENTENCE);
      assertThat(rig.sink().messages()).isEmpty();
      assertThat(rig.sent().getFirst()).containsEntry("msgtype", "m.notice");
    }
  }
}
