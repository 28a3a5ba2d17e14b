package dev.holdfast.discord;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.ChannelCheck;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.testing.FakeConfig;
import dev.holdfast.kit.testing.FakeContext;
import dev.holdfast.kit.testing.FakeSocket;
import dev.holdfast.kit.testing.FakeSockets;
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

class DiscordPluginTest {
  private static final String COMMANDS = "/applications/901/commands";

  @TempDir private Path folder;

  private FakeContext context(Map<String, ?> section) {
    return new FakeContext(new PlainHttp())
        .channelConfig(new FakeConfig(section))
        .stateFolder(folder);
  }

  @Test
  void aTokenAloneMakesTheAccountMainWhichListens() throws Exception {
    FakeContext context = context(Map.of()).secret("DISCORD_BOT_TOKEN", "a.b.c");
    new DiscordPlugin().start(context);
    assertThat(context.channels().getFirst().accounts()).containsExactly("main");
    assertThat(context.channels().getFirst().listens()).containsOnlyKeys("main");
    assertThat(context.channels().getFirst().listens().toString()).doesNotContain("a.b.c");
  }

  @Test
  void withInteractionsAloneItDoesNotListen() {
    try (DiscordRig rig = DiscordRig.interactions(folder)) {
      assertThat(rig.channel().listens()).isEmpty();
    }
  }

  private List<String> problems(Map<String, ?> account) throws Exception {
    FakeConfig config = new FakeConfig(Map.of("accounts", Map.of("main", account)));
    FakeContext context = context(Map.of()).channelConfig(config);
    new DiscordPlugin().start(context);
    assertThat(context.channels().isEmpty() || !config.problems().isEmpty()).isTrue();
    return config.problems();
  }

  @Test
  void whatIsMissingOrWrongIsToldWithTheNextStep() throws Exception {
    assertThat(problems(Map.of()).toString()).contains("DISCORD_BOT_TOKEN=");
    assertThat(problems(Map.of("bot_token", "Bot a.b.c")).toString())
        .contains("without Bot before it");
    assertThat(problems(Map.of("bot_token", "a", "public_key", "abc")).toString())
        .contains("64 hexadecimal digits");
    assertThat(problems(Map.of("bot_token", "a", "mode", "interactions")).toString())
        .contains("public_key is missing");
    assertThat(problems(Map.of("bot_token", "a", "mode", "webhook")).toString())
        .contains("mode must be gateway or interactions");
  }

  @Test
  void noSecretIsShown() {
    FakeConfig section = new FakeConfig(Map.of("bot_token", "canary"));
    assertThat(DiscordAccount.read(section, "ops", _ -> Optional.empty()).toString())
        .isEqualTo("DiscordAccount[ops]");
    assertThat(new Deferred("1", "2", "canary", "3", false).toString()).doesNotContain("canary");
  }

  @Test
  void commandsThatDiscordDoesNotKnowAreRegistered() throws Exception {
    try (DiscordRig rig = DiscordRig.gateway(folder)) {
      rig.says(
          "GET " + COMMANDS,
          "[{\"name\":\"help\",\"description\":\"List the commands\"},{\"name\":\"ban\"},"
              + "{\"name\":\"ask\",\"description\":\"old\"}]");
      rig.context().job("discord-commands-main").run();
      assertThat(DiscordRig.ids(rig.bodies("POST " + COMMANDS), "name"))
          .containsExactly("ask", "stop", "new", "status");
    }
  }

  @Test
  void registeringIsTriedAgainWhenDiscordIsUnavailableAndNotWhenItRefuses() throws Exception {
    try (DiscordRig rig = DiscordRig.gateway(folder)) {
      rig.next("GET " + COMMANDS, DiscordRig.error(503, 0));
      rig.context().job("discord-commands-main").run();
      assertThat(rig.bodies("POST " + COMMANDS)).hasSize(5);
      rig.always("GET " + COMMANDS, DiscordRig.error(403, 50001));
      int before = rig.calls().size();
      rig.context().job("discord-commands-main").run();
      assertThat(rig.calls()).hasSize(before + 1);
    }
  }

  private static List<String> missing(List<ChannelCheck> checks) {
    return checks.stream().filter(check -> !check.isMet()).map(ChannelCheck::what).toList();
  }

  @Test
  void checkTellsWhatIsMissingWithTheStep() throws Exception {
    try (DiscordRig rig =
        DiscordRig.with(Map.of("allow", Map.of("chats", List.of("50", "51"))), folder)) {
      rig.application(0, "https://old.example/interactions");
      rig.says(
          "GET /channels/50",
          JsonText.write(
              Map.of(
                  "id",
                  "50",
                  "guild_id",
                  "70",
                  "permission_overwrites",
                  List.of(
                      Map.of("id", "70", "type", 0, "allow", "0", "deny", "2048"),
                      Map.of("id", "71", "type", 0, "allow", "2048", "deny", "0"),
                      Map.of("id", "900", "type", 1, "allow", "0", "deny", "32768")))));
      rig.says("GET /guilds/70/members/900", "{\"roles\":[\"71\"]}");
      rig.says(
          "GET /guilds/70/roles",
          "[{\"id\":\"70\",\"permissions\":\"274877958144\"},{\"id\":\"71\",\"permissions\":"
              + "\"65536\"},{\"id\":\"72\",\"permissions\":\"8\"}]");
      rig.always("GET /channels/51", DiscordRig.error(404, 10003));
      List<ChannelCheck> checks = rig.channel().check("main");
      assertThat(checks.getFirst().what()).contains("helper", "900", "901");
      assertThat(missing(checks))
          .containsExactly(
              "the application may read messages that do not mention the bot",
              "slash commands and buttons reach this server",
              "Discord knows the slash commands",
              "the bot may read and write in the channel 50",
              "the bot may read and write in the channel 51");
      assertThat(checks.toString())
          .contains("Message Content Intent", "Attach Files", "invite it again")
          .doesNotContain("Send Messages,", DiscordRig.TOKEN);
    }
  }

  @Test
  void checkTellsARevokedTokenAndAnUnreachableDiscord() throws Exception {
    DiscordRig rig = DiscordRig.gateway(folder);
    rig.always("GET /users/@me", DiscordRig.error(401, 0));
    assertThat(missing(rig.channel().check("main"))).containsExactly("the bot token is valid");
    rig.always("GET /users/@me", DiscordRig.error(500, 0));
    assertThat(missing(rig.channel().check("main"))).containsExactly("Discord is reachable");
    rig.close();
    assertThat(missing(rig.channel().check("main"))).containsExactly("Discord is reachable");
  }

  @Test
  void checkOpensAConnectionToTheGatewayAndBeginsNoSession() throws Exception {
    String what = "the Gateway can be connected to";
    try (DiscordRig rig = DiscordRig.gateway(folder)) {
      assertThat(missing(rig.channel().check("main"))).doesNotContain(what);
      FakeSocket opened = rig.sockets().take();
      assertThat(opened.request().url()).isEqualTo(rig.gatewayUrl() + "/?v=10&encoding=json");
      assertThat(opened.closedWith()).isEqualTo(1000);
      assertThat(opened.sent()).isEmpty();
      for (String first : List.of("{\"op\":11}", "no JSON")) {
        rig.sockets().onOpen(socket -> socket.say(first));
        List<ChannelCheck> checks = rig.channel().check("main");
        assertThat(missing(checks)).contains(what);
        assertThat(checks.toString()).contains("does not say hello");
      }
      rig.sockets().refuse(FakeSockets.network());
      assertThat(missing(rig.channel().check("main"))).contains(what);
      rig.sockets().refuse(null);
      rig.says("GET /gateway/bot", "{\"session_start_limit\":{\"total\":9,\"remaining\":9}}");
      assertThat(rig.channel().check("main").toString()).contains("names no address");
    }
  }

  @Test
  void checkComparesTheAddressOfInteractions() throws Exception {
    String what = "slash commands and buttons reach this server";
    try (DiscordRig rig = DiscordRig.interactions(folder)) {
      for (String other :
          List.of("https://a.example/webhooks/discord/other", "https://a.example/main")) {
        rig.application(1L << 19, other);
        List<ChannelCheck> checks = rig.channel().check("main");
        assertThat(missing(checks)).contains(what);
        assertThat(checks.toString()).contains(other, "/webhooks/discord/main into");
      }
      rig.application(1L << 19, "https://a.example/webhooks/discord/main");
      assertThat(missing(rig.channel().check("main"))).doesNotContain(what);
    }
  }

  @Test
  void checkTellsAThreadInPlaceOfAChannel() throws Exception {
    try (DiscordRig rig =
        DiscordRig.with(Map.of("allow", Map.of("chats", List.of("52"))), folder)) {
      rig.says(
          "GET /channels/52",
          "{\"id\":\"52\",\"type\":11,\"parent_id\":\"50\",\"guild_id\":\"70\"}");
      List<ChannelCheck> checks = rig.channel().check("main");
      assertThat(missing(checks)).contains("allow.chats has channels alone: 52 is a thread");
      assertThat(checks.toString()).contains("in place of it: 50");
    }
  }

  @Test
  void checkComparesThePublicKey() throws Exception {
    try (DiscordRig rig = DiscordRig.interactions(folder)) {
      assertThat(missing(rig.channel().check("main")))
          .containsExactly(
              "slash commands and buttons reach this server", "Discord knows the slash commands");
      rig.says("GET /applications/@me", "{\"id\":\"901\",\"verify_key\":\"00\"}");
      assertThat(missing(rig.channel().check("main")))
          .contains("public_key is the one of the application");
    }
  }

  private static Attachment attachment(String url) {
    return new Attachment("a.png", "image/png", url, 3);
  }

  @Test
  void aFileIsFetchedWithoutTheToken() throws Exception {
    try (DiscordRig rig = DiscordRig.gateway(folder)) {
      rig.always("GET /files/a.png", new Said(200, Map.of("content-type", "image/png"), "abc"));
      byte[] content = rig.channel().fetch("main", attachment(rig.url() + "/files/a.png"), 1000);
      assertThat(new String(content, StandardCharsets.UTF_8)).isEqualTo("abc");
      assertThat(rig.asked("GET /files/a.png").getFirst().headers())
          .doesNotContainKey("authorization");
      assertThatThrownBy(
              () -> rig.channel().fetch("main", attachment(rig.url() + "/files/b.png"), 1000))
          .hasMessageContaining("expired");
      assertThatThrownBy(() -> rig.channel().fetch("main", attachment(rig.url() + "/f"), 2))
          .hasMessageContaining("more than 2 bytes");
      rig.always("GET /files/a.png", new Said(200, Map.of("content-type", "image/png"), "ab"));
      assertThatThrownBy(
              () -> rig.channel().fetch("main", attachment(rig.url() + "/files/a.png"), 1000))
          .as("it was cut")
          .hasMessageContaining("only 2 of its 3 bytes");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://cdn.discordapp.com.evil.example/a",
        "http://cdn.discordapp.com/a",
        "https://cdn.discordapp.com:8443/a",
        "https://discordapp.com/a",
        "https://cdn.discordapp.com@evil.example/a",
        "http://127.0.0.1:1/a",
        "file:///etc/passwd",
        "",
        "%%"
      })
  void nothingElseIsFetched(String url) throws Exception {
    try (DiscordRig rig = DiscordRig.gateway(folder)) {
      assertThatThrownBy(() -> rig.channel().fetch("main", attachment(url), 1000))
          .hasMessageContaining("outside of Discord");
    }
  }
}
