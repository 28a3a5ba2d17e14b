package dev.holdfast.processes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What some processes together hold, as far as the kernel says so of each. */
final class ProcessUse {
  private static final Path PROC = Path.of("/proc");
  private static final Pattern SHARE = Pattern.compile("Pss_(Anon|Shmem): +([0-9]+) kB");
  private static final String DEVICE = "unix:dev";
  private static final String GONE = " (deleted)";

  private final Object device;
  private final Set<Object> files = new HashSet<>();
  private long anonymous;
  private long sharedMapped;
  private long sharedOpen;
  private long removed;

  /**
   * @param disk a folder on the disk of which removed files are counted
   */
  ProcessUse(Path disk) throws IOException {
    device = Files.getAttribute(disk, DEVICE);
  }

  /** One that is gone counts nothing. */
  void add(long process) {
    Path entry = PROC.resolve(Long.toString(process));
    try (Stream<Path> open = Files.list(entry.resolve("fd"))) {
      Matcher share =
          SHARE.matcher(Files.readString(entry.resolve("smaps_rollup"), StandardCharsets.US_ASCII));
      while (share.find()) {
        long bytes = Long.parseLong(share.group(2)) << 10;
        anonymous += share.group(1).equals("Anon") ? bytes : 0;
        sharedMapped += share.group(1).equals("Shmem") ? bytes : 0;
      }
      open.forEach(this::addFile);
    } catch (IOException | UncheckedIOException _) {
      // It is gone; the others are looked at.
    }
  }

  /** A file without a name is in no folder, but takes its room until it is closed. */
  private void addFile(Path open) {
    try {
      String name = Files.readSymbolicLink(open).toString();
      if (!name.endsWith(GONE)) {
        return;
      }
      BasicFileAttributes fact = Files.readAttributes(open, BasicFileAttributes.class);
      Object key = fact.fileKey();
      if (key == null || !files.add(key)) {
        return;
      }
      long bytes = fact.size();
      if (name.startsWith("/memfd:") || name.startsWith("/dev/")) {
        sharedOpen += bytes;
      } else if (device.equals(Files.getAttribute(open, DEVICE))) {
        removed += bytes;
      }
    } catch (IOException _) {
      // It was closed meanwhile.
    }
  }

  /** In bytes, what several share counted once. */
  long memory() {
    return anonymous + Math.max(sharedMapped, sharedOpen);
  }

  /** In bytes, of files that have no name any more. */
  long removed() {
    return removed;
  }
}
