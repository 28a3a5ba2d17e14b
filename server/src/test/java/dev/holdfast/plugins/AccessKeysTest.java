package dev.holdfast.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.Access;
import dev.holdfast.api.Access.Groups;
import dev.holdfast.api.Access.Strangers;
import dev.holdfast.config.ConfigException;
import dev.holdfast.config.ConfigFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The keys by which all channels say who is answered. */
class AccessKeysTest {
  private static Access read(String text) throws ConfigException {
    return ConfigFile.text("holdfast.yaml", text, Map.of())
        .make(section -> Access.of(new HostedConfig(section)));
  }

  @Test
  void withoutAnyKeyNobodyIsAnswered() throws Exception {
    assertThat(read(""))
        .isEqualTo(
            new Access(Set.of(), Set.of(), Set.of(), Strangers.DENY, Groups.MENTIONED, 30, 10));
  }

  @Test
  void theExampleOfThePageIsRead() throws Exception {
    assertThat(read(example()))
        .isEqualTo(
            new Access(
                Set.of("4711"),
                Set.of("-100200300"),
                Set.of(),
                Strangers.PAIR,
                Groups.MENTIONED,
                30,
                10));
  }

  /** What stands below the account in the page's first block of YAML. */
  private static String example() throws IOException {
    String page = Files.readString(Path.of("../docs/channels.md"));
    int begin = page.indexOf("      main:\n") + "      main:\n".length();
    return page.substring(begin, page.indexOf("```", begin)).replaceAll("(?m)^ {8}", "");
  }

  @ParameterizedTest
  @CsvSource({
    "strangers: maybe, strangers must be one of",
    "groups: some, groups must be one of",
    "person_per_minute: 0, person_per_minute must be from 1 to 10000",
    "person_per_minute: 10001, person_per_minute must be from 1 to 10000",
    "bots_per_minute: -1, bots_per_minute must be from 0 to 10000",
    "allow: {user: [x]}, users",
    "alow: {users: [x]}, allow"
  })
  void whatCannotBeUsedIsNamed(String text, String words) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(words);
  }
}
