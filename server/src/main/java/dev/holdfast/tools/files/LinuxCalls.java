package dev.holdfast.tools.files;

import dev.holdfast.tools.files.FileFailedException.Why;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The calls of the C library that work on names within an open folder. Java's {@link
 * java.nio.file.SecureDirectoryStream} cannot make folders, wait for the disk, or open a name that
 * may be a pipe without hanging on it.
 */
final class LinuxCalls {
  static final int CWD = -100;
  static final int READ = 0;
  static final int WRITE = 1;
  static final int CREATE = 0x40;
  static final int EXCLUSIVE = 0x80;
  static final int NO_TERMINAL = 0x100;
  static final int NO_WAIT = 0x800;
  static final int CLOSE_IN_CHILDREN = 0x80000;

  /** Only a place in the tree: needs no right to read what it holds. */
  static final int PLACE = 0x200000;

  private static final boolean ARM =
      System.getProperty("os.arch", "").toLowerCase(Locale.ROOT).contains("aarch64");
  static final int FOLDER = ARM ? 0x4000 : 0x10000;
  static final int NO_FOLLOW = ARM ? 0x8000 : 0x20000;

  private static final int REMOVE_FOLDER = 0x200;
  private static final int SYMLINK_NO_FOLLOW = 0x100;
  private static final int EMPTY_PATH = 0x1000;
  private static final int NO_REPLACE = 1;
  private static final int STATX_BASIC = 0x7ff;
  private static final int STATX_BYTES = 256;
  private static final int STATFS_BYTES = 256;
  private static final int PATH_BYTES = 4096;

  /** What the kernel puts behind the path of a file whose name is gone. */
  private static final String GONE = " (deleted)";

  private static final int ENOENT = 2;
  private static final int EINTR = 4;
  private static final int ENXIO = 6;
  private static final int EEXIST = 17;
  private static final int EXDEV = 18;
  private static final int ENOTDIR = 20;
  private static final int EISDIR = 21;
  private static final int EINVAL = 22;
  private static final int ENAMETOOLONG = 36;
  private static final int ENOSYS = 38;
  private static final int ELOOP = 40;

  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));

  private static final ValueLayout.OfInt I = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong L = ValueLayout.JAVA_LONG;
  private static final MethodHandle OPENAT =
      find(
          "openat",
          FunctionDescriptor.of(I, I, ValueLayout.ADDRESS, I, I),
          Linker.Option.firstVariadicArg(3));
  private static final MethodHandle MKDIRAT =
      find("mkdirat", FunctionDescriptor.of(I, I, ValueLayout.ADDRESS, I));
  private static final MethodHandle UNLINKAT =
      find("unlinkat", FunctionDescriptor.of(I, I, ValueLayout.ADDRESS, I));
  private static final MethodHandle RENAMEAT2 =
      find(
          "renameat2", FunctionDescriptor.of(I, I, ValueLayout.ADDRESS, I, ValueLayout.ADDRESS, I));
  private static final MethodHandle STATX =
      find("statx", FunctionDescriptor.of(I, I, ValueLayout.ADDRESS, I, I, ValueLayout.ADDRESS));
  private static final MethodHandle FSTATFS =
      find("fstatfs", FunctionDescriptor.of(I, I, ValueLayout.ADDRESS));
  private static final MethodHandle GETDENTS =
      find("getdents64", FunctionDescriptor.of(L, I, ValueLayout.ADDRESS, L));
  private static final MethodHandle READ_BYTES =
      find("read", FunctionDescriptor.of(L, I, ValueLayout.ADDRESS, L));
  private static final MethodHandle WRITE_BYTES =
      find("write", FunctionDescriptor.of(L, I, ValueLayout.ADDRESS, L));
  private static final MethodHandle READLINKAT =
      find("readlinkat", FunctionDescriptor.of(L, I, ValueLayout.ADDRESS, ValueLayout.ADDRESS, L));
  private static final MethodHandle FCHMOD = find("fchmod", FunctionDescriptor.of(I, I, I));
  private static final MethodHandle CLOSE = find("close", FunctionDescriptor.of(I, I));

  private LinuxCalls() {}

  @SuppressWarnings("restricted") // the jar's manifest allows it
  private static MethodHandle find(
      String name, FunctionDescriptor shape, Linker.Option... options) {
    Linker linker = Linker.nativeLinker();
    Linker.Option[] all = new Linker.Option[options.length + 1];
    all[0] = Linker.Option.captureCallState("errno");
    System.arraycopy(options, 0, all, 1, options.length);
    return linker.downcallHandle(linker.defaultLookup().find(name).orElseThrow(), shape, all);
  }

  /** One call; negative means that {@code state} says why. */
  private interface Body {
    long run(Arena arena, MemorySegment state) throws Throwable;
  }

  private static long call(String name, Body body) throws FileFailedException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      while (true) {
        long result = body.run(arena, state);
        if (result >= 0) {
          return result;
        }
        int errno = (int) ERRNO.get(state, 0L);
        if (errno != EINTR) {
          throw failed(name, errno);
        }
      }
    } catch (FileFailedException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("a call of the C library failed", e);
    }
  }

  private static FileFailedException failed(String name, int errno) {
    String text = name + ": ";
    return switch (errno) {
      case ENOENT -> new FileFailedException(Why.MISSING, text + "no such file or folder");
      case EEXIST -> new FileFailedException(Why.EXISTS, text + "already exists");
      case EXDEV -> new FileFailedException(Why.OTHER_DISK, text + "is on another disk");
      case ENOTDIR, ELOOP ->
          FileFailedException.refused(text + "is not a folder, or a link; links are not followed");
      case EISDIR -> FileFailedException.refused(text + "is a folder");
      case ENXIO -> FileFailedException.refused(text + "is not a plain file");
      case ENAMETOOLONG -> FileFailedException.refused(text + "the name is too long");
      case 1, 13 -> FileFailedException.refused(text + "permission denied");
      case 39 -> FileFailedException.refused(text + "the folder is not empty");
      case 28, 122 -> new FileFailedException(Why.PASSING, text + "the disk is full");
      case 30 -> new FileFailedException(Why.PASSING, text + "the disk is read-only");
      case 23, 24 -> new FileFailedException(Why.PASSING, text + "too many open files");
      default -> new FileFailedException(Why.PASSING, text + "the system said error " + errno);
    };
  }

  static int open(int folder, String name, int flags, int mode) throws FileFailedException {
    return (int)
        call(
            name,
            (arena, state) ->
                (int)
                    OPENAT.invokeExact(
                        state,
                        folder,
                        arena.allocateFrom(name),
                        flags | NO_FOLLOW | CLOSE_IN_CHILDREN,
                        mode));
  }

  static void makeFolder(int folder, String name, int mode) throws FileFailedException {
    call(
        name,
        (arena, state) -> (int) MKDIRAT.invokeExact(state, folder, arena.allocateFrom(name), mode));
  }

  static void remove(int folder, String name, boolean isFolder) throws FileFailedException {
    int flags = isFolder ? REMOVE_FOLDER : 0;
    call(
        name,
        (arena, state) ->
            (int) UNLINKAT.invokeExact(state, folder, arena.allocateFrom(name), flags));
  }

  /** Never follows a link at either end. */
  static void rename(int folder, String name, int toFolder, String to, boolean mayReplace)
      throws FileFailedException {
    call(
        to,
        (arena, state) -> {
          MemorySegment from = arena.allocateFrom(name);
          MemorySegment target = arena.allocateFrom(to);
          int flags = mayReplace ? 0 : NO_REPLACE;
          int done = (int) RENAMEAT2.invokeExact(state, folder, from, toFolder, target, flags);
          if (done >= 0 || mayReplace) {
            return done;
          }
          int errno = (int) ERRNO.get(state, 0L);
          if (errno != EINVAL && errno != ENOSYS) {
            return done;
          }
          refuseIfThere(toFolder, to); // a file system without that flag: the next best
          return (int) RENAMEAT2.invokeExact(state, folder, from, toFolder, target, 0);
        });
  }

  private static void refuseIfThere(int folder, String name) throws FileFailedException {
    try {
      look(folder, name);
    } catch (FileFailedException e) {
      if (e.why() == Why.MISSING) {
        return;
      }
      throw e;
    }
    throw failed(name, EEXIST);
  }

  /** What stands under a name; of a link, the link itself. */
  static FileStatus look(int folder, String name) throws FileFailedException {
    return look(folder, name, SYMLINK_NO_FOLLOW, name);
  }

  /** What an open file or folder is. */
  static FileStatus look(int open) throws FileFailedException {
    return look(open, "", EMPTY_PATH, "an open file");
  }

  private static FileStatus look(int folder, String name, int flags, String shown)
      throws FileFailedException {
    try (Arena outer = Arena.ofConfined()) {
      MemorySegment into = outer.allocate(STATX_BYTES, 8);
      call(
          shown,
          (arena, state) ->
              (int)
                  STATX.invokeExact(
                      state, folder, arena.allocateFrom(name), flags, STATX_BASIC, into));
      return FileStatus.of(into);
    }
  }

  /** The magic number of the file system that an open file or folder is on. */
  static long fileSystem(int open) throws FileFailedException {
    try (Arena outer = Arena.ofConfined()) {
      MemorySegment into = outer.allocate(STATFS_BYTES, 8);
      call("a folder", (_, state) -> (int) FSTATFS.invokeExact(state, open, into));
      return into.get(L, 0);
    }
  }

  /**
   * Whether the very name by which a file was opened is still there; a new one in its place is
   * another. Never of a name that looks as if it were gone, nor of a path of more than 4,096 bytes.
   */
  static boolean isStillNamed(int open, String name) throws FileFailedException {
    try (Arena outer = Arena.ofConfined()) {
      MemorySegment into = outer.allocate(PATH_BYTES);
      String link = "/proc/self/fd/" + open;
      long length =
          call(
              name,
              (arena, state) ->
                  (long)
                      READLINKAT.invokeExact(
                          state, CWD, arena.allocateFrom(link), into, into.byteSize()));
      byte[] path = into.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
      return !name.endsWith(GONE) && new String(path, StandardCharsets.UTF_8).endsWith("/" + name);
    }
  }

  /** The next names of an open folder, as the kernel lays them out; 0 at the end. */
  static int names(int open, MemorySegment into) throws FileFailedException {
    return (int)
        call(
            "the folder",
            (_, state) -> (long) GETDENTS.invokeExact(state, open, into, into.byteSize()));
  }

  /** How many bytes were read; 0 at the end. */
  static int read(int open, MemorySegment into) throws FileFailedException {
    return (int)
        call(
            "the file",
            (_, state) -> (long) READ_BYTES.invokeExact(state, open, into, into.byteSize()));
  }

  static int write(int open, MemorySegment from) throws FileFailedException {
    return (int)
        call(
            "the file",
            (_, state) -> (long) WRITE_BYTES.invokeExact(state, open, from, from.byteSize()));
  }

  static void mode(int open, int mode) throws FileFailedException {
    call("the file", (_, state) -> (int) FCHMOD.invokeExact(state, open, mode));
  }

  /**
   * Once, whatever it says: what had to be durable was synced before, and the descriptor is gone
   * also when a signal came, so that a second try would close what somebody else has opened
   * meanwhile.
   */
  static void close(int open) {
    try (Arena arena = Arena.ofConfined()) {
      int _ = (int) CLOSE.invokeExact(arena.allocate(STATE), open);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("a call of the C library failed", e);
    }
  }
}
