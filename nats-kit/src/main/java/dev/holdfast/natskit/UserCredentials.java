package dev.holdfast.natskit;

import io.nats.client.AuthHandler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
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
public final class UserCredentials implements AuthHandler {
  private static final Pattern JWT = Pattern.compile("BEGIN NATS USER JWT-+\\s+(\\S+)");
  private static final Pattern SEED = Pattern.compile("BEGIN USER NKEY SEED-+\\s+(\\S+)");

  private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  private static final int SEED_BYTES = 32;
  private static final int PREFIX_BYTES = 2;
  private static final int WHOLE_BYTES = PREFIX_BYTES + SEED_BYTES + 2;
  private static final int BITS = 5;
  private static final int POLYNOMIAL = 0x1021;

  private final String jwt;
  private final PrivateKey key;

  private UserCredentials(String jwt, PrivateKey key) {
    this.jwt = jwt;
    this.key = key;
  }

  /** Blocks. The exception's message names the file and what to do, and shows nothing of it. */
  public static UserCredentials read(Path file) throws IOException {
    String text = text(file.toAbsolutePath());
    Matcher jwt = JWT.matcher(text);
    Matcher seed = SEED.matcher(text);
    if (!jwt.find() || !seed.find()) {
      throw new IOException(
          file.toAbsolutePath()
              + " is not a credentials file, which has the JWT of a user and the seed of its key:"
              + " replace it");
    }
    try {
      return new UserCredentials(jwt.group(1), key(seed.group(1)));
    } catch (IllegalArgumentException | GeneralSecurityException e) {
      throw new IOException(
          "the seed in " + file.toAbsolutePath() + " is not that of a user: replace the file", e);
    }
  }

  private static String text(Path file) throws IOException {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      throw new IOException(
          file + " does not exist: put the credentials file of a NATS user there", e);
    } catch (AccessDeniedException e) {
      throw new IOException(
          file + " may not be read: make it readable for the user that runs Holdfast", e);
    } catch (IOException e) {
      throw new IOException(file + " cannot be read: " + e.getMessage(), e);
    }
  }

  private static PrivateKey key(String seed) throws GeneralSecurityException {
    byte[] whole = base32(seed);
    if (whole.length != WHOLE_BYTES
        || !seed.startsWith("SU")
        || crc(whole, WHOLE_BYTES - 2) != checksum(whole)) {
      throw new IllegalArgumentException("kind, length or checksum");
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
