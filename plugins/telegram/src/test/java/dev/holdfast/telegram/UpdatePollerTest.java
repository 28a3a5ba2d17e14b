package dev.holdfast.telegram;

import static dev.holdfast.telegram.TelegramRig.message;
import static dev.holdfast.telegram.TelegramRig.ok;
import static dev.holdfast.telegram.TelegramRig.refused;
import static dev.holdfast.telegram.TelegramRig.updates;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.kit.testing.HttpDouble.Said;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UpdatePollerTest {
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

  private List<Object> offsets() {
    return rig.called("getUpdates").stream()
        .map(call -> call.parameters().getOrDefault("offset", "none"))
        .toList();
  }

  @Test
  void messagesAreHandedOverInTheirOrderAndKnownByChatAndNumber() {
    rig.receive(updates(message(10, "one"), message(11, "two")), updates(message(12, "three")));
    assertThat(rig.sink().texts()).containsExactly("one", "two", "three");
    assertThat(rig.sink().messages().getFirst().dedupeKey()).isEqualTo("7:1010");
    assertThat(rig.called("getUpdates").getFirst().parameters())
        .containsEntry("timeout", 1L)
        .containsEntry("limit", 100L)
        .containsEntry("allowed_updates", UpdateReader.KINDS);
  }

  @Test
  void theOffsetIsSentAfterTheMessagesAreOnDiskAndOnceOnly() {
    rig.sink().onAccept(() -> assertThat(offsets()).containsExactly("none"));
    rig.receive(updates(message(10, "one")), updates(), updates());
    // After a week of silence Telegram may count anew, below an old offset.
    assertThat(offsets()).containsExactly("none", 11L, "none", "none");
  }

  @Test
  void whatWasNotTakenIsNotConfirmed() {
    rig.sink()
        .onAccept(
            () -> {
              throw new IllegalStateException("interrupted");
            });
    rig.next("getUpdates", updates(message(10, "one")));
    assertThat(org.assertj.core.api.Assertions.catchThrowable(rig::listen))
        .hasRootCauseInstanceOf(IllegalStateException.class);
    assertThat(offsets()).containsExactly("none");
  }

  @Test
  void aMessageThatCanNeverBeTakenHoldsUpNoOther() {
    rig.sink().refuses((InboundMessage message) -> message.text().equals("bad"));
    rig.receive(updates(message(1, "bad"), message(2, "good")), updates(message(3, "next")));
    assertThat(rig.sink().texts()).containsExactly("good", "next");
    assertThat(offsets()).contains(3L);
  }

  private static String nested(int levels) {
    return "{\"update_id\":5,\"message\":" + "[".repeat(levels) + "]".repeat(levels) + "}";
  }

  @Test
  void anUpdateThatIsNestedDeeplyHoldsUpNoOther() {
    rig.receive(updates(message(4, "before"), nested(300), message(6, "after")));
    assertThat(rig.sink().texts()).containsExactly("before", "after");
    assertThat(offsets()).contains(7L);
  }

  @Test
  void anUpdateThatCannotBeReadIsSkippedAlone() {
    String poison = nested(160_000);
    rig.receive(
        updates(message(4, "before"), poison, message(6, "after")),
        updates(message(4, "before")),
        updates(poison, message(6, "after")),
        updates(poison),
        updates(message(6, "after")));
    assertThat(rig.sink().texts()).containsExactly("before", "after");
    assertThat(offsets()).contains(5L, 6L);
  }

  @Test
  void updatesOfOtherKindsAndShapesAreConfirmedAndIgnored() {
    rig.receive(
        updates(
            "{\"update_id\":1,\"edited_message\":{\"message_id\":3,\"text\":\"x\"}}",
            "{\"update_id\":2,\"channel_post\":{\"message_id\":3,\"text\":\"x\"}}",
            "{\"update_id\":3,\"message\":\"text\"}",
            "{\"update_id\":4}",
            message(5, "good")));
    assertThat(rig.sink().texts()).containsExactly("good");
    assertThat(offsets()).contains(6L);
  }

  @Test
  void onlyCompletedPollsCountAsReceived() {
    CallFailedException broken = rig.listen(updates(), Said.nothing());
    assertThat(broken.failure().code()).isEqualTo(FailureCode.NETWORK);
    assertThat(rig.sink().receives()).isEqualTo(1);
  }

  @Test
  void aPageOfAProxyIsNoPoll() {
    CallFailedException failed = rig.listen(Said.json(200, "<html>sign in</html>"));
    assertThat(failed.failure().message()).contains("check base_url");
    assertThat(rig.sink().receives()).isZero();
  }

  @Test
  void aServerThatDoesNotWaitIsAskedOnceASecond() {
    rig.receive(updates(), updates());
    assertThat(rig.context().sleeps())
        .containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(1));
  }

  /** Such a poll would be followed by the next at once, thousands of times a second. */
  @Test
  void aPollThatBringsNothingNewEndsTheCallSoThatTheServerWaits() {
    String tooHigh = "{\"update_id\":" + Long.MAX_VALUE + "}";
    for (String numberless :
        List.of("{}", "{\"update_id\":-5}", tooHigh, "{\"update_id\":\"x\"}")) {
      try (TelegramRig other = TelegramRig.polling(folder)) {
        CallFailedException failed = other.listen(updates(numberless));
        assertThat(failed.failure().code()).as(numberless).isEqualTo(FailureCode.BACKEND_FAILURE);
        assertThat(failed.failure().message()).contains("without a number", "check base_url");
        assertThat(other.sink().receives()).isZero();
      }
    }
    for (String old : List.of(message(10, "one"), message(3, "older"))) {
      try (TelegramRig other = TelegramRig.polling(folder)) {
        CallFailedException failed = other.listen(updates(message(10, "one")), updates(old));
        assertThat(failed.failure().message()).contains("that were confirmed", "check base_url");
        assertThat(other.sink().receives()).isOne();
      }
    }
  }

  @Test
  void anOldUpdateBesideANewOneChangesNothing() {
    rig.receive(updates(message(10, "one")), updates(message(10, "one"), "{}", message(11, "two")));
    assertThat(offsets()).containsExactly("none", 11L, 12L);
  }

  @Test
  void anUpdateThatCannotBeReadIsSkippedOnceOnly() {
    Said poison = updates(nested(160_000));
    CallFailedException failed = rig.listen(poison, poison, poison);
    assertThat(failed.failure().message()).contains("that were confirmed");
    assertThat(offsets()).containsExactly("none", "none", 6L);
  }

  @Test
  void anotherPollerIsNamedWhenItDoesNotGoAway() {
    Said conflict = refused(409, "Conflict: terminated by other getUpdates request; make sure ...");
    CallFailedException failed = rig.listen(conflict, conflict, conflict, conflict);
    assertThat(failed.failure().code()).isEqualTo(FailureCode.INVALID_REQUEST);
    assertThat(failed.failure().message())
        .contains("another process polls with this token", "stop it");
    assertThat(rig.context().sleeps())
        .containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(4));
    assertThat(rig.called("deleteWebhook")).isEmpty();
  }

  @Test
  void thePollOfAProcessThatHasJustEndedIsWaitedFor() {
    Said conflict = refused(409, "Conflict: terminated by other getUpdates request; make sure ...");
    rig.receive(
        conflict, conflict, conflict, updates(message(1, "one")), conflict, conflict, conflict);
    assertThat(rig.sink().texts()).containsExactly("one");
  }

  @Test
  void aWebhookThatIsSetIsDeletedWithoutWhatWaits() {
    rig.receive(
        refused(409, "Conflict: can't use getUpdates method while webhook is active"),
        updates(message(1, "waited")));
    assertThat(rig.called("deleteWebhook"))
        .singleElement()
        .satisfies(
            call -> assertThat(call.parameters()).containsEntry("drop_pending_updates", false));
    assertThat(rig.sink().texts()).containsExactly("waited");
  }

  @Test
  void aWebhookThatIsSetAgainIsNamed() {
    Said conflict = refused(409, "Conflict: can't use getUpdates method while webhook is active");
    assertThat(rig.listen(conflict, conflict).failure().message())
        .contains("a webhook is set again and again");
    assertThat(rig.called("deleteWebhook")).hasSize(1);
  }

  @Test
  void aRefusedTokenIsToldWithoutIt() {
    rig.next("getMe", refused(401, "Unauthorized: " + TelegramRig.TOKEN));
    CallFailedException refused = rig.listen();
    assertThat(refused.failure().code()).isEqualTo(FailureCode.AUTH);
    assertThat(refused).hasMessageNotContaining(TelegramRig.TOKEN);
  }

  @Test
  void aWaitThatTelegramAsksForIsPassedOn() {
    CallFailedException limited =
        rig.listen(refused(429, "Too Many Requests", "{\"retry_after\":3600}"));
    assertThat(limited.failure().code()).isEqualTo(FailureCode.RATE_LIMITED);
    assertThat(limited.failure().retryAfter()).isEqualTo(Duration.ofHours(1));
  }

  @Test
  void whatIsDroppedIsCounted() {
    String bot = message(2, "loop").replace("\"is_bot\":false", "\"is_bot\":true");
    String own = message(3, "mine").replace("\"from\":{\"id\":7", "\"from\":{\"id\":900");
    rig.receive(updates(message(1, " "), bot, own));
    assertThat(rig.sink().drops())
        .containsExactly(DropReason.EMPTY, DropReason.NOT_ALLOWED, DropReason.OWN_ECHO);
    assertThat(rig.sink().messages()).isEmpty();
  }

  @Test
  void aClickIsHandedOverBehindTheMessagesBeforeItAndAnswered() {
    rig.sink().answersClicks("Allowed.");
    String click =
        """
        {"update_id":2,"callback_query":{"id":"q1","from":{"id":7},"data":"tok",
         "message":{"message_id":4,"chat":{"id":-100},"is_topic_message":true,"message_thread_id":9}}}\
        """;
    rig.receive(updates(message(1, "first"), click, message(3, "last")));
    assertThat(rig.sink().clicks())
        .singleElement()
        .satisfies(
            given -> {
              assertThat(given.thread()).isEqualTo("-100/9");
              assertThat(given.sender()).isEqualTo("7");
              assertThat(given.token()).isEqualTo("tok");
            });
    assertThat(rig.sink().texts()).containsExactly("first", "last");
    assertThat(rig.called("answerCallbackQuery").getFirst().parameters())
        .containsEntry("callback_query_id", "q1")
        .containsEntry("text", "Allowed.")
        .containsEntry("show_alert", false);
  }

  @Test
  void anAnswerToAClickThatFailsEndsNothing() {
    rig.always("answerCallbackQuery", refused(400, "Bad Request: query is too old"));
    rig.sink().answersClicks(String.join("", Collections.nCopies(30, "A stranger. ")));
    rig.receive(
        updates(
            "{\"update_id\":2,\"callback_query\":{\"id\":\"q\",\"from\":{\"id\":8},\"data\":\"t\","
                + "\"message\":{\"message_id\":4,\"chat\":{\"id\":7}}}}"),
        updates(message(3, "next")));
    assertThat(rig.called("answerCallbackQuery").getFirst().parameters())
        .containsEntry("show_alert", true)
        .hasEntrySatisfying("text", text -> assertThat((String) text).hasSize(200));
    assertThat(rig.sink().texts()).containsExactly("next");
  }

  @Test
  void theMenuOfCommandsIsSetOnceInARun() {
    rig.always("setMyCommands", ok("true"));
    rig.receive();
    rig.receive();
    assertThat(rig.called("setMyCommands")).hasSize(1);
  }
}
