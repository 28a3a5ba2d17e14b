package dev.holdfast.store;

import dev.holdfast.config.Secret;
import dev.holdfast.store.engine.AtomicFiles;
import dev.holdfast.store.engine.Crc;
import dev.holdfast.store.engine.StartRefusedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.regex.Pattern;

/**
 * The generated API token in {@code data/token}: {@code hf_}, 256 random bits, and a CRC32C of what
 * stands before it, both in base64url. A file that was cut or changed would else be a shorter
 * secret, or one that nobody knows.
 */
public final class ApiToken {
  private static final String PREFIX = "hf_";
  private static final int BYTES = 32;
  private static final int CHECK_CHARACTERS = 6;

  /** Made by the first versions, without a check. */
  private static final Pattern UNCHECKED = Pattern.compile("(?!hf_)[A-Za-z0-9_-]{43}");

  private ApiToken() {}

  /**
   * The token of the data folder; made when there is none.
   *
   * @throws StartRefusedException 65 when the file holds something else than was written
   */
  public static Secret loadOrMake(Path dataDir) throws IOException, StartRefusedException {
    Path file = dataDir.resolve("token");
    if (!Files.exists(file)) {
      String token = make();
      AtomicFiles.write(file, (token + "\n").getBytes(StandardCharsets.US_ASCII));
      return new Secret(token);
    }
    AtomicFiles.restrict(file);
    return new Secret(read(file));
  }

  /**
   * Whether a start would take the token of the data folder. Changes nothing.
   *
   * @return false when there is none yet
   * @throws StartRefusedException as {@link #loadOrMake}
   */
  public static boolean check(Path dataDir) throws IOException, StartRefusedException {
    Path file = dataDir.resolve("token");
    return Files.exists(file) && !read(file).isEmpty();
  }

  private static String read(Path file) throws IOException, StartRefusedException {
    String token = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).strip();
    if (!isWhole(token) && !UNCHECKED.matcher(token).matches()) {
      throw new StartRefusedException(
          StartRefusedException.DAMAGED,
          file
              + " is damaged: it does not hold the token that was written there; delete it to get a"
              + " new one at the next start, or give your own in HOLDFAST_TOKEN");
    }
    return token;
  }

  private static String make() {
    byte[] random = new byte[BYTES];
    new SecureRandom().nextBytes(random);
    String text = PREFIX + encode(random);
    return text + check(text);
  }

  private static boolean isWhole(String token) {
    int cut = token.length() - CHECK_CHARACTERS;
    return token.startsWith(PREFIX)
        && cut > PREFIX.length()
        && token.substring(cut).equals(check(token.substring(0, cut)));
  }

  private static String check(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    return encode(
        ByteBuffer.allocate(Integer.BYTES).putInt((int) Crc.of(bytes, 0, bytes.length)).array());
  }

  private static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
