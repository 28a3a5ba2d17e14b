package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kit.testing.MattermostDouble;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.KeptDrafts;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Setup;
import dev.holdfast.tests.harness.ShellRig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The bundled plugin in the real server, against a double of Mattermost. */
@Timeout(240)
@Outside(
    covers = {
      "plugins/mattermost/src/main",
      "plugins/kit/src/main",
      "server/src/main/java/dev/holdfast/channels",
      "server/src/main/java/dev/holdfast/replies"
    })
class MattermostTest {
  /** The server looks for a lost reply after a minute of its own. */
  private static final Duration LOOK_UP = Duration.ofSeconds(100);

  private static final int KILLS = 3;

  private static final MattermostDouble MATTERMOST = new MattermostDouble();

  @RegisterExtension
  static final Served SERVED =
      Served.alone(
          rig -> {
            Map<String, Object> allow = new HashMap<>(MattermostSetup.ANN);
            allow.put("chats", List.of(MattermostDouble.CHANNEL));
            Setup setup = rig.setup().timeScale(5).set("tools.shell.enabled", true);
            Setup _ = MattermostSetup.configure(setup, MATTERMOST, allow, Map.of());
          });

  private ServerRig rig;

  @BeforeEach
  void open() {
    rig = SERVED.rig();
    MATTERMOST.reset();
    MattermostSetup.awaitSocket(MATTERMOST);
  }

  @AfterAll
  static void close() {
    MATTERMOST.close();
  }

  private void awaitTexts(List<String> texts) {
    Await.until(
        "the answers stand there once each: " + texts,
        LOOK_UP, // if a kill cut off a post
        () -> MATTERMOST.texts().containsAll(texts));
    assertThat(MATTERMOST.texts()).containsExactlyInAnyOrderElementsOf(texts);
  }

  @Test
  void aMentionIsAnsweredInItsThreadAndTheThreadGoesOnWithoutOne() throws Exception {
    String first = MATTERMOST.sayInChannel("@holdfast hello", "");
    awaitTexts(List.of("echo: hello"));
    assertThat(MATTERMOST.rootOf("echo: hello")).isEqualTo(first);
    MATTERMOST.sayInChannel("and on", first);
    awaitTexts(List.of("echo: hello", "echo: and on"));
    MATTERMOST.sayInChannel("not for the bot", "");
    MATTERMOST.sayInChannel("@all lunch", "");
    MATTERMOST.say("directly");
    awaitTexts(List.of("echo: hello", "echo: and on", "echo: directly"));
    assertThat(rig.server().output()).doesNotContain(MattermostDouble.BOT_TOKEN);
  }

  @Test
  void aDraftIsEditedAndBecomesTheReplyAlsoWhenTheServerIsKilledBetween() throws Exception {
    MATTERMOST.sayInChannel("@holdfast " + ShellRig.command("sleep 6; echo done"), "");
    Await.until(
        "a draft is kept",
        MattermostSetup.LIMIT,
        () -> MATTERMOST.texts().size() == 1 && KeptDrafts.of(rig).contains("post"));
    rig.restart();
    Await.until(
        "the draft is the reply",
        LOOK_UP,
        () ->
            MATTERMOST.asked("PUT /posts/*/patch").stream()
                .anyMatch(asked -> asked.body().contains("holdfast_reply")));
    rig.api().awaitQuiet(MattermostSetup.LIMIT);
    assertThat(MATTERMOST.texts()).hasSize(1);
    assertThat(MATTERMOST.asked("POST /posts")).hasSize(1);
  }

  @Test
  void whatWasDeliveredAndNotTakenComesAgainAndIsAnsweredOnce() {
    List<String> answers = new ArrayList<>();
    MATTERMOST.say("hello");
    answers.add("echo: hello");
    awaitTexts(answers);
    rig.api().awaitQuiet(MattermostSetup.LIMIT); // otherwise its answer may be posted again
    rig.server().suspend(); // it is delivered, and not even read
    kill("message 0", Duration.ZERO, answers);
    for (int i = 1; i <= KILLS; i++) {
      // Somewhere between delivery, commit and the position.
      kill("message " + i, Duration.ofMillis(4L * (i - 1)), answers);
    }
  }

  private void kill(String text, Duration after, List<String> answers) {
    MATTERMOST.say(text);
    Await.pause(after);
    rig.restart();
    answers.add("echo: " + text);
    awaitTexts(answers);
    rig.api().awaitQuiet(MattermostSetup.LIMIT);
  }

  @Test
  void whatWasWrittenWhileNobodyListenedIsAnswered() {
    MATTERMOST.say("hello");
    awaitTexts(List.of("echo: hello"));
    rig.server().stop();
    MATTERMOST.forgetConnections(); // nothing can be resumed: it is the history that tells
    MATTERMOST.say("anybody there?");
    MATTERMOST.sayInChannel("@holdfast and here?", "");
    MATTERMOST.sayInChannel("not for the bot", "");
    rig.start();
    awaitTexts(List.of("echo: hello", "echo: anybody there?", "echo: and here?"));
    assertThat(MATTERMOST.asked("GET /channels/*/posts")).isNotEmpty();
  }
}
