package dev.holdfast.natskit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UserCredentialsTest {
  /** Of the documentation of NKeys. */
  private static final String USER = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";

  private static final String ACCOUNT =
      "SAANDLKMXL6CUS3CP52WIXBEDN6YJ545GDKC65U5JZPPV6WH6ESWUA6YAI";

  /** A JWT is base64 for addresses: it has hyphens as well. */
  private static final String JWT = "eyJ0.ey-q_-.-c2ln--Q";

  @TempDir private Path folder;

  private Path file(String seed) throws IOException {
    return Files.writeString(
        folder.resolve("holdfast.creds"),
        """
        -----BEGIN NATS USER JWT-----
        %s
        ------END NATS USER JWT------

        ************************* IMPORTANT *************************
        NKEY Seed printed below can be used to sign and prove identity.

        -----BEGIN USER NKEY SEED-----
        %s
        ------END USER NKEY SEED------
        """
            .formatted(JWT, seed));
  }

  @Test
  void aFileHasAJwtAndASeed() throws Exception {
    UserCredentials credentials = UserCredentials.read(file(USER));
    assertThat(new String(credentials.getJWT())).isEqualTo(JWT);
    assertThat(credentials.sign(new byte[] {1})).hasSize(64);
  }

  @Test
  void aSeedThatIsNoUsersIsRefusedWithoutShowingIt() throws Exception {
    for (String seed :
        new String[] {ACCOUNT, USER.replace("CSSL", "CSSM"), USER.substring(0, 50), "SU1canary"}) {
      assertThatThrownBy(() -> UserCredentials.read(file(seed)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("holdfast.creds is not that of a user: replace")
          .hasMessageNotContaining(seed);
    }
  }

  @Test
  void aFileThatCannotBeUsedIsNamedWithWhatToDo() throws Exception {
    assertThatThrownBy(() -> UserCredentials.read(folder.resolve("none.creds")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("none.creds does not exist: put");
    assertThatThrownBy(() -> UserCredentials.read(folder))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(folder + " cannot be read");
    for (String text : new String[] {"", "canary", USER}) {
      Path useless = Files.writeString(folder.resolve("useless.creds"), text);
      assertThatThrownBy(() -> UserCredentials.read(useless))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("useless.creds is not a credentials file")
          .hasMessageNotContaining("canary")
          .hasMessageNotContaining(USER);
    }
  }

  @Test
  void aFileOfSomebodyElseIsNamedWithWhatToDo() throws Exception {
    Path locked = file(USER);
    Path _ = Files.setPosixFilePermissions(locked, PosixFilePermissions.fromString("---------"));
    assumeThat(Files.isReadable(locked)).as("root may read everything").isFalse();
    assertThatThrownBy(() -> UserCredentials.read(locked))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("holdfast.creds may not be read: make it readable");
  }
}
