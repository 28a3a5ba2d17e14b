package dev.holdfast.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UserCredentialsTest {
  @TempDir private Path folder;

  /**
   * As NATS writes it: two bytes that say what it is, the key, and a checksum nobody needs here.
   */
  private static String seed(byte[] key) {
    byte[] whole = new byte[36];
    whole[0] = (byte) 0b10010_101; // a seed, of
    whole[1] = 0b00_000_000; // a user
    System.arraycopy(key, 0, whole, 2, key.length);
    String digits = new BigInteger(1, whole).shiftLeft(2).toString(32);
    StringBuilder seed = new StringBuilder();
    for (int at = 0; at < digits.length(); at++) {
      int value = Character.digit(digits.charAt(at), 32);
      seed.append("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".charAt(value));
    }
    return seed.toString();
  }

  private Path file(String seed) throws IOException {
    return Files.writeString(
        folder.resolve("bot.creds"),
        """
        -----BEGIN NATS USER JWT-----
        eyJ0.ey-q.c2_-n
        ------END NATS USER JWT------

        -----BEGIN USER NKEY SEED-----
        %s
        ------END USER NKEY SEED------
        """
            .formatted(seed));
  }

  @Test
  void aChallengeIsSignedWithTheKeyOfTheSeed() throws Exception {
    byte[] raw = new byte[32];
    for (int i = 0; i < raw.length; i++) {
      raw[i] = (byte) (i * 11 + 200);
    }
    assertThat(seed(raw)).startsWith("SU").hasSize(58);
    UserCredentials credentials = UserCredentials.read(file(seed(raw)));
    assertThat(new String(credentials.getJWT())).isEqualTo("eyJ0.ey-q.c2_-n");
    byte[] nonce = "challenge".getBytes(StandardCharsets.UTF_8);
    PrivateKey key =
        KeyFactory.getInstance("Ed25519")
            .generatePrivate(new EdECPrivateKeySpec(NamedParameterSpec.ED25519, raw));
    Signature expected = Signature.getInstance("Ed25519");
    expected.initSign(key);
    expected.update(nonce);
    assertThat(credentials.sign(nonce)).isEqualTo(expected.sign());
  }

  @Test
  void aFileWithoutAUserIsRefusedWithoutShowingIt() throws Exception {
    assertThatThrownBy(() -> UserCredentials.read(file("canary")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("JWT")
        .hasMessageContaining("bot.creds")
        .hasMessageNotContaining("canary");
  }

  @Test
  void aFileThatCannotBeReadIsNamed() {
    assertThatThrownBy(() -> UserCredentials.read(folder.resolve("none.creds")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("none.creds does not exist: put");
    assertThatThrownBy(() -> UserCredentials.read(folder))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(folder + " cannot be read");
  }
}
