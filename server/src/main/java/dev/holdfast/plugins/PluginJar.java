package dev.holdfast.plugins;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.security.CodeSigner;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateEncodingException;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.zip.CRC32;
import java.util.zip.ZipException;

/**
 * A jar as it lies in the folder: read, and nothing of it loaded.
 *
 * @param sha256 of the whole file, in hexadecimal: its identity
 * @param signer the SHA-256 of the certificate by which each entry is signed, in hexadecimal; empty
 *     when there is no such one
 */
record PluginJar(Path file, String sha256, PluginManifest manifest, String signer) {
  private static final long BYTES_MAX = 128L * 1024 * 1024;
  private static final long UNPACKED_MAX = 512L * 1024 * 1024;
  private static final int ENTRIES_MAX = 20_000;

  /**
   * Reads and checks it.
   *
   * @throws IOException when it is not (yet) a whole archive
   */
  static PluginJar read(Path file) throws IOException, PluginRefusedException {
    requireSize(file);
    String sha256 = sha256(file);
    // Verified while its entries are read; a wrong signature is a SecurityException.
    try (JarFile jar = new JarFile(file.toFile(), true)) {
      Manifest manifest = jar.getManifest();
      require(manifest != null, "the jar has no manifest; it needs at least a Plugin-Id");
      checkNames(jar);
      PluginManifest read = PluginManifest.of(manifest);
      return new PluginJar(file, sha256, read, readAll(jar));
    } catch (SecurityException e) {
      throw new PluginRefusedException(
          "its signature is wrong: " + PluginManifest.printable(String.valueOf(e.getMessage())));
    }
  }

  /**
   * What costs little to look at: whether it may be worth a copy.
   *
   * @throws IOException when it is not (yet) a whole archive
   */
  static void requireWhole(Path file) throws IOException, PluginRefusedException {
    requireSize(file);
    new JarFile(file.toFile(), false).close();
  }

  private static void requireSize(Path file) throws IOException, PluginRefusedException {
    require(Files.size(file) <= BYTES_MAX, "the jar is larger than 128 MiB");
  }

  /**
   * A folder or jar that others may write would let them run code as this server.
   *
   * @param self whom the server's own files belong to
   */
  static void requireOwn(Path path, UserPrincipal self) throws IOException, PluginRefusedException {
    PosixFileAttributes facts =
        Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    require(
        !facts.isSymbolicLink(), path.getFileName() + " is a symbolic link; copy the jar itself");
    require(
        facts.owner().equals(self) || facts.owner().getName().equals("root"),
        "%s belongs to %s; give it to %s or root with chown"
            .formatted(path.getFileName(), facts.owner().getName(), self.getName()));
    require(
        !facts.permissions().contains(PosixFilePermission.OTHERS_WRITE)
            && !facts.permissions().contains(PosixFilePermission.GROUP_WRITE),
        path.getFileName()
            + " may be written by other users; take that away with chmod go-w "
            + path);
  }

  private static void checkNames(JarFile jar) throws PluginRefusedException {
    require(jar.size() <= ENTRIES_MAX, "the jar has more than " + ENTRIES_MAX + " entries");
    long unpacked = 0;
    Set<String> seen = new HashSet<>();
    for (Enumeration<JarEntry> all = jar.entries(); all.hasMoreElements(); ) {
      JarEntry entry = all.nextElement();
      String name = entry.getName();
      boolean leavesFolder =
          name.startsWith("/")
              || name.contains("\\")
              || Arrays.asList(name.split("/")).contains("..");
      require(
          !leavesFolder,
          "the jar has an entry with a path that leaves it: " + PluginManifest.printable(name));
      require(seen.add(name), "the jar has two entries " + PluginManifest.printable(name));
      unpacked += Math.max(0, entry.getSize());
      require(unpacked <= UNPACKED_MAX, "unpacked the jar is larger than 512 MiB");
    }
  }

  /**
   * Reads every entry, as the archive's own sums do not fit what was changed or damaged.
   *
   * @return of every entry the same signer, or none
   */
  private static String readAll(JarFile jar) throws IOException, PluginRefusedException {
    boolean mayBeSigned =
        jar.stream().anyMatch(entry -> entry.getName().matches("META-INF/[^/]+\\.(RSA|EC|DSA)"));
    Set<String> signers = new HashSet<>();
    long left = UNPACKED_MAX;
    for (Enumeration<JarEntry> all = jar.entries(); all.hasMoreElements(); ) {
      JarEntry entry = all.nextElement();
      if (entry.isDirectory()) {
        continue;
      }
      left -= readWhole(jar, entry, left);
      if (mayBeSigned && !isOfSignature(entry.getName())) {
        CodeSigner[] of = entry.getCodeSigners();
        signers.add(of == null || of.length == 0 ? "" : fingerprint(of[0]));
      }
    }
    return signers.size() == 1 ? signers.iterator().next() : "";
  }

  private static long readWhole(JarFile jar, JarEntry entry, long most)
      throws IOException, PluginRefusedException {
    CRC32 sum = new CRC32();
    byte[] buffer = new byte[64 * 1024];
    long total = 0;
    String name = PluginManifest.printable(entry.getName());
    try (InputStream in = jar.getInputStream(entry)) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        total += read;
        require(total <= most, "unpacked the jar is larger than 512 MiB");
        sum.update(buffer, 0, read);
      }
    } catch (ZipException | EOFException _) {
      throw new PluginRefusedException(damaged(name));
    }
    require(sum.getValue() == entry.getCrc(), damaged(name));
    return total;
  }

  private static String damaged(String name) {
    return "the jar is damaged: the check sum of " + name + " is wrong; copy or build it again";
  }

  private static boolean isOfSignature(String name) {
    return name.equals(JarFile.MANIFEST_NAME) || name.matches("META-INF/[^/]+\\.(SF|RSA|EC|DSA)");
  }

  private static String fingerprint(CodeSigner signer) throws IOException {
    try {
      byte[] certificate = signer.getSignerCertPath().getCertificates().getFirst().getEncoded();
      return HexFormat.of().formatHex(digest().digest(certificate));
    } catch (CertificateEncodingException e) {
      throw new IOException("a certificate cannot be read", e);
    }
  }

  private static String sha256(Path file) throws IOException {
    MessageDigest digest = digest();
    byte[] buffer = new byte[64 * 1024];
    try (InputStream in = Files.newInputStream(file)) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        digest.update(buffer, 0, read);
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static void require(boolean isSo, String problem) throws PluginRefusedException {
    if (!isSo) {
      throw new PluginRefusedException(problem);
    }
  }
}
