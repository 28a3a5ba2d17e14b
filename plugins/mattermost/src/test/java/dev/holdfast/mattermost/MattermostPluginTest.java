package dev.holdfast.mattermost;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.ChannelCheck;
import dev.holdfast.api.ListenSpec;
import dev.holdfast.kit.testing.FakeConfig;
import dev.holdfast.kit.testing.FakeContext;
import dev.holdfast.kit.testing.FakeSockets;
import dev.holdfast.kit.testing.HttpDouble.Said;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MattermostPluginTest {
  @TempDir private Path folder;

  private FakeContext started(Map<String, ?> section, Map<String, String> variables)
      throws Exception {
    FakeConfig config = new FakeConfig(section);
    FakeContext context =
        new FakeSockets(_ -> {}).context().channelConfig(config).stateFolder(folder);
    variables.forEach(context::secret);
    new MattermostPlugin().start(context);
    problems = config.problems();
    return context;
  }

  private List<String> problems = List.of();

  @Test
  void variablesAreEnoughForOneAccount() throws Exception {
    FakeContext context =
        started(
            Map.of(),
            Map.of(
                MattermostAccount.URL, "https://chat.example.org/", MattermostAccount.TOKEN, "t"));
    assertThat(problems).isEmpty();
    assertThat(context.channels()).hasSize(1);
    assertThat(context.channels().getFirst().listens()).containsOnlyKeys("main");
    assertThat(context.channels().getFirst().listens().values())
        .containsExactly(new ListenSpec("t", Duration.ofMinutes(2)));
    assertThat(context.channels().getFirst().showsChoices()).isFalse();
  }

  @Test
  void whatIsMissingIsNamedWithTheStepThatMendsIt() throws Exception {
    FakeContext context = started(Map.of(), Map.of());
    assertThat(context.channels()).isEmpty();
    assertThat(problems)
        .anyMatch(problem -> problem.contains("MATTERMOST_URL=https://"))
        .anyMatch(problem -> problem.contains("MATTERMOST_TOKEN=..."));
  }

  @Test
  void anotherAccountHasNoVariables() throws Exception {
    started(
        Map.of("accounts", Map.of("two", Map.of())),
        Map.of(MattermostAccount.URL, "https://a.b", MattermostAccount.TOKEN, "t"));
    assertThat(problems).hasSize(2).noneMatch(problem -> problem.contains("MATTERMOST_"));
  }

  @Test
  void anAddressThatIsNoneIsRefused() throws Exception {
    for (String url : List.of("chat.example.org", "ws://x.y", "https://x.y?z", "https://")) {
      started(Map.of("accounts", Map.of("two", Map.of("url", url, "token", "t"))), Map.of());
      assertThat(problems).as(url).singleElement().asString().startsWith("url: ");
    }
    started(
        Map.of(
            "public_url",
            "bot",
            "accounts",
            Map.of("two", Map.of("url", "https://x.y", "token", "t"))),
        Map.of());
    assertThat(problems).singleElement().asString().startsWith("public_url: ");
  }

  @Test
  void anAccountThatNothingComesInToIsRefused() throws Exception {
    Map<String, Object> account = new LinkedHashMap<>();
    account.put("url", "https://x.y");
    account.put("token", "t");
    account.put("websocket", false);
    started(Map.of("accounts", Map.of("two", account)), Map.of());
    assertThat(problems).singleElement().asString().startsWith("websocket: ");
    account.put("slash_token", "s");
    FakeContext context = started(Map.of("accounts", Map.of("two", account)), Map.of());
    assertThat(problems).isEmpty();
    assertThat(context.channels().getFirst().listens()).isEmpty();
  }

  @Test
  void tooManyAccountsAreRefused() throws Exception {
    Map<String, Object> accounts = new LinkedHashMap<>();
    for (int i = 0; i < 21; i++) {
      accounts.put("a" + i, Map.of("url", "https://x.y", "token", "t" + i));
    }
    started(Map.of("accounts", accounts), Map.of());
    assertThat(problems).containsExactly("accounts: accounts must be at most 20");
  }

  @Test
  void aSocketIsOpenedAsItsServerIs() throws Exception {
    started(Map.of(), Map.of());
    assertThat(account("https://chat.example.org/sub").socketUrl())
        .isEqualTo("wss://chat.example.org/sub/api/v4/websocket");
    assertThat(account("http://127.0.0.1:8065").socketUrl())
        .isEqualTo("ws://127.0.0.1:8065/api/v4/websocket");
    assertThat(account("https://x.y").toString()).isEqualTo("MattermostAccount[two]");
  }

  private static MattermostAccount account(String url) {
    FakeConfig section = new FakeConfig(Map.of("url", url, "token", "secret"));
    return MattermostAccount.read(section, "two", _ -> Optional.empty(), "");
  }

  private static List<ChannelCheck> missing(MattermostRig rig) throws InterruptedException {
    return rig.channel().check("main").stream().filter(check -> !check.isMet()).toList();
  }

  @Test
  void allThatAnAccountNeedsIsLookedAt() throws Exception {
    try (MattermostRig rig = MattermostRig.with(allowing("chan"), folder)) {
      assertThat(rig.channel().check("main")).allMatch(ChannelCheck::isMet).hasSize(8);
    }
  }

  private static Map<String, Object> allowing(String channel) {
    return Map.of("allow", Map.of("chats", List.of(channel)));
  }

  @Test
  void whatIsMissingOnTheServerIsNamed() throws Exception {
    try (MattermostRig rig = MattermostRig.with(allowing("chan"), folder)) {
      rig.always(
          "GET /users/me",
          new Said(
              200,
              Map.of("X-Version-Id", "5.39.0.5.39.0.abc.false"),
              "{\"id\":\"me\",\"username\":\"ann\",\"roles\":\"system_user system_admin\"}"));
      rig.always("GET /users/me/teams", Said.json(200, "[]"));
      rig.remove(true);
      rig.sockets().refuse(FakeSockets.network());
      assertThat(missing(rig))
          .extracting(ChannelCheck::what)
          .containsExactly(
              "Mattermost has the version 5.39.0",
              "the account is a bot",
              "the bot may do no more than it needs",
              "the bot is in a team",
              "the bot is in the channel chan",
              "the WebSocket opens and says hello");
    }
  }

  @ParameterizedTest
  @CsvSource({"5.39.0, false", "6.0.4, false", "6.1.0, true", "7.0.0, true", "11.0, true"})
  void aVersionIsSupportedOrNot(String version, boolean isSupported) throws Exception {
    try (MattermostRig rig = MattermostRig.in(folder)) {
      rig.always(
          "GET /users/me",
          new Said(
              200,
              Map.of("X-Version-Id", version),
              "{\"id\":\"me\",\"username\":\"ann\",\"is_bot\":true}"));
      assertThat(rig.channel().check("main"))
          .contains(
              isSupported
                  ? ChannelCheck.met("Mattermost has the version " + version)
                  : ChannelCheck.missing(
                      "Mattermost has the version " + version,
                      "Update it: from version 6.1 on it is supported"));
    }
  }

  @Test
  void anArchivedChannelIsNamed() throws Exception {
    try (MattermostRig rig = MattermostRig.with(allowing("chan"), folder)) {
      rig.always("GET /channels/*", MattermostRig.ok(Map.of("id", "chan", "delete_at", 5L)));
      assertThat(missing(rig))
          .singleElement()
          .satisfies(check -> assertThat(check.remedy()).contains("archived"));
    }
  }

  @Test
  void aTokenThatIsNotTakenIsAllThatIsSaid() throws Exception {
    try (MattermostRig rig = MattermostRig.in(folder)) {
      rig.always("GET /users/me", MattermostRig.error(401, "api.context.session_expired"));
      assertThat(rig.channel().check("main"))
          .singleElement()
          .satisfies(
              check -> {
                assertThat(check.what()).isEqualTo("the token is valid");
                assertThat(check.isMet()).isFalse();
                assertThat(check.remedy())
                    .contains("create a new one")
                    .doesNotContain(MattermostRig.BOT_TOKEN);
              });
    }
  }
}
