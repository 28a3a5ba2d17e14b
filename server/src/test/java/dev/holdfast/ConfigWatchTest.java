package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.config.ConfigFile;
import dev.holdfast.config.LastGood;
import dev.holdfast.config.Loaded;
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
    Loaded loaded = ConfigFile.read(file, Map.of());
    ServerConfig config = loaded.make(root -> ServerConfig.from(root, Map.of()));
    settings =
        new Settings(
            new LastGood.Chosen<>(config, loaded, List.of()),
            file,
            folder,
            new Secret("x".repeat(20)),
            Map.of());
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
    assertThat(watch.warning()).isEmpty();
  }

  @Test
  void whatNeedsARestartIsNamed() throws Exception {
    Files.writeString(file, "turn: {max_rounds: 12}\nhttp: {port: 9999}\n");
    watch.look();
    watch.look(); // a change is believed when it stands still
    assertThat(watch.warning()).contains("restart").contains("http").doesNotContain("turn");
  }

  @Test
  void aBadChangeLeavesTheOldInForceAndSaysWhy() throws Exception {
    Files.writeString(file, "turn: {max_ronds: 12}\n");
    watch.look();
    watch.look(); // a change is believed when it stands still
    assertThat(applied).isEmpty();
    assertThat(watch.warning()).contains("max_ronds");
    Files.writeString(file, "turn: {max_rounds: 13, timeout_secs: 60}\n");
    watch.look();
    watch.look(); // a change is believed when it stands still
    assertThat(watch.warning()).isEmpty();
    assertThat(applied).hasSize(1);
  }

  /** The accounts themselves wait for a restart; what the log shows of the file does not. */
  @Test
  void everySecretOfTheChangedFileIsHiddenAtOnce() throws Exception {
    List<String> fresh =
        List.of("canary-new-secret-012345", "canary-old-secret-012345", "canary-token-0123456789");
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
    assertThat(watch.warning()).contains("webhook");
    assertThat(settings.secrets().redact(String.join(" ", fresh))).isEqualTo("*** *** ***");
  }

  @Test
  void aChangeOfWhichNoCopyCanBeKeptTakesEffectAllTheSame() throws Exception {
    Files.createDirectories(folder.resolve("config.last-good.yaml.tmp/in-the-way"));
    Files.writeString(file, "turn: {max_rounds: 12}\n");
    watch.look();
    watch.look(); // a change is believed when it stands still
    assertThat(applied.getLast().turn().roundsMax()).isEqualTo(12);
    assertThat(watch.warning()).isEmpty();
  }
}
