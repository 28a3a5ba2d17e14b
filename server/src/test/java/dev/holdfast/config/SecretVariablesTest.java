package dev.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SecretVariablesTest {
  private static final String VALUE = "x1Y2z3-value";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GITHUB_TOKEN",
        "GITHUB_TOKEN_2",
        "PGPASSWORD",
        "PASSWD",
        "DB_PASS",
        "DB_PASSPHRASE",
        "MY_PAT",
        "PAT_OF_ANN",
        "API_AUTH",
        "AUTH_HEADER",
        "BEARER",
        "SESSION_COOKIE",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "SSH_KEY",
        "OPENAI_APIKEY",
        "X_USERPWD",
        "DB_PWD",
        "PRIVATE_PEM",
        "SIGNING_SALT",
        "SENTRY_DSN",
        "CONNECTION_STRING",
        "DB_CONNECTION_STRING",
        "SLACK_WEBHOOK_URL",
        "SLACK_WEBHOOK",
        "CLIENT_CREDENTIALS",
        "TOKEN_PROD",
        "my_token"
      })
  void aNameThatSoundsLikeASecretHidesTheWholeValue(String name) {
    assertThat(SecretVariables.in(name, VALUE)).containsExactly(VALUE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PWD",
        "OLDPWD",
        "LOG_LEVEL",
        "REGION",
        "MAX_TOKENS",
        "TOKEN_URL",
        "AUTH_MODE",
        "KEYBOARD",
        "PATH",
        "PATTERN",
        "AUTHOR",
        "SSH_AUTH_SOCK",
        "COMPASS",
        "COOKIE_DOMAIN",
        "LICENSE"
      })
  void anotherNameHidesNothing(String name) {
    assertThat(SecretVariables.in(name, VALUE)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "none", "Basic", "oauth2", "Bearer"})
  void aSettingThatOnlySoundsLikeASecretLeavesItsWordInTexts(String value) {
    assertThat(SecretVariables.in("API_AUTH", value)).isEmpty();
  }

  /** In the middle of a name a word says less, so a short value is left alone. */
  @Test
  void aWordInsideANameHidesLongValuesOnly() {
    assertThat(SecretVariables.in("TOKEN_PROD", "eu-west")).isEmpty();
    assertThat(SecretVariables.in("PROD_TOKEN", "ab12")).containsExactly("ab12");
  }

  @ParameterizedTest
  @CsvSource({
    "postgres://ann:pw%4055/5@db.example.org:5432/x, ",
    "postgres://ann:pw%4055@db.example.org:5432/x, pw%4055|pw@55",
    "postgres://ann:p@ss1@db/x, p@ss1",
    "https://0123abcd4567@o1.example.org/7, 0123abcd4567",
    "ssh://git@example.org/x, ",
    "https://example.org/x?a=b&api_key=k3y12345&page=2, k3y12345",
    "https://example.org/x?sv=1&sig=ab%2Bcd1234, ab%2Bcd1234|ab+cd1234",
    "https://example.org/x?mode=compact&author=somebody, ",
    "Server=db;User=ann;Pwd=p9x8w7, p9x8w7",
    "https://example.org/plain, "
  })
  void ofAUrlTheCredentialAloneIsHiddenWhateverItsVariableIsCalled(String value, String secrets) {
    assertThat(SecretVariables.in("SERVICE_ADDRESS", value))
        .containsExactlyInAnyOrder(secrets == null ? new String[0] : secrets.split("\\|"));
  }
}
