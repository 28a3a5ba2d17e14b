package dev.holdfast.tools.files;

import dev.holdfast.libc.Descriptors;
import dev.holdfast.libc.Errno;
import dev.holdfast.libc.FileCalls;
import dev.holdfast.tools.files.FileFailedException.Why;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/** The calls of the C library on files, whose failures are said in sentences for the model. */
final class LinuxCalls {
  private static final int PATH_BYTES = 4096;

  /** What the kernel puts behind the path of a file whose name is gone. */
  private static final String GONE = " (deleted)";

  private LinuxCalls() {}

  private static long checked(String name, long result) throws FileFailedException {
    if (result < 0) {
      throw failed(name, (int) -result);
    }
    return result;
  }

  private static FileFailedException failed(String name, int errno) {
    String text = name + ": ";
    return switch (errno) {
      case Errno.ENOENT -> new FileFailedException(Why.MISSING, text + "no such file or folder");
      case Errno.EEXIST -> new FileFailedException(Why.EXISTS, text + "already exists");
      case Errno.EXDEV -> new FileFailedException(Why.OTHER_DISK, text + "is on another disk");
      case Errno.ENOTDIR, Errno.ELOOP ->
          FileFailedException.refused(text + "is not a folder, or a link; links are not followed");
      case Errno.EISDIR -> FileFailedException.refused(text + "is a folder");
      case Errno.ENXIO -> FileFailedException.refused(text + "is not a plain file");
      case Errno.ENAMETOOLONG -> FileFailedException.refused(text + "the name is too long");
      case Errno.EPERM, Errno.EACCES -> FileFailedException.refused(text + "permission denied");
      case Errno.ENOTEMPTY -> FileFailedException.refused(text + "the folder is not empty");
      case Errno.ENOSPC, Errno.EDQUOT ->
          new FileFailedException(Why.PASSING, text + "the disk is full");
      case Errno.EROFS -> new FileFailedException(Why.PASSING, text + "the disk is read-only");
      case Errno.ENFILE, Errno.EMFILE ->
          new FileFailedException(Why.PASSING, text + "too many open files");
      default -> new FileFailedException(Why.PASSING, text + "the system said error " + errno);
    };
  }

  static int open(int folder, String name, int flags, int mode) throws FileFailedException {
    return (int) checked(name, FileCalls.open(folder, name, flags, mode));
  }

  static void makeFolder(int folder, String name, int mode) throws FileFailedException {
    checked(name, FileCalls.makeFolder(folder, name, mode));
  }

  static void remove(int folder, String name, boolean isFolder) throws FileFailedException {
    checked(name, FileCalls.remove(folder, name, isFolder));
  }

  /** Never follows a link at either end. */
  static void rename(int folder, String name, int toFolder, String to, boolean mayReplace)
      throws FileFailedException {
    int done = FileCalls.rename(folder, name, toFolder, to, mayReplace);
    if (!mayReplace && (done == -Errno.EINVAL || done == -Errno.ENOSYS)) {
      refuseIfThere(toFolder, to); // a file system that can only replace: the next best
      done = FileCalls.rename(folder, name, toFolder, to, true);
    }
    checked(to, done);
  }

  private static void refuseIfThere(int folder, String name) throws FileFailedException {
    try {
      status(folder, name);
    } catch (FileFailedException e) {
      if (e.why() == Why.MISSING) {
        return;
      }
      throw e;
    }
    throw failed(name, Errno.EEXIST);
  }

  /** What stands under a name; of a link, the link itself. */
  static FileStatus status(int folder, String name) throws FileFailedException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment into = arena.allocate(FileCalls.STATUS_BYTES, 8);
      checked(name, FileCalls.status(folder, name, into));
      return FileStatus.of(into);
    }
  }

  /** What an open file or folder is. */
  static FileStatus status(int open) throws FileFailedException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment into = arena.allocate(FileCalls.STATUS_BYTES, 8);
      checked("an open file", FileCalls.status(open, into));
      return FileStatus.of(into);
    }
  }

  /** The magic number of the file system that an open file or folder is on. */
  static long fileSystem(int open) throws FileFailedException {
    return checked("a folder", FileCalls.fileSystem(open));
  }

  /**
   * Whether the very name by which a file was opened is still there; a new one in its place is
   * another. Never of a name that looks as if it were gone, nor of a path of more than 4,096 bytes.
   */
  static boolean isStillNamed(int open, String name) throws FileFailedException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment into = arena.allocate(PATH_BYTES);
      String link = "/proc/self/fd/" + open;
      long length = checked(name, FileCalls.readLink(FileCalls.CURRENT_FOLDER, link, into));
      byte[] path = into.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
      return !name.endsWith(GONE) && new String(path, StandardCharsets.UTF_8).endsWith("/" + name);
    }
  }

  /** The next names of an open folder, as the kernel lays them out; 0 at the end. */
  static int names(int open, MemorySegment into) throws FileFailedException {
    return (int) checked("the folder", FileCalls.names(open, into));
  }

  /** How many bytes were read; 0 at the end. */
  static int read(int open, MemorySegment into) throws FileFailedException {
    return (int) checked("the file", Descriptors.read(open, into));
  }

  static int write(int open, MemorySegment from) throws FileFailedException {
    return (int) checked("the file", Descriptors.write(open, from));
  }

  static void mode(int open, int mode) throws FileFailedException {
    checked("the file", FileCalls.mode(open, mode));
  }
}
