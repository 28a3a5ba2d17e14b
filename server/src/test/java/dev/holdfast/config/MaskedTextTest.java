package dev.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MaskedTextTest {
  @TempDir Path folder;

  @Test
  void anAddressIsShownWithoutItsSecrets() {
    assertThat(MaskedText.of("https://ada:s3cr@et@example.com/mcp"))
        .isEqualTo("https://***@example.com/mcp");
    assertThat(
            MaskedText.of("https://example.com/mcp?a=1&token=s3cret&b=2&api_key=s3cret#key=s3cret"))
        .isEqualTo("https://example.com/mcp?a=1&token=***&b=2&api_key=***#key=***");
    assertThat(MaskedText.of("https://example.com/a@b?monkey=banana"))
        .isEqualTo("https://example.com/a@b?monkey=banana");
  }

  @Test
  void theArgumentsOfACommandAreShownWithoutTheirSecrets() {
    assertThat(
            MaskedText.of(
                List.of(
                    "serve",
                    "--token",
                    "s3cret",
                    "--api-key=s3cret",
                    "API_KEY=s3cret",
                    "--port",
                    "1")))
        .containsExactly("serve", "--token", "***", "--api-key=***", "API_KEY=***", "--port", "1");
  }

  @Test
  void aConfigurationIsShownSo() throws Exception {
    Path file = folder.resolve("holdfast.yaml");
    Files.writeString(
        file, "a: {url: 'https://x:s3cret@host/?key=s3cret', command: [run, --token, s3cret]}\n");
    LoadedConfig loaded = ConfigFile.read(file, Map.of());
    Section part = loaded.root().section("a");
    part.text("url", "");
    part.texts("command", List.of());
    assertThat(loaded.effectiveYaml() + loaded.effective())
        .contains("host", "--token")
        .doesNotContain("s3cret");
  }
}
