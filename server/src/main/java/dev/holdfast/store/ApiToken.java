package dev.holdfast.store;

import dev.holdfast.config.Secret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;

/** The generated API token in {@code data/token}. */
public final class ApiToken {
  private static final int BYTES = 32;
  private static final int LENGTH_MIN = 16;

  private ApiToken() {}

  /**
   * The token of the data folder; made, 256 random bits in base64url, when there is none.
   *
   * @throws IOException also when the file holds something too short to be a secret
   */
  public static Secret loadOrMake(Path dataDir) throws IOException {
    Path file = dataDir.resolve("token");
    if (Files.exists(file)) {
      AtomicFiles.restrict(file);
      String token = Files.readString(file, StandardCharsets.US_ASCII).strip();
      if (token.length() < LENGTH_MIN) {
        throw new IOException(
            file
                + " holds no token (fewer than "
                + LENGTH_MIN
                + " characters); delete it to get a new one");
      }
      return new Secret(token);
    }
    byte[] random = new byte[BYTES];
    new SecureRandom().nextBytes(random);
    String token = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    AtomicFiles.write(file, (token + "\n").getBytes(StandardCharsets.US_ASCII));
    return new Secret(token);
  }
}
