package dev.holdfast.bus;

import io.nats.client.AuthHandler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The user that a credentials file names: a JWT and the seed of the Ed25519 key that signs the
 * server's challenge. The JDK signs; the file is read again at each connection, so that a new one
 * takes effect.
 *
 * <p>Source: NATS documentation, "Credentials" and "NKeys": a seed is base32 of two prefix bytes,
 * 32 bytes and a CRC-16/XMODEM of them, lowest byte first.
 */
final class NatsCredentials implements AuthHandler {
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z ]+)-----\\s*([^\\s-]+)\\s*-+END [A-Z ]+-+");

  private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  private static final int SEED_BYTES = 32;
  private static final int PREFIX_BYTES = 2;
  private static final int WHOLE_BYTES = PREFIX_BYTES + SEED_BYTES + 2;
  private static final int BITS = 5;
  private static final int POLYNOMIAL = 0x1021;

  private final String jwt;
  private final PrivateKey key;

  private NatsCredentials(String jwt, PrivateKey key) {
    this.jwt = jwt;
    this.key = key;
  }

  /** Blocks. The exception's message says what is wrong and shows nothing of the file. */
  static NatsCredentials read(Path file) throws IOException {
    String text = Files.readString(file, StandardCharsets.US_ASCII);
    String jwt = "";
    String seed = "";
    for (Matcher block = BLOCK.matcher(text); block.find(); ) {
      if (block.group(1).contains("JWT")) {
        jwt = block.group(2);
      } else if (block.group(1).contains("SEED")) {
        seed = block.group(2);
      }
    }
    if (jwt.isEmpty() || seed.isEmpty()) {
      throw new IOException(file + " is no credentials file: it needs a user's JWT and its seed");
    }
    try {
      return new NatsCredentials(jwt, key(seed));
    } catch (IllegalArgumentException | GeneralSecurityException e) {
      throw new IOException(file + ": its seed is no user's key", e);
    }
  }

  private static PrivateKey key(String seed) throws GeneralSecurityException {
    byte[] whole = base32(seed);
    if (whole.length != WHOLE_BYTES || crc(whole, WHOLE_BYTES - 2) != checksum(whole)) {
      throw new IllegalArgumentException("length or checksum");
    }
    byte[] raw = Arrays.copyOfRange(whole, PREFIX_BYTES, PREFIX_BYTES + SEED_BYTES);
    return KeyFactory.getInstance("Ed25519")
        .generatePrivate(new EdECPrivateKeySpec(NamedParameterSpec.ED25519, raw));
  }

  private static int checksum(byte[] whole) {
    return (whole[WHOLE_BYTES - 2] & 0xff) | (whole[WHOLE_BYTES - 1] & 0xff) << Byte.SIZE;
  }

  private static byte[] base32(String text) {
    byte[] bytes = new byte[text.length() * BITS / Byte.SIZE];
    int held = 0;
    int bits = 0;
    int at = 0;
    for (int i = 0; i < text.length(); i++) {
      int value = ALPHABET.indexOf(text.charAt(i));
      if (value < 0) {
        throw new IllegalArgumentException("not base32");
      }
      held = (held << BITS) | value;
      bits += BITS;
      if (bits >= Byte.SIZE) {
        bits -= Byte.SIZE;
        bytes[at++] = (byte) (held >>> bits);
        held &= (1 << bits) - 1;
      }
    }
    return bytes;
  }

  private static int crc(byte[] bytes, int length) {
    int crc = 0;
    for (int i = 0; i < length; i++) {
      crc ^= (bytes[i] & 0xff) << Byte.SIZE;
      for (int bit = 0; bit < Byte.SIZE; bit++) {
        crc = (crc & 0x8000) == 0 ? crc << 1 : (crc << 1) ^ POLYNOMIAL;
      }
    }
    return crc & 0xffff;
  }

  @Override
  public byte[] sign(byte[] nonce) {
    try {
      Signature signature = Signature.getInstance("Ed25519");
      signature.initSign(key);
      signature.update(nonce);
      return signature.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java signs with Ed25519", e);
    }
  }

  @Override
  public char @Nullable [] getID() {
    return null; // the JWT names the key
  }

  @Override
  public char[] getJWT() {
    return jwt.toCharArray();
  }
}
