package dev.holdfast.nats;

import io.nats.client.AuthHandler;
import java.io.IOException;
import java.math.BigInteger;
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
 * What a credentials file says: a user's JWT, and the seed of the key that signs the challenge of
 * the server. The JDK signs.
 *
 * <p>Source: NATS documentation, "NKeys": a seed is base32 of two bytes, the 32 bytes of an Ed25519
 * key and two bytes of a checksum, 58 characters in all. The checksum is left to the server, which
 * refuses a wrong key.
 */
final class UserCredentials implements AuthHandler {
  private static final Pattern JWT = Pattern.compile("BEGIN NATS USER JWT-+\\s+(\\S+)");
  private static final Pattern SEED =
      Pattern.compile("BEGIN USER NKEY SEED-+\\s+(SU[A-Z2-7]{56})\\s");
  private static final int WHOLE_BYTES = 36;
  private static final int KEY_FROM = 2;
  private static final int KEY_TO = 34;

  /** 58 characters of 5 bits, of which the last 2 mean nothing. */
  private static final int SPARE_BITS = 2;

  private final String jwt;
  private final PrivateKey key;

  private UserCredentials(String jwt, PrivateKey key) {
    this.jwt = jwt;
    this.key = key;
  }

  /** Blocks. The exception's message names the file and what to do, and shows nothing of it. */
  static UserCredentials read(Path file) throws IOException {
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
      PrivateKey key =
          KeyFactory.getInstance("Ed25519")
              .generatePrivate(
                  new EdECPrivateKeySpec(NamedParameterSpec.ED25519, rawKey(seed.group(1))));
      return new UserCredentials(jwt.group(1), key);
    } catch (GeneralSecurityException e) {
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

  private static byte[] rawKey(String seed) {
    StringBuilder digits = new StringBuilder(); // of a number with the base 32, as Java writes it
    for (int at = 0; at < seed.length(); at++) {
      char sign = seed.charAt(at);
      int value = sign >= 'A' ? sign - 'A' : sign - '2' + 26;
      digits.append(Character.forDigit(value, 32));
    }
    byte[] number = new BigInteger(digits.toString(), 32).shiftRight(SPARE_BITS).toByteArray();
    byte[] whole = new byte[WHOLE_BYTES];
    int length = Math.min(number.length, WHOLE_BYTES);
    System.arraycopy(number, number.length - length, whole, WHOLE_BYTES - length, length);
    return Arrays.copyOfRange(whole, KEY_FROM, KEY_TO);
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
