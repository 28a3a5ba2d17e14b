package dev.holdfast.tests.harness;

import io.nats.client.AuthHandler;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.interfaces.EdECPrivateKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An operator of NATS with one account that may use JetStream, whose users have credentials files.
 *
 * <p>Source: NATS documentation, "JWTs" and "NKeys".
 */
public final class NatsOperator {
  private static final int OPERATOR = 'O' - 'A';
  private static final int ACCOUNT = 0;
  private static final int USER = 'U' - 'A';
  private static final int SEED = 'S' - 'A';
  private static final int POLYNOMIAL = 0x1021;

  private final Key operator = new Key(OPERATOR);
  private final Key system = new Key(ACCOUNT);
  private final Key account = new Key(ACCOUNT);

  /** One for all: a server takes no other one without a restart. */
  private final String jwt =
      signed(
          operator,
          claims(
              operator,
              operator,
              Map.of("type", "operator", "version", 2, "system_account", system.shown())));

  private final Map<String, Long> revocations = new HashMap<>();
  private final List<String> secrets = new ArrayList<>();

  /** A user of the account. */
  public final class User {
    private final Key key = new Key(USER);

    private User() {
      secrets.add(key.seed());
    }

    /**
     * Replaces a credentials file at one blow.
     *
     * @param valid for how long; null: for ever
     */
    public void write(Path file, @Nullable Duration valid) {
      write(file, valid, this);
    }

    /** The same with the seed of another user. */
    public void write(Path file, @Nullable Duration valid, User other) {
      try {
        Path written =
            Files.writeString(
                file.resolveSibling(file.getFileName() + ".new"),
                """
                -----BEGIN NATS USER JWT-----
                %s
                ------END NATS USER JWT------

                -----BEGIN USER NKEY SEED-----
                %s
                ------END USER NKEY SEED------
                """
                    .formatted(jwt(valid), other.key.seed()));
        Path _ =
            Files.move(
                written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    private String jwt(@Nullable Duration valid) {
      Map<String, Object> claims =
          claims(
              account,
              key,
              Map.of("type", "user", "version", 2, "subs", -1, "data", -1, "payload", -1));
      if (valid != null) {
        claims.put("exp", Instant.now().plus(valid).getEpochSecond());
      }
      String jwt = signed(account, claims);
      secrets.add(jwt.substring(jwt.lastIndexOf('.') + 1));
      return jwt;
    }

    /** For a client of the test's own. */
    public AuthHandler handler() {
      return new AuthHandler() {
        @Override
        public byte[] sign(byte[] nonce) {
          return key.sign(nonce);
        }

        @Override
        public char @Nullable [] getID() {
          return null; // the JWT names the key
        }

        @Override
        public char[] getJWT() {
          return jwt(null).toCharArray();
        }
      };
    }
  }

  public User user() {
    return new User();
  }

  /** What nobody may see: seeds, and signatures of JWTs, of whatever was made so far. */
  public List<String> secrets() {
    return List.copyOf(secrets);
  }

  /**
   * All that a user was given so far does not count any more, once the server knows {@link
   * #config}.
   */
  public void revoke(User user) {
    revocations.put(user.key.shown(), Instant.now().getEpochSecond());
  }

  /** Lines for the configuration of a server that lets in whom this operator's accounts know. */
  public String config() {
    return """
    operator: "%s"
    system_account: %s
    resolver: MEMORY
    resolver_preload: {
      %s: "%s"
      %s: "%s"
    }
    """
        .formatted(
            jwt,
            system.shown(),
            system.shown(),
            account(system, 0, Map.of()),
            account.shown(),
            account(account, -1, revocations));
  }

  /**
   * @param storage how much JetStream may keep; -1 for as much as it likes
   */
  private String account(Key key, int storage, Map<String, Long> revoked) {
    Map<String, Object> limits = new HashMap<>();
    for (String each : List.of("subs", "data", "payload", "imports", "exports", "conn", "leaf")) {
      limits.put(each, -1);
    }
    for (String each : List.of("mem_storage", "disk_storage", "streams", "consumer")) {
      limits.put(each, storage);
    }
    limits.put("wildcards", true);
    return signed(
        operator,
        claims(
            operator,
            key,
            Map.of("type", "account", "version", 2, "limits", limits, "revocations", revoked)));
  }

  private static Map<String, Object> claims(Key issuer, Key subject, Map<String, Object> nats) {
    Map<String, Object> claims = new HashMap<>();
    claims.put("jti", subject.shown() + System.nanoTime());
    claims.put("iat", Instant.now().getEpochSecond());
    claims.put("iss", issuer.shown());
    claims.put("sub", subject.shown());
    claims.put("name", "test");
    claims.put("nats", nats);
    return claims;
  }

  private static String signed(Key issuer, Map<String, Object> claims) {
    String body =
        base64(
                Json.write(Map.of("typ", "JWT", "alg", "ed25519-nkey"))
                    .getBytes(StandardCharsets.UTF_8))
            + "."
            + base64(Json.write(claims).getBytes(StandardCharsets.UTF_8));
    return body + "." + base64(issuer.sign(body.getBytes(StandardCharsets.US_ASCII)));
  }

  private static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** A pair of keys as NATS writes them: base32 of what it is, the key and a checksum. */
  private static final class Key {
    private final int kind;
    private final KeyPair pair;

    Key(int kind) {
      this.kind = kind;
      try {
        pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e);
      }
    }

    /** The public one. */
    String shown() {
      byte[] encoded = pair.getPublic().getEncoded();
      return written(
          new byte[] {(byte) (kind << 3)},
          Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length));
    }

    String seed() {
      byte[] prefix = {(byte) (SEED << 3 | kind >> 2), (byte) (kind << 6)};
      return written(prefix, ((EdECPrivateKey) pair.getPrivate()).getBytes().orElseThrow());
    }

    byte[] sign(byte[] bytes) {
      try {
        PrivateKey key = pair.getPrivate();
        Signature signature = Signature.getInstance("Ed25519");
        signature.initSign(key);
        signature.update(bytes);
        return signature.sign();
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e);
      }
    }

    private static String written(byte[] prefix, byte[] key) {
      ByteBuffer whole =
          ByteBuffer.allocate(prefix.length + key.length + 2).order(ByteOrder.LITTLE_ENDIAN);
      whole.put(prefix).put(key);
      whole.putShort((short) checksum(whole.array(), prefix.length + key.length));
      int bits = whole.capacity() * Byte.SIZE;
      int digits = (bits + 4) / 5;
      BigInteger number = new BigInteger(1, whole.array()).shiftLeft(digits * 5 - bits);
      StringBuilder text = new StringBuilder();
      for (int at = digits - 1; at >= 0; at--) {
        int digit = number.shiftRight(at * 5).intValue() & 31;
        text.append("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".charAt(digit));
      }
      return text.toString();
    }

    private static int checksum(byte[] bytes, int length) {
      int crc = 0;
      for (int at = 0; at < length; at++) {
        crc ^= (bytes[at] & 0xff) << Byte.SIZE;
        for (int bit = 0; bit < Byte.SIZE; bit++) {
          crc = (crc & 0x8000) == 0 ? crc << 1 : (crc << 1) ^ POLYNOMIAL;
        }
      }
      return crc;
    }
  }
}
