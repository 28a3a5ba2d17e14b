package dev.holdfast.telegram;

import static dev.holdfast.telegram.TelegramRig.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.ChannelCheck;
import dev.holdfast.kit.testing.HttpDouble.Said;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccountChecksTest {
  @TempDir private Path folder;

  private static List<ChannelCheck> missing(TelegramRig rig) throws Exception {
    return rig.channel().check("main").stream().filter(check -> !check.isMet()).toList();
  }

  @Test
  void aBotThatPollsHasAllThatItNeeds() throws Exception {
    try (TelegramRig rig = TelegramRig.polling(folder)) {
      rig.always("getWebhookInfo", "{\"url\":\"\",\"pending_update_count\":3}");
      List<ChannelCheck> checks = rig.channel().check("main");
      assertThat(checks).allMatch(ChannelCheck::isMet);
      assertThat(checks)
          .extracting(ChannelCheck::what)
          .anyMatch(what -> what.contains("@HoldfastBot"))
          .anyMatch(what -> what.contains("privacy mode is on"))
          .anyMatch(what -> what.contains("3 updates wait"));
    }
  }

  @Test
  void aRefusedTokenIsNamedAndNothingElseAsked() throws Exception {
    try (TelegramRig rig = TelegramRig.polling(folder)) {
      rig.always("getMe", refused(401, "Unauthorized"));
      assertThat(missing(rig))
          .singleElement()
          .satisfies(check -> assertThat(check.remedy()).contains("the token is not valid"));
      assertThat(rig.called("getWebhookInfo")).isEmpty();
    }
  }

  @Test
  void aTelegramOutOfReachIsNamedWithoutTheToken() throws Exception {
    try (TelegramRig rig = TelegramRig.polling(folder)) {
      rig.always("getMe", Said.nothing());
      assertThat(missing(rig))
          .singleElement()
          .satisfies(
              check ->
                  assertThat(check.remedy())
                      .contains("base_url")
                      .doesNotContain(TelegramRig.TOKEN));
    }
  }

  @Test
  void aWebhookOfSomebodyElseIsNamed() throws Exception {
    try (TelegramRig rig = TelegramRig.polling(folder)) {
      rig.always("getWebhookInfo", "{\"url\":\"https://other.example\"}");
      assertThat(missing(rig))
          .extracting(ChannelCheck::remedy)
          .first()
          .asString()
          .contains("stop it");
    }
  }

  @Test
  void ofAWebhookIsSaidWhatKeepsItFromWorkingAndThatNobodyIsAllowed() throws Exception {
    try (TelegramRig rig = TelegramRig.withWebhook(folder)) {
      rig.always("getWebhookInfo", "{\"url\":\"\"}");
      assertThat(missing(rig))
          .extracting(ChannelCheck::what)
          .containsExactly("a webhook is set", "somebody is answered");
      rig.always("getWebhookInfo", "{\"url\":\"https://other.example\"}");
      assertThat(missing(rig).getFirst().what())
          .isEqualTo("the webhook is https://bot.example/webhooks/telegram/main");
      rig.always(
          "getWebhookInfo",
          """
          {"url":"https://bot.example/webhooks/telegram/main","pending_update_count":2,
           "last_error_date":1700000000,"last_error_message":"Connection timed out"}\
          """);
      assertThat(missing(rig).getFirst().remedy()).contains("Connection timed out", "proxy");
    }
  }
}
