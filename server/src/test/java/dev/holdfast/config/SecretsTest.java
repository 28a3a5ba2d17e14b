package dev.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class SecretsTest {
  private static final String KEY = "sk-ant/+ 12345\"67890 abc";

  private final Secrets secrets = new Secrets();

  @Test
  void hidesASecretInEachWayItMayBeWritten() {
    secrets.add(new Secret(KEY));
    assertThat(secrets.redact("key " + KEY + "!")).isEqualTo("key ***!");
    assertThat(secrets.redact("{\"k\":\"sk-ant/+ 12345\\\"67890 abc\"}"))
        .isEqualTo("{\"k\":\"***\"}");
    assertThat(secrets.redact("?k=sk-ant%2F%2B+12345%2267890+abc&x")).isEqualTo("?k=***&x");
    assertThat(secrets.redact("?k=sk-ant%2F%2B%2012345%2267890%20abc&x")).isEqualTo("?k=***&x");
  }

  @Property(tries = 200)
  void hidesASecretInsideBase64(
      @ForAll @AlphaChars @StringLength(max = 7) String before,
      @ForAll @AlphaChars @StringLength(max = 7) String after) {
    Secrets mine = new Secrets();
    mine.add(KEY);
    byte[] text = (before + KEY + after).getBytes(StandardCharsets.UTF_8);
    String encoded = Base64.getEncoder().encodeToString(text);
    String left = mine.redact(encoded);
    assertThat(left).contains("***");
    assertThat(left.length()).isLessThan(encoded.length() - KEY.length());
  }

  @Test
  void hidesTokensThatNobodyRegistered() {
    assertThat(secrets.redact("Authorization: Bearer abcdefgh12345 x"))
        .isEqualTo("Authorization: Bearer *** x");
    assertThat(secrets.redact("Basic dXNlcjpwYXNz")).isEqualTo("Basic ***");
    for (String words : List.of("the bearer of news", "Basic information", "bearer tokens/keys")) {
      assertThat(secrets.redact(words)).isEqualTo(words);
    }
  }

  @Test
  void leavesWordsAloneThatAreTooShortToBeSecret() {
    secrets.add("a");
    secrets.add("");
    assertThat(secrets.redact("a cat")).isEqualTo("a cat");
  }

  @Test
  void aLongerSecretIsHiddenBeforeAShorterOneInsideIt() {
    secrets.add("pass");
    secrets.add("password-of-all");
    assertThat(secrets.redact("password-of-all pass")).isEqualTo("*** ***");
  }

  @Test
  void hidesTheBytesOfASigningSecretWithoutItsPrefixToo() {
    secrets.add("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    assertThat(secrets.redact("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")).isEqualTo("***");
  }
}
