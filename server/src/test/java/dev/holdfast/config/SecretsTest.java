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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

  @Test
  void hidesASecretThatIsNotAsciiHoweverItIsWritten() {
    secrets.add("gehe\u00fcm-Qx\"7<&'");
    for (String written :
        List.of(
            "gehe\u00fcm-Qx\"7<&'",
            "gehe\\u00fcm-Qx\\\"7<&'",
            "gehe\\u00FCm-Qx\\\"7\\u003C\\u0026'",
            "gehe\\u00fcm-Qx\\\"7\\u003c\\u0026\\u0027",
            "geheu\u0308m-Qx\"7<&'",
            "gehe\\u00fcm-Qx\\\"7<&'",
            "geheu\\u0308m-Qx\\\"7<&'",
            "gehe\u00fcm-Qx&quot;7&lt;&amp;'",
            "gehe\u00fcm-Qx&#34;7&lt;&amp;&#39;",
            "gehe\u00fcm-Qx&quot;7&lt;&amp;&#x27;",
            "gehe%C3%BCm-Qx%227%3C%26%27")) {
      assertThat(secrets.redact("<" + written + ">")).as(written).isEqualTo("<***>");
    }
  }

  @Test
  void hidesALongEnoughSecretInHexadecimal() {
    secrets.add("ghp_tokAAAA1111");
    assertThat(secrets.redact("6768705f746f6b4141414131313131")).isEqualTo("***");
    assertThat(secrets.redact("6768705F746F6B4141414131313131")).isEqualTo("***");
    assertThat(secrets.redact("676870\n5f746f6b4141414131313131")).isEqualTo("***");
    secrets.add("abcd");
    assertThat(secrets.redact("61626364")).isEqualTo("61626364");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\u200b", "\u00ad", "\0", "\udb40\udc41", "\u2060", "\ufe0f", "\u2028"})
  void hidesASecretWithUnseenCharactersInIt(String unseen) {
    secrets.add("ghp_tokAAAA1111");
    secrets.add("a1b2");
    String hidden = "x" + unseen + "y ";
    assertThat(secrets.redact(hidden + "ghp_" + unseen + "tok" + unseen + "AAAA1111 z"))
        .as("what is no secret stays as it was")
        .isEqualTo(hidden + "*** z");
    assertThat(secrets.redact("a1" + unseen + "b2")).isEqualTo("***");
  }

  @Test
  void hidesASecretThatIsBrokenIntoLinesUnlessItIsAsShortAsAWord() {
    secrets.add("ghp_tokAAAA1111");
    secrets.add("word");
    assertThat(secrets.redact("a\nghp_tok\r\nAAAA1111\nb")).isEqualTo("a\n***\nb");
    assertThat(secrets.redact("C ghp_tok\rAAAA1111")).isEqualTo("C ***");
    assertThat(secrets.redact("so wo\nrd it is")).isEqualTo("so wo\nrd it is");
  }

  /** Of 100 KB with a hundred secrets; in proportion to both. */
  @Test
  @Timeout(60)
  void alsoALargeTextIsSoonFreedOfManySecrets() {
    for (int i = 0; i < 100; i++) {
      secrets.add("secret-\u00fc/" + i + "-of-a-hundred");
    }
    String line = "a line of a text of some length \u200b that holds nothing\n";
    String text = line.repeat(2_000);
    assertThat(secrets.redact(text)).isEqualTo(text);
    assertThat(secrets.redact(text + "secret-\u00fc/7-\nof-a-hundred")).isEqualTo(text + "***");
  }
}
