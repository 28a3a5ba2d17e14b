package dev.holdfast.matrix;

import static dev.holdfast.matrix.MatrixRig.ANN;
import static dev.holdfast.matrix.MatrixRig.ME;
import static dev.holdfast.matrix.MatrixRig.ROOM;
import static dev.holdfast.matrix.MatrixRig.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.ChannelCheck;
import dev.holdfast.kit.testing.FakeConfig;
import dev.holdfast.kit.testing.FakeContext;
import dev.holdfast.kit.testing.PlainHttp;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MatrixPluginTest {
  private static final String URL = "https://hs.example";
  @TempDir private Path folder;

  private FakeContext context(Map<String, ?> section) {
    return new FakeContext(new PlainHttp())
        .channelConfig(new FakeConfig(section))
        .stateFolder(folder);
  }

  @Test
  void anAddressAndAVariableMakeTheAccountMain() throws Exception {
    FakeContext context = context(Map.of("base_url", URL)).secret("MATRIX_ACCESS_TOKEN", "syt_1");
    new MatrixPlugin().start(context);
    assertThat(context.channels().getFirst().accounts()).containsExactly("main");
    assertThat(context.channels().getFirst().listens()).containsOnlyKeys("main");
  }

  private List<String> problems(Map<String, ?> account) throws Exception {
    Map<String, Object> all = new HashMap<>(Map.of("base_url", URL));
    all.putAll(account);
    FakeConfig config = new FakeConfig(Map.of("accounts", Map.of("main", all)));
    FakeContext context = context(Map.of()).channelConfig(config);
    new MatrixPlugin().start(context);
    assertThat(config.problems()).isNotEmpty();
    return config.problems();
  }

  @Test
  void whatIsMissingOrWrongIsToldWithTheNextStep() throws Exception {
    assertThat(problems(Map.of()).toString()).contains("MATRIX_ACCESS_TOKEN=");
    assertThat(problems(Map.of("access_token", "t", "base_url", "")).toString())
        .contains("base_url is missing", "https://matrix.example.org");
    assertThat(problems(Map.of("access_token", "t", "base_url", "hs.example")).toString())
        .contains("http or https");
    assertThat(problems(Map.of("access_token", "t", "user_id", "bot")).toString())
        .contains("@bot:example.org");
    assertThat(problems(Map.of("access_token", "t", "mode", "push")).toString())
        .contains("mode must be sync or appservice, got push");
    assertThat(problems(Map.of("access_token", "t", "mode", "appservice")).toString())
        .contains("MATRIX_HS_TOKEN=");
    assertThat(
            problems(Map.of("access_token", "t", "mode", "appservice", "hs_token", "short"))
                .toString())
        .contains("at least 16")
        .doesNotContain("short");
  }

  @Test
  void numbersHaveBounds() throws Exception {
    FakeConfig config = new FakeConfig(Map.of("base_url", URL, "sync_secs", 0, "draft_secs", 1));
    new MatrixPlugin().start(context(Map.of()).channelConfig(config));
    assertThat(config.problems().toString())
        .contains("sync_secs must be from 1 to 60", "draft_secs must be from 2 to 60");
  }

  @Test
  void anAccountSaysNothingOfItsSecrets() {
    FakeConfig section = new FakeConfig(Map.of("access_token", "syt_canary", "base_url", URL));
    MatrixAccount account = MatrixAccount.read(section, "main", "", _ -> Optional.empty());
    assertThat(account.toString()).isEqualTo("MatrixAccount[main]");
    assertThat(section.problems()).isEmpty();
  }

  private static Set<String> missing(MatrixRig rig) throws Exception {
    Set<String> missing = new TreeSet<>();
    for (ChannelCheck check : rig.channel().check("main")) {
      if (!check.isMet()) {
        missing.add(check.what() + ": " + check.remedy());
      }
    }
    return missing;
  }

  private MatrixRig whole() {
    MatrixRig rig = MatrixRig.syncing(folder);
    rig.always(MatrixRig.SYNC, "{\"next_batch\":\"s1\"}");
    return rig;
  }

  @Test
  void anAccountThatHasEverythingSaysSo() throws Exception {
    try (MatrixRig rig = whole()) {
      assertThat(rig.channel().check("main"))
          .allMatch(ChannelCheck::isMet)
          .extracting(ChannelCheck::what)
          .containsExactly(
              "the homeserver speaks the client-server API v1.1 or later (it names v1.11)",
              "the access token is valid, for " + ME + " (device D1)",
              "/sync answers",
              "the account is in a room (1)",
              ROOM + " lets the account write");
    }
  }

  @Test
  void eachThingThatIsMissingIsNamedWithTheStepThatMendsIt() throws Exception {
    try (MatrixRig rig = whole()) {
      rig.always("whoami", refused(401, "M_UNKNOWN_TOKEN"));
      assertThat(missing(rig).toString()).contains("the access token is valid", "log in again");
    }
    try (MatrixRig rig = whole()) {
      rig.always("/client/versions", refused(404, ""));
      assertThat(missing(rig).toString()).contains("can be reached", "base_url");
    }
    try (MatrixRig rig = whole()) {
      rig.always("/joined_rooms", "{\"joined_rooms\":[]}");
      assertThat(missing(rig).toString()).contains("Invite " + ME);
    }
    try (MatrixRig rig = whole()) {
      rig.always("/state/m.room.encryption", "{\"algorithm\":\"m.megolm.v1.aes-sha2\"}");
      assertThat(missing(rig).toString()).contains("It is encrypted");
    }
    try (MatrixRig rig = whole()) {
      rig.always("/state/m.room.power_levels", "{\"events_default\":50,\"users_default\":0}");
      assertThat(missing(rig).toString()).contains("is 0 and must be at least 50");
    }
  }

  @Test
  void manyRoomsAreNotAllLookedAt() throws Exception {
    try (MatrixRig rig = whole()) {
      for (int i = 1; i < 50; i++) {
        String _ = rig.room("room" + i, ANN);
      }
      assertThat(rig.channel().check("main").getLast().what())
          .isEqualTo("30 more rooms were not looked at");
    }
  }
}
