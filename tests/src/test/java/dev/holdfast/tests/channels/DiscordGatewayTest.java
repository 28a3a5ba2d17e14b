package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.DiscordDouble;
import dev.holdfast.tests.harness.ServerRig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The bundled plugin over the Gateway, in the real server, against a double of Discord. */
@Timeout(240)
class DiscordGatewayTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** The server looks for a lost reply after a minute. */
  private static final Duration LOOK_UP = Duration.ofSeconds(100);

  private static final int KILLS = 3;

  private DiscordDouble discord;
  private ServerRig rig;

  @BeforeEach
  void open() throws Exception {
    discord = new DiscordDouble();
    rig = new ServerRig();
    rig.setup()
        .plugin("discord")
        .set("channels.discord.base_url", discord.baseUrl())
        .setNamed(
            "channels.discord.accounts",
            "main",
            Map.of("bot_token", DiscordDouble.TOKEN, "allow", Map.of("users", List.of("*"))));
    rig.start();
    Await.until("it is connected", LIMIT, discord::isConnected);
  }

  @AfterEach
  void close() throws Exception {
    rig.close();
    discord.close();
  }

  private void awaitTexts(List<String> texts) {
    Await.until(
        "the answers stand there once each: " + texts, LIMIT, () -> discord.texts().equals(texts));
  }

  @Test
  void whatTheServerDidNotTakeComesAgainAndIsAnsweredOnce() {
    List<String> answers = new ArrayList<>();
    discord.say("hello");
    answers.add("echo: hello");
    awaitTexts(answers);
    rig.server().suspend(); // it is delivered, and not even read
    kill("message 0", Duration.ZERO, answers);
    assertThat(discord.resumes()).as("it came again").isPositive();
    for (int i = 1; i <= KILLS; i++) {
      // Somewhere between delivery and commit.
      kill("message " + i, Duration.ofMillis(4L * (i - 1)), answers);
    }
    assertThat(discord.texts()).containsExactlyInAnyOrderElementsOf(answers);
    Await.until("its commands are known", LIMIT, () -> discord.commands().size() == 5);
  }

  private void kill(String text, Duration after, List<String> answers) {
    discord.say(text);
    Await.pause(after);
    rig.restart();
    answers.add("echo: " + text);
    Await.until(
        "it is answered",
        LOOK_UP, // if the kill cut off a post
        () -> discord.texts().containsAll(answers));
  }

  @Test
  void aReplyWhoseAnswerWasLostIsFoundInTheHistory() {
    discord.keepsOwnToItself();
    discord.loseNextAnswer();
    discord.say("hello");
    Await.until("it was looked for", LOOK_UP, () -> discord.lookUps() > 0);
    discord.say("and now");
    awaitTexts(List.of("echo: hello", "echo: and now"));
  }

  @Test
  void aConnectionThatFallsSilentIsReplaced() {
    discord.say("hello");
    awaitTexts(List.of("echo: hello"));
    discord.fallSilent();
    discord.say("is anybody there");
    awaitTexts(List.of("echo: hello", "echo: is anybody there"));
    assertThat(discord.resumes()).isEqualTo(1);
  }

  @Test
  void whatWasMissedWithoutASessionIsReadFromTheHistory() throws Exception {
    discord.say("hello");
    awaitTexts(List.of("echo: hello"));
    discord.sayAgain("begun", "of a session");
    awaitTexts(List.of("echo: hello", "echo: begun", "echo: of a session"));
    discord.forgetSession();
    discord.sayAgain("missed");
    awaitTexts(List.of("echo: hello", "echo: begun", "echo: of a session", "echo: missed"));
  }

  @Test
  void aRevokedTokenIsNamedWithoutItAndAskedForSeldom() throws Exception {
    discord.revoke();
    Await.until(
        "the condition names it",
        LIMIT,
        () ->
            rig.api().get("/api/v1/conditions").body().contains("(AUTH)")
                && rig.server().output().contains("Reset Token"));
    int calls = discord.calls();
    int connections = discord.connections();
    Await.pause(Duration.ofSeconds(5));
    assertThat(discord.connections()).isLessThanOrEqualTo(connections + 2);
    assertThat(discord.calls()).isLessThan(calls + 10);
    assertThat(rig.server().output()).doesNotContain(DiscordDouble.TOKEN);
  }
}
