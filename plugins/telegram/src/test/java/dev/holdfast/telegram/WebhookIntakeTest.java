package dev.holdfast.telegram;

import static dev.holdfast.telegram.TelegramRig.SECRET;
import static dev.holdfast.telegram.TelegramRig.inGroup;
import static dev.holdfast.telegram.TelegramRig.message;
import static dev.holdfast.telegram.TelegramRig.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.DropReason;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.kit.testing.HttpDouble.Said;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WebhookIntakeTest {
  private static final String HEADER = "x-telegram-bot-api-secret-token";

  @TempDir private Path folder;
  private TelegramRig rig;

  @BeforeEach
  void start() {
    rig = TelegramRig.withWebhook(folder);
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  @Test
  void aMessageIsTakenUnderTheKeyThatAPollWouldGiveIt() throws Exception {
    WebhookVerdict verdict = rig.webhook(message(10, "hello"));
    assertThat(verdict)
        .isInstanceOfSatisfying(
            WebhookVerdict.Messages.class,
            taken -> {
              assertThat(taken.messages().getFirst().text()).isEqualTo("hello");
              assertThat(taken.messages().getFirst().dedupeKey()).isEqualTo("7:1010");
            });
  }

  @Test
  void aMissingWrongRepeatedOrOtherSecretIsRefused() throws Exception {
    for (Map<String, List<String>> headers :
        List.of(
            Map.<String, List<String>>of(),
            Map.of(HEADER, List.<String>of()),
            Map.of(HEADER, List.of("")),
            Map.of(HEADER, List.of("wrong")),
            Map.of(HEADER, List.of(SECRET + " ")),
            Map.of(HEADER, List.of(SECRET.toUpperCase(Locale.ROOT))),
            Map.of(HEADER, List.of(SECRET, SECRET)),
            Map.of(HEADER, List.of("wrong", SECRET)),
            Map.of("authorization", List.of(SECRET)))) {
      assertThat(rig.webhook(headers, message(1, "forged")))
          .as(headers.toString())
          .isInstanceOfSatisfying(
              WebhookVerdict.Refused.class,
              refused -> assertThat(refused.reason()).doesNotContain(SECRET));
    }
  }

  @Test
  void anUnknownAccountAndOneThatPollsTakeNothing() throws Exception {
    WebhookRequest unknown =
        new WebhookRequest(
            "POST",
            "other",
            Map.of(HEADER, List.of(SECRET)),
            Map.of(),
            message(1, "x").getBytes(StandardCharsets.UTF_8),
            Instant.EPOCH);
    assertThat(rig.channel().receive(unknown)).isEqualTo(new WebhookVerdict.NoAccount());
    try (TelegramRig polling = TelegramRig.polling(folder)) {
      assertThat(polling.webhook(message(1, "x"))).isInstanceOf(WebhookVerdict.Refused.class);
    }
  }

  @Test
  void anUpdateThatIsNotUnderstoodIsTakenSoThatItHoldsUpNothing() throws Exception {
    String deep = "[".repeat(160_000) + "]".repeat(160_000);
    for (String body :
        List.of(
            "{}",
            "{\"update_id\":1}",
            "{\"message\":7}",
            "{\"message\":" + deep + "}",
            "{\"message\":[" + "1,".repeat(100_001) + "1]}")) {
      assertThat(rig.webhook(body)).isEqualTo(new WebhookVerdict.Messages(List.of()));
    }
  }

  @Test
  void whatIsNoJsonObjectIsNoUpdate() throws Exception {
    for (String body :
        List.of("", "{", "[]", "null", "hello", "{\"update_id\":1,", "{}{}", "[".repeat(100_000))) {
      assertThat(rig.webhook(body)).isInstanceOf(WebhookVerdict.Unparsable.class);
    }
    assertThat(rig.webhook(Map.of(), "hello"))
        .as("strangers are told nothing")
        .isInstanceOf(WebhookVerdict.Refused.class);
  }

  @Test
  void whatIsDroppedIsCounted() throws Exception {
    assertThat(rig.webhook(message(1, "")))
        .isEqualTo(new WebhookVerdict.Messages(List.of(), List.of(DropReason.EMPTY)));
  }

  @Test
  void aClickIsHandedOverAndItsAnswerGoesToThePerson() throws Exception {
    WebhookVerdict verdict =
        rig.webhook(
            "{\"update_id\":2,\"callback_query\":{\"id\":\"q\",\"from\":{\"id\":8},\"data\":\"t\","
                + "\"message\":{\"message_id\":4,\"chat\":{\"id\":7}}}}");
    assertThat(verdict).isInstanceOf(WebhookVerdict.Clicked.class);
    rig.channel().answerClick(((WebhookVerdict.Clicked) verdict).click(), "Allowed.");
    assertThat(rig.called("answerCallbackQuery").getFirst().parameters())
        .containsEntry("callback_query_id", "q")
        .containsEntry("text", "Allowed.");
  }

  @Test
  void whileTheBotsNameIsNotKnownTelegramIsToldToSendAgain() throws Exception {
    rig.next("getMe", Said.json(502, ""));
    assertThatThrownBy(() -> rig.webhook(inGroup(1, "@HoldfastBot hi", "")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageNotContaining(TelegramRig.TOKEN);
    assertThat(rig.webhook(inGroup(1, "@HoldfastBot hi", "")))
        .isInstanceOf(WebhookVerdict.Messages.class);
  }

  @Test
  void theWebhookIsSetUntilThatSucceedsAndDropsNothing() throws Exception {
    rig.next(
        "setWebhook",
        Said.nothing(),
        refused(429, "slow", "{\"retry_after\":7}"),
        refused(400, "Bad Request: bad webhook: HTTPS url must be provided for webhook"));
    rig.context().job("telegram-webhook-main").run();
    assertThat(rig.called("setWebhook")).hasSize(4);
    assertThat(rig.called("setWebhook").getLast().parameters())
        .containsEntry("url", "https://bot.example/webhooks/telegram/main")
        .containsEntry("secret_token", SECRET)
        .containsEntry("allowed_updates", UpdateReader.KINDS)
        .containsEntry("drop_pending_updates", false);
    assertThat(rig.context().sleeps())
        .containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(7), Duration.ofSeconds(4));
  }

  @Test
  void aBotWithAWebhookDoesNotPoll() {
    assertThat(rig.channel().listens()).isEmpty();
  }
}
