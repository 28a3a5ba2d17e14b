package dev.holdfast.processes;

import dev.holdfast.processes.ProcessSpec.Limits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A control group of the kernel for each child, where the server may make one: it counts all that
 * the child starts, whoever it runs as, and nothing leaves it. Of version 1 the hierarchies for
 * processes and for memory are used, as far as they are there. Version 2 must be delegated to the
 * server (systemd: Delegate=memory pids).
 */
final class ControlGroups {
  private static final Logger LOG = LoggerFactory.getLogger(ControlGroups.class);
  private static final String NAME_PREFIX = "holdfast-";
  private static final String PIDS = "pids";
  private static final String MEMORY = "memory";
  private static final Set<String> USED = Set.of(PIDS, MEMORY);

  /**
   * What stands around a command in its group: the keeper of the namespace and its first process.
   */
  private static final int OWN_PROCESSES = 3;

  private static final long OWN_BYTES = 8 << 20;

  /** A group in which a child's is made, and what is bounded there. */
  private record Base(Path folder, Set<String> controllers) {}

  private final List<Base> bases;
  private final AtomicLong last = new AtomicLong();
  private final long pid = ProcessHandle.current().pid();

  private ControlGroups(List<Base> bases) {
    this.bases = List.copyOf(bases);
  }

  /**
   * @param mount where control groups are mounted
   * @param membership the text of /proc/self/cgroup
   */
  static Optional<ControlGroups> find(Path mount, String membership) {
    List<Base> usable = new ArrayList<>();
    for (Base base : bases(mount, membership)) {
      ControlGroups alone = new ControlGroups(List.of(base));
      alone.removeLeftOvers();
      Group group = alone.make("trial", Limits.DEFAULT);
      if (group != null) {
        boolean _ = group.remove();
        usable.add(base);
      }
    }
    return usable.isEmpty() ? Optional.empty() : Optional.of(new ControlGroups(usable));
  }

  static Optional<ControlGroups> find() {
    try {
      return find(Path.of("/sys/fs/cgroup"), Files.readString(Path.of("/proc/self/cgroup")));
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  private static List<Base> bases(Path mount, String membership) {
    List<Base> bases = new ArrayList<>();
    for (String line : membership.lines().toList()) {
      String[] parts = line.split(":", 3);
      if (parts.length < 3 || parts[2].contains("..")) {
        continue;
      }
      Path inside = Path.of("/").relativize(Path.of(parts[2].isEmpty() ? "/" : parts[2]));
      if (parts[1].isEmpty()) {
        delegated(mount.resolve(inside).normalize(), mount).ifPresent(bases::add);
      }
      List<String> controllers = new ArrayList<>(List.of(parts[1].split(",")));
      controllers.retainAll(USED);
      if (!controllers.isEmpty()) {
        Path together = mount.resolve(parts[1]);
        Path hierarchy =
            Files.isDirectory(together) ? together : mount.resolve(controllers.getFirst());
        bases.add(new Base(hierarchy.resolve(inside), Set.copyOf(controllers)));
      }
    }
    return bases;
  }

  /**
   * Of version 2, where a group holds either processes or groups: the parent of the server's own,
   * if that was handed over; otherwise its own, if the server is alone in it and can move down.
   */
  private static Optional<Base> delegated(Path own, Path mount) {
    Path parent = own.getParent();
    if (own.equals(mount) || parent == null) {
      return Optional.empty();
    }
    if (!parent.equals(mount) && !handed(parent).isEmpty()) {
      return Optional.of(new Base(parent, handed(parent)));
    }
    boolean isService = own.getFileName().toString().endsWith(".service");
    boolean hasAny = words(own.resolve("cgroup.controllers")).stream().anyMatch(USED::contains);
    if (isService && hasAny && moveDown(own)) {
      Set<String> controllers = handed(own);
      return controllers.isEmpty() ? Optional.empty() : Optional.of(new Base(own, controllers));
    }
    return Optional.empty();
  }

  private static boolean moveDown(Path own) {
    long server = ProcessHandle.current().pid();
    Path below = own.resolve("server");
    try {
      if (!new Group(List.of(own)).members().equals(List.of(server))) {
        return false;
      }
      Files.createDirectories(below);
      write(below.resolve("cgroup.procs"), server);
      return true;
    } catch (IOException e) {
      LOG.debug("children: {} is not delegated ({})", own, e.toString());
      return false;
    }
  }

  /** What groups in this one can bound; what is there but not handed down yet is, if that works. */
  private static Set<String> handed(Path group) {
    Path control = group.resolve("cgroup.subtree_control");
    Set<String> handed = new HashSet<>(words(control));
    Set<String> missing = new HashSet<>(words(group.resolve("cgroup.controllers")));
    missing.retainAll(USED);
    missing.removeAll(handed);
    for (String controller : missing) {
      try {
        Files.writeString(control, "+" + controller, StandardOpenOption.WRITE);
        handed.add(controller);
      } catch (IOException e) {
        LOG.debug("children: {} does not hand down {} ({})", group, controller, e.toString());
      }
    }
    handed.retainAll(USED);
    return Set.copyOf(handed);
  }

  private static List<String> words(Path file) {
    try {
      return List.of(Files.readString(file).strip().split(" "));
    } catch (IOException _) {
      return List.of();
    }
  }

  /** Null when the kernel refuses. */
  @Nullable Group make(Limits limits) {
    return make(Long.toString(last.incrementAndGet()), limits);
  }

  private @Nullable Group make(String which, Limits limits) {
    String name = NAME_PREFIX + pid + "-" + which;
    Group group = new Group(bases.stream().map(base -> base.folder().resolve(name)).toList());
    try {
      for (Base base : bases) {
        Path folder = Files.createDirectory(base.folder().resolve(name));
        if (base.controllers().contains(PIDS)) {
          write(folder.resolve(Group.PROCESSES_MAX), limits.processes() + OWN_PROCESSES);
        }
        if (base.controllers().contains(MEMORY)) {
          boundMemory(folder, limits.memoryBytes() + OWN_BYTES);
        }
      }
      return group;
    } catch (IOException e) {
      LOG.debug("children: no control group {} ({})", group, e.toString());
      boolean _ = group.remove(); // what stays is empty and is removed at the next start
      return null;
    }
  }

  private static void boundMemory(Path folder, long bytes) throws IOException {
    Path versionOne = folder.resolve("memory.limit_in_bytes");
    if (Files.exists(versionOne)) {
      write(versionOne, bytes);
      return;
    }
    write(folder.resolve("memory.max"), bytes);
    if (Files.exists(folder.resolve("memory.swap.max"))) {
      write(folder.resolve("memory.swap.max"), 0);
    }
  }

  boolean boundsProcesses() {
    return bounds(PIDS);
  }

  /** Of a child as a whole. */
  boolean boundsMemory() {
    return bounds(MEMORY);
  }

  private boolean bounds(String controller) {
    return bases.stream().anyMatch(base -> base.controllers().contains(controller));
  }

  /**
   * Those of a server that was killed; one that still holds a process refuses, and another server's
   * stays.
   */
  private void removeLeftOvers() {
    for (Base base : bases) {
      try (DirectoryStream<Path> folders =
          Files.newDirectoryStream(base.folder(), NAME_PREFIX + "*-*")) {
        for (Path folder : folders) {
          String owner = folder.getFileName().toString().split("-", 3)[1];
          if (owner.matches("[0-9]{1,10}") && ProcessHandle.of(Long.parseLong(owner)).isEmpty()) {
            boolean _ = new Group(List.of(folder)).remove();
          }
        }
      } catch (IOException e) {
        LOG.debug("children: {} cannot be read ({})", base, e.toString());
      }
    }
  }

  private static void write(Path file, long value) throws IOException {
    Files.writeString(file, Long.toString(value), StandardCharsets.US_ASCII);
  }

  /**
   * One child's.
   *
   * @param folders one in each hierarchy
   */
  record Group(List<Path> folders) {
    private static final String PROCESSES_MAX = "pids.max";

    /** Files that a process writes its number into to join. */
    List<Path> procs() {
      return folders.stream().map(folder -> folder.resolve("cgroup.procs")).toList();
    }

    /** Nothing in it can start anything more, so that killing all of it comes to an end. */
    void forbidNewProcesses() {
      for (Path folder : folders) {
        try {
          if (Files.exists(folder.resolve(PROCESSES_MAX))) {
            write(folder.resolve(PROCESSES_MAX), 0);
          }
        } catch (IOException e) {
          LOG.debug("children: {} cannot be closed up ({})", folder, e.toString());
        }
      }
    }

    List<Long> members() {
      try {
        List<Long> members = new ArrayList<>();
        for (Path procs : procs()) {
          Files.readAllLines(procs).forEach(line -> members.add(Long.valueOf(line)));
        }
        return members.stream().distinct().toList();
      } catch (IOException | NumberFormatException _) {
        return List.of();
      }
    }

    /** Whether the kernel has ended a process of it because there was no memory left for it. */
    boolean ranOutOfMemory() {
      return folders.stream()
          .flatMap(folder -> Stream.of("memory.events", "memory.oom_control").map(folder::resolve))
          .anyMatch(ControlGroups::countsOneKilled);
    }

    /** False while a process is in it. */
    boolean remove() {
      boolean gone = true;
      for (Path folder : folders) {
        try {
          Files.deleteIfExists(folder);
        } catch (IOException _) {
          gone = false;
        }
      }
      return gone;
    }
  }

  private static boolean countsOneKilled(Path events) {
    try {
      return Files.readAllLines(events).stream().anyMatch(line -> line.matches("oom_kill [1-9].*"));
    } catch (IOException _) {
      return false;
    }
  }
}
