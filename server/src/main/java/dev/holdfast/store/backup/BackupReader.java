package dev.holdfast.store.backup;

import dev.holdfast.store.backup.Manifest.Entry;
import dev.holdfast.store.engine.AtomicFiles;
import dev.holdfast.store.opening.UnfinishedRestore;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/** Checks a backup, and puts what it holds into an empty folder. */
public final class BackupReader {
  static final String FOLDER = "data/";
  static final String MANIFEST = "manifest.json";
  static final String MANIFEST_SUM = "manifest.sha256";
  private static final int MANIFEST_BYTES_MAX = 256 * 1024 * 1024;

  private final Path file;
  private final BackupProgress progress;
  private long files;
  private long bytes;

  public BackupReader(Path file, BackupProgress progress) {
    this.file = file;
    this.progress = progress;
  }

  /**
   * Reads all of it. Blocks.
   *
   * @throws BackupException when it is not a backup, or not the one that was written
   */
  public Manifest verify() throws IOException, BackupException {
    try (ZipFile zip = open()) {
      Manifest manifest = manifest(zip);
      for (Entry entry : manifest.files()) {
        take(zip, entry, OutputStream.nullOutputStream(), "verifying");
      }
      return manifest;
    }
  }

  /**
   * Before anything else is put into a folder, its lock included: from now on it refuses every
   * start. Returns whether it was this call that said so.
   */
  public static boolean announce(Path folder) throws IOException {
    return UnfinishedRestore.announce(folder);
  }

  /** Whether a restore into the folder was begun and has not ended. */
  public static boolean isUnfinishedIn(Path folder) throws IOException {
    return UnfinishedRestore.isIn(folder);
  }

  /**
   * Takes back what {@link #announce} has said, when nothing was restored; of no effect when a
   * server has begun there meanwhile.
   */
  public static void withdraw(Path folder) throws IOException {
    if (UnfinishedRestore.isIn(folder)) {
      UnfinishedRestore.end(folder);
    }
  }

  /**
   * Puts all files into a folder that is this process's and empty but for its lock. A folder that
   * is half filled refuses every start. Blocks; what it was told goes to the disk before it
   * returns.
   *
   * @param promoted whether the folder may act as the original at once; else it is a {@link
   *     RestoredCopy}
   * @throws BackupException as {@link #verify}; then, as when the disk fails, nothing stays
   */
  public Manifest restore(Path folder, boolean promoted) throws IOException, BackupException {
    Deque<Path> made = new ArrayDeque<>();
    UnfinishedRestore.begin(folder);
    try (ZipFile zip = open()) {
      Manifest manifest = manifest(zip);
      files = 0;
      bytes = 0;
      for (Entry entry : manifest.files()) {
        place(zip, entry, folder, made);
      }
      if (!promoted) {
        Path mark = folder.resolve(RestoredCopy.NAME);
        made.push(mark);
        AtomicFiles.write(mark, new byte[0]);
      }
      UnfinishedRestore.end(folder);
      return manifest;
    } catch (IOException | BackupException e) {
      for (Path path : made) {
        Files.deleteIfExists(path);
      }
      UnfinishedRestore.end(folder);
      throw e;
    }
  }

  private void place(ZipFile zip, Entry entry, Path folder, Deque<Path> made)
      throws IOException, BackupException {
    Path target = folder.resolve(entry.path());
    Path parent = Objects.requireNonNull(target.getParent());
    Deque<Path> missing = new ArrayDeque<>();
    for (Path each = parent; each != null && !Files.exists(each); each = each.getParent()) {
      missing.push(each);
    }
    missing.forEach(made::push);
    AtomicFiles.createFolders(parent);
    made.push(target);
    BackupException[] damage = new BackupException[1];
    AtomicFiles.write(
        target,
        out -> {
          try {
            take(zip, entry, out, "restoring");
          } catch (BackupException e) {
            damage[0] = e;
          }
        });
    if (damage[0] != null) {
      throw damage[0];
    }
  }

  private ZipFile open() throws IOException, BackupException {
    if (!Files.isRegularFile(file)) {
      throw new BackupException(file + " does not exist or is no file");
    }
    try {
      return new ZipFile(file.toFile(), StandardCharsets.UTF_8);
    } catch (ZipException e) {
      throw damaged(String.valueOf(e.getMessage()));
    }
  }

  private Manifest manifest(ZipFile zip) throws IOException, BackupException {
    byte[] text = small(zip, MANIFEST);
    String sum = new String(small(zip, MANIFEST_SUM), StandardCharsets.US_ASCII).strip();
    if (!sum.equals(Hashes.of(text))) {
      throw damaged("its manifest has changed");
    }
    Manifest manifest;
    try {
      manifest = Manifest.read(new String(text, StandardCharsets.UTF_8));
    } catch (BackupException e) {
      throw damaged(String.valueOf(e.getMessage()));
    }
    Set<String> names = new HashSet<>(Set.of(MANIFEST, MANIFEST_SUM));
    manifest.files().forEach(entry -> names.add(FOLDER + entry.path()));
    if (zip.size() != names.size()
        || !zip.stream().map(ZipEntry::getName).allMatch(names::contains)) {
      throw damaged("it does not hold the files of its manifest");
    }
    return manifest;
  }

  private byte[] small(ZipFile zip, String name) throws IOException, BackupException {
    ZipEntry entry = zip.getEntry(name);
    if (entry == null) {
      throw damaged("it has no " + name);
    }
    try (InputStream in = zip.getInputStream(entry)) {
      return in.readNBytes(MANIFEST_BYTES_MAX);
    } catch (ZipException | EOFException e) {
      throw damaged(name + ": " + e.getMessage());
    }
  }

  private void take(ZipFile zip, Entry entry, OutputStream out, String step)
      throws IOException, BackupException {
    MessageDigest hash = Hashes.begin();
    long length;
    try (InputStream in = zip.getInputStream(zip.getEntry(FOLDER + entry.path()))) {
      length = Hashes.copy(in, new DigestOutputStream(out, hash), entry.bytes());
      if (in.read() >= 0) {
        length++; // more than the manifest knows of
      }
    } catch (ZipException | EOFException e) {
      throw damaged(entry.path() + ": " + e.getMessage());
    }
    if (length != entry.bytes() || !Hashes.end(hash).equals(entry.sha256())) {
      throw damaged(entry.path() + " is not as it was written");
    }
    files++;
    bytes += length;
    progress.at(step, files, bytes);
  }

  private BackupException damaged(String why) {
    return new BackupException(file + " is no whole backup: " + why);
  }
}
