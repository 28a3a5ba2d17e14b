package dev.holdfast.tests.channels;

import static dev.holdfast.tests.channels.TelegramSetup.ANN;
import static dev.holdfast.tests.channels.TelegramSetup.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kit.testing.BotApiDouble;
import dev.holdfast.kit.testing.BotApiDouble.Harm;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The bundled channel behind its webhook. */
@Timeout(90)
@Outside(
    covers = {
      "plugins/telegram/src/main",
      "plugins/kit/src/main",
      "server/src/main/java/dev/holdfast/channels",
      "server/src/main/java/dev/holdfast/replies"
    })
class TelegramWebhookTest {
  private final BotApiDouble api = new BotApiDouble();

  @Test
  void overAWebhookAMessageIsAnsweredOnceThoughItIsDeliveredTwice() throws Exception {
    try (api;
        ServerRig rig = TelegramSetup.withWebhook(api)) {
      Await.until("the webhook is set", LIMIT, () -> !api.calls("setWebhook").isEmpty());
      api.harm(Harm.LOSE_ANSWER, call -> call.method().equals("delivery"));
      String key = api.say(ANN, "twice");
      Await.until("it came twice", LIMIT, () -> api.calls("delivery").size() > 1);
      rig.api().awaitQuiet(LIMIT);
      rig.server().kill9();
      api.heal();
      String second = api.say(78, "later");
      rig.start();
      rig.api().awaitState(key, ServerApi.FINAL, LIMIT);
      rig.api().awaitState(second, ServerApi.FINAL, LIMIT);
      Await.until("all is confirmed", LIMIT, () -> api.unconfirmed() == 0);
      api.awaitShown(78, "later", LIMIT);
      assertThat(api.shown(ANN, "twice")).hasSize(1);
      assertThat(api.shown(78, "later")).hasSize(1);
      assertThat(
              new Http()
                  .post(
                      rig.setup().url("/webhooks/telegram/main"),
                      Map.of("x-telegram-bot-api-secret-token", "forged"),
                      "{}")
                  .status())
          .isEqualTo(401);
    }
  }
}
