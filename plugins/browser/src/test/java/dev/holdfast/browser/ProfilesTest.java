package dev.holdfast.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProfilesTest {
  @TempDir private Path state;

  @Test
  void thoseOfEarlierServersAreDeletedEvenWithTheSameProcessId() throws Exception {
    long pid = ProcessHandle.current().pid();
    Path earlier = Files.createDirectory(state.resolve("profile-" + pid + "-1-2"));
    Files.writeString(earlier.resolve("Cookies"), "stale");
    Path own = Profiles.make(state);
    Path other = Files.createDirectory(state.resolve("downloads"));
    Profiles.deleteOld(state);
    assertThat(state.toFile().listFiles()).containsExactlyInAnyOrder(own.toFile(), other.toFile());
  }
}
