package dev.holdfast.processes;

import dev.holdfast.processes.ProcessSpec.Limits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A control group of the kernel for each child, where the server may make one: it counts all that
 * the child starts, whoever it runs as, and nothing leaves it. Version 2 must be delegated to the
 * server together with its parent group (systemd: Delegate= and DelegateSubgroup=); of version 1
 * the pids hierarchy is used.
 */
final class ControlGroups {
  private static final Logger LOG = LoggerFactory.getLogger(ControlGroups.class);
  private static final String NAME_PREFIX = "holdfast-";

  /**
   * What stands around a command in its group: the keeper of the namespace and its first process.
   */
  private static final int OWN_PROCESSES = 3;

  private final Path base;
  private final AtomicLong last = new AtomicLong();
  private final long pid = ProcessHandle.current().pid();

  private ControlGroups(Path base) {
    this.base = base;
  }

  /**
   * @param mount where control groups are mounted
   * @param membership the text of /proc/self/cgroup
   */
  static Optional<ControlGroups> find(Path mount, String membership) {
    for (Path base : bases(mount, membership)) {
      ControlGroups groups = new ControlGroups(base);
      groups.removeLeftOvers();
      Group group = groups.make(Limits.DEFAULT);
      if (group != null) {
        group.remove();
        return Optional.of(groups);
      }
    }
    return Optional.empty();
  }

  static Optional<ControlGroups> find() {
    try {
      return find(Path.of("/sys/fs/cgroup"), Files.readString(Path.of("/proc/self/cgroup")));
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  private static List<Path> bases(Path mount, String membership) {
    List<Path> bases = new ArrayList<>();
    for (String line : membership.lines().toList()) {
      String[] parts = line.split(":", 3);
      if (parts.length < 3 || parts[2].contains("..")) {
        continue;
      }
      Path own = Path.of(parts[2].isEmpty() ? "/" : parts[2]);
      Path inside = Path.of("/").relativize(own);
      if (List.of(parts[1].split(",")).contains("pids")) {
        bases.add(mount.resolve("pids").resolve(inside));
      } else if (parts[1].isEmpty() && own.getParent() != null) {
        Path parent = mount.resolve(inside).normalize().getParent();
        if (parent != null && delegates(parent, "pids")) {
          bases.add(parent);
        }
      }
    }
    return bases;
  }

  /** Whether groups in this one have the controller. */
  private static boolean delegates(Path group, String controller) {
    try {
      String enabled = Files.readString(group.resolve("cgroup.subtree_control"));
      return List.of(enabled.strip().split(" ")).contains(controller);
    } catch (IOException _) {
      return false;
    }
  }

  /** Null when the kernel refuses. */
  @Nullable Group make(Limits limits) {
    Path folder = base.resolve(NAME_PREFIX + pid + "-" + last.incrementAndGet());
    try {
      Files.createDirectory(folder);
      write(folder.resolve("pids.max"), limits.processes() + OWN_PROCESSES);
      if (Files.exists(folder.resolve("memory.max"))) {
        write(folder.resolve("memory.max"), limits.memoryBytes());
      }
      return new Group(folder);
    } catch (IOException e) {
      LOG.debug("children: no control group {} ({})", folder, e.toString());
      try {
        Files.deleteIfExists(folder);
      } catch (IOException _) {
        // What could not be removed is empty and is removed at the next start.
      }
      return null;
    }
  }

  /** Whether memory is bounded for a child as a whole too. */
  boolean boundsMemory() {
    return delegates(base, "memory");
  }

  /**
   * Those of a server that was killed; one that still holds a process refuses, and another server's
   * stays.
   */
  private void removeLeftOvers() {
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(base, NAME_PREFIX + "*-*")) {
      for (Path folder : folders) {
        String owner = folder.getFileName().toString().split("-", 3)[1];
        if (owner.matches("[0-9]{1,10}") && ProcessHandle.of(Long.parseLong(owner)).isEmpty()) {
          new Group(folder).remove();
        }
      }
    } catch (IOException e) {
      LOG.debug("children: {} cannot be read ({})", base, e.toString());
    }
  }

  private static void write(Path file, long value) throws IOException {
    Files.writeString(file, Long.toString(value), StandardCharsets.US_ASCII);
  }

  /** One child's. */
  record Group(Path folder) {
    /** A process that writes its number into it joins. */
    Path procs() {
      return folder.resolve("cgroup.procs");
    }

    /** Nothing in it can start anything more, so that killing all of it comes to an end. */
    void forbidNewProcesses() {
      try {
        write(folder.resolve("pids.max"), 0);
      } catch (IOException e) {
        LOG.debug("children: {} cannot be closed up ({})", folder, e.toString());
      }
    }

    List<Long> members() {
      try {
        return Files.readAllLines(procs()).stream().map(Long::valueOf).toList();
      } catch (IOException | NumberFormatException _) {
        return List.of();
      }
    }

    /** False while a process is in it. */
    boolean remove() {
      try {
        Files.deleteIfExists(folder);
        return true;
      } catch (IOException _) {
        return false;
      }
    }
  }
}
