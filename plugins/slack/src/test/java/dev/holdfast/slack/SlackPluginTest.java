package dev.holdfast.slack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelCheck;
import dev.holdfast.api.FailureCode;
import dev.holdfast.kit.testing.FakeConfig;
import dev.holdfast.kit.testing.FakeContext;
import dev.holdfast.kit.testing.HttpDouble.Said;
import dev.holdfast.kit.testing.PlainHttp;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SlackPluginTest {
  @TempDir private Path folder;

  private FakeContext context(Map<String, ?> section) {
    return new FakeContext(new PlainHttp())
        .channelConfig(new FakeConfig(section))
        .stateFolder(folder);
  }

  @Test
  void twoVariablesMakeTheAccountMain() throws Exception {
    FakeContext context =
        context(Map.of()).secret("SLACK_BOT_TOKEN", "xoxb-1").secret("SLACK_APP_TOKEN", "xapp-1");
    new SlackPlugin().start(context);
    assertThat(context.channels().getFirst().accounts()).containsExactly("main");
    assertThat(context.channels().getFirst().listens()).containsOnlyKeys("main");
  }

  @Test
  void withASigningSecretAloneSlackSendsRequests() throws Exception {
    FakeContext context =
        context(Map.of()).secret("SLACK_BOT_TOKEN", "xoxb-1").secret("SLACK_SIGNING_SECRET", "abc");
    new SlackPlugin().start(context);
    assertThat(context.channels().getFirst().listens()).isEmpty();
  }

  private List<String> problems(Map<String, ?> account) throws Exception {
    FakeConfig config = new FakeConfig(Map.of("accounts", Map.of("main", account)));
    new SlackPlugin().start(context(Map.of()).channelConfig(config));
    return config.problems();
  }

  @Test
  void whatIsMissingOrWrongIsToldWithTheNextStep() throws Exception {
    assertThat(problems(Map.of()).toString()).contains("SLACK_BOT_TOKEN=", "SLACK_APP_TOKEN=");
    assertThat(problems(Map.of("bot_token", "xapp-1", "app_token", "xoxb-1")).toString())
        .contains("bot_token must begin with xoxb-", "app_token must begin with xapp-");
    assertThat(problems(Map.of("bot_token", "xoxb-1", "mode", "events")).toString())
        .contains("SLACK_SIGNING_SECRET=");
    assertThat(
            problems(
                    Map.of(
                        "bot_token", "xoxb-1", "app_token", "xapp-1", "mode", "rtm", "sockets", 9))
                .toString())
        .contains("mode must be socket or events", "sockets must be from 1 to 3");
  }

  @Test
  void noSecretIsShown() {
    FakeConfig section =
        new FakeConfig(
            Map.of("bot_token", "xoxb-canary", "app_token", "xapp-canary", "signing_secret", "c"));
    assertThat(SlackAccount.read(section, "ops", _ -> Optional.empty()).toString())
        .isEqualTo("SlackAccount[ops]");
  }

  private static List<String> missing(List<ChannelCheck> checks) {
    return checks.stream().filter(check -> !check.isMet()).map(ChannelCheck::what).toList();
  }

  @Test
  void checkNamesEachScopeThatIsMissing() throws Exception {
    try (SlackRig rig = SlackRig.socket(folder)) {
      List<ChannelCheck> checks = rig.channel().check("main");
      assertThat(checks.getFirst().what()).contains("UBOT", "Acme", "T1");
      assertThat(missing(checks))
          .hasSize(8)
          .anyMatch(what -> what.contains("channels:history"))
          .noneMatch(what -> what.contains("chat:write"));
      assertThat(checks.getLast().what()).isEqualTo("the app token opens sockets");
      rig.always("auth.test", SlackRig.error("account_inactive"));
      rig.always("apps.connections.open", SlackRig.error("invalid_auth"));
      assertThat(missing(rig.channel().check("main")))
          .containsExactly("the bot token is valid", "the app token opens sockets");
      assertThat(rig.channel().check("main").toString()).doesNotContain("canary");
    }
  }

  @Test
  void checkTellsThatSlackCannotBeReached() throws Exception {
    SlackRig rig = SlackRig.events(folder);
    rig.close();
    assertThat(missing(rig.channel().check("main"))).containsExactly("Slack is reachable");
  }

  private static Attachment attachment(String url) {
    return new Attachment("a.png", "image/png", url, 3);
  }

  @Test
  void aFileIsFetchedWithTheToken() throws Exception {
    try (SlackRig rig = SlackRig.events(folder)) {
      rig.always("/files/a.png", new Said(200, Map.of("content-type", "image/png"), "abc"));
      byte[] content = rig.channel().fetch("main", attachment(rig.url() + "/files/a.png"), 1000);
      assertThat(new String(content, StandardCharsets.UTF_8)).isEqualTo("abc");
      assertThat(rig.calls("/files/a.png").getFirst().token())
          .isEqualTo("Bearer " + SlackRig.BOT_TOKEN);
      rig.always(
          "files.info",
          SlackRig.ok("\"file\":{\"url_private\":\"" + rig.url() + "/files/a.png\"}"));
      assertThat(rig.channel().fetch("main", attachment("slack-file:F2"), 1000)).hasSize(3);
    }
  }

  @Test
  void aFileThatWasCutIsNotTakenForWhole() throws Exception {
    try (SlackRig rig = SlackRig.events(folder)) {
      rig.always("/f", new Said(200, Map.of("content-type", "image/png"), "ab"));
      assertThatThrownBy(() -> rig.channel().fetch("main", attachment(rig.url() + "/f"), 1000))
          .hasMessageContaining("only 2 of its 3 bytes");
      String info = "\"file\":{\"url_private\":\"%s/f\",\"size\":4%s}";
      Attachment byId = new Attachment("a.png", "image/png", "slack-file:F2", -1);
      rig.always("files.info", SlackRig.ok(info.formatted(rig.url(), ",\"mode\":\"hosted\"")));
      assertThatThrownBy(() -> rig.channel().fetch("main", byId, 1000))
          .hasMessageContaining("only 2 of its 4 bytes");
      // What is written in Slack itself may have changed since.
      rig.always("files.info", SlackRig.ok(info.formatted(rig.url(), ",\"mode\":\"snippet\"")));
      assertThat(rig.channel().fetch("main", byId, 1000)).hasSize(2);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://files.slack.com.evil.example/a",
        "http://files.slack.com/a",
        "https://files.slack.com:8443/a",
        "https://evilslack.com/a",
        "https://files.slack.com@evil.example/a",
        "http://127.0.0.1:1/a",
        "file:///etc/passwd",
        "",
        "%%"
      })
  void theTokenGoesNowhereElse(String url) throws Exception {
    try (SlackRig rig = SlackRig.events(folder)) {
      assertThatThrownBy(() -> rig.channel().fetch("main", attachment(url), 1000))
          .hasMessageContaining("outside of Slack");
    }
  }

  @Test
  void aLoginPageInPlaceOfAFileNamesTheScope() throws Exception {
    try (SlackRig rig = SlackRig.events(folder)) {
      Attachment file = attachment(rig.url() + "/f");
      for (Said said :
          List.of(
              new Said(200, Map.of("content-type", "text/html; charset=utf-8"), "<html>"),
              new Said(302, Map.of("location", "https://slack.com/signin"), ""))) {
        rig.always("/f", said);
        assertThatThrownBy(() -> rig.channel().fetch("main", file, 1000))
            .isInstanceOfSatisfying(
                CallFailedException.class,
                e -> assertThat(e.failure().code()).isEqualTo(FailureCode.AUTH))
            .hasMessageContaining("files:read");
      }
    }
  }

  @Test
  void aFileThatIsTooLargeIsNotFetched() throws Exception {
    try (SlackRig rig = SlackRig.events(folder)) {
      assertThatThrownBy(() -> rig.channel().fetch("main", attachment(rig.url() + "/f"), 2))
          .hasMessageContaining("more than 2 bytes");
      assertThat(rig.methods()).isEmpty();
    }
  }
}
