package dev.holdfast.extensions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.api.ReplayClass;
import dev.holdfast.config.ConfigException;
import dev.holdfast.config.Secret;
import dev.holdfast.extensions.ExtensionConfig.Protocol;
import dev.holdfast.processes.GrantedFolder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExtensionConfigTest {
  private static String problems(String... entries) {
    ConfigException refused =
        catchThrowableOfType(
            ConfigException.class,
            () -> {
              List<ExtensionConfig> _ = ExtensionRig.parsed(entries);
            });
    return String.valueOf(refused.getMessage());
  }

  @Test
  void theDefaultsAreThoseOfTheReference() throws Exception {
    ExtensionConfig config = ExtensionRig.parsed("- id: files\n  command: [server]\n").getFirst();
    assertThat(config.protocol()).isEqualTo(Protocol.MCP);
    assertThat(config.timeouts().start()).isEqualTo(Duration.ofSeconds(10));
    assertThat(config.timeouts().list()).isEqualTo(Duration.ofSeconds(10));
    assertThat(config.timeouts().call()).isEqualTo(Duration.ofSeconds(30));
    assertThat(config.timeouts().idle()).isEqualTo(Duration.ofMinutes(30));
    assertThat(config.restart().maxRestarts()).isEqualTo(5);
    assertThat(config.restart().window()).isEqualTo(Duration.ofMinutes(5));
    assertThat(config.restart().initialBackoff()).isEqualTo(Duration.ofSeconds(1));
    assertThat(config.restart().maxBackoff()).isEqualTo(Duration.ofSeconds(16));
    assertThat(config.limits().memoryMegabytes()).isEqualTo(512);
    assertThat(config.limits().outputBytes()).isEqualTo(10_485_760);
    assertThat(config.tools().allows("anything")).isTrue();
    assertThat(config.tools().replayOf("anything")).isEqualTo(ReplayClass.UNSAFE);
  }

  @Test
  void eachProblemIsNamedWithItsLine() {
    assertThat(
            problems(
                "- id: Files\n  command: [server]\n",
                "- id: two\n  command: []\n",
                "- id: three\n  command: [server]\n  timeouts: {call_secs: 0}\n",
                "- id: four\n  command: [server]\n  env: [LD_PRELOAD]\n",
                "- id: five\n  command: [server]\n  tools: {replay: {x: reed}}\n",
                "- id: six\n  comand: [server]\n",
                "- id: seven\n  command: [server]\n  restart: {max: -1}\n"))
        .contains("holdfast.yaml:2: ", "id must match")
        .contains("holdfast.yaml:5: ", "command must name a program")
        .contains("holdfast.yaml:8: ", "call_secs must be from 1 s")
        .contains("holdfast.yaml:11: ", "env names LD_PRELOAD")
        .contains("holdfast.yaml:14: ", "did you mean read?")
        .contains("holdfast.yaml:16: ", "did you mean command?")
        .contains("holdfast.yaml:19: ", "max must be from 0");
  }

  @Test
  void twoOfOneIdAreRefused() {
    assertThat(problems("- id: a\n  command: [x]\n", "- id: a\n  command: [y]\n"))
        .contains("must have each id once, got twice a");
  }

  @Test
  void actionsBelongToTheProtocolOfThatName() {
    assertThat(problems("- id: a\n  command: [x]\n  actions: [{name: run}]\n"))
        .contains("actions belongs to an extension with protocol: action");
    assertThat(problems("- id: a\n  command: [x]\n  protocol: action\n"))
        .contains("actions must name what");
  }

  @Test
  void aUrlStandsInThePlaceOfACommand() throws Exception {
    String url = "  url: https://mcp.example.org/mcp\n";
    String headers = "  headers: {Authorization: \"Bearer t0ken\"}\n";
    RemoteConfig remote =
        ExtensionRig.parsed("- id: a\n" + url + headers).getFirst().remote().orElseThrow();
    assertThat(remote.url()).isEqualTo("https://mcp.example.org/mcp");
    assertThat(remote.headers()).containsEntry("authorization", new Secret("Bearer t0ken"));
    assertThat(problems("- id: a\n  command: [x]\n" + url)).contains("cannot stand beside url");
    assertThat(problems("- id: a\n  command: [x]\n" + headers))
        .contains("headers are sent to a url");
    assertThat(problems("- id: a\n  env: [X]\n" + url)).contains("env is for a command");
    assertThat(problems("- id: a\n  protocol: action\n  actions: [{name: x}]\n" + url))
        .contains("url belongs to an extension with protocol: mcp");
    assertThat(problems("- id: a\n" + url + "  headers: {Mcp-Session-Id: x}\n"))
        .contains("headers names mcp-session-id");
  }

  @Test
  void foldersAreAbsoluteNamedOnceAndReadOnlyUnlessTheOperatorSaysMore() throws Exception {
    String command = "- id: a\n  command: [x]\n";
    assertThat(
            ExtensionRig.parsed(command + "  folders: [{path: /a}, {path: /b, write: true}]\n")
                .getFirst()
                .folders())
        .containsExactly(
            new GrantedFolder(Path.of("/a"), false), new GrantedFolder(Path.of("/b"), true));
    assertThat(problems(command + "  folders: [{path: a}]\n")).contains("must be an absolute path");
    assertThat(problems(command + "  folders: [{path: /a/../b}]\n")).contains("must have no . or");
    assertThat(problems(command + "  folders: [{path: /a}, {path: /a}]\n"))
        .contains("must name each folder once");
    assertThat(problems(command + "  folders: [{path: /a, writes: true}]\n"))
        .contains("did you mean write?");
    assertThat(problems("- id: a\n  url: https://mcp.example.org/\n  folders: [{path: /a}]\n"))
        .contains("folders are for a command");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://mcp.example.org/mcp",
        "http://10.0.0.1/mcp",
        "http://localhost.example.org/",
        "ftp://mcp.example.org/",
        "https://user:password@mcp.example.org/",
        "mcp.example.org",
        "https://"
      })
  void whatWouldBeReadableOnTheWayIsRefused(String url) {
    assertThat(problems("- id: a\n  url: \"" + url + "\"\n")).contains("url must ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://localhost:1/mcp", "http://127.0.0.1/", "http://[::1]:2/mcp"})
  void onThisMachineNothingCanBeReadOnTheWay(String url) throws Exception {
    assertThat(ExtensionRig.parsed("- id: a\n  url: \"" + url + "\"\n")).hasSize(1);
  }
}
