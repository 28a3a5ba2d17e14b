package dev.holdfast.telegram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.api.Access;
import dev.holdfast.api.Attachment;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.FailureCode;
import dev.holdfast.kit.testing.FakeConfig;
import dev.holdfast.kit.testing.FakeContext;
import dev.holdfast.kit.testing.HttpDouble.Said;
import dev.holdfast.kit.testing.PlainHttp;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TelegramPluginTest {
  @TempDir private Path folder;
  private final FakeContext context = new FakeContext(new PlainHttp());

  private FakeConfig start(Map<String, ?> section) throws Exception {
    FakeConfig config = new FakeConfig(section);
    context.stateFolder(folder).channelConfig(config);
    new TelegramPlugin().start(context);
    return config;
  }

  private static Map<String, Object> account(Object... keys) {
    Map<String, Object> account = new LinkedHashMap<>();
    for (int i = 0; i < keys.length; i += 2) {
      account.put((String) keys[i], keys[i + 1]);
    }
    return Map.of("accounts", Map.of("ops", account));
  }

  @Test
  void aTokenInTheEnvironmentIsEnoughForOneAccount() throws Exception {
    context.secret("TELEGRAM_BOT_TOKEN", TelegramRig.TOKEN);
    assertThat(start(Map.of()).problems()).isEmpty();
    assertThat(context.channels().getFirst().accounts()).containsExactly("main");
    assertThat(context.channels().getFirst().listens())
        .hasEntrySatisfying("main", spec -> assertThat(spec.token()).isEqualTo(TelegramRig.TOKEN));
    assertThat(context.channels().getFirst().access())
        .hasEntrySatisfying(
            "main",
            access -> {
              assertThat(access.users()).isEmpty();
              assertThat(access.strangers()).isEqualTo(Access.Strangers.DENY);
            });
  }

  @Test
  void accountsHaveTokensOfTheirOwn() throws Exception {
    context.secret("TELEGRAM_BOT_TOKEN", TelegramRig.TOKEN);
    FakeConfig config =
        start(
            Map.of(
                "accounts",
                Map.of("main", Map.of("strangers", "pair"), "ops", Map.of("token", "1:own"))));
    assertThat(config.problems()).isEmpty();
    assertThat(config.unread()).isEmpty();
    assertThat(context.channels().getFirst().listens())
        .hasEntrySatisfying("ops", spec -> assertThat(spec.token()).isEqualTo("1:own"));
    assertThat(context.channels().getFirst().access())
        .hasEntrySatisfying(
            "main", access -> assertThat(access.strangers()).isEqualTo(Access.Strangers.PAIR));
  }

  @Test
  void whatCannotBeUsedIsNamedWithTheNextStep() throws Exception {
    assertThat(start(Map.of()).problems())
        .singleElement()
        .asString()
        .contains("TELEGRAM_BOT_TOKEN=... into holdfast.env");
    assertThat(context.channels()).isEmpty();
    assertThat(start(account()).problems()).singleElement().asString().contains("${NAME}");
    assertThat(start(account("token", "bot1:x")).problems())
        .singleElement()
        .asString()
        .contains("what BotFather shows")
        .doesNotContain("bot1:x");
    assertThat(start(account("token", "1:x", "mode", "push")).problems())
        .containsExactly("mode: mode must be poll or webhook, got push");
    assertThat(start(account("token", "1:x", "mode", "webhook")).problems())
        .singleElement()
        .asString()
        .contains("needs public_url");
    assertThat(
            start(account("token", "1:x", "mode", "webhook", "webhook_secret", "a b")).problems())
        .singleElement()
        .asString()
        .contains("from 1 to 256")
        .doesNotContain("a b");
    assertThat(
            start(account("token", "1:x", "mode", "webhook", "public_url", "bot.example"))
                .problems())
        .singleElement()
        .asString()
        .contains("http or https");
    assertThat(
            start(Map.of("poll_secs", 51, "accounts", Map.of("a", Map.of("token", "1:x"))))
                .problems())
        .containsExactly("poll_secs: poll_secs must be from 1 to 50");
    Map<String, Object> many =
        IntStream.range(0, 21)
            .boxed()
            .collect(Collectors.toMap(i -> "a" + i, i -> Map.of("token", i + ":x")));
    assertThat(start(Map.of("accounts", many)).problems())
        .containsExactly("accounts: accounts must be at most 20");
  }

  @Test
  void aWebhooksSecretIsMadeOfTheTokenAndDoesNotShowIt() throws Exception {
    TelegramAccount one = webhook("1:one");
    assertThat(one.webhookSecret())
        .matches("[0-9a-f]{64}")
        .isEqualTo(webhook("1:one").webhookSecret());
    assertThat(one.webhookSecret()).isNotEqualTo(webhook("1:two").webhookSecret());
    assertThat(one.toString()).doesNotContain("1:one", one.webhookSecret());
  }

  private static TelegramAccount webhook(String token) {
    FakeConfig section = new FakeConfig(Map.of("token", token, "mode", "webhook"));
    return TelegramAccount.read(section, "ops", Optional.empty(), "https://bot.example");
  }

  @Test
  void aFileIsFetchedAndItsAddressNeverTold() throws Exception {
    try (TelegramRig rig = TelegramRig.polling(folder)) {
      rig.always(
          "getFile", "{\"file_id\":\"f\",\"file_size\":5,\"file_path\":\"photos/file_1.jpg\"}");
      rig.always(
          "/file/bot" + TelegramRig.TOKEN + "/photos/file_1.jpg", _ -> Said.json(200, "bytes"));
      Attachment photo = new Attachment("photo.jpg", "image/jpeg", "telegram:f", 5);
      assertThat(rig.channel().fetch("main", photo, 100)).asString().isEqualTo("bytes");
      assertRefused(rig, photo, 4, "more than 4 bytes");
      rig.always("getFile", TelegramRig.refused(400, "Bad Request: file is too big"));
      assertRefused(rig, photo, 100, "more than 20 MB");
      rig.always("getFile", "{\"file_path\":\"/var/lib/../secret\"}");
      assertRefused(rig, photo, 100, "no address");
      rig.always("getFile", "{\"file_path\":\"photos/gone.jpg\"}");
      assertThatExceptionOfType(CallFailedException.class)
          .isThrownBy(() -> rig.channel().fetch("main", photo, 100))
          .withMessageContaining("404")
          .withMessageNotContaining(TelegramRig.TOKEN);
      assertRefused(
          rig, new Attachment("x", "", "https://evil.example/x", 1), 9, "does not have it");
    }
  }

  @Test
  void aFileThatWasCutIsNotTakenForWhole() throws Exception {
    try (TelegramRig rig = TelegramRig.polling(folder)) {
      rig.always("/file/bot" + TelegramRig.TOKEN + "/photos/f.jpg", _ -> Said.json(200, "byt"));
      for (String told : List.of("\"file_size\":5,", "")) {
        rig.always("getFile", "{" + told + "\"file_path\":\"photos/f.jpg\"}");
        Attachment photo = new Attachment("photo.jpg", "", "telegram:f", told.isEmpty() ? 5 : -1);
        assertThatExceptionOfType(CallFailedException.class)
            .isThrownBy(() -> rig.channel().fetch("main", photo, 100))
            .satisfies(cut -> assertThat(cut.isPassing()).isTrue())
            .withMessageContaining("only 3 of its 5 bytes");
      }
    }
  }

  private static void assertRefused(TelegramRig rig, Attachment file, long most, String why) {
    assertThatExceptionOfType(CallFailedException.class)
        .isThrownBy(() -> rig.channel().fetch("main", file, most))
        .satisfies(
            refused -> assertThat(refused.failure().code()).isEqualTo(FailureCode.INVALID_REQUEST))
        .withMessageContaining(why)
        .withMessageNotContaining(TelegramRig.TOKEN);
  }
}
