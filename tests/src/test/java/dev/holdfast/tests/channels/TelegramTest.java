package dev.holdfast.tests.channels;

import static dev.holdfast.tests.channels.TelegramSetup.ANN;
import static dev.holdfast.tests.channels.TelegramSetup.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.BotApiDouble;
import dev.holdfast.tests.harness.BotApiDouble.Call;
import dev.holdfast.tests.harness.BotApiDouble.Harm;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.KeptDrafts;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The bundled channel in the real server, with a Bot API that does harm. */
@Timeout(90)
class TelegramTest {
  private static final Set<String> TEXTS = Set.of("sendMessage", "editMessageText");

  private final BotApiDouble api = new BotApiDouble();

  private static void assertNoToken(ServerRig rig) {
    assertThat(rig.server().output()).doesNotContain(BotApiDouble.TOKEN);
  }

  private static ObjectNode mention(int length) {
    ObjectNode more = Json.object();
    more.set(
        "entities", Json.of(List.of(Map.of("type", "mention", "offset", 0, "length", length))));
    return more;
  }

  @Test
  void aPersonIsAnsweredInAPrivateChatAndAGroup() throws Exception {
    try (api;
        ServerRig rig = TelegramSetup.polling(api.url())) {
      api.say(ANN, "good morning");
      Call answer = api.awaitShown(ANN, "good morning", LIMIT);
      assertThat(answer.parameters().path("parse_mode").asText()).isEqualTo("HTML");
      String key = api.sayInGroup(ANN, -100, "@HoldfastBot good evening", mention(12));
      Call inGroup = api.awaitShown(-100, "good evening", LIMIT);
      assertThat(inGroup.parameters().path("reply_parameters").path("message_id").asText())
          .isEqualTo(key.substring(key.indexOf(':') + 1));
      assertThat(inGroup.text()).doesNotContain("@HoldfastBot");
      Await.until("all is confirmed", LIMIT, () -> api.unconfirmed() == 0);
      assertNoToken(rig);
    }
  }

  @Test
  void whatWasDeliveredAndNotConfirmedComesAgainAndIsAnsweredOnce() throws Exception {
    try (api;
        ServerRig rig = TelegramSetup.polling(api.url())) {
      // The offset never arrives: a crash between the commit and the next poll.
      api.harm(
          Harm.HANG, call -> call.method().equals("getUpdates") && call.parameters().has("offset"));
      String first = api.say(ANN, "before the crash");
      rig.api().awaitState(first, ServerApi.FINAL, LIMIT);
      rig.server().kill9();
      api.heal();
      assertThat(api.unconfirmed()).isEqualTo(1);
      String second = api.say(78, "during the outage");
      rig.start();
      rig.api().awaitState(second, ServerApi.FINAL, LIMIT);
      Await.until("all is confirmed", LIMIT, () -> api.unconfirmed() == 0);
      rig.api().awaitQuiet(LIMIT);
      assertThat(api.shown(ANN, "before the crash")).hasSize(1);
      assertThat(api.shown(78, "during the outage")).hasSize(1);
    }
  }

  @Test
  void inAGroupADraftBecomesTheReplyAlsoWhenTheServerIsKilledBetween() throws Exception {
    try (api;
        ServerRig rig = TelegramSetup.polling(api.url())) {
      rig.setup().set("tools.shell.enabled", true);
      rig.restart();
      TelegramSetup.awaitChannel(rig);
      String text = "@HoldfastBot " + ShellRig.command("sleep 6; echo done");
      String key = api.sayInGroup(ANN, -100, text, mention(12));
      Await.until("a draft is kept", LIMIT, () -> KeptDrafts.of(rig).contains("-100"));
      rig.restart();
      rig.api().awaitState(key, ServerApi.FINAL, LIMIT);
      rig.api().awaitQuiet(LIMIT);
      List<Call> written = TEXTS.stream().flatMap(method -> api.calls(method).stream()).toList();
      assertThat(written).allMatch(call -> call.chat().equals("-100"));
      assertThat(api.calls("sendMessage")).hasSize(1);
      assertThat(api.calls("editMessageText").getLast().text()).doesNotContain("<i>");
    }
  }
}
