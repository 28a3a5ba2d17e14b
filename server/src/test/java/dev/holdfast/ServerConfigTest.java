package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.config.ConfigException;
import dev.holdfast.config.ConfigFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerConfigTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "http: {port: 7000}\nmetrics: {port: 7000}\n",
        "http: {port: 9090}\n",
        "metrics: {port: 8080}\n",
        "http: {port: 7000, host: localhost}\nmetrics: {port: 7000}\n",
        "http: {port: 7000}\nmetrics: {port: 7000, host: 0.0.0.0}\n",
        "http: {port: 7000, host: 192.0.2.1}\nmetrics: {port: 7000, host: '::'}\n",
        "http: {port: 7000, host: 192.0.2.1}\nmetrics: {port: 7000, host: 192.0.2.1}\n",
      })
  void twoListenersOnOneAddressAreRefusedOnce(String text) {
    ConfigException refused = catchThrowableOfType(ConfigException.class, () -> read(text));
    assertThat(refused.problems())
        .singleElement()
        .asString()
        .contains("http.port", "metrics.port", "different");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "http: {port: 0}\nmetrics: {port: 0}\n",
        "http: {port: 7000, host: 192.0.2.1}\nmetrics: {port: 7000}\n",
      })
  void listenersOnDifferentAddressesAreFine(String text) {
    assertThatCode(() -> read(text)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource({
    "README.md, ANTHROPIC_API_KEY",
    "README.md, OPENAI_API_KEY",
    "README.md, GEMINI_API_KEY",
    "README.md, MINIMAX_API_KEY",
    "docs/guides/first-bot.md, ANTHROPIC_API_KEY",
    "docs/guides/first-bot.md, OPENAI_API_KEY",
    "docs/guides/first-bot.md, GEMINI_API_KEY",
    "docs/guides/first-bot.md, MINIMAX_API_KEY",
  })
  void theFirstConfigurationWorksWithAnyOneKey(String page, String key) throws IOException {
    Matcher shown =
        Pattern.compile("```yaml\n(models:\n.+?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("..", page)));
    assertThat(shown.find()).isTrue();
    do {
      String text = shown.group(1);
      assertThatCode(() -> read(text, Map.of(key, "a-key"))).as(text).doesNotThrowAnyException();
    } while (shown.find());
  }

  /** The table of docs/configuration.md, row by row. */
  static Stream<Arguments> documentedRanges() throws IOException {
    return Pattern.compile("^\\| `([a-z_.]+)` \\| ([0-9,]+) \\| ([0-9,]+) \\|$", Pattern.MULTILINE)
        .matcher(Files.readString(Path.of("../docs/configuration.md")))
        .results()
        .map(row -> Arguments.of(row.group(1), number(row.group(2)), number(row.group(3))));
  }

  private static long number(String digits) {
    return Long.parseLong(digits.replace(",", ""));
  }

  @ParameterizedTest
  @MethodSource("documentedRanges")
  void aDocumentedRangeIsWhatIsAccepted(String key, long from, long to) {
    assertThat(complaints(key, from)).isEmpty();
    assertThat(complaints(key, to)).isEmpty();
    assertThat(complaints(key, from - 1)).isNotEmpty();
    assertThat(complaints(key, to + 1)).isNotEmpty();
  }

  /** About that key alone: its largest value may not go with the default of another one. */
  private static String complaints(String key, long value) {
    String[] path = key.split("\\.", -1);
    String text = String.join(": {", path) + ": " + value + "}".repeat(path.length - 1);
    String name = path[path.length - 1];
    try {
      ServerConfig _ = read(text);
      return "";
    } catch (ConfigException refused) {
      return refused.problems().toString().contains(name + " must be")
          ? refused.problems().toString()
          : "";
    }
  }

  @Test
  void agentsAndTasksTakeEffectWithoutARestart() throws ConfigException {
    ServerConfig before = read("{}");
    ServerConfig changed =
        read("agents: {writer: {extension: files}}\ntasks: {max_running: 2}\nhttp: {port: 7000}\n");
    assertThat(before.differences(changed)).containsExactly("http", "agents", "tasks");
    ServerConfig live = before.withLive(changed);
    assertThat(live.agents()).isEqualTo(changed.agents());
    assertThat(live.tasks()).isEqualTo(changed.tasks());
    assertThat(live.differences(changed)).containsExactly("http");
  }

  @Test
  void aTokenOfTheFileIsNotTheServersOwn() {
    ConfigException refused =
        catchThrowableOfType(
            ConfigException.class,
            () -> read("api: {tokens: [{name: reader, token: token-0123456789abc}]}"));
    assertThat(refused)
        .hasMessageContaining("that of reader is the server's own (HOLDFAST_TOKEN)")
        .hasMessageNotContaining("token-0123456789abc");
  }

  private static ServerConfig read(String text) throws ConfigException {
    return read(text, Map.of("HOLDFAST_TOKEN", "token-0123456789abc"));
  }

  private static ServerConfig read(String text, Map<String, String> environment)
      throws ConfigException {
    return ConfigFile.text("holdfast.yaml", text, environment)
        .make(root -> ServerConfig.from(root, environment));
  }
}
