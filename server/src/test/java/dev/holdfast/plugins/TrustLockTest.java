package dev.holdfast.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.plugins.PluginsConfig.Trust;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrustLockTest {
  private static final PluginsConfig TOFU = new PluginsConfig(Trust.TOFU, Set.of());
  private static final PluginsConfig PINNED = new PluginsConfig(Trust.PINNED, Set.of());

  @TempDir Path folder;
  private Path file;
  private TrustLock lock;
  private PluginJar jar;

  @BeforeEach
  void open() throws Exception {
    file = folder.resolve("plugins.lock");
    lock = TrustLock.open(file);
    jar = PluginJar.read(PluginJars.of(folder, "hello", "1.0.0").into(folder, "hello.jar"));
    Files.createDirectories(file.resolve("in-the-way")); // now it cannot be written
  }

  @Test
  void whatCannotBeWrittenIsNotInForce() throws Exception {
    assertThatThrownBy(() -> lock.setDisabled("hello", true)).isInstanceOf(IOException.class);
    assertThat(lock.isDisabled("hello")).isFalse();
    assertThatThrownBy(() -> lock.approve(jar)).isInstanceOf(IOException.class);
    assertThat(lock.doubt(jar, PINNED)).isPresent();
  }

  @Test
  void aFirstJarIsTrustedOnlyWhenThatIsWrittenDown() throws Exception {
    assertThatThrownBy(() -> lock.doubt(jar, TOFU)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> lock.doubt(jar, TOFU)).isInstanceOf(IOException.class);
    Files.delete(file.resolve("in-the-way"));
    Files.delete(file);
    assertThat(lock.doubt(jar, TOFU)).isEmpty();
    assertThat(file).content().contains(jar.sha256());
  }
}
