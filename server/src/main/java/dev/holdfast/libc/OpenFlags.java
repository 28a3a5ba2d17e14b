package dev.holdfast.libc;

import java.util.Locale;

/** How {@link FileCalls#open} opens; two of the numbers depend on the machine. */
public final class OpenFlags {
  public static final int READ = 0;
  public static final int WRITE = 1;
  public static final int CREATE = 0x40;

  /** Fails when there is something of that name. */
  public static final int EXCLUSIVE = 0x80;

  /** A terminal does not become the process's own. */
  public static final int NO_TERMINAL = 0x100;

  /** Neither opening nor reading blocks. */
  public static final int NO_WAIT = 0x800;

  public static final int CLOSE_IN_CHILDREN = 0x80000;

  /** Only a place in the tree: needs no right to read what it holds. */
  public static final int PLACE = 0x200000;

  private static final boolean ARM =
      System.getProperty("os.arch", "").toLowerCase(Locale.ROOT).contains("aarch64");
  public static final int FOLDER = ARM ? 0x4000 : 0x10000;
  public static final int NO_FOLLOW = ARM ? 0x8000 : 0x20000;

  private OpenFlags() {}
}
