package dev.holdfast.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolContext;
import dev.holdfast.config.ConfigFile;
import dev.holdfast.extensions.ExtensionConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Jars that declare extensions, with real children. */
class JarExtensionsTest extends PluginHostCase {
  /** An action that answers with what its program says. */
  private static final String DICE =
      """
      id: dice
      protocol: action
      command: [bash, -c, "exec ${HOLDFAST_FILES}/bin/roll"]
      tools: {replay: {roll: read}}
      actions:
        - name: roll
      """;

  private PluginJars jar(String version, String yaml) {
    return PluginJars.of(folder, "games", version).file(JarExtensions.NAME, yaml);
  }

  private PluginJars dice(String version, String says) {
    return jar(version, DICE)
        .file(
            "META-INF/holdfast/files/bin/roll",
            """
            #!/bin/bash
            request=$(cat)
            id=$(printf '%%s' "$request" | sed 's/.*"request_id":"\\([^"]*\\)".*/\\1/')
            printf '{"request_id":"%%s","api_version":"v1","status":"success","code":0,' "$id"
            printf '"result":{"output_type":"text","data":"%s"}}\\n'
            """
                .formatted(says));
  }

  private String roll() throws InterruptedException {
    return rig.toolbox()
        .run(
            new ToolCall("c1", "dice_roll", "{}"),
            new ToolContext("web:main:t", "e1", "me", "c1", "k1", folder, label -> {}))
        .text()
        .lines()
        .toList()
        .getLast();
  }

  private String reason(PluginState state) throws Exception {
    rig.awaitState("games", state);
    return rig.view("games").reason();
  }

  private List<Path> unpacked() throws IOException {
    try (Stream<Path> files = Files.list(rig.extensions().filesOf("dice"))) {
      return files.filter(file -> file.getFileName().toString().startsWith("plugin-")).toList();
    }
  }

  @Test
  void anExtensionComesWithItsFilesIsReplacedAndGoesWithItsJar() throws Exception {
    Path jar = dice("1.0.0", "one").into(rig.plugins(), "games.jar");
    rig.awaitState("games", PluginState.READY);
    assertThat(rig.view("games").offers()).containsExactly("extension dice");
    assertThat(rig.extensions().views().getFirst().source()).isEqualTo("plugin:games");
    assertThat(roll()).isEqualTo("one");

    dice("2.0.0", "two").into(rig.plugins(), "games.jar");
    rig.await(() -> rig.view("games").version().equals("2.0.0"));
    assertThat(roll()).isEqualTo("two");

    Path own = Files.writeString(rig.extensions().filesOf("dice").resolve("own"), "kept");
    Files.delete(jar);
    rig.await(() -> rig.host().plugins().isEmpty());
    assertThat(rig.extensions().views()).isEmpty();
    assertThat(unpacked()).isEmpty();
    assertThat(own).hasContent("kept");
  }

  @Test
  void whatAChildMadeOfItsFilesIsReplacedWhenTheServerStarts() throws Exception {
    dice("1.0.0", "one").into(rig.plugins(), "games.jar");
    rig.awaitState("games", PluginState.READY);
    Path outside = Files.createDirectories(folder.resolve("outside/bin"));
    Files.writeString(outside.resolve("roll"), "not theirs");
    Path bin = unpacked().getFirst().resolve("bin");
    Files.delete(bin.resolve("roll"));
    Files.delete(bin);
    Files.createSymbolicLink(bin, outside);
    rig.restart();
    rig.awaitState("games", PluginState.READY);
    assertThat(roll()).isEqualTo("one");
    assertThat(outside.resolve("roll")).hasContent("not theirs");
  }

  @Test
  void aJarThatCannotBeUsedLeavesTheExtensionOfTheOlderOneAtWork() throws Exception {
    dice("1.0.0", "one").into(rig.plugins(), "games.jar");
    rig.awaitState("games", PluginState.READY);
    jar("2.0.0", "id: dice\nprotocl: action\n").into(rig.plugins(), "games.jar");
    rig.await(() -> rig.view("games").reason().contains("unknown key protocl"));
    assertThat(roll()).isEqualTo("one");
    assertThat(rig.view("games").offers()).containsExactly("extension dice");
  }

  @Test
  void theProblemsOfTheFileAreTheReasonWithItsLine() throws Exception {
    jar("1.0.0", "id: dice\nprotocol: action\ncommand: [bash]\n").into(rig.plugins(), "games.jar");
    assertThat(reason(PluginState.FAILED))
        .contains("META-INF/holdfast/extension.yaml")
        .contains("actions must name what an extension with protocol: action can do");
  }

  @Test
  void anIdThatSomebodyElseHasIsToldAndTakenWhenItIsFree() throws Exception {
    ExtensionConfig other =
        ConfigFile.text(
                "x",
                "extensions: [{id: dice, protocol: action, command: [a], actions: [{name: b}]}]",
                Map.of())
            .make(ExtensionConfig::listFrom)
            .getFirst();
    List<String> _ = rig.extensions().replaceAll("configuration", List.of(other));
    dice("1.0.0", "one").into(rig.plugins(), "games.jar");
    assertThat(reason(PluginState.FAILED)).contains("dice (configuration has it)");
    assertThat(rig.extensions().filesOf("dice")).doesNotExist();
    List<String> _ = rig.extensions().replaceAll("configuration", List.of());
    rig.awaitState("games", PluginState.READY);
    assertThat(roll()).isEqualTo("one");
  }

  @Test
  void onlyVariablesOfTheManifestReachTheFileAndItsChildren() throws Exception {
    Files.writeString(rig.envFile(), "OTHER_TOKEN=hidden-0123\n");
    jar("1.0.0", DICE + "env: [OTHER_TOKEN]\n")
        .file("META-INF/holdfast/files/bin/roll", "")
        .into(rig.plugins(), "games.jar");
    assertThat(reason(PluginState.FAILED)).contains("asks for the variable OTHER_TOKEN");
    jar("1.0.1", "id: dice\ncommand: [a, \"${OTHER_TOKEN}\"]\n").into(rig.plugins(), "games.jar");
    rig.await(() -> rig.view("games").reason().contains("OTHER_TOKEN, which is not set"));
    jar("1.0.2", "id: dice\ncommand: [a, \"${file:/etc/passwd}\"]\n")
        .into(rig.plugins(), "games.jar");
    rig.await(() -> rig.view("games").reason().contains("only the server's own configuration"));
  }

  @Test
  void onlyTheOperatorSaysWhichFoldersItReaches() throws Exception {
    jar("1.0.0", DICE + "folders: [{path: /etc, write: true}]\n")
        .file("META-INF/holdfast/files/bin/roll", "")
        .into(rig.plugins(), "games.jar");
    assertThat(reason(PluginState.FAILED)).contains("which only the configuration may give");

    Path given = Files.createDirectories(folder.toRealPath().resolve("given"));
    Path other = Files.createDirectories(folder.toRealPath().resolve("other"));
    jar("1.0.1", DICE)
        .file(
            "META-INF/holdfast/files/bin/roll",
            """
            #!/bin/bash
            id=$(sed 's/.*"request_id":"\\([^"]*\\)".*/\\1/')
            said=no
            for folder in '%s' '%s'; do (echo x > "$folder/new") 2>&1 && said="$said,${folder##*/}"; done >&2
            printf '{"request_id":"%%s","api_version":"v1","status":"success","code":0,' "$id"
            printf '"result":{"output_type":"text","data":"%%s"}}\\n' "$said"
            """
                .formatted(given, other))
        .into(rig.plugins(), "games.jar");
    rig.awaitState("games", PluginState.READY);
    assertThat(roll()).isEqualTo("no");
    rig.configure(
        "plugins:\n  games:\n    folders: [{path: \"%s\", write: true}]\n".formatted(given));
    rig.await(() -> Files.exists(given.resolve("new")) || roll().equals("no,given"));
    assertThat(roll()).isEqualTo("no,given");
    rig.configure("plugins:\n  games:\n    folders: [{path: given}]\n    other: 1\n");
    rig.await(() -> rig.view("games").reason().contains("its configuration is wrong"));
    assertThat(rig.view("games").reason()).startsWith("the change is not in force: ");
    assertThat(roll()).as("the one before is still in force").isEqualTo("no,given");
  }

  @Test
  void theRestOfTheSectionIsWhatItDeclaresAndVariablesAreGranted() throws Exception {
    Files.writeString(rig.envFile(), "GAMES_KEY=open-0123\nGAMES_WORD=hush-9876\n");
    String yaml =
        """
        id: dice
        protocol: action
        command: [bash, "${HOLDFAST_FILES}/bin/roll", "${HOLDFAST_SETTINGS}"]
        settings: |
          {"type": "object", "additionalProperties": false, "properties": {
            "sides": {"type": "integer"}, "names": {"type": "array", "items": {"type": "string"}}}}
        actions: [{name: roll}]
        """;
    jar("1.0.0", yaml)
        .file(
            "META-INF/holdfast/files/bin/roll",
            """
            id=$(sed 's/.*"request_id":"\\([^"]*\\)".*/\\1/')
            said=$(printf '%s %s %s' "$1" "$GAMES_KEY" "$GAMES_WORD" | sed 's/"/./g')
            printf '{"request_id":"%s","api_version":"v1","status":"success","code":0,' "$id"
            printf '"result":{"output_type":"text","data":"%s"}}\\n' "$said"
            """)
        .into(rig.plugins(), "games.jar");
    rig.awaitState("games", PluginState.READY);
    assertThat(roll()).isEqualTo("{}  ");
    rig.configure(
        """
        plugins:
          games:
            sides: 6
            names: [a, "1"]
            env: [GAMES_KEY]
            secret_env: [GAMES_WORD]
        """);
    rig.await(() -> roll().contains("sides"));
    assertThat(roll()).isEqualTo("{.sides.:6,.names.:[.a.,.1.]} *** ***");
    rig.configure("plugins:\n  games:\n    side: 6\n");
    rig.await(() -> rig.view("games").reason().contains("settings in plugins.games"));
    rig.configure("plugins:\n  games:\n    env: [LD_PRELOAD]\n");
    rig.await(() -> rig.view("games").reason().contains("its configuration is wrong"));
  }

  @Test
  void filesThatArePackedTooTightlyAreRefused() throws Exception {
    jar("1.0.0", DICE)
        .file("META-INF/holdfast/files/zeros", "0".repeat(8 << 20))
        .into(rig.plugins(), "games.jar");
    assertThat(reason(PluginState.FAILED)).contains("packed more than 200 times");
    PluginJars many = jar("1.0.1", DICE);
    for (int i = 0; i <= 2000; i++) {
      many.file("META-INF/holdfast/files/" + i, "");
    }
    many.into(rig.plugins(), "games.jar");
    rig.await(() -> rig.view("games").reason().contains("more than 2000 files"));
  }

  @Test
  void aCheckWithoutAServerReadsTheFileToo() throws Exception {
    Path jar =
        jar("1.0.0", "id: dice\ncommand: [a, \"${DICE_KEY}\"]\nenv: [DICE_KEY]\n")
            .with("Holdfast-Requires-Env", "DICE_KEY")
            .into(folder, "games.jar");
    assertThat(check(jar).extensions()).containsExactly("dice");
    Path wrong = jar("1.0.0", "id: Dice\n").into(folder, "wrong.jar");
    assertThatThrownBy(() -> check(wrong))
        .isInstanceOf(PluginRefusedException.class)
        .hasMessageContaining("extension.yaml:1: id must match");
  }

  private PluginCheck check(Path jar) throws Exception {
    return PluginCheck.of(
        jar, ConfigFile.text("x", "", Map.of()), Map.of(), rig.envFile(), "0.1.0");
  }
}
