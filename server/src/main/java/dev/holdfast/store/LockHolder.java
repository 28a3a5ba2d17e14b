package dev.holdfast.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the process that holds a data folder, without touching its lock. */
final class LockHolder {
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,10}");

  /** {@code 1: POSIX ADVISORY WRITE 4711 08:01:131 0 EOF}: the process and the inode. */
  private static final Pattern LOCK =
      Pattern.compile("\\d+: (?:POSIX|OFDLCK) +\\S+ +WRITE (\\d+) \\S+:\\S+:(\\d+) .*");

  private LockHolder() {}

  static Optional<Long> find(Path data) {
    Path lock = data.resolve("holdfast.lock");
    if (!lock.getFileSystem().supportedFileAttributeViews().contains("unix")) {
      return fromPidFile(data);
    }
    try {
      Object inode = Files.getAttribute(lock, "unix:ino");
      for (String line : Files.readAllLines(Path.of("/proc/locks"))) {
        Matcher matcher = LOCK.matcher(line);
        if (matcher.matches() && matcher.group(2).equals(String.valueOf(inode))) {
          return Optional.of(Long.parseLong(matcher.group(1)));
        }
      }
      return Optional.empty();
    } catch (IOException _) {
      return fromPidFile(data);
    }
  }

  /** Where the system does not list its locks. A process that took the number over may be found. */
  private static Optional<Long> fromPidFile(Path data) {
    try {
      Matcher number = NUMBER.matcher(Files.readString(data.resolve("holdfast.pid")));
      return number.find()
          ? ProcessHandle.of(Long.parseLong(number.group()))
              .filter(ProcessHandle::isAlive)
              .map(ProcessHandle::pid)
          : Optional.empty();
    } catch (IOException _) {
      return Optional.empty();
    }
  }
}
