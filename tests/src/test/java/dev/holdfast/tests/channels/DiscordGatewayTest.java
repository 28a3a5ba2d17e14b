package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kit.testing.DiscordDouble;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The bundled plugin over the Gateway, in the real server, against a double of Discord. */
@Timeout(240)
@Outside(
    covers = {
      "plugins/discord/src/main",
      "plugins/kit/src/main",
      "server/src/main/java/dev/holdfast/channels",
      "server/src/main/java/dev/holdfast/replies"
    })
class DiscordGatewayTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** The server looks for a lost reply after a minute. */
  private static final Duration LOOK_UP = Duration.ofSeconds(100);

  private static final int KILLS = 3;

  private static final DiscordDouble DISCORD = new DiscordDouble();

  @RegisterExtension
  static final Served SERVED =
      Served.alone(
          rig ->
              rig.setup()
                  .timeScale(5)
                  .plugin("discord")
                  .set("channels.discord.base_url", DISCORD.baseUrl())
                  .setNamed(
                      "channels.discord.accounts",
                      "main",
                      Map.of(
                          "bot_token",
                          DiscordDouble.TOKEN,
                          "allow",
                          Map.of("users", List.of("*")))));

  private ServerRig rig;

  @BeforeEach
  void open() {
    rig = SERVED.rig();
    Await.until("it is connected", LIMIT, DISCORD::isConnected);
    DISCORD.reset();
  }

  @AfterAll
  static void close() {
    DISCORD.close();
  }

  private void awaitTexts(List<String> texts) {
    Await.until(
        "the answers stand there once each: " + texts, LIMIT, () -> DISCORD.texts().equals(texts));
  }

  @Test
  void whatTheServerDidNotTakeComesAgainAndIsAnsweredOnce() {
    List<String> answers = new ArrayList<>();
    DISCORD.say("hello");
    answers.add("echo: hello");
    awaitTexts(answers);
    rig.api().awaitQuiet(LIMIT); // otherwise its answer may be posted again
    rig.server().suspend(); // it is delivered, and not even read
    kill("message 0", Duration.ZERO, answers);
    assertThat(DISCORD.resumes()).as("it came again").isPositive();
    for (int i = 1; i <= KILLS; i++) {
      // Somewhere between delivery and commit.
      kill("message " + i, Duration.ofMillis(4L * (i - 1)), answers);
    }
    assertThat(DISCORD.texts()).containsExactlyInAnyOrderElementsOf(answers);
    Await.until("its commands are known", LIMIT, () -> DISCORD.commands().size() == 5);
  }

  private void kill(String text, Duration after, List<String> answers) {
    DISCORD.say(text);
    Await.pause(after);
    rig.restart();
    answers.add("echo: " + text);
    Await.until(
        "it is answered",
        LOOK_UP, // if the kill cut off a post
        () -> DISCORD.texts().containsAll(answers));
    rig.api().awaitQuiet(LIMIT);
  }
}
