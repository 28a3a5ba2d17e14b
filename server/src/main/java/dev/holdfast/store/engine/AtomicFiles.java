package dev.holdfast.store.engine;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.SyncFailedException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Files that are either wholly there or not at all, whenever the power fails. Folders 0700, files
 * 0600.
 */
public final class AtomicFiles {
  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
  private static final FileAttribute<?> FOLDER_MODE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private static final FileAttribute<?> FILE_MODE = PosixFilePermissions.asFileAttribute(FILE);

  private AtomicFiles() {}

  /**
   * Writes beside the target, fsyncs, renames, fsyncs the folder. A {@code .tmp} left by a crash is
   * written over.
   *
   * @throws SyncFailedException when an fsync failed: what is on the disk is unknown
   */
  public static void write(Path target, byte[] content) throws IOException {
    write(target, out -> out.write(content));
  }

  /** What stands in a file, for one too large to be held in memory. */
  public interface Content {
    void to(OutputStream out) throws IOException;
  }

  /** As {@link #write(Path, byte[])}. */
  public static void write(Path target, Content content) throws IOException {
    move(writeBeside(target, content), target);
  }

  /** Of the file beside {@code target} that its next content is written to. */
  static Path temporary(Path target) {
    return target.resolveSibling(target.getFileName() + ".tmp");
  }

  static Path writeBeside(Path target, Content content) throws IOException {
    Path temporary = temporary(target);
    Files.deleteIfExists(temporary);
    create(temporary);
    try (FileOutputStream out = new FileOutputStream(temporary.toFile())) {
      content.to(out);
      out.getFD().sync();
    } catch (SyncFailedException e) {
      throw e;
    } catch (IOException e) {
      Files.deleteIfExists(temporary); // half a file on a full disk is in the way
      throw e;
    }
    return temporary;
  }

  /** Durable on return; what {@code target} named before is gone. */
  static void move(Path file, Path target) throws IOException {
    Files.move(file, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    syncFolder(folderOf(target));
  }

  /** Gives a file another name, durably, with what it holds now. */
  static void link(Path file, Path name) throws IOException {
    syncFolder(file); // for a file it is the same call
    Files.createLink(name, file);
    syncFolder(folderOf(name));
  }

  /** Makes an empty file that only its owner may read. Returns false when there was one. */
  public static boolean create(Path file) throws IOException {
    try {
      Files.createFile(file, FILE_MODE);
      return true;
    } catch (FileAlreadyExistsException _) {
      return false;
    }
  }

  /** Makes the folder and its parents, each for its owner alone. */
  public static void createFolders(Path folder) throws IOException {
    Files.createDirectories(folder, FOLDER_MODE);
  }

  /** Takes all rights from others, where a file was made by someone else. */
  public static void restrict(Path file) throws IOException {
    Files.setPosixFilePermissions(file, FILE);
  }

  /** Whether others than its owner may read or change it. */
  public static boolean isOpenToOthers(Path file) throws IOException {
    return !FILE.containsAll(Files.getPosixFilePermissions(file));
  }

  /** Deletes durably. Returns whether there was anything to delete. */
  public static boolean delete(Path file) throws IOException {
    boolean deleted = Files.deleteIfExists(file);
    if (deleted) {
      syncFolder(folderOf(file));
    }
    return deleted;
  }

  /**
   * Makes new, renamed and deleted names of a folder durable. Only a channel can open a folder, and
   * an interrupt would close it in the middle: so the interrupt is put off until it is done.
   */
  public static void syncFolder(Path folder) throws IOException {
    boolean interrupted = Thread.interrupted();
    try {
      while (true) {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
          force(channel, folder);
          return;
        } catch (ClosedByInterruptException _) {
          interrupted = true;
          Thread.interrupted();
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void force(FileChannel channel, Path folder) throws IOException {
    try {
      channel.force(true);
    } catch (ClosedByInterruptException e) {
      throw e;
    } catch (IOException e) {
      SyncFailedException failed = new SyncFailedException(folder + ": " + e.getMessage());
      failed.initCause(e);
      throw failed;
    }
  }

  static Path folderOf(Path file) {
    File parent = file.toAbsolutePath().toFile().getParentFile();
    if (parent == null) {
      throw new IllegalArgumentException("a root folder is no file: " + file);
    }
    return parent.toPath();
  }
}
