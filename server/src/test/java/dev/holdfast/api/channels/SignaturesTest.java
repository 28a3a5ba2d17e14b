package dev.holdfast.api.channels;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SignaturesTest {
  private static final Duration WINDOW = Duration.ofMinutes(5);
  private static final Instant NOW = Instant.ofEpochSecond(1_700_000_000);

  /** RFC 4231, test case 2, and RFC 2202, test case 2. */
  private static final byte[] DATA = "what do ya want for nothing?".getBytes(UTF_8);

  private static final String SHA256 =
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
  private static final String SHA1 = "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79";

  private final HmacKey key = HmacKey.ofText(HmacKey.Algorithm.SHA256, "Jefe");

  @Test
  void theVectorsOfTheStandardsHold() {
    assertThat(key.matchesHex(SHA256, DATA)).isTrue();
    assertThat(HmacKey.ofText(HmacKey.Algorithm.SHA1, "Jefe").matchesHex(SHA1, DATA)).isTrue();
    assertThat(key.matchesBase64("W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM=", DATA)).isTrue();
  }

  @Test
  void partsAreSignedOneAfterTheOther() {
    byte[] first = "what do ya ".getBytes(UTF_8);
    byte[] second = "want for nothing?".getBytes(UTF_8);
    assertThat(key.matchesHex(SHA256, first, second)).isTrue();
    assertThat(key.matchesHex(SHA256, second, first)).isFalse();
  }

  @Test
  void anythingElseIsRefused() {
    assertThat(key.matchesHex(SHA256.toUpperCase(java.util.Locale.ROOT), DATA)).isTrue();
    assertThat(key.matchesHex(SHA256.substring(1), DATA)).isFalse();
    assertThat(key.matchesHex("", DATA)).isFalse();
    assertThat(key.matchesHex(SHA256 + " ", DATA)).isFalse();
    assertThat(key.matchesBase64("W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM", DATA)).isFalse();
    assertThat(HmacKey.ofText(HmacKey.Algorithm.SHA256, "jefe").matchesHex(SHA256, DATA)).isFalse();
    DATA[0]++;
    assertThat(key.matchesHex(SHA256, DATA)).isFalse();
    DATA[0]--;
  }

  @Test
  void aKeyIsNeitherEmptyNorShown() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HmacKey.ofText(HmacKey.Algorithm.SHA256, ""));
    assertThat(key.toString()).doesNotContain("Jefe");
  }

  @Test
  void secretsAreEqualOrNot() {
    assertThat(ConstantTime.equal("secret", "secret")).isTrue();
    assertThat(ConstantTime.equal("secret", "secre")).isFalse();
    assertThat(ConstantTime.equal("secret", "")).isFalse();
  }

  /** RFC 8032, test 2. */
  @Test
  void aPublicKeyVerifiesItsOwnSignaturesOnly() {
    Ed25519Key platform =
        Ed25519Key.ofHex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
    String signature =
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";
    byte[] signed = HexFormat.of().parseHex("72");
    assertThat(platform.verifiesHex(signature, signed)).isTrue();
    assertThat(platform.verifiesHex(signature, signed, new byte[0])).isTrue();
    assertThat(platform.verifiesHex(signature, new byte[] {0x73})).isFalse();
    assertThat(platform.verifiesHex("93" + signature.substring(2), signed)).isFalse();
    for (String malformed : new String[] {"", "zz".repeat(64), signature + "00", "ff".repeat(64)}) {
      assertThat(platform.verifiesHex(malformed, signed)).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "00", "zz", "3d4017"})
  void whatIsNoPublicKeyIsRefused(String digits) {
    assertThatIllegalArgumentException().isThrownBy(() -> Ed25519Key.ofHex(digits));
  }

  @Test
  void aTimeIsBelievedWithinItsWindowBothWays() {
    assertThat(SignedTime.isWithin("1700000000", NOW, WINDOW)).isTrue();
    assertThat(SignedTime.isWithin("1699999700", NOW, WINDOW)).isTrue();
    assertThat(SignedTime.isWithin("1700000300", NOW, WINDOW)).isTrue();
    assertThat(SignedTime.isWithin("1699999699", NOW, WINDOW)).isFalse();
    assertThat(SignedTime.isWithin("1700000301", NOW, WINDOW)).isFalse();
    for (String malformed : new String[] {"", "-1", "0", " 1700000000", "17e8", "9".repeat(20)}) {
      assertThat(SignedTime.isWithin(malformed, NOW, WINDOW)).isFalse();
    }
  }
}
