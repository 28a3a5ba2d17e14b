package dev.holdfast.plugins;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Row S35: archives that are made to do harm. */
class PluginJarTest {
  @TempDir Path folder;

  /** Writes entries besides the manifest. */
  private interface Entries {
    void write(JarOutputStream jar) throws IOException;
  }

  private static byte[] jar(Entries entries) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().putValue("Manifest-Version", "1.0");
    manifest.getMainAttributes().putValue("Plugin-Id", "evil");
    manifest.getMainAttributes().putValue("Plugin-Version", "1.0.0");
    manifest.getMainAttributes().putValue("Holdfast-Api", "1");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JarOutputStream jar = new JarOutputStream(bytes, manifest)) {
      entries.write(jar);
    }
    return bytes.toByteArray();
  }

  private static void add(JarOutputStream jar, String name, byte[] content) throws IOException {
    jar.putNextEntry(new JarEntry(name));
    jar.write(content);
    jar.closeEntry();
  }

  private void read(byte[] jar) throws IOException, PluginRefusedException {
    PluginJar _ = PluginJar.read(Files.write(folder.resolve("evil.jar"), jar));
  }

  private void refused(byte[] jar, String reason) {
    assertThatExceptionOfType(PluginRefusedException.class)
        .isThrownBy(() -> read(jar))
        .withMessageContaining(reason);
  }

  @Test
  void aPlainOneIsRead() {
    assertThatNoException().isThrownBy(() -> read(jar(jar -> add(jar, "a.txt", new byte[10]))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"../evil", "a/../../evil", "/etc/evil", "a\\..\\evil", ".."})
  void noPathLeadsOut(String name) throws IOException {
    refused(jar(jar -> add(jar, name, new byte[1])), "a path that leaves it");
  }

  @Test
  void noNameStandsTwice() throws IOException {
    byte[] bytes =
        jar(
            jar -> {
              add(jar, "one.txt", new byte[1]);
              add(jar, "two.txt", new byte[1]);
            });
    String text = new String(bytes, StandardCharsets.ISO_8859_1).replace("two.txt", "one.txt");
    refused(text.getBytes(StandardCharsets.ISO_8859_1), "two entries one.txt");
  }

  @Test
  void entriesAreCounted() throws IOException {
    refused(
        jar(
            jar -> {
              for (int i = 0; i < 20_001; i++) {
                add(jar, "e" + i, new byte[0]);
              }
            }),
        "more than 20000 entries");
  }

  @Test
  void whatUnpacksToTooMuchIsNotUnpacked() throws IOException {
    byte[] large = new byte[16 << 20];
    refused(
        jar(
            jar -> {
              for (int i = 0; i < 33; i++) {
                add(jar, "e" + i, large);
              }
            }),
        "larger than 512 MiB");
  }

  @Test
  void aByteThatWasChangedIsNoticed() throws IOException {
    byte[] content = new byte[5_000];
    new Random(7).nextBytes(content); // so that it is stored nearly as it is
    byte[] bytes = jar(jar -> add(jar, "a/Some.class", content));
    bytes[bytes.length / 2] ^= 0x55;
    refused(bytes, "the jar is damaged: the check sum of a/Some.class is wrong");
  }

  @Test
  void anEntryThatCannotBeUnpackedIsNamed() throws IOException {
    byte[] bytes = jar(jar -> add(jar, "a.txt", new byte[100_000]));
    int data = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("a.txt") + 5;
    Arrays.fill(bytes, data, data + 20, (byte) 0xFF);
    refused(bytes, "the check sum of a.txt is wrong");
  }

  @Test
  void aPartOfAJarIsNoJar() throws IOException {
    byte[] whole = jar(jar -> add(jar, "a.txt", new byte[10_000]));
    assertThatIOException().isThrownBy(() -> read(Arrays.copyOf(whole, whole.length / 2)));
    assertThatIOException().isThrownBy(() -> read(new byte[0]));
  }
}
