package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.testing.MattermostDouble;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Setup;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What Mattermost sends to the bundled plugin by HTTP: slash commands, webhooks and clicks. */
@Timeout(120)
@Outside(
    covers = {
      "plugins/mattermost/src/main",
      "plugins/kit/src/main",
      "server/src/main/java/dev/holdfast/channels",
      "server/src/main/java/dev/holdfast/replies"
    })
class MattermostWebhookTest {
  private static final Duration LIMIT = MattermostSetup.LIMIT;
  private static final String SLASH = "canary-of-slash-command";
  private static final String HOOK = "canary-of-outgoing-webhook";
  private static final String FORM = "application/x-www-form-urlencoded";
  private static final int MIB = 1024 * 1024;

  private static final MattermostDouble MATTERMOST = new MattermostDouble();

  @RegisterExtension
  static final Served SERVED =
      Served.alone(
          rig ->
              allow(rig, MattermostSetup.ANN)
                  .set("channels.mattermost.public_url", rig.setup().url(""))
                  .set("tools.shell.enabled", true)
                  .set("tools.autonomy", "supervised"));

  private final Http http = new Http();
  private ServerRig rig;

  private static Setup allow(ServerRig rig, Map<String, ?> people) {
    return MattermostSetup.configure(
        rig.setup(), MATTERMOST, people, Map.of("slash_token", SLASH, "hook_token", HOOK));
  }

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

  private Answer send(String type, String token, String body) throws IOException {
    return http.post(
        rig.setup().url("/webhooks/mattermost/main"),
        Map.of("content-type", type, "authorization", "Token " + token),
        body);
  }

  private static String command(String token, String text) {
    return "token=%s&channel_id=%s&channel_name=town-square&user_id=%s&user_name=ann&trigger_id=%s"
            .formatted(token, MattermostDouble.CHANNEL, MattermostDouble.ANN, "t1")
        + "&command=%2Fholdfast&text="
        + text;
  }

  private void awaitTexts(String... texts) {
    Await.until(
        "the bot says " + List.of(texts), LIMIT, () -> MATTERMOST.texts().equals(List.of(texts)));
  }

  @Test
  void aCommandIsAnsweredOnceAndWhatIsNoneIsRefusedWithoutAReason() throws Exception {
    for (int i = 0; i < 2; i++) { // the second one is a replay
      Answer answer = send(FORM, SLASH, command(SLASH, "hello"));
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.json().path("response_type").asText()).isEqualTo("ephemeral");
    }
    awaitTexts("echo: hello");
    assertThat(MATTERMOST.rootOf("echo: hello")).isEmpty();
    List<Answer> refused =
        List.of(
            send(FORM, "forged", command("forged", "let me in")),
            send(FORM, SLASH, command("forged", "let me in")),
            send(FORM, "", command("", "let me in")),
            send("text/plain", SLASH, command(SLASH, "let me in")),
            send("application/json", SLASH, "{}"));
    assertThat(refused).extracting(Answer::status).containsOnly(401);
    assertThat(refused).extracting(Answer::body).noneMatch(body -> body.contains("token"));
    assertThat(send(FORM, SLASH, command(SLASH, "x".repeat(MIB + 1))).status()).isEqualTo(413);
    MATTERMOST.say("and now");
    awaitTexts("echo: hello", "echo: and now");
    assertThat(rig.server().output()).doesNotContain(SLASH).doesNotContain(HOOK);
  }

  @Test
  void aPostThatComesByAWebhookAndOverTheSocketIsAnsweredOnce() throws Exception {
    String post = MATTERMOST.sayInChannel("@holdfast hello", "");
    Map<String, String> hook =
        Map.of(
            "token",
            HOOK,
            "channel_id",
            MattermostDouble.CHANNEL,
            "user_id",
            MattermostDouble.ANN,
            "post_id",
            post,
            "text",
            "@holdfast hello");
    assertThat(send("application/json", "", JsonText.write(hook)).status()).isEqualTo(200);
    awaitTexts("echo: hello");
    MATTERMOST.say("and now");
    awaitTexts("echo: hello", "echo: and now");
  }

  private Answer click(Map<String, Object> button, String user, Map<String, Object> context)
      throws IOException {
    return http.post(
        JsonText.text(button, "url"),
        Map.of("content-type", "application/json"),
        JsonText.write(
            Map.of("user_id", user, "channel_id", MattermostDouble.CHANNEL, "context", context)));
  }

  private static Map<String, Object> awaitButton() {
    return Await.value("there is a button", LIMIT, () -> MATTERMOST.button("Approve"));
  }

  @Test
  void whoeverWasRemovedFromThePeopleDecidesNothingThatWasAskedBefore() throws Exception {
    MATTERMOST.sayInChannel("@holdfast " + ShellRig.command("echo done"), "");
    Map<String, Object> button = awaitButton();
    allowNow(Map.of("users", List.of("somebodyelse00000000000000")));
    Map<String, Object> context = JsonText.map(button, "context");
    Answer answer = click(button, MattermostDouble.ANN, context);
    assertThat(answer.status()).isEqualTo(200);
    Await.until(
        "the person is told directly",
        LIMIT,
        () -> MATTERMOST.texts().contains("You may not decide this any more."));
    assertThat(MATTERMOST.button("Approve")).as("nothing was decided").isPresent();
    allowNow(MattermostSetup.ANN);
    Answer _ = click(button, MattermostDouble.ANN, context);
    Await.until("it is decided", LIMIT, () -> MATTERMOST.button("Approve").isEmpty());
  }

  private void allowNow(Map<String, ?> people) throws IOException {
    long starts = starts();
    Setup _ = allow(rig, people).write();
    Await.until("the plugin has read it", LIMIT, () -> starts() > starts);
  }

  private long starts() {
    return Pattern.compile("plugins: mattermost [^ ]+ is ready")
        .matcher(rig.server().output())
        .results()
        .count();
  }

  @Test
  void aButtonDecidesForWhoeverWasAskedAndNobodyCanForgeIt() throws Exception {
    MATTERMOST.sayInChannel("@holdfast " + ShellRig.command("echo done"), "");
    Map<String, Object> button = awaitButton();
    Map<String, Object> context = JsonText.map(button, "context");
    Map<String, Object> forged = new LinkedHashMap<>(context);
    forged.put("thread", MattermostDouble.CHANNEL);
    assertThat(click(button, MattermostDouble.ANN, forged).status()).isEqualTo(401);
    assertThat(click(button, "stranger", context).status()).isEqualTo(200);
    Await.until(
        "the stranger is told directly",
        LIMIT,
        () -> MATTERMOST.texts().contains("Only the person who was asked may decide this."));
    Answer answer = click(button, MattermostDouble.ANN, context);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("{}");
    Await.until(
        "the question says how it ended",
        LIMIT,
        () ->
            MATTERMOST.texts().stream().anyMatch(text -> text.contains("\nApproved by ann"))
                && MATTERMOST.button("Approve").isEmpty());
  }
}
