package dev.holdfast.libc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Calls that work on names within an open folder. Java's {@link
 * java.nio.file.SecureDirectoryStream} cannot make folders, wait for the disk, or open a name that
 * may be a pipe without hanging on it.
 *
 * <p>Each returns the negative {@link Errno} when it fails.
 */
public final class FileCalls {
  /** In place of an open folder: names are paths of the process. */
  public static final int CURRENT_FOLDER = -100;

  /** How many bytes {@link #status} needs to write to. */
  public static final int STATUS_BYTES = 256;

  private static final int REMOVE_FOLDER = 0x200;
  private static final int SYMLINK_NO_FOLLOW = 0x100;
  private static final int EMPTY_PATH = 0x1000;
  private static final int NO_REPLACE = 1;
  private static final int EXCHANGE = 2;

  /** The basic fields and the time of birth. */
  private static final int STATX_FIELDS = 0xfff;

  private static final int STATFS_BYTES = 256;

  private static final MethodHandle OPENAT =
      Libc.find(
          "openat",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
          Linker.Option.firstVariadicArg(3));
  private static final MethodHandle MKDIRAT =
      Libc.find("mkdirat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle UNLINKAT =
      Libc.find("unlinkat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle RENAMEAT2 =
      Libc.find(
          "renameat2",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle STATX =
      Libc.find(
          "statx", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS));
  private static final MethodHandle FSTATFS =
      Libc.find("fstatfs", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
  private static final MethodHandle GETDENTS =
      Libc.find("getdents64", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
  private static final MethodHandle READLINKAT =
      Libc.find(
          "readlinkat", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG));
  private static final MethodHandle FCHMOD =
      Libc.find("fchmod", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));

  private FileCalls() {}

  /**
   * openat(2): a descriptor that children do not get; never through a link.
   *
   * @param flags of {@link OpenFlags}
   * @param mode the rights of a new file
   */
  public static int open(int folder, String name, int flags, int mode) {
    int all = flags | OpenFlags.NO_FOLLOW | OpenFlags.CLOSE_IN_CHILDREN;
    return (int)
        Libc.call(
            (arena, state) ->
                (int) OPENAT.invokeExact(state, folder, arena.allocateFrom(name), all, mode));
  }

  /** mkdirat(2). */
  public static int makeFolder(int folder, String name, int mode) {
    return (int)
        Libc.call(
            (arena, state) ->
                (int) MKDIRAT.invokeExact(state, folder, arena.allocateFrom(name), mode));
  }

  /** unlinkat(2), of an empty folder or of anything else. */
  public static int remove(int folder, String name, boolean isFolder) {
    int flags = isFolder ? REMOVE_FOLDER : 0;
    return (int)
        Libc.call(
            (arena, state) ->
                (int) UNLINKAT.invokeExact(state, folder, arena.allocateFrom(name), flags));
  }

  /**
   * renameat2(2): never follows a link at either end. Some file systems can only replace: then
   * {@link Errno#EINVAL} or {@link Errno#ENOSYS}.
   */
  public static int rename(int folder, String name, int toFolder, String to, boolean mayReplace) {
    return rename(folder, name, toFolder, to, mayReplace ? 0 : NO_REPLACE);
  }

  /**
   * renameat2(2) of two paths that swap what they name, at once. Some file systems cannot: then
   * {@link Errno#EINVAL} or {@link Errno#ENOSYS}.
   */
  public static int exchange(String path, String other) {
    return rename(CURRENT_FOLDER, path, CURRENT_FOLDER, other, EXCHANGE);
  }

  private static int rename(int folder, String name, int toFolder, String to, int flags) {
    return (int)
        Libc.call(
            (arena, state) ->
                (int)
                    RENAMEAT2.invokeExact(
                        state,
                        folder,
                        arena.allocateFrom(name),
                        toFolder,
                        arena.allocateFrom(to),
                        flags));
  }

  /**
   * statx(2) of a name, of a link the link itself.
   *
   * @param into {@link #STATUS_BYTES}; laid out alike on every machine
   */
  public static int status(int folder, String name, MemorySegment into) {
    return status(folder, name, SYMLINK_NO_FOLLOW, into);
  }

  /** statx(2) of an open file or folder. */
  public static int status(int open, MemorySegment into) {
    return status(open, "", EMPTY_PATH, into);
  }

  private static int status(int folder, String name, int flags, MemorySegment into) {
    return (int)
        Libc.call(
            (arena, state) ->
                (int)
                    STATX.invokeExact(
                        state, folder, arena.allocateFrom(name), flags, STATX_FIELDS, into));
  }

  /** fstatfs(2): the magic number of the file system that an open file or folder is on. */
  public static long fileSystem(int open) {
    return Libc.call(
        (arena, state) -> {
          MemorySegment into = arena.allocate(STATFS_BYTES, 8);
          int done = (int) FSTATFS.invokeExact(state, open, into);
          return done < 0 ? done : into.get(JAVA_LONG, 0);
        });
  }

  /** readlinkat(2): how many bytes of the link's target were written, cut to what fits. */
  public static int readLink(int folder, String name, MemorySegment into) {
    return (int)
        Libc.call(
            (arena, state) ->
                (long)
                    READLINKAT.invokeExact(
                        state, folder, arena.allocateFrom(name), into, into.byteSize()));
  }

  /** getdents64(2): the next names of an open folder, as the kernel lays them out; 0 at the end. */
  public static int names(int open, MemorySegment into) {
    return (int)
        Libc.call((_, state) -> (long) GETDENTS.invokeExact(state, open, into, into.byteSize()));
  }

  /** fchmod(2). */
  public static int mode(int open, int mode) {
    return (int) Libc.call((_, state) -> (int) FCHMOD.invokeExact(state, open, mode));
  }
}
