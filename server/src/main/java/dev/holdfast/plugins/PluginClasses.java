package dev.holdfast.plugins;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** Whether the classes of a jar are there and of a form that this Java loads; none is loaded. */
final class PluginClasses {
  private static final int MAGIC = 0xCAFEBABE;
  private static final int HEAD_BYTES = 8;
  private static final int PREVIEW_MINOR = 0xFFFF;

  /** Class files of Java n have the major version n + 44. */
  private static final int MAJOR_OF_JAVA_0 = 44;

  private static final int MAJOR_MIN = 45;
  private static final int MAJOR_MAX = Runtime.version().feature() + MAJOR_OF_JAVA_0;
  private static final String SUFFIX = ".class";
  private static final String SERVICES = "META-INF/services/";
  private static final int SERVICES_BYTES_MAX = 64 << 10;

  private PluginClasses() {}

  /**
   * Looks at all of them.
   *
   * @throws PluginRefusedException when one is missing, or is none that can be loaded
   */
  static void check(Path file, PluginManifest manifest) throws IOException, PluginRefusedException {
    try (JarFile jar = new JarFile(file.toFile())) {
      String main = manifest.className();
      require(
          main.isEmpty() || holds(jar, main),
          "Plugin-Class names %s, which is not in the jar"
              .formatted(PluginManifest.printable(main)));
      for (Enumeration<JarEntry> all = jar.entries(); all.hasMoreElements(); ) {
        JarEntry entry = all.nextElement();
        String name = entry.getName();
        if (name.endsWith(SUFFIX) && !name.startsWith("META-INF/")) {
          checkHead(name, head(jar, entry));
        } else if (name.startsWith(SERVICES) && !entry.isDirectory()) {
          checkService(jar, entry);
        }
      }
    }
  }

  private static boolean holds(JarFile jar, String className) {
    return jar.getJarEntry(className.replace('.', '/') + SUFFIX) != null;
  }

  private static byte[] head(JarFile jar, JarEntry entry) throws IOException {
    try (InputStream in = jar.getInputStream(entry)) {
      return in.readNBytes(HEAD_BYTES);
    }
  }

  private static void checkHead(String name, byte[] bytes) throws PluginRefusedException {
    String shown = PluginManifest.printable(name);
    require(
        bytes.length == HEAD_BYTES && ByteBuffer.wrap(bytes).getInt() == MAGIC,
        shown + " is no class file");
    int minor = Short.toUnsignedInt(ByteBuffer.wrap(bytes).getShort(4));
    int major = Short.toUnsignedInt(ByteBuffer.wrap(bytes).getShort(6));
    require(major >= MAJOR_MIN, shown + " is no class file of any version of Java");
    require(
        major <= MAJOR_MAX,
        "%s is compiled for Java %d, and this is Java %d: compile it with --release %d"
            .formatted(
                shown,
                major - MAJOR_OF_JAVA_0,
                MAJOR_MAX - MAJOR_OF_JAVA_0,
                MAJOR_MAX - MAJOR_OF_JAVA_0));
    require(
        minor != PREVIEW_MINOR,
        shown + " uses preview features of Java: compile it without --enable-preview");
  }

  private static void checkService(JarFile jar, JarEntry entry)
      throws IOException, PluginRefusedException {
    byte[] bytes;
    try (InputStream in = jar.getInputStream(entry)) {
      bytes = in.readNBytes(SERVICES_BYTES_MAX);
    }
    List<String> names =
        new String(bytes, StandardCharsets.UTF_8)
            .lines()
            .map(line -> line.replaceFirst("#.*", "").strip())
            .filter(line -> !line.isEmpty())
            .toList();
    for (String name : names) {
      require(
          holds(jar, name) || isOfJava(name),
          "%s names %s, which is not in the jar"
              .formatted(
                  PluginManifest.printable(entry.getName()), PluginManifest.printable(name)));
    }
  }

  private static boolean isOfJava(String className) {
    String resource = className.replace('.', '/') + SUFFIX;
    return ClassLoader.getPlatformClassLoader().getResource(resource) != null;
  }

  private static void require(boolean isSo, String problem) throws PluginRefusedException {
    if (!isSo) {
      throw new PluginRefusedException(problem);
    }
  }
}
