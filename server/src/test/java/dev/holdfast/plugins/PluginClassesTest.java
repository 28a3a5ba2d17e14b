package dev.holdfast.plugins;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.holdfast.config.ConfigFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said of a jar's classes before any of them is loaded. */
class PluginClassesTest {
  @TempDir Path folder;
  private PluginJars jar;

  @BeforeEach
  void make() {
    jar = PluginJars.of(folder, "hello", "1.0.0").withTool("hello", "hi");
  }

  private void check() throws IOException, PluginRefusedException {
    check(jar.into(folder, "hello.jar"));
  }

  private void check(Path file) throws IOException, PluginRefusedException {
    PluginCheck _ =
        PluginCheck.of(
            file,
            ConfigFile.text("holdfast.yaml", "", Map.of()),
            Map.of(),
            folder.resolve("holdfast.env"),
            "1.0.0");
  }

  private void refused(String reason) {
    assertThatExceptionOfType(PluginRefusedException.class)
        .isThrownBy(this::check)
        .withMessageContaining(reason);
  }

  /** A jar without a class of its manifest, and with one that is no more than its head. */
  private void refusedClass(int minor, int major, String reason) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().putValue("Manifest-Version", "1.0");
    manifest.getMainAttributes().putValue("Plugin-Id", "hello");
    manifest.getMainAttributes().putValue("Plugin-Version", "1.0.0");
    manifest.getMainAttributes().putValue("Holdfast-Api", "1");
    Path file = folder.resolve("head.jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(file), manifest)) {
      out.putNextEntry(new JarEntry("sample/Head.class"));
      ByteBuffer head = ByteBuffer.allocate(8).putInt(0xCAFEBABE);
      out.write(head.putShort((short) minor).putShort((short) major).array());
      out.closeEntry();
    }
    assertThatExceptionOfType(PluginRefusedException.class)
        .isThrownBy(() -> check(file))
        .withMessageContaining("sample/Head.class " + reason);
  }

  @Test
  void whatIsThereAndOfThisJavaIsGood() {
    jar.file("META-INF/services/a.Service", "# ours\n\nsample.Sample # and no other\n");
    jar.file("META-INF/versions/99/a/Newer.class", "of a Java to come");
    assertThatNoException().isThrownBy(this::check);
  }

  @Test
  void aClassThatTheManifestNamesMustBeThere() {
    jar.with("Plugin-Class", "sample.Smaple");
    refused("Plugin-Class names sample.Smaple, which is not in the jar");
    jar.with("Plugin-Class", "java.lang.String");
    refused("Plugin-Class names java.lang.String, which is not in the jar");
  }

  @Test
  void aClassThatAServicesFileNamesMustBeThere() {
    jar.file("META-INF/services/a.Service", "sample.Gone\n");
    refused("META-INF/services/a.Service names sample.Gone, which is not in the jar");
  }

  @Test
  void junkIsNoClass() {
    jar.file("sample/Junk.class", "junk");
    refused("sample/Junk.class is no class file");
    jar.file("sample/Junk.class", "");
    refused("sample/Junk.class is no class file");
  }

  @Test
  void aClassThatThisJavaCannotLoadIsNamedWithItsVersion() throws IOException {
    int java = Runtime.version().feature();
    refusedClass(
        0,
        java + 45,
        "is compiled for Java %d, and this is Java %d: compile it with --release %d"
            .formatted(java + 1, java, java));
    refusedClass(0xFFFF, java + 44, "uses preview features of Java");
    refusedClass(0, 3, "is no class file of any version of Java");
  }
}
