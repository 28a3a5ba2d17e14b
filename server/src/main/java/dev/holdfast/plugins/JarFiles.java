package dev.holdfast.plugins;

import dev.holdfast.store.engine.AtomicFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * What stands under {@code META-INF/holdfast/files/} in a jar.
 *
 * @param names of the entries, sorted
 * @param digest of their names and contents; empty when there are none
 */
record JarFiles(List<String> names, String digest) {
  /** Begins the name of the folder that they are unpacked to. */
  static final String FOLDER = "plugin-";

  private static final String PREFIX = "META-INF/holdfast/files/";
  private static final int FILES_MAX = 2000;
  private static final long BYTES_MAX = 64L << 20;

  /** Deflate packs nothing that people write so tightly. */
  private static final long RATIO_MAX = 200;

  /** So few bytes are harmless, however tightly they are packed. */
  private static final long SMALL = 1 << 20;

  private static final int DIGEST_CHARACTERS = 16;
  private static final Set<PosixFilePermission> PROGRAM =
      PosixFilePermissions.fromString("rwx------");

  /** Takes some bytes, of which the first call for a file has the beginning. */
  private interface Sink {
    void write(byte[] bytes, int length) throws IOException;
  }

  /**
   * Looks at all of their contents.
   *
   * @throws PluginRefusedException when they are too many or too large
   */
  static JarFiles of(JarFile jar) throws IOException, PluginRefusedException {
    List<JarEntry> entries =
        jar.stream()
            .filter(entry -> entry.getName().startsWith(PREFIX) && !entry.isDirectory())
            .sorted(Comparator.comparing(JarEntry::getName))
            .toList();
    if (entries.isEmpty()) {
      return new JarFiles(List.of(), "");
    }
    require(
        entries.size() <= FILES_MAX, "it has more than " + FILES_MAX + " files under " + PREFIX);
    MessageDigest digest = PluginJar.digest();
    long total = 0;
    for (JarEntry entry : entries) {
      digest.update((entry.getName() + '\0').getBytes(StandardCharsets.UTF_8));
      long packed = Math.max(1, entry.getCompressedSize());
      long most = Math.min(BYTES_MAX - total, Math.max(SMALL, packed * RATIO_MAX));
      MessageDigest content = PluginJar.digest();
      total += copy(jar, entry, most, (bytes, length) -> content.update(bytes, 0, length));
      digest.update(content.digest());
    }
    return new JarFiles(
        entries.stream().map(JarEntry::getName).toList(),
        HexFormat.of().formatHex(digest.digest()).substring(0, DIGEST_CHARACTERS));
  }

  boolean isEmpty() {
    return names.isEmpty();
  }

  /** The name of the folder that they are unpacked to: another one for other contents. */
  String folder() {
    return FOLDER + digest;
  }

  /**
   * Writes them into an empty folder, for their owner alone. A file that begins with {@code #!} can
   * be run.
   *
   * @param jar the one that they were looked at in
   */
  void unpack(Path jar, Path folder) throws IOException, PluginRefusedException {
    try (JarFile opened = new JarFile(jar.toFile())) {
      for (String name : names) {
        JarEntry entry = opened.getJarEntry(name);
        Path file = inside(folder, name.substring(PREFIX.length()));
        AtomicFiles.createFolders(file.resolveSibling(""));
        require(AtomicFiles.create(file), PluginManifest.printable(name) + " is there twice");
        boolean isProgram;
        try (OutputStream out = Files.newOutputStream(file)) {
          long _ = copy(opened, entry, BYTES_MAX, (bytes, length) -> out.write(bytes, 0, length));
        }
        try (InputStream in = Files.newInputStream(file)) {
          isProgram = in.read() == '#' && in.read() == '!';
        }
        if (isProgram) {
          Files.setPosixFilePermissions(file, PROGRAM);
        }
      }
    }
  }

  private static Path inside(Path folder, String name) throws PluginRefusedException {
    try {
      Path file = folder.resolve(name).normalize();
      require(
          file.startsWith(folder) && !file.equals(folder),
          "a file of it leads out of its folder: " + PluginManifest.printable(name));
      return file;
    } catch (InvalidPathException _) {
      throw new PluginRefusedException(
          "a file of it has an impossible name: " + PluginManifest.printable(name));
    }
  }

  private static long copy(JarFile jar, JarEntry entry, long most, Sink sink)
      throws IOException, PluginRefusedException {
    byte[] buffer = new byte[64 * 1024];
    long total = 0;
    try (InputStream in = jar.getInputStream(entry)) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        total += read;
        require(
            total <= most,
            "its files are packed more than %s times or have more than %s MiB: %s"
                .formatted(RATIO_MAX, BYTES_MAX >> 20, PluginManifest.printable(entry.getName())));
        sink.write(buffer, read);
      }
    }
    return total;
  }

  private static void require(boolean isSo, String problem) throws PluginRefusedException {
    if (!isSo) {
      throw new PluginRefusedException(problem);
    }
  }
}
