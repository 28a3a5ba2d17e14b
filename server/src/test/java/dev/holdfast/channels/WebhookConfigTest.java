package dev.holdfast.channels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.config.ConfigException;
import dev.holdfast.config.ConfigFile;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WebhookConfigTest {
  @Test
  void readsAccountsWithTheirDefaults() throws Exception {
    WebhookConfig config =
        read(
            """
            accounts:
              ci: {secret: "${CI}", reply_url: "https://ci.example.org/in", allow: [ann, bob]}
              ops: {secret: "${OPS}", previous_secret: "${CI}"}
            """);
    assertThat(config.accounts().keySet()).containsExactly("ci", "ops");
    assertThat(config.accounts().get("ci"))
        .isEqualTo(
            new WebhookConfig.Account(
                List.of(new dev.holdfast.config.Secret(Requests.SECRET)),
                "https://ci.example.org/in",
                List.of("ann", "bob")));
    assertThat(config.accounts().get("ops"))
        .isNotNull()
        .satisfies(ops -> assertThat(ops.secrets()).hasSize(2))
        .satisfies(ops -> assertThat(ops.allow()).containsExactly("*"))
        .satisfies(ops -> assertThat(ops.replyUrl()).isEmpty());
    assertThat(config.toString()).doesNotContain(Requests.OTHER_SECRET, Requests.SECRET);
  }

  @Test
  void noAccountsAreFine() throws Exception {
    assertThat(read("").accounts()).isEmpty();
  }

  @Test
  void saysWhichAccountIsWrongWithoutTheSecret() {
    assertThatThrownBy(() -> read("accounts:\n  ci: {reply_url: 'https://x'}\n"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("accounts.ci")
        .hasMessageContaining("secret must be set");
    assertThatThrownBy(() -> read("accounts:\n  ci: {secret: 'whsec_c2hvcnQ='}\n"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("24 to 64 bytes")
        .satisfies(e -> assertThat(e.toString()).doesNotContain("c2hvcnQ"));
    assertThatThrownBy(() -> read("accounts:\n  ci: {secret: correct horse}\n"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("openssl rand -base64 32")
        .satisfies(e -> assertThat(e.toString()).doesNotContain("correct horse"));
    assertThatThrownBy(() -> read("accounts:\n  ci: {secret: '${CI}', reply_url: 'ftp://x'}\n"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("reply_url must begin with");
    assertThatThrownBy(() -> read("accounts:\n  'a:b': {secret: '${CI}'}\n"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("a name must have");
    assertThatThrownBy(() -> read("accounts:\n  ci: {secret: '${CI}', replyurl: 'https://x'}\n"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("reply_url");
  }

  private static WebhookConfig read(String text) throws ConfigException {
    Map<String, String> environment = Map.of("CI", Requests.SECRET, "OPS", Requests.OTHER_SECRET);
    return ConfigFile.text("holdfast.yaml", text, environment).make(WebhookConfig::from);
  }
}
