package dev.holdfast.extensions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.api.ReplayClass;
import dev.holdfast.config.ConfigException;
import dev.holdfast.extensions.ExtensionConfig.Protocol;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

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
}
