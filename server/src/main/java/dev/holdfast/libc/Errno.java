package dev.holdfast.libc;

/**
 * Why a call failed, under the names of errno(3); the numbers are the same on x86_64 and aarch64.
 */
public final class Errno {
  public static final int EPERM = 1;
  public static final int ENOENT = 2;
  public static final int EINTR = 4;
  public static final int ENXIO = 6;
  public static final int EAGAIN = 11;
  public static final int EACCES = 13;
  public static final int EEXIST = 17;
  public static final int EXDEV = 18;
  public static final int ENOTDIR = 20;
  public static final int EISDIR = 21;
  public static final int EINVAL = 22;
  public static final int ENFILE = 23;
  public static final int EMFILE = 24;
  public static final int ENOSPC = 28;
  public static final int EROFS = 30;
  public static final int EPIPE = 32;
  public static final int ENAMETOOLONG = 36;
  public static final int ENOSYS = 38;
  public static final int ENOTEMPTY = 39;
  public static final int ELOOP = 40;
  public static final int EDQUOT = 122;

  private Errno() {}
}
