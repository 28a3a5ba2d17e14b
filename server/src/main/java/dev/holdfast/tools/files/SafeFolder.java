package dev.holdfast.tools.files;

import dev.holdfast.libc.Descriptors;
import dev.holdfast.libc.FileCalls;
import dev.holdfast.libc.OpenFlags;
import dev.holdfast.store.engine.AtomicFiles;
import dev.holdfast.tools.files.FileFailedException.Why;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * An open folder. Every name is one step within it and is never followed when it is a link; who
 * moves or swaps the folder meanwhile moves nothing that was opened here. For one thread.
 */
public final class SafeFolder implements AutoCloseable {
  private static final int PLACE = OpenFlags.PLACE | OpenFlags.FOLDER;
  private static final int READ_FOLDER = OpenFlags.READ | OpenFlags.FOLDER;
  private static final int NAMES_BYTES = 32_768;
  private static final int COPY_BYTES = 65_536;

  /** The longest entry of a folder is smaller. */
  private static final int ONE_NAME_BYTES = 512;

  private final int open;
  private final Predicate<FileStatus> hidden;
  private final FileStatus status;

  private SafeFolder(int open, Predicate<FileStatus> hidden) throws FileFailedException {
    this.open = open;
    this.hidden = hidden;
    try {
      status = LinuxCalls.status(open);
    } catch (FileFailedException e) {
      Descriptors.close(open);
      throw e;
    }
  }

  /** Walks down from the root of the file system; no step may be a link. */
  public static SafeFolder of(Path absolute) throws FileFailedException {
    return of(absolute, _ -> false);
  }

  /** In it, and in all that is opened in it, those files are not opened. */
  static SafeFolder of(Path absolute, Predicate<FileStatus> hidden) throws FileFailedException {
    SafeFolder at =
        new SafeFolder(LinuxCalls.open(FileCalls.CURRENT_FOLDER, "/", PLACE, 0), hidden);
    for (Path name : absolute) {
      try (SafeFolder above = at) {
        at = above.folder(name.toString());
      }
    }
    return at;
  }

  /**
   * Opens a folder to which the way is the server's own and may hold links; the last step may not,
   * since tools work there.
   */
  public static SafeFolder ofServer(Path folder) throws FileFailedException, IOException {
    return ofServer(folder, _ -> false);
  }

  static SafeFolder ofServer(Path folder, Predicate<FileStatus> hidden)
      throws FileFailedException, IOException {
    Path absolute = folder.toAbsolutePath();
    Path parent = absolute.getParent();
    if (parent == null) {
      return of(absolute, hidden);
    }
    try (SafeFolder above = of(parent.toRealPath(), hidden)) {
      return above.folder(absolute.getFileName().toString());
    }
  }

  FileStatus status() {
    return status;
  }

  /** Opens a folder in it. */
  public SafeFolder folder(String name) throws FileFailedException {
    return new SafeFolder(LinuxCalls.open(open, name, PLACE, 0), hidden);
  }

  /**
   * Opens a folder in it and makes it when there is none. Making and opening are two steps: what is
   * put in between them is opened like anything else, which no link survives.
   */
  public SafeFolder openOrCreateFolder(String name, int mode)
      throws FileFailedException, IOException {
    try {
      LinuxCalls.makeFolder(open, name, mode);
      sync();
    } catch (FileFailedException e) {
      if (e.why() != Why.EXISTS) {
        throw e;
      }
    }
    return folder(name);
  }

  /** What stands under the name, of a link the link itself; empty when nothing does. */
  public Optional<FileStatus> status(String name) throws FileFailedException {
    try {
      return Optional.of(LinuxCalls.status(open, name));
    } catch (FileFailedException e) {
      if (e.why() == Why.MISSING) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /**
   * Opens a plain file of one name; nothing else, and without waiting for anybody. Several looks,
   * since each says what was true at another moment: a second name of a file elsewhere may be put
   * here to be opened, and be gone when names are counted.
   */
  SafeFile file(String name) throws FileFailedException {
    FileStatus before = LinuxCalls.status(open, name);
    before.requirePlainFile(name); // some devices act when they are opened
    int flags = OpenFlags.READ | OpenFlags.NO_WAIT | OpenFlags.NO_TERMINAL;
    int file = LinuxCalls.open(open, name, flags, 0);
    try {
      FileStatus status = LinuxCalls.status(file);
      if (hidden.test(status)) {
        throw FileFailedException.refused(name + ": is the server's own");
      }
      status.requirePlainFile(name);
      awaitRemovals();
      if (!status.isUnchanged(before) || !LinuxCalls.isStillNamed(file, name)) {
        throw new FileFailedException(
            Why.CHANGED, name + ": has just been changed by somebody else");
      }
      return new SafeFile(file, status);
    } catch (FileFailedException e) {
      Descriptors.close(file);
      throw e;
    }
  }

  /**
   * The bytes of a plain file of one name, as they were at one moment.
   *
   * @throws FileFailedException also when it has more than {@code bytesMax}, or somebody writes to
   *     it meanwhile
   */
  public byte[] read(String name, int bytesMax) throws FileFailedException, IOException {
    try (SafeFile file = file(name)) {
      byte[] bytes = file.readNBytes(bytesMax + 1);
      if (bytes.length > bytesMax) {
        throw FileFailedException.refused(name + ": is larger than " + bytesMax + " bytes");
      }
      file.requireUnchanged(name);
      return bytes;
    }
  }

  /**
   * Whoever removes a name here has begun and ended by then: the kernel counts a file's names down
   * a moment before it takes the name away, and reading a folder waits for that.
   */
  private void awaitRemovals() throws FileFailedException {
    int reading = LinuxCalls.open(open, ".", READ_FOLDER, 0);
    try (Arena arena = Arena.ofConfined()) {
      LinuxCalls.names(reading, arena.allocate(ONE_NAME_BYTES, 8));
    } finally {
      Descriptors.close(reading);
    }
  }

  /**
   * The names in it, in no order; at most {@code max}.
   *
   * @param max one more than wanted tells whether there are more
   */
  public List<String> names(int max) throws FileFailedException {
    List<String> names = new ArrayList<>();
    int reading = LinuxCalls.open(open, ".", READ_FOLDER, 0);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment into = arena.allocate(NAMES_BYTES, 8);
      while (names.size() < max) {
        int bytes = LinuxCalls.names(reading, into);
        if (bytes == 0) {
          break;
        }
        addNames(into.asSlice(0, bytes), names, max);
      }
    } finally {
      Descriptors.close(reading);
    }
    return names;
  }

  private static void addNames(MemorySegment entries, List<String> names, int max) {
    long at = 0;
    while (at < entries.byteSize() && names.size() < max) {
      int length = Short.toUnsignedInt(entries.get(ValueLayout.JAVA_SHORT_UNALIGNED, at + 16));
      byte[] raw = entries.asSlice(at + 19, length - 19).toArray(ValueLayout.JAVA_BYTE);
      int end = 0;
      while (end < raw.length && raw[end] != 0) {
        end++;
      }
      String name = new String(raw, 0, end, StandardCharsets.UTF_8);
      if (!name.equals(".") && !name.equals("..")) {
        names.add(name);
      }
      at += length;
    }
  }

  /**
   * Puts a file in place, whole or not at all: written under another name, synced, checked, and
   * renamed; the folder is synced too.
   *
   * @param temporary a name for the meantime; what a crash left there is removed
   * @param expected what stands under the name now; empty when nothing may
   * @param check looks at what was written before it takes its place
   */
  void put(
      String name, String temporary, Content content, Optional<FileStatus> expected, Check check)
      throws FileFailedException, IOException {
    removeLeftover(temporary);
    boolean placed = false;
    int file =
        LinuxCalls.open(
            open,
            temporary,
            OpenFlags.WRITE | OpenFlags.CREATE | OpenFlags.EXCLUSIVE,
            content.mode());
    try {
      fill(file, content);
      check.beforePlacing();
      Optional<FileStatus> now = status(name);
      boolean same =
          now.isPresent() == expected.isPresent()
              && (now.isEmpty() || now.get().isUnchanged(expected.orElseThrow()));
      if (!same) {
        throw new FileFailedException(
            now.isPresent() && expected.isEmpty() ? Why.EXISTS : Why.CHANGED,
            name + ": has just been changed by somebody else");
      }
      LinuxCalls.rename(open, temporary, open, name, expected.isPresent());
      placed = true;
      sync();
      if (!LinuxCalls.status(open, name).isSame(LinuxCalls.status(file))) {
        throw new FileFailedException(
            Why.CHANGED, name + ": has just been changed by somebody else");
      }
    } finally {
      Descriptors.close(file);
      if (!placed) {
        removeLeftover(temporary);
      }
    }
  }

  /** As {@link #put}, whatever stands there now; a link is replaced, not followed. */
  public void replace(String name, Content content) throws FileFailedException, IOException {
    put(name, "." + name + ".tmp", content, status(name), () -> {});
  }

  /**
   * What goes into a file.
   *
   * @param mode its rights
   * @param exact whether the mask of the process takes nothing from them
   */
  public record Content(InputStream bytes, int mode, boolean exact) {}

  /** Has the last word before a file takes its place. */
  interface Check {
    void beforePlacing() throws FileFailedException, IOException;
  }

  private static void fill(int file, Content content) throws FileFailedException, IOException {
    if (content.exact()) {
      LinuxCalls.mode(file, content.mode());
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(COPY_BYTES);
      byte[] bytes = new byte[COPY_BYTES];
      for (int read = content.bytes().read(bytes); read >= 0; read = content.bytes().read(bytes)) {
        MemorySegment.copy(bytes, 0, buffer, ValueLayout.JAVA_BYTE, 0, read);
        for (int written = 0; written < read; ) {
          written += LinuxCalls.write(file, buffer.asSlice(written, read - written));
        }
      }
    }
    sync(file);
  }

  /** Removes what a crash left under a name that only this program uses. */
  void removeLeftover(String temporary) throws FileFailedException {
    if (status(temporary).isPresent()) {
      LinuxCalls.remove(open, temporary, false);
    }
  }

  /** Removes a file, durably. What stands there must still be what the caller saw. */
  void remove(String name, FileStatus expected) throws FileFailedException, IOException {
    if (!LinuxCalls.status(open, name).isUnchanged(expected)) {
      throw new FileFailedException(Why.CHANGED, name + ": has just been changed by somebody else");
    }
    LinuxCalls.remove(open, name, false);
    sync();
  }

  /** Removes a folder in it; false when something is in it or it is none. */
  boolean removeEmptyFolder(String name) throws FileFailedException, IOException {
    try {
      LinuxCalls.remove(open, name, true);
    } catch (FileFailedException e) {
      if (e.why() == Why.REFUSED || e.why() == Why.MISSING) {
        return false;
      }
      throw e;
    }
    sync();
    return true;
  }

  /** Moves a file that the caller has seen to a name that is free, durably. */
  void move(String name, FileStatus expected, SafeFolder toFolder, String to)
      throws FileFailedException, IOException {
    if (!LinuxCalls.status(open, name).isUnchanged(expected)) {
      throw new FileFailedException(Why.CHANGED, name + ": has just been changed by somebody else");
    }
    LinuxCalls.rename(open, name, toFolder.open, to, false);
    toFolder.sync();
    sync();
    if (!LinuxCalls.status(toFolder.open, to).isSame(expected)) {
      throw new FileFailedException(Why.CHANGED, to + ": has just been changed by somebody else");
    }
  }

  /** The magic number of the file system that it is on. */
  long fileSystem() throws FileFailedException {
    return LinuxCalls.fileSystem(open);
  }

  private void sync() throws FileFailedException, IOException {
    int reading = LinuxCalls.open(open, ".", READ_FOLDER, 0);
    try {
      sync(reading);
    } finally {
      Descriptors.close(reading);
    }
  }

  /**
   * By Java and not by a call of the C library, during which the carrier of a virtual thread could
   * do nothing else.
   */
  private static void sync(int open) throws IOException {
    AtomicFiles.syncFolder(Path.of("/proc/self/fd/" + open));
  }

  @Override
  public void close() {
    Descriptors.close(open);
  }
}
