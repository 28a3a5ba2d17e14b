package dev.holdfast.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Access;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelCheck;
import dev.holdfast.api.ListenSpec;
import dev.holdfast.kit.testing.FakeConfig;
import dev.holdfast.kit.testing.FakeContext;
import dev.holdfast.kit.testing.HttpDouble.Said;
import dev.holdfast.kit.testing.PlainHttp;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GithubPluginTest {
  private static final Map<String, Object> MAIN = Map.of("repositories", List.of("octocat/hello"));

  private static FakeContext started(FakeConfig config, Map<String, String> secrets) {
    FakeContext context = new FakeContext(new PlainHttp()).channelConfig(config);
    secrets.forEach(context::secret);
    GithubRig.start(context);
    return context;
  }

  private static List<String> problems(Map<String, ?> keys) {
    try (GithubRig rig = GithubRig.with(keys)) {
      return rig.config().problems();
    }
  }

  @Test
  void oneAccountNeedsVariablesAndRepositoriesOnly() {
    FakeConfig config = new FakeConfig(Map.of("accounts", Map.of("main", MAIN)));
    FakeContext context =
        started(config, Map.of("GITHUB_TOKEN", " ghp_1 ", "GITHUB_WEBHOOK_SECRET", "s"));
    assertThat(config.problems()).isEmpty();
    assertThat(config.unread()).isEmpty();
    assertThat(context.channels())
        .singleElement()
        .satisfies(
            channel -> {
              assertThat(channel.channel()).isEqualTo("github");
              assertThat(channel.listens())
                  .containsOnly(Map.entry("main", new ListenSpec("ghp_1", Duration.ofMinutes(3))));
            });
  }

  @Test
  void withoutATokenNothingIsOfferedAndTheStepIsNamed() {
    FakeConfig config = new FakeConfig(Map.of("accounts", Map.of("main", MAIN)));
    assertThat(started(config, Map.of()).channels()).isEmpty();
    assertThat(config.problems()).singleElement().asString().contains("GITHUB_TOKEN=...");
  }

  @Test
  void severalAccountsHaveTheirOwn() {
    FakeConfig config =
        new FakeConfig(
            Map.of(
                "accounts",
                Map.of(
                    "one",
                    Map.of("token", "ghp_1", "repositories", List.of("a/b")),
                    "two",
                    Map.of(
                        "token",
                        "ghp_2",
                        "repositories",
                        List.of("a/b"),
                        "mode",
                        "webhook",
                        "webhook_secret",
                        "s",
                        "groups",
                        "all"))));
    FakeContext context = started(config, Map.of());
    assertThat(config.problems()).isEmpty();
    assertThat(context.channels().getFirst().accounts()).containsExactlyInAnyOrder("one", "two");
    assertThat(context.channels().getFirst().access())
        .hasEntrySatisfying(
            "two", access -> assertThat(access.groups()).isEqualTo(Access.Groups.ALL));
    assertThat(context.channels().getFirst().listens())
        .containsEntry("two", new ListenSpec("ghp_2", Duration.ofMinutes(12)));
  }

  @Test
  void theLongestPauseIsWithinTheLimits() {
    try (GithubRig rig = GithubRig.with(Map.of("poll_secs", 600))) {
      assertThat(rig.channel().listens()).containsKey("main");
    }
  }

  @Test
  void whatCannotBeUsedIsNamed() {
    assertThat(problems(Map.of("token", "a b")))
        .singleElement()
        .asString()
        .contains("token must be");
    assertThat(problems(Map.of("token", "ghs_abc")))
        .singleElement()
        .asString()
        .contains("one of an app");
    assertThat(problems(Map.of("mode", "push")))
        .singleElement()
        .asString()
        .contains("poll or webhook");
    assertThat(problems(Map.of("mode", "webhook")))
        .singleElement()
        .asString()
        .contains("GITHUB_WEBHOOK_SECRET=...");
    assertThat(problems(Map.of("poll_secs", 4)))
        .singleElement()
        .asString()
        .contains("from 5 to 600");
    assertThat(problems(Map.of("associations", List.of("owner", "FRIEND"))))
        .singleElement()
        .asString()
        .contains("got FRIEND");
    assertThat(problems(Map.of("mention", "a b")))
        .singleElement()
        .asString()
        .contains("mention must be");
    assertThat(problems(Map.of("repositories", List.of())))
        .singleElement()
        .asString()
        .contains("from 1 to 20");
    List<String> many = IntStream.range(0, 21).mapToObj(i -> "a/b" + i).toList();
    assertThat(problems(Map.of("repositories", many)))
        .singleElement()
        .asString()
        .contains("from 1 to 20");
  }

  @ParameterizedTest
  @ValueSource(strings = {"hello", "a/b/c", "../user", "a/..", "a/b?x=1", "a/b#1", "a /b", "*"})
  void aRepositoryThatIsNoNameIsRefused(String name) {
    assertThat(problems(Map.of("repositories", List.of(name))))
        .singleElement()
        .asString()
        .contains("octocat/hello");
  }

  @Test
  void moreThanEightAccountsAreTooMany() {
    Map<String, Object> accounts = new LinkedHashMap<>();
    for (int i = 0; i < 9; i++) {
      accounts.put("a" + i, Map.of("token", "ghp_" + i, "repositories", List.of("a/b")));
    }
    FakeConfig config = new FakeConfig(Map.of("accounts", accounts));
    FakeContext _ = started(config, Map.of());
    assertThat(config.problems()).singleElement().asString().contains("at most 8");
  }

  @Test
  void noSecretIsShown() {
    GithubAccount account =
        GithubAccount.read(
            new FakeConfig(Map.of("token", "ghp_1", "repositories", List.of("a/b"))),
            "main",
            _ -> Optional.empty());
    assertThat(account).hasToString("GithubAccount[main]");
  }

  private static List<ChannelCheck> check(GithubRig rig) throws InterruptedException {
    return rig.channel().check("main");
  }

  private static List<String> remedies(GithubRig rig) throws InterruptedException {
    return check(rig).stream().filter(each -> !each.isMet()).map(ChannelCheck::remedy).toList();
  }

  private static Said user(String scopes) {
    return new Said(
        200, Map.of("x-oauth-scopes", scopes), "{\"id\":900,\"login\":\"holdfast-bot\"}");
  }

  private static GithubRig good() {
    GithubRig rig = GithubRig.poll();
    rig.always("GET /user", user("repo, gist"));
    rig.always(
        "GET /rate_limit",
        Said.json(200, "{\"resources\":{\"core\":{\"limit\":5000,\"remaining\":4990}}}"));
    return rig;
  }

  @Test
  void whenAllIsThereNothingIsToBeDone() throws Exception {
    try (GithubRig rig = good()) {
      assertThat(check(rig)).allMatch(ChannelCheck::isMet);
      assertThat(check(rig))
          .extracting(ChannelCheck::what)
          .anyMatch(what -> what.contains("@holdfast-bot (id 900)"))
          .anyMatch(what -> what.contains("octocat/hello") && what.contains("id 500"))
          .anyMatch(what -> what.contains("4990 of 5000"));
    }
  }

  @Test
  void eachThatIsMissingHasItsRemedy() throws Exception {
    try (GithubRig rig = good()) {
      rig.always("GET /user", user("gist"));
      assertThat(remedies(rig)).singleElement().asString().contains("scope repo");
      rig.always("GET /user", user("repo"));
      rig.always("GET /repos/octocat/hello", GithubRig.refused(404, "Not Found"));
      assertThat(remedies(rig)).singleElement().asString().contains("Repository access");
      rig.always(
          "GET /repos/octocat/hello",
          Said.json(
              200, GithubRig.REPOSITORY.replace("{\"id\":500", "{\"archived\":true,\"id\":500")));
      assertThat(remedies(rig)).singleElement().asString().contains("archived");
      rig.always(
          "GET /repos/octocat/hello",
          Said.json(200, GithubRig.REPOSITORY.replace("\"pull\":true", "\"pull\":false")));
      assertThat(remedies(rig)).singleElement().asString().contains("Let the bot's user into");
      rig.always("GET /repos/octocat/hello", Said.json(200, GithubRig.REPOSITORY));
      rig.always("GET /rate_limit", Said.json(200, "{\"resources\":{\"core\":{\"remaining\":0}}}"));
      assertThat(remedies(rig)).singleElement().asString().contains("longer poll_secs");
    }
  }

  @Test
  void aListThatThePollIsRefusedIsNamedUntilItIsShown() throws Exception {
    try (GithubRig rig = good()) {
      Said refused = GithubRig.refused(403, "Resource not accessible by personal access token");
      rig.next(GithubRig.REVIEWS, refused, refused);
      rig.next(GithubRig.COMMENTS, GithubRig.list(), Said.nothing());
      CallFailedException _ = rig.listen();
      assertThat(remedies(rig))
          .singleElement()
          .asString()
          .contains("Issues and Pull requests, read and write");
      rig.next(GithubRig.COMMENTS, GithubRig.list(), Said.nothing());
      CallFailedException _ = rig.listen();
      assertThat(remedies(rig)).isEmpty();
    }
  }

  @Test
  void aTokenWithoutAnyScopeIsToldAndAFineGrainedOneIsNot() throws Exception {
    try (GithubRig rig = good()) {
      rig.always("GET /user", user(""));
      assertThat(remedies(rig)).singleElement().asString().contains("scope repo");
      rig.always("GET /user", Said.json(200, "{\"id\":900,\"login\":\"holdfast-bot\"}"));
      assertThat(remedies(rig)).isEmpty();
    }
  }

  @Test
  void aCheckThatLastsTooLongNamesWhatItLeaves() throws Exception {
    List<String> names = List.of("octocat/hello", "octocat/two", "octocat/three");
    try (GithubRig rig = GithubRig.with(Map.of("repositories", names))) {
      rig.onAnswer(() -> rig.context().advance(Duration.ofSeconds(8)));
      assertThat(remedies(rig))
          .singleElement()
          .asString()
          .contains("octocat/two, the repository octocat/three, the calls that are left");
    }
  }

  @Test
  void aRefusedTokenIsTheFirstThingToMend() throws Exception {
    try (GithubRig rig = good()) {
      rig.always("GET /user", GithubRig.refused(401, "Bad credentials"));
      assertThat(remedies(rig))
          .singleElement()
          .asString()
          .contains("make a new one")
          .doesNotContain(GithubRig.TOKEN);
      assertThat(rig.asked("GET /repos/octocat/hello")).isEmpty();
    }
  }

  @Test
  void aServerThatCannotBeReachedIsNamed() throws Exception {
    try (GithubRig rig = good()) {
      rig.always("GET /user", Said.nothing());
      assertThat(remedies(rig)).singleElement().asString().contains("channels.github.base_url");
    }
  }

  @Test
  void nobodyWhoIsAnsweredIsAMistake() throws Exception {
    try (GithubRig rig = GithubRig.with(Map.of("allow", Map.of("chats", List.of())))) {
      rig.always("GET /rate_limit", GithubRig.refused(404, "Rate limiting is not enabled."));
      assertThat(remedies(rig)).singleElement().asString().contains("allow.chats");
    }
  }
}
