package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.config.ConfigFile;
import dev.holdfast.config.EnvFile;
import dev.holdfast.config.LastGoodConfig;
import dev.holdfast.config.LoadedConfig;
import dev.holdfast.config.Secret;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigWatchTest {
  @TempDir Path folder;
  private final List<ServerConfig> applied = new ArrayList<>();
  private Path file = Path.of("unset");

  @SuppressWarnings("NullAway.Init") // made before each test
  private ConfigWatch watch;

  @SuppressWarnings("NullAway.Init") // made before each test
  private Settings settings;

  @BeforeEach
  void start() throws Exception {
    file = folder.resolve("holdfast.yaml");
    Files.writeString(file, "turn: {max_rounds: 7}\n");
    LoadedConfig loaded = ConfigFile.read(file, Map.of());
    ServerConfig config = loaded.make(root -> ServerConfig.from(root, Map.of()));
    settings =
        new Settings(
            new LastGoodConfig.Chosen<>(config, loaded, List.of()),
            file,
            folder,
            new Secret("x".repeat(20)),
            new EnvFile(folder.resolve("holdfast.env"), Map.of()));
    watch = new ConfigWatch(file, settings, (changed, _) -> applied.add(changed));
  }

  @Test
  void aFileThatStaysIsNotReadAgain() {
    watch.look();
    watch.look(); // a change is believed when it stands still
    assertThat(applied).isEmpty();
  }

  @Test
  void aGoodChangeTakesEffectAtOnceWhereItCan() throws Exception {
    Files.writeString(file, "turn: {max_rounds: 12}\n");
    watch.look();
    watch.look(); // a change is believed when it stands still
    assertThat(applied.getLast().turn().roundsMax()).isEqualTo(12);
    assertThat(said(watch)).isEmpty();
  }

  @Test
  void whatNeedsARestartIsNamed() throws Exception {
    Files.writeString(file, "turn: {max_rounds: 12}\nhttp: {port: 9999}\n");
    watch.look();
    watch.look(); // a change is believed when it stands still
    assertThat(said(watch)).contains("restart").contains("http").doesNotContain("turn");
  }

  @Test
  void aBadChangeLeavesTheOldInForceAndSaysWhy() throws Exception {
    Files.writeString(file, "turn: {max_ronds: 12}\n");
    watch.look();
    watch.look(); // a change is believed when it stands still
    assertThat(applied).isEmpty();
    assertThat(said(watch)).contains("max_ronds");
    Files.writeString(file, "turn: {max_rounds: 13, timeout_secs: 60}\n");
    watch.look();
    watch.look(); // a change is believed when it stands still
    assertThat(said(watch)).isEmpty();
    assertThat(applied).hasSize(1);
  }

  /** The accounts themselves wait for a restart; what the log shows of the file does not. */
  @Test
  void everySecretOfTheChangedFileIsHiddenAtOnce() throws Exception {
    List<String> fresh =
        List.of(
            "canary/new/secret/of/the/account",
            "canary/old/secret/of/the/account",
            "canary-token-0123456789");
    Files.writeString(
        file,
        """
        api: {tokens: [{name: ci, token: %3$s}]}
        channels:
          webhook:
            accounts:
              ci: {secret: %1$s, previous_secret: %2$s}
        """
            .formatted(fresh.toArray()));
    watch.look();
    watch.look(); // a change is believed when it stands still
    assertThat(said(watch)).contains("webhook");
    assertThat(settings.secrets().redact(String.join(" ", fresh))).isEqualTo("*** *** ***");
  }

  /** The one in force goes on being read until the restart; a refused change names one too. */
  @Test
  void theFileOfVariablesIsOutOfReachTheOldOneToo() throws Exception {
    Path old = folder.resolve("old.env");
    settings =
        new Settings(
            settings.chosen(),
            file,
            folder,
            settings.token(),
            EnvFile.beside(Files.writeString(file, "env_file: old.env\n"), Map.of()));
    settings.hideOwnFiles();
    watch = new ConfigWatch(file, settings, (changed, _) -> applied.add(changed));
    assertThat(settings.secrets().files()).contains(file, old, folder.resolve("holdfast.env"));
    change("env_file: sub/new.env\n");
    assertThat(settings.secrets().files()).contains(old, folder.resolve("sub/new.env"));
    Files.writeString(file, "env_file: /srv/other.env\nturn: {max_ronds: 1}\n");
    watch.look();
    watch.look();
    assertThat(said(watch)).contains("max_ronds");
    assertThat(settings.secrets().files()).contains(old, Path.of("/srv/other.env"));
  }

  @Test
  void aChangeOfWhichNoCopyCanBeKeptTakesEffectAllTheSame() throws Exception {
    Files.createDirectories(folder.resolve("config.last-good.yaml.tmp/in-the-way"));
    Files.writeString(file, "turn: {max_rounds: 12}\n");
    watch.look();
    watch.look(); // a change is believed when it stands still
    assertThat(applied.getLast().turn().roundsMax()).isEqualTo(12);
    assertThat(said(watch)).isEmpty();
  }

  private ServerConfig change(String text) throws Exception {
    Files.writeString(file, text);
    watch.look();
    watch.look(); // a change is believed when it stands still
    return applied.getLast();
  }

  /** Whoever reads what was applied cannot be ahead of what the log and /ready say. */
  @Test
  void whatIsSaidToWaitForARestartIsNotHandedOut() throws Exception {
    ServerConfig before = settings.config();
    ServerConfig now =
        change(
            """
            turn: {max_rounds: 12, park_ttl_secs: 7, same_call_max: 9}
            context: {keep_recent_tokens: 300}
            threads: {mailbox: 7, max_concurrent_turns: 3, idle_secs: 5}
            inbox: {max_attempts: 9}
            models: {park_after_secs: 3, budget: {daily_usd: 5}}
            tools: {output: {max_lines: 5}, shell: {timeout_secs: 5}, autonomy: supervised}
            server: {shutdown_secs: 9, time_zone: Asia/Tokyo}
            api: {wait_secs: 3, tokens: [{name: ci, token: canary-token-0123456789}]}
            """);
    assertThat(before.differences(now))
        .containsExactlyInAnyOrder(
            "turn",
            "context",
            "threads.idle_secs",
            "tools.autonomy",
            "server.shutdown_secs",
            "api.tokens");
    assertThat(said(watch))
        .contains("inbox", "threads.mailbox", "threads.max_concurrent_turns", "models")
        .contains("server.time_zone", "tools.output", "tools.shell", "api.wait_secs")
        .doesNotContain("autonomy", "turn,", "context", "idle", "tokens");
    assertThat(now.store().inbox().attemptsMax()).isEqualTo(3);
    assertThat(now.threads().mailbox()).isEqualTo(64);
  }

  /** Half of a change that makes sense only as a whole is no configuration. */
  @Test
  void aChangeThatCannotBeTakenInPartWaitsAsAWhole() throws Exception {
    String open =
        "http: {host: 0.0.0.0}\napi: {tokens: [{name: ci, token: token-0123456789abc}]}\n";
    Files.writeString(file, open);
    LoadedConfig loaded = ConfigFile.read(file, Map.of());
    ServerConfig config = loaded.make(root -> ServerConfig.from(root, Map.of()));
    settings =
        new Settings(
            new LastGoodConfig.Chosen<>(config, loaded, List.of()),
            file,
            folder,
            new Secret("x".repeat(20)),
            new EnvFile(folder.resolve("holdfast.env"), Map.of()));
    watch = new ConfigWatch(file, settings, (changed, _) -> applied.add(changed));
    ServerConfig now = change("http: {host: 127.0.0.1}\nturn: {max_rounds: 12}\n");
    assertThat(now.listeners()).isEqualTo(config.listeners());
    assertThat(now.turn().roundsMax()).isEqualTo(12);
    assertThat(said(watch)).contains("http", "api.tokens").doesNotContain("turn");
  }

  @Test
  void anotherTokenInTheFileOfVariablesWaitsForARestart() throws Exception {
    Path variables = folder.resolve("holdfast.env");
    Files.writeString(variables, "HOLDFAST_TOKEN=" + "y".repeat(20) + "\n");
    watch.look();
    watch.look();
    assertThat(said(watch)).startsWith("restart_needed: ").contains("HOLDFAST_TOKEN");
    assertThat(settings.secrets().redact("it is " + "y".repeat(20))).doesNotContain("yyy");
  }

  @Test
  void aFileThatIsMovedAwayIsSaidToBeMissingUntilItIsBack() throws Exception {
    change("http: {port: 9999}\n");
    Path away = Files.move(file, folder.resolve("away.yaml"));
    watch.look();
    assertThat(said(watch)).as("it may be in the middle of being replaced").contains("restart");
    watch.look();
    assertThat(said(watch)).startsWith("file_missing: ");
    Files.move(away, file);
    watch.look();
    watch.look();
    assertThat(said(watch)).startsWith("restart_needed: ");
    assertThat(applied).hasSize(1);
  }

  @Test
  void aServerWithoutAFileMissesNone() throws Exception {
    Files.delete(file);
    watch = new ConfigWatch(file, settings, (changed, _) -> applied.add(changed));
    watch.look();
    watch.look();
    assertThat(said(watch)).isEmpty();
  }

  /** The reason and the message; empty when the file is in force. */
  private static String said(ConfigWatch watch) {
    return watch.condition().map(said -> said.reason() + ": " + said.message()).orElse("");
  }
}
