package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kit.testing.Card;
import dev.holdfast.kit.testing.DiscordDouble;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.RecordedCall;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What the bundled plugin asks of Discord is what its own description of the API allows, as Prism
 * reads it. Needs {@code specs/openapi.json} of {@code discord/discord-api-spec} on GitHub: {@code
 * -Dholdfast.discord_spec=FILE}.
 */
@Outside(
    covers = {
      "plugins/discord/src/main",
      "plugins/kit-testing/src/main/java/dev/holdfast/kit/testing/DiscordDouble.java"
    },
    needs = "npm:npm")
@Timeout(600)
class DiscordPrismTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** Too long for one message. */
  private static final String LONG = "many words ".repeat(250);

  @Test
  void eachRequestIsOneThatDiscordDescribes() throws Exception {
    Prism prism = Prism.ofProperty("holdfast.discord_spec");
    List<RecordedCall> calls = calls();
    assertThat(calls)
        .extracting(call -> call.method() + call.path().replaceAll("[0-9]+", ""))
        .contains(
            "POST/channels//typing",
            "POST/channels//messages",
            "PATCH/channels//messages/",
            "GET/channels//messages?limit=&after=",
            "POST/applications//commands",
            "POST/interactions//tok_/callback",
            "PATCH/webhooks//tok_/messages/@original",
            "GET/guilds//roles");
    assertThat(prism.violations(calls)).isEmpty();
  }

  private static List<RecordedCall> calls() throws Exception {
    try (DiscordDouble discord = new DiscordDouble();
        FakeModel slow = new FakeModel();
        ServerRig rig = new ServerRig()) {
      rig.setup()
          .plugin("discord")
          .set("tools.shell.enabled", true)
          .set("channels.discord.base_url", discord.baseUrl())
          .setNamed(
              "channels.discord.accounts",
              "main",
              Map.of(
                  "bot_token",
                  DiscordDouble.TOKEN,
                  "allow",
                  Map.of("users", List.of("*"), "chats", List.of(DiscordDouble.CHANNEL))));
      rig.start();
      Await.until("it is connected", LIMIT, discord::isConnected);
      answersInAChannel(discord);
      edits(discord);
      Await.until("its commands are known", LIMIT, () -> discord.commands().size() == 5);
      rig.setup().set("tools.autonomy", "supervised");
      rig.restart();
      asks(discord);
      slow.always(ModelScript.after(Duration.ofSeconds(3), ModelScript.echo()))
          .asOpenAi(rig.setup());
      rig.restart();
      String _ = discord.say(4, "hello"); // it is typing: there is nothing to be shown yet
      awaitText(discord, "answer to hello");
      assertThat(HoldfastCommand.run(rig.setup(), "channels", "check", "discord").out())
          .contains("the bot token is valid");
      return discord.asked().stream()
          .map(
              call ->
                  new RecordedCall(call.method(), call.path().replace("/api/v10", ""), call.body()))
          .toList();
    }
  }

  /** In one message, in two, to a command, and after messages that were missed. */
  private static void answersInAChannel(DiscordDouble discord) {
    discord.mention("hello");
    awaitText(discord, "echo: hello");
    discord.mention(LONG);
    Await.until("it is answered in two parts", LIMIT, () -> discord.texts().size() == 3);
    discord.ask(0, "a question");
    awaitText(discord, "echo: a question");
    discord.forgetSession();
    discord.mention("missed");
    awaitText(discord, "echo: missed");
  }

  private static void awaitText(DiscordDouble discord, String text) {
    Await.until("it is answered: " + text, LIMIT, () -> discord.texts().contains(text));
  }

  private static void edits(DiscordDouble discord) {
    String _ = discord.say(1, ShellRig.command("sleep 4; echo done"));
    awaitDone(discord, 1);
  }

  private static void awaitDone(DiscordDouble discord, int person) {
    Await.until(
        "it is done",
        LIMIT,
        () -> discord.shown(person).stream().anyMatch(text -> text.contains("done\n")));
  }

  private static void asks(DiscordDouble discord) {
    String _ = discord.say(3, ShellRig.command("echo done"));
    Card card =
        Await.value(
            "a question",
            LIMIT,
            () -> discord.cards(3).stream().filter(each -> !each.tokens().isEmpty()).findFirst());
    String press = discord.press(3, card, "Approve");
    Await.until("it is approved", LIMIT, () -> discord.answer(press).isPresent());
    awaitDone(discord, 3);
  }
}
