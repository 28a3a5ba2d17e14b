package dev.holdfast.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PairingCodeTest {
  private final SecureRandom random = new SecureRandom();

  @Test
  void aCodeHasEightCharactersThatCannotBeMistaken() {
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < 1000; i++) {
      String code = PairingCode.random(random).text();
      assertThat(code).matches("[2-9A-Z]{8}").doesNotContain("0", "1", "I", "L", "O");
      seen.add(code);
    }
    assertThat(seen).hasSize(1000);
  }

  @Test
  void aCodeIsTheSameHoweverItIsTyped() {
    PairingCode code = PairingCode.random(random);
    String text = code.text();
    String spaced = " " + text.substring(0, 4) + "-" + text.substring(4) + " ";
    assertThat(PairingCode.entered(text.toLowerCase(Locale.ROOT))).contains(code);
    assertThat(PairingCode.entered(spaced)).contains(code);
    assertThat(PairingCode.entered(text).orElseThrow().hash()).isEqualTo(code.hash());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "7F3KX2M", "7F3KX2MQQ", "7F3KX2M0", "7F3KX2MI", "%", "' or 1=1 --"})
  void whatHasAnotherFormIsNoCode(String entered) {
    assertThat(PairingCode.entered(entered)).isEmpty();
  }

  @Test
  void itsHashAndItsWordsDoNotShowIt() {
    PairingCode code = PairingCode.random(random);
    assertThat(code.hash()).matches("[0-9a-f]{64}");
    assertThat(code.toString()).doesNotContain(code.text());
  }
}
