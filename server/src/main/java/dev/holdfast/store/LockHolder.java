package dev.holdfast.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds the process that holds a data folder, without touching its lock. */
public final class LockHolder {
  /** {@code 1: POSIX ADVISORY WRITE 4711 08:01:131 0 EOF}: the process, device and inode. */
  private static final Pattern LOCK =
      Pattern.compile(
          "\\d+: (?:POSIX|OFDLCK) +\\S+ +WRITE (\\d+) ([0-9a-f]+):([0-9a-f]+):(\\d+) .*");

  private static final int PF_EXITING = 4;
  private static final long SIGKILL = 1L << 8;

  private LockHolder() {}

  /** Its number; empty when nobody holds the folder. */
  public static Optional<Long> find(Path data) {
    return process(data).map(ProcessHandle::pid);
  }

  /** Whom the kernel names, or the folder's own file when the kernel names nobody. */
  static Optional<ProcessHandle> process(Path data) {
    return ofKernel(data.resolve(Holder.LOCK_FILE))
        .flatMap(ProcessHandle::of)
        .or(
            () ->
                Holder.read(data)
                    .filter(holder -> holder.isOf(data))
                    .flatMap(Holder::living)
                    .filter(process -> !isDead(process)));
  }

  /** Whether it was killed, or ends by itself, and may not have let go of what it holds. */
  static boolean isDying(ProcessHandle process) {
    try {
      String[] fields = stat(process);
      return isZombie(fields)
          || (Long.parseLong(fields[6]) & PF_EXITING) != 0
          || Files.readAllLines(place(process).resolve("status")).stream()
              .filter(line -> line.startsWith("SigPnd:") || line.startsWith("ShdPnd:"))
              .anyMatch(
                  line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) & SIGKILL) != 0);
    } catch (IOException | RuntimeException _) {
      return !process.isAlive();
    }
  }

  /** All of its threads have ended; only its parent has not looked yet. */
  private static boolean isDead(ProcessHandle process) {
    try (Stream<Path> tasks = Files.list(place(process).resolve("task"))) {
      return isZombie(stat(process)) && tasks.count() <= 1;
    } catch (IOException | RuntimeException _) {
      return !process.isAlive();
    }
  }

  private static boolean isZombie(String[] stat) {
    return stat[0].equals("Z") || stat[0].equals("X");
  }

  /**
   * What follows the name, from the state on.
   *
   * <p>Source: proc_pid_stat(5); the flags are those of the kernel's {@code sched.h}.
   */
  private static String[] stat(ProcessHandle process) throws IOException {
    String text = Files.readString(place(process).resolve("stat"), StandardCharsets.ISO_8859_1);
    return text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
  }

  private static Path place(ProcessHandle process) {
    return Path.of("/proc", Long.toString(process.pid()));
  }

  private static Optional<Long> ofKernel(Path lock) {
    try {
      long device = ((Number) Files.getAttribute(lock, "unix:dev")).longValue();
      long inode = ((Number) Files.getAttribute(lock, "unix:ino")).longValue();
      for (String line : Files.readAllLines(Path.of("/proc/locks"))) {
        Matcher matcher = LOCK.matcher(line);
        if (matcher.matches()
            && Long.parseLong(matcher.group(4)) == inode
            && Long.parseLong(matcher.group(2), 16) == major(device)
            && Long.parseLong(matcher.group(3), 16) == minor(device)) {
          return Optional.of(Long.parseLong(matcher.group(1)));
        }
      }
      return Optional.empty();
    } catch (IOException | RuntimeException _) {
      return Optional.empty();
    }
  }

  /** Source: the GNU C library, {@code bits/sysmacros.h}. */
  private static long major(long device) {
    return ((device >>> 8) & 0xfff) | ((device >>> 32) & ~0xfffL);
  }

  private static long minor(long device) {
    return (device & 0xff) | ((device >>> 12) & ~0xffL);
  }
}
