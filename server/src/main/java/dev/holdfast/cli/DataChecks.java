package dev.holdfast.cli;

import dev.holdfast.store.ApiToken;
import dev.holdfast.store.DataFolder;
import dev.holdfast.store.LockHolder;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.ledgers.Audit;
import dev.holdfast.store.ledgers.AuditVerdict;
import dev.holdfast.store.messages.OpenMessages;
import dev.holdfast.time.Time;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Whether the data folder is a safe place for promises. */
final class DataChecks {
  /** Of a host, which may be as far away. A start does not refuse them. */
  private static final Set<String> DOUBTFUL = Set.of("9p", "virtiofs");

  private static final Set<String> MEMORY = Set.of("tmpfs", "ramfs");
  private static final Set<PosixFilePermission> OTHERS =
      EnumSet.complementOf(
          EnumSet.of(
              PosixFilePermission.OWNER_READ,
              PosixFilePermission.OWNER_WRITE,
              PosixFilePermission.OWNER_EXECUTE));
  private static final int SYNCS = 40;
  private static final long SYNC_SLOW_MICROS = 50_000;
  private static final long SYNC_TOO_FAST_MICROS = 15;

  private final Path folder;
  private final Time time;
  private final long freeMin;
  private final boolean tokenGiven;

  /** {@code tokenGiven}: in the environment, so that the folder needs none. */
  DataChecks(Path folder, Time time, long freeMin, boolean tokenGiven) {
    this.folder = folder;
    this.time = time;
    this.freeMin = freeMin;
    this.tokenGiven = tokenGiven;
  }

  Finding folder() {
    try {
      if (!Files.isDirectory(folder)) {
        Path parent = existing();
        return Files.isWritable(parent)
            ? Finding.good("data folder", folder + " will be created at the first start")
            : Finding.bad(
                "data folder", parent + " is not writable", "chown it to the server's account");
      }
      DataFolder.at(folder).check();
      PosixFileAttributes attributes = Files.readAttributes(folder, PosixFileAttributes.class);
      String rights = PosixFilePermissions.toString(attributes.permissions());
      String text = folder + ", " + rights + " of " + attributes.owner().getName();
      if (Files.getFileStore(folder).isReadOnly()) {
        return Finding.bad(
            "data folder",
            folder + " is on a file system that is mounted read-only",
            "mount it for writing; the kernel's log says why if it did this itself");
      }
      if (!Files.isWritable(folder)) {
        return Finding.bad(
            "data folder", text + " is not writable", "run as its owner, or chown it");
      }
      return Collections.disjoint(attributes.permissions(), OTHERS)
          ? Finding.good("data folder", text)
          : Finding.warning(
              "data folder", text + ": other users have access", "chmod 700 " + folder);
    } catch (StartRefusedException e) {
      return refused("data folder", e);
    } catch (IOException e) {
      return Finding.bad("data folder", folder + " cannot be checked: " + e.getMessage(), "");
    }
  }

  /** What may not be looked at may be anything, and is not missing. */
  private boolean isClosed() {
    return Files.isDirectory(folder) && !(Files.isReadable(folder) && Files.isExecutable(folder));
  }

  private Finding closed(String name) {
    return Finding.bad(
        name, "cannot be read: no permission for " + folder, "run as the server's account");
  }

  private static Finding refused(String name, StartRefusedException e) {
    return Finding.bad(
        name, String.valueOf(e.getMessage()), "a start is refused (" + e.exitCode() + ")");
  }

  /** As a start looks at it: what it is made of, and whether anything is missing. */
  Finding database() {
    if (isClosed()) {
      return closed("database");
    }
    try {
      return DataFolder.at(folder)
          .inspect(LockHolder.find(folder).isPresent())
          .map(
              mendable ->
                  Finding.warning(
                      "database", mendable, "a start repairs it; check the disk and the memory"))
          .orElseGet(
              () ->
                  Files.exists(folder.resolve("holdfast.db"))
                      ? Finding.good("database", "whole")
                      : Finding.good("database", "none yet"));
    } catch (StartRefusedException e) {
      return refused("database", e);
    }
  }

  Finding fileSystem() {
    try {
      String type = Files.getFileStore(existing()).type();
      if (DataFolder.isNetwork(type) || DOUBTFUL.contains(type)) {
        return Finding.bad(
            "file system",
            type + " IS A NETWORK FILE SYSTEM: SQLite's log is not safe there",
            "put the data on a local disk: --data, or server.data_dir");
      }
      return MEMORY.contains(type)
          ? Finding.warning(
              "file system", type + " is in memory: a restart loses everything", "use a disk")
          : Finding.good("file system", type);
    } catch (IOException e) {
      return Finding.warning("file system", "cannot be determined: " + e.getMessage(), "");
    }
  }

  Finding freeSpace() {
    try {
      long free = Files.getFileStore(existing()).getUsableSpace();
      String text = Formats.bytes(free) + " free, at least " + Formats.bytes(freeMin) + " needed";
      if (free < freeMin) {
        return Finding.bad("free space", text, "new messages are refused until there is more");
      }
      return free < 4 * freeMin
          ? Finding.warning("free space", text, "free some space soon")
          : Finding.good("free space", text);
    } catch (IOException e) {
      return Finding.bad("free space", "cannot be determined: " + e.getMessage(), "");
    }
  }

  /** Writes and syncs a small file some times: each accepted message waits for one such sync. */
  Finding fsync() {
    Path place = existing();
    try {
      Path file = Files.createTempFile(place, ".doctor-", ".tmp");
      try {
        return judge(measure(file));
      } finally {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      return Finding.bad("fsync", "cannot be measured in " + place + ": " + e.getMessage(), "");
    }
  }

  Finding token() {
    Path file = folder.resolve("token");
    try {
      ApiToken.check(folder);
      Set<PosixFilePermission> rights =
          Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS);
      return Collections.disjoint(rights, OTHERS)
          ? Finding.good("token", file + " is its owner's alone")
          : Finding.warning("token", "other users can read " + file, "chmod 600 " + file);
    } catch (StartRefusedException e) {
      return refused("token", e);
    } catch (AccessDeniedException _) {
      return Finding.bad("token", file + " cannot be read", "run as the server's account");
    } catch (IOException _) {
      return Finding.good(
          "token",
          tokenGiven
              ? "none in the data folder; HOLDFAST_TOKEN is used"
              : "none in the data folder yet; the first start creates one");
    }
  }

  /** What waits in the folder: with a server or without one. */
  Finding messages() {
    if (isClosed()) {
      return closed("messages");
    }
    try {
      Map<String, Long> open = OpenMessages.count(folder);
      if (open.isEmpty()) {
        return Finding.good("messages", "none waits");
      }
      String text =
          open.entrySet().stream()
              .map(each -> each.getValue() + " " + each.getKey())
              .collect(Collectors.joining(", "));
      return LockHolder.find(folder).isPresent()
          ? Finding.good("messages", text)
          : Finding.bad(
              "messages", text + ", and no server runs to answer", "start one: holdfast run");
    } catch (IOException e) {
      return Finding.bad("messages", "cannot be counted: " + e.getMessage(), "restore a backup");
    }
  }

  /** Whether a server runs or not: every row of the audit, from the file. */
  Finding audit() {
    if (isClosed()) {
      return closed("audit");
    }
    try {
      return Audit.verify(folder)
          .map(DataChecks::judge)
          .orElseGet(() -> Finding.good("audit", "none yet"));
    } catch (IOException e) {
      return Finding.bad("audit", "cannot be read: " + e.getMessage(), "restore a backup");
    }
  }

  private static Finding judge(AuditVerdict verdict) {
    return switch (verdict) {
      case AuditVerdict.Whole(long count) ->
          Finding.good("audit", "intact, " + count + (count == 1 ? " row" : " rows"));
      case AuditVerdict.Broken(long no, String why) ->
          Finding.bad(
              "audit",
              "BROKEN at row " + no + ": " + why,
              "somebody changed the database; compare with a backup from before");
    };
  }

  private List<Long> measure(Path file) throws IOException {
    List<Long> micros = new ArrayList<>();
    byte[] page = new byte[4096];
    try (FileOutputStream out = new FileOutputStream(file.toFile())) {
      for (int i = 0; i < SYNCS; i++) {
        long start = time.nanos();
        out.write(page);
        out.getFD().sync();
        micros.add((time.nanos() - start) / 1000);
      }
    }
    Collections.sort(micros);
    return micros;
  }

  private static Finding judge(List<Long> micros) {
    long median = micros.get(micros.size() / 2);
    String text =
        "%.2f ms median, %.2f ms maximum".formatted(median / 1000.0, micros.getLast() / 1000.0);
    if (median > SYNC_SLOW_MICROS) {
      return Finding.warning(
          "fsync", text + ": slow", "every message waits for it; use a faster disk");
    }
    return median < SYNC_TOO_FAST_MICROS
        ? Finding.warning(
            "fsync",
            text + ": suspiciously fast",
            "a disk that does not really sync loses messages in a power failure")
        : Finding.good("fsync", text);
  }

  /** The folder, or the nearest one above it that exists. */
  private Path existing() {
    Path place = folder.toAbsolutePath().normalize();
    while (!Files.isDirectory(place) && place.getParent() != null) {
      place = place.getParent();
    }
    return place;
  }
}
