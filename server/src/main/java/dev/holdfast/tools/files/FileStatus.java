package dev.holdfast.tools.files;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What the kernel says of a file.
 *
 * @param mode the rights, of twelve bits
 * @param links how many names it has
 * @param changed when it was last changed in any way, in nanoseconds: only good for comparing
 * @param born when it was made, likewise; 0 where the file system does not know
 */
public record FileStatus(
    Type type, int mode, long links, long device, long inode, long size, long changed, long born) {
  /** What tools may work with is a plain file or a folder. */
  public enum Type {
    FILE,
    FOLDER,
    LINK,
    SPECIAL
  }

  private static final int TYPE_BITS = 0xf000;
  private static final int MODE_BITS = 0xfff;

  /** From a {@code struct statx}, which is laid out alike on every machine. */
  static FileStatus of(MemorySegment statx) {
    int mode = Short.toUnsignedInt(statx.get(ValueLayout.JAVA_SHORT, 28));
    return new FileStatus(
        typeOf(mode),
        mode & MODE_BITS,
        Integer.toUnsignedLong(statx.get(ValueLayout.JAVA_INT, 16)),
        ((long) statx.get(ValueLayout.JAVA_INT, 136) << 32)
            | Integer.toUnsignedLong(statx.get(ValueLayout.JAVA_INT, 140)),
        statx.get(ValueLayout.JAVA_LONG, 32),
        statx.get(ValueLayout.JAVA_LONG, 40),
        nanos(statx, 96),
        nanos(statx, 80));
  }

  private static long nanos(MemorySegment statx, long at) {
    long seconds = statx.get(ValueLayout.JAVA_LONG, at);
    return seconds * 1_000_000_000 + statx.get(ValueLayout.JAVA_INT, at + 8);
  }

  private static Type typeOf(int mode) {
    return switch (mode & TYPE_BITS) {
      case 0x8000 -> Type.FILE;
      case 0x4000 -> Type.FOLDER;
      case 0xa000 -> Type.LINK;
      default -> Type.SPECIAL;
    };
  }

  public boolean isFile() {
    return type == Type.FILE;
  }

  public boolean isFolder() {
    return type == Type.FOLDER;
  }

  /** Whether it is the same thing, whatever was done to it. */
  boolean isSame(FileStatus other) {
    return device == other.device && inode == other.inode;
  }

  /** Whether it is the same thing and nothing was done to it. */
  boolean isUnchanged(FileStatus other) {
    return isSame(other) && size == other.size && changed == other.changed;
  }

  /**
   * Refuses what may be something else elsewhere: a link, a second name of a file outside, a pipe.
   */
  void requirePlainFile(String name) throws FileFailedException {
    switch (type) {
      case FOLDER -> throw FileFailedException.refused(name + ": is a folder");
      case LINK -> throw FileFailedException.refused(name + ": is a link; links are not followed");
      case SPECIAL -> throw FileFailedException.refused(name + ": is not a plain file");
      case FILE -> {
        if (links != 1) {
          throw FileFailedException.refused(
              name + ": has " + links + " names (hard links), so it may be a file elsewhere");
        }
      }
    }
  }
}
