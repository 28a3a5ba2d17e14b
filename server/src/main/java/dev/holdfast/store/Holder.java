package dev.holdfast.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Who holds a data folder, as {@code holdfast.pid} tells it. The file may have been copied along
 * with its folder: so it says as well which folder and which lock file it is about.
 *
 * @param started of the process
 * @param taken when it took the folder
 * @param folder what the kernel calls the folder; see {@link #identity}
 * @param lock the same of its lock file
 * @param path where the folder was
 */
record Holder(long pid, Instant started, Instant taken, String folder, String lock, String path) {
  static final String FILE = "holdfast.pid";
  static final String LOCK_FILE = "holdfast.lock";
  private static final String NONE = "-";
  private static final int WORDS = 6;

  /**
   * The kernel counts a process's start in ticks since boot, so two readings of it may differ a
   * little.
   */
  private static final Duration START_SLACK = Duration.ofSeconds(2);

  static Holder self(Path dataDir, Instant taken) {
    ProcessHandle self = ProcessHandle.current();
    return new Holder(
        self.pid(),
        started(self),
        taken,
        identity(dataDir),
        identity(dataDir.resolve(LOCK_FILE)),
        dataDir.toAbsolutePath().normalize().toString());
  }

  static Instant started(ProcessHandle process) {
    return process.info().startInstant().orElse(Instant.EPOCH);
  }

  /** Empty when there is none or it cannot be read: then the lock alone decides. */
  static Optional<Holder> read(Path dataDir) {
    try {
      String text = Files.readString(dataDir.resolve(FILE), StandardCharsets.UTF_8).strip();
      String[] words = text.split(" ", WORDS);
      return Optional.of(
          new Holder(
              Long.parseLong(words[0]),
              Instant.parse(words[1]),
              Instant.parse(words[2]),
              words[3],
              words[4],
              words[5]));
    } catch (IOException | RuntimeException _) {
      return Optional.empty();
    }
  }

  String text() {
    return String.join(
        " ", Long.toString(pid), started.toString(), taken.toString(), folder, lock, path + "\n");
  }

  /** Whether this is about that folder, and not about one that it was copied from. */
  boolean isOf(Path dataDir) {
    String lockThere = identity(dataDir.resolve(LOCK_FILE));
    return (!lock.equals(NONE) && lock.equals(lockThere))
        || (!folder.equals(NONE) && folder.equals(identity(dataDir)));
  }

  /** The living process; empty when it ended and its number went to another. */
  Optional<ProcessHandle> living() {
    return ProcessHandle.of(pid)
        .filter(ProcessHandle::isAlive)
        .filter(
            process ->
                Duration.between(started(process), started).abs().compareTo(START_SLACK) <= 0);
  }

  /**
   * How long this process has run, to a hundredth of a second: what Java says of its start may be a
   * whole second early. Zero where the kernel does not tell.
   */
  static Duration age() {
    try {
      String text = Files.readString(Path.of("/proc/self/stat"), StandardCharsets.ISO_8859_1);
      String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
      String[] uptime = Files.readString(Path.of("/proc/uptime")).split(" ", -1);
      double seconds = Double.parseDouble(uptime[0]) - Long.parseLong(fields[19]) / 100.0;
      return Duration.ofMillis((long) (seconds * 1000));
    } catch (IOException | RuntimeException _) {
      return Duration.ZERO;
    }
  }

  /** Device and inode; a dash where there are none. */
  private static String identity(Path path) {
    try {
      return Files.getAttribute(path, "unix:dev") + ":" + Files.getAttribute(path, "unix:ino");
    } catch (IOException | RuntimeException _) {
      return NONE;
    }
  }
}
