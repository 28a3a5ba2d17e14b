package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.KeptDrafts;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The bundled plugin in the real server, against a double of Mattermost. */
@Timeout(240)
class MattermostTest {
  private static final Duration LIMIT = MattermostSetup.LIMIT;

  /** The server looks for a lost reply after a minute. */
  private static final Duration LOOK_UP = Duration.ofSeconds(100);

  private static final int KILLS = 3;

  private MattermostDouble mattermost;
  private ServerRig rig;

  @BeforeEach
  void open() throws Exception {
    mattermost = new MattermostDouble();
    rig = MattermostSetup.with(mattermost);
  }

  @AfterEach
  void close() {
    rig.close();
    mattermost.close();
  }

  private void awaitTexts(List<String> texts) {
    Await.until(
        "the answers stand there once each: " + texts,
        LOOK_UP, // if a kill cut off a post
        () -> mattermost.texts().containsAll(texts));
    assertThat(mattermost.texts()).containsExactlyInAnyOrderElementsOf(texts);
  }

  @Test
  void aMentionIsAnsweredInItsThreadAndTheThreadGoesOnWithoutOne() throws Exception {
    String first = mattermost.sayInChannel("@holdfast hello", "");
    awaitTexts(List.of("echo: hello"));
    assertThat(mattermost.rootOf("echo: hello")).isEqualTo(first);
    mattermost.sayInChannel("and on", first);
    awaitTexts(List.of("echo: hello", "echo: and on"));
    mattermost.sayInChannel("not for the bot", "");
    mattermost.sayInChannel("@all lunch", "");
    mattermost.say("directly");
    awaitTexts(List.of("echo: hello", "echo: and on", "echo: directly"));
    assertThat(rig.server().output()).doesNotContain(MattermostDouble.BOT_TOKEN);
  }

  @Test
  void aDraftIsEditedAndBecomesTheReplyAlsoWhenTheServerIsKilledBetween() throws Exception {
    rig.setup().set("tools.shell.enabled", true);
    rig.restart();
    Await.until("a socket is open", LIMIT, mattermost::hasSocket);
    mattermost.sayInChannel("@holdfast " + ShellRig.command("sleep 6; echo done"), "");
    Await.until("a draft is kept", LIMIT, () -> KeptDrafts.of(rig).contains("post"));
    rig.restart();
    Await.until(
        "the draft is the reply",
        LOOK_UP,
        () ->
            mattermost.calls().stream()
                .anyMatch(
                    call ->
                        call.path().endsWith("/patch") && call.body().contains("holdfast_reply")));
    rig.api().awaitQuiet(LIMIT);
    assertThat(mattermost.texts()).hasSize(1);
    assertThat(mattermost.calls("POST", "/posts")).isEqualTo(1);
  }

  @Test
  void whatWasDeliveredAndNotTakenComesAgainAndIsAnsweredOnce() {
    List<String> answers = new ArrayList<>();
    mattermost.say("hello");
    answers.add("echo: hello");
    awaitTexts(answers);
    rig.server().suspend(); // it is delivered, and not even read
    kill("message 0", Duration.ZERO, answers);
    for (int i = 1; i <= KILLS; i++) {
      // Somewhere between delivery, commit and the position.
      kill("message " + i, Duration.ofMillis(4L * (i - 1)), answers);
    }
  }

  private void kill(String text, Duration after, List<String> answers) {
    mattermost.say(text);
    Await.pause(after);
    rig.restart();
    answers.add("echo: " + text);
    awaitTexts(answers);
  }

  @Test
  void whatWasWrittenWhileNobodyListenedIsAnswered() {
    mattermost.say("hello");
    awaitTexts(List.of("echo: hello"));
    rig.server().stop();
    mattermost.forgetConnections(); // nothing can be resumed: it is the history that tells
    mattermost.say("anybody there?");
    mattermost.sayInChannel("@holdfast and here?", "");
    mattermost.sayInChannel("not for the bot", "");
    rig.start();
    awaitTexts(List.of("echo: hello", "echo: anybody there?", "echo: and here?"));
    assertThat(mattermost.calls("GET", "/channels/[^/]+/posts.*")).isPositive();
  }

  @Test
  void aRenewedTokenAnswersWhatWasWrittenWhileTheOldOneWasRefused() {
    mattermost.say("hello");
    awaitTexts(List.of("echo: hello"));
    rig.server().stop();
    mattermost.revoke();
    mattermost.forgetConnections();
    mattermost.say("anybody there?");
    rig.setup().env("BOT_TOKEN", MattermostDouble.RENEWED_TOKEN);
    rig.start();
    awaitTexts(List.of("echo: hello", "echo: anybody there?"));
  }

  @Test
  void whereTheBotIsMissingIsShownUntilItIsBack() throws Exception {
    Map<String, Object> account = new LinkedHashMap<>();
    account.put("url", mattermost.url());
    account.put("token", "${BOT_TOKEN}");
    account.put(
        "allow",
        Map.of("users", List.of(MattermostDouble.ANN), "chats", List.of(MattermostDouble.CHANNEL)));
    rig.setup().setNamed("channels.mattermost.accounts", "main", account);
    rig.restart();
    mattermost.say("hello");
    awaitTexts(List.of("echo: hello"));
    assertThat(ready()).doesNotContain("not_in_places");
    mattermost.remove(true);
    Await.until("it is told", Duration.ofSeconds(60), () -> ready().contains("not_in_places"));
    assertThat(ready())
        .contains("listener/mattermost:main")
        .doesNotContain(MattermostDouble.CHANNEL);
    mattermost.remove(false);
    Await.until("it is over", Duration.ofSeconds(60), () -> !ready().contains("not_in_places"));
  }

  private String ready() throws IOException {
    return rig.api().get("/ready").body();
  }

  @Test
  void aConnectionThatBreaksGoesOnWhereItWas() {
    mattermost.say("hello");
    awaitTexts(List.of("echo: hello"));
    long connections = mattermost.connections();
    mattermost.breakSockets();
    mattermost.say("while it was broken");
    awaitTexts(List.of("echo: hello", "echo: while it was broken"));
    assertThat(mattermost.connections()).isEqualTo(connections);
  }

  @Test
  void aReplyWhoseAnswerWasLostIsFoundInTheHistory() {
    mattermost.loseNextAnswer();
    mattermost.say("hello");
    Await.until(
        "it was looked for", LOOK_UP, () -> mattermost.calls("GET", "/channels/[^/]+/posts.*") > 0);
    mattermost.say("and now");
    awaitTexts(List.of("echo: hello", "echo: and now"));
  }

  @Test
  void aConnectionThatIsSilentIsReplaced() {
    mattermost.say("hello");
    awaitTexts(List.of("echo: hello"));
    mattermost.freeze();
    mattermost.say("anybody there?");
    awaitTexts(List.of("echo: hello", "echo: anybody there?"));
  }

  @Test
  void aTokenThatIsRevokedIsNamedAndAskedForNowAndThen() throws Exception {
    mattermost.say("hello");
    awaitTexts(List.of("echo: hello"));
    mattermost.revoke();
    Await.until(
        "the token is named",
        Duration.ofSeconds(60),
        () ->
            rig.api().get("/api/v1/conditions").body().contains("(AUTH)")
                && rig.server().output().contains("create a new one for the bot"));
    assertThat(rig.api().get("/ready").body()).contains("mattermost:main");
    int before = mattermost.calls().size();
    Await.pause(Duration.ofSeconds(10));
    assertThat(mattermost.calls().size() - before).isLessThan(10);
    assertThat(rig.server().output()).doesNotContain(MattermostDouble.BOT_TOKEN);
  }
}
