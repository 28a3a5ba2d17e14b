package dev.holdfast.git;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuotedNameTest {
  @Test
  void everyNameComesBackAsItWas() {
    Random random = new Random(7);
    for (int round = 0; round < 5000; round++) {
      byte[] name = new byte[1 + random.nextInt(12)];
      random.nextBytes(name);
      String shown = QuotedName.show(name);
      assertThat(QuotedName.read(shown).orElseThrow()).as(shown).isEqualTo(name);
      assertThat(shown.chars().noneMatch(Character::isISOControl)).as(shown).isTrue();
    }
  }

  @Test
  void aNameThatCanBeReadIsShownAsItIs() {
    assertThat(QuotedName.show("grüße 1.txt".getBytes(StandardCharsets.UTF_8)))
        .isEqualTo("grüße 1.txt");
  }

  @Test
  void whatGitQuotesIsReadToo() {
    assertThat(QuotedName.read("\"a\\tb\\\"c\\\\d\\303\\274\"").orElseThrow())
        .isEqualTo("a\tb\"c\\dü".getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"", "\"a", "\"a\"b\"", "\"\\x\"", "\"\\40\"", "\"\\400\"", "\"\\\""})
  void whatIsNotWellFormedIsRefused(String shown) {
    assertThat(QuotedName.read(shown)).isEmpty();
  }
}
