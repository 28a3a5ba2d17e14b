package dev.holdfast.store.backup;

import dev.holdfast.store.backup.Manifest.Entry;
import dev.holdfast.store.engine.AtomicFiles;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.opening.Database;
import dev.holdfast.store.opening.Snapshot;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Makes a backup: the database as of one moment, and then the files as they are after it, which is
 * what a crash would leave and a start puts in order. A file that grows meanwhile is taken up to
 * the length that it had at first.
 */
public final class BackupWriter {
  private final Path folder;
  private final BackupProgress progress;
  private final List<Entry> files = new ArrayList<>();
  private long bytes;

  public BackupWriter(Path folder, BackupProgress progress) {
    this.folder = folder;
    this.progress = progress;
  }

  /**
   * Writes the backup and reads it back. Blocks. The target appears when it is whole.
   *
   * @param inUse whether a server uses the folder; if not, the folder must be one that would start
   * @throws BackupException when there is nothing to back up, or the target exists or lies in the
   *     folder
   * @throws StartRefusedException when the data is damaged
   */
  public Manifest write(Path target, boolean inUse, String program, Instant now)
      throws IOException, BackupException, StartRefusedException {
    Path file = target.toAbsolutePath().normalize();
    if (Database.isMissing(folder)) {
      throw new BackupException(folder + " holds no data; name the folder with --data");
    }
    if (Files.exists(file)) {
      throw new BackupException(file + " exists; choose another name, or delete it first");
    }
    if (file.startsWith(folder.toAbsolutePath().normalize())) {
      throw new BackupException(file + " lies in the data folder; choose another place");
    }
    Path parent = Objects.requireNonNull(file.getParent());
    if (!Files.isDirectory(parent)) {
      throw new BackupException(parent + " is not a folder; make it, or choose another place");
    }
    Path database = file.resolveSibling(file.getFileName() + ".database.tmp");
    Manifest[] made = new Manifest[1];
    try {
      progress.at("copying the database", 0, 0);
      Snapshot.write(folder, database, inUse);
      AtomicFiles.write(file, out -> made[0] = pack(out, database, program, now));
    } finally {
      Files.deleteIfExists(database);
    }
    try {
      new BackupReader(file, progress).verify();
    } catch (IOException | BackupException e) {
      Files.deleteIfExists(file); // it would pass for a backup
      throw e;
    }
    return made[0];
  }

  private Manifest pack(OutputStream out, Path database, String program, Instant now)
      throws IOException {
    ZipOutputStream zip = new ZipOutputStream(out, StandardCharsets.UTF_8);
    zip.setLevel(Deflater.BEST_SPEED);
    add(zip, Manifest.DATABASE, database);
    for (String path : DataFiles.of(folder)) {
      add(zip, path, folder.resolve(path));
    }
    Manifest manifest = new Manifest(program, now, files);
    byte[] text = manifest.write().getBytes(StandardCharsets.UTF_8);
    put(zip, BackupReader.MANIFEST, text);
    put(zip, BackupReader.MANIFEST_SUM, Hashes.of(text).getBytes(StandardCharsets.US_ASCII));
    zip.finish();
    return manifest;
  }

  private static void put(ZipOutputStream zip, String name, byte[] content) throws IOException {
    zip.putNextEntry(new ZipEntry(name));
    zip.write(content);
    zip.closeEntry();
  }

  private void add(ZipOutputStream zip, String path, Path file) throws IOException {
    Optional<InputStream> content = open(file);
    if (content.isEmpty()) {
      return;
    }
    try (InputStream in = content.get()) {
      MessageDigest hash = Hashes.begin();
      zip.putNextEntry(new ZipEntry(BackupReader.FOLDER + path));
      long length = Hashes.copy(in, new DigestOutputStream(zip, hash), Files.size(file));
      zip.closeEntry();
      files.add(new Entry(path, length, Hashes.end(hash)));
      bytes += length;
      progress.at("packing", files.size(), bytes);
    }
  }

  /** Empty when it has been deleted meanwhile. */
  private static Optional<InputStream> open(Path file) throws IOException {
    try {
      return Optional.of(Files.newInputStream(file));
    } catch (NoSuchFileException _) {
      return Optional.empty();
    }
  }
}
