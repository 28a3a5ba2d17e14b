package dev.holdfast.tools.files;

import dev.holdfast.store.engine.AtomicFiles;
import dev.holdfast.tools.files.FileFailedException.Why;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder of backups: a folder for each execution, with the replaced contents and a manifest. A
 * folder gets its name when it is whole; what a crash cut off is removed at the next start.
 * Thread-safe, as long as one execution is worked on by one thread.
 */
final class BackupFolder {
  private static final Logger LOG = LoggerFactory.getLogger(BackupFolder.class);

  /** A larger file is not changed: what it was could not be kept. */
  static final long BLOB_BYTES_MAX = 64L << 20;

  private static final String MANIFEST = "manifest.json";
  private static final long MANIFEST_BYTES_MAX = 4L << 20;
  private static final String UNFINISHED = ".new-";
  private static final String REMOVING = ".old-";
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,119}");
  private static final int COPY_BYTES = 65_536;
  private static final int ROOM = 10;

  private final Path folder;
  private final long bytesMax;
  private final Duration ageMax;
  private final Predicate<String> isOpen;
  private final ReadWriteLock use = new ReentrantReadWriteLock();

  /** All together, as far as is known; counted anew by each sweep. */
  private final AtomicLong bytes = new AtomicLong();

  /**
   * @param isOpen whether an event is not finished: what it changed is kept, since it may run again
   */
  BackupFolder(Path folder, FilesConfig.Retention retention, Predicate<String> isOpen)
      throws IOException {
    this.folder = folder;
    this.bytesMax = (long) retention.megabytesMax() << 20;
    this.ageMax = Duration.ofDays(retention.daysMax());
    this.isOpen = isOpen;
    AtomicFiles.createFolders(folder);
    for (Path rest : list()) {
      String name = rest.getFileName().toString();
      if (name.startsWith(UNFINISHED) || name.startsWith(REMOVING)) {
        try {
          delete(rest);
        } catch (IOException e) {
          LOG.warn(
              "backup {}: could not be removed: {}", name, e.toString()); // it is in nobody's way
        }
      }
    }
  }

  /** Held by who works with a backup: the sweep does not take it away meanwhile. */
  Lock inUse() {
    return use.readLock();
  }

  /** A backup that is being made. */
  final class Draft implements AutoCloseable {
    private final Path draft;
    private final String execution;
    private int blobs;
    private boolean published;

    private Draft(String execution) throws IOException {
      this.execution = execution;
      draft = folder.resolve(UNFINISHED + folderName(execution));
      delete(draft);
      AtomicFiles.createFolders(draft);
    }

    /** Copies a file, durably. Returns the name of the copy. */
    String keep(InputStream from) throws IOException, FileFailedException {
      String name = Integer.toString(blobs++);
      Path file = draft.resolve(name);
      AtomicFiles.create(file);
      try (FileOutputStream out = new FileOutputStream(file.toFile())) {
        byte[] buffer = new byte[COPY_BYTES];
        long all = 0;
        for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
          all += read;
          if (all > BLOB_BYTES_MAX) {
            throw FileFailedException.refused(
                "the file is larger than "
                    + (BLOB_BYTES_MAX >> 20)
                    + " MiB: it could not be backed up");
          }
          out.write(buffer, 0, read);
        }
        out.getFD().sync();
      }
      return name;
    }

    Path blob(String name) {
      return draft.resolve(name);
    }

    /** Makes it a backup: durable, and found by its execution from now on. */
    void publish(ChangeManifest manifest) throws IOException, FileFailedException {
      AtomicFiles.write(draft.resolve(MANIFEST), manifest.write());
      long more = size(draft);
      if (bytes.get() + more > bytesMax) {
        sweep(manifest.at(), more);
        if (bytes.get() + more > bytesMax) {
          throw new FileFailedException(
              Why.PASSING, "the backups of unfinished work fill tools.files.backups.max_mb");
        }
      }
      remove(at(execution)); // what has no manifest there is nobody's
      Files.move(draft, at(execution), StandardCopyOption.ATOMIC_MOVE);
      published = true;
      AtomicFiles.syncFolder(folder);
      bytes.addAndGet(more);
    }

    @Override
    public void close() throws IOException {
      if (!published) {
        delete(draft);
      }
    }
  }

  Draft draft(String execution) throws IOException {
    return new Draft(execution);
  }

  /**
   * The manifest of an execution; empty when nothing was changed or its backup is gone.
   *
   * @throws FileFailedException when it is damaged
   */
  Optional<ChangeManifest> find(String execution) throws IOException, FileFailedException {
    Optional<ChangeManifest> found = read(at(execution));
    if (found.isPresent() && !found.get().execution().equals(execution)) {
      throw new FileFailedException(Why.DAMAGED, "the backup of this call is another one's");
    }
    return found;
  }

  private static Optional<ChangeManifest> read(Path of) throws IOException, FileFailedException {
    try (FileInputStream in = new FileInputStream(of.resolve(MANIFEST).toFile())) {
      if (in.getChannel().size() > MANIFEST_BYTES_MAX) {
        throw new FileFailedException(Why.DAMAGED, "the backup of this call is damaged");
      }
      return Optional.of(ChangeManifest.read(in.readAllBytes()));
    } catch (FileNotFoundException _) {
      return Optional.empty();
    }
  }

  /** Replaces the manifest, durably. */
  void update(ChangeManifest manifest) throws IOException {
    AtomicFiles.write(at(manifest.execution()).resolve(MANIFEST), manifest.write());
  }

  InputStream blob(String execution, String name) throws IOException {
    return new FileInputStream(at(execution).resolve(name).toFile());
  }

  /**
   * @throws FileFailedException when a kept content is not what it was
   */
  void requireIntact(ChangeManifest manifest) throws IOException, FileFailedException {
    for (FileChange change : manifest.changes()) {
      if (change.before() instanceof FileState.Present(String sha256, _, _)) {
        MessageDigest digest = Sha256.begin();
        try (InputStream in = blob(manifest.execution(), change.blob())) {
          byte[] buffer = new byte[COPY_BYTES];
          for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            digest.update(buffer, 0, read);
          }
        } catch (FileNotFoundException _) {
          throw new FileFailedException(
              Why.DAMAGED, "the backup of " + change.path().shown() + " is gone");
        }
        if (!Sha256.end(digest).equals(sha256)) {
          throw new FileFailedException(
              Why.DAMAGED, "the backup of " + change.path().shown() + " is damaged");
        }
      }
    }
  }

  /** Forgets an execution. */
  void discard(String execution) throws IOException {
    remove(at(execution));
  }

  private void remove(Path backup) throws IOException {
    long less = size(backup);
    Path removing = folder.resolve(REMOVING + backup.getFileName());
    delete(removing);
    try {
      Files.move(
          backup, removing, StandardCopyOption.ATOMIC_MOVE); // never half a backup of that name
    } catch (NoSuchFileException _) {
      return;
    }
    bytes.addAndGet(-less);
    delete(removing);
  }

  /** What one sweep looks at. */
  private record StoredBackup(Path folder, Instant at, long size, boolean open) {}

  /**
   * Removes what is too old, and the oldest while all together is too much. Backups of unfinished
   * events stay. Returns how many went.
   *
   * @param more for how many further bytes there must be room
   */
  int sweep(Instant now, long more) throws IOException {
    List<StoredBackup> all = new ArrayList<>();
    int gone = 0;
    for (Path each : list()) {
      String name = each.getFileName().toString();
      if (name.startsWith(UNFINISHED) || name.startsWith(REMOVING)) {
        continue;
      }
      Optional<StoredBackup> stored = stored(each);
      if (stored.isPresent()) {
        all.add(stored.get());
      } else {
        removeUnused(each);
        gone++;
      }
    }
    all.sort(Comparator.comparing(StoredBackup::at));
    long whole = all.stream().mapToLong(StoredBackup::size).sum();
    bytes.set(whole);
    // Well below the limit, so that not every change from now on has to sweep.
    long target = whole + more > bytesMax ? bytesMax - bytesMax / ROOM - more : bytesMax;
    Instant oldest = now.minus(ageMax);
    for (StoredBackup stored : all) {
      boolean due = stored.at().isBefore(oldest) || bytes.get() > target;
      if (due && !stored.open()) {
        removeUnused(stored.folder());
        gone++;
      }
    }
    return gone;
  }

  /** One that cannot be removed does not keep the others. */
  private void removeUnused(Path each) {
    use.writeLock().lock();
    try {
      remove(each);
    } catch (IOException e) {
      LOG.warn("backup {}: could not be removed: {}", each.getFileName(), e.toString());
    } finally {
      use.writeLock().unlock();
    }
  }

  /** Empty when there is no manifest: nobody can use the rest. */
  private Optional<StoredBackup> stored(Path each) throws IOException {
    long size = size(each);
    try {
      return read(each)
          .map(
              found ->
                  new StoredBackup(each, found.at(), size, isOpen.test(found.who().eventId())));
    } catch (FileFailedException e) {
      LOG.warn("backup {}: {}", each.getFileName(), e.failure().message());
      return Optional.of(
          new StoredBackup(each, Files.getLastModifiedTime(each).toInstant(), size, false));
    } catch (NoSuchFileException _) {
      return Optional.empty(); // another sweep was faster
    }
  }

  /** Those that a crash cut off before it was known whether the change is in place. */
  List<ChangeManifest> prepared() throws IOException {
    List<ChangeManifest> found = new ArrayList<>();
    for (Path each : list()) {
      try {
        read(each)
            .filter(one -> one.stage() == ChangeManifest.Stage.PREPARED)
            .ifPresent(found::add);
      } catch (FileFailedException _) {
        // The sweep speaks of it.
      }
    }
    return found;
  }

  /** An execution's name comes from outside: as a folder it can mean nothing but itself. */
  static String folderName(String execution) {
    boolean plain = PLAIN.matcher(execution).matches() && !execution.contains("..");
    return plain ? execution : "~" + Sha256.of(execution);
  }

  private Path at(String execution) {
    return folder.resolve(folderName(execution));
  }

  private List<Path> list() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(each -> Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS)).toList();
    }
  }

  private static long size(Path each) throws IOException {
    long size = 0;
    try (Stream<Path> files = Files.list(each)) {
      for (Path file : files.toList()) {
        size += Files.size(file);
      }
    } catch (NoSuchFileException _) {
      return 0;
    }
    return size;
  }

  private static void delete(Path each) throws IOException {
    if (!Files.exists(each, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (Stream<Path> files = Files.walk(each)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
