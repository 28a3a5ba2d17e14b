package dev.holdfast.processes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Finds what a child has started. In a namespace of its own its descendants are all there is. In a
 * mere process group things escape: they are known by their session, or by a mark in the
 * environment that they inherit.
 */
record ProcessTree(Process process, String mark) {
  static final String VARIABLE = "HOLDFAST_CHILD";
  private static final Path PROC = Path.of("/proc");

  /** Without the child's own first process. */
  Map<Long, ProcessHandle> descendants() {
    Map<Long, ProcessHandle> found = new LinkedHashMap<>();
    process.descendants().forEach(handle -> found.put(handle.pid(), handle));
    return found;
  }

  /**
   * The descendants and those that broke away; looks at every process that this user may look at.
   */
  Map<Long, ProcessHandle> all() {
    Map<Long, ProcessHandle> found = descendants();
    try (Stream<Path> entries = Files.list(PROC)) {
      entries
          .filter(entry -> entry.getFileName().toString().matches("[0-9]+"))
          .filter(this::belongs)
          .map(entry -> Long.parseLong(entry.getFileName().toString()))
          .filter(pid -> pid != process.pid())
          .forEach(pid -> ProcessHandle.of(pid).ifPresent(handle -> found.put(pid, handle)));
    } catch (IOException | UncheckedIOException _) {
      return found; // then the descendants must do
    }
    return found;
  }

  private boolean belongs(Path entry) {
    return isInSession(entry) || hasMark(entry);
  }

  private boolean isInSession(Path entry) {
    String own = Long.toString(process.pid());
    return ProcessStat.of(entry)
        .filter(stat -> !stat.isDead())
        .filter(stat -> stat.group().equals(own) || stat.session().equals(own))
        .isPresent();
  }

  /** Whether the process of that id was stopped and does nothing until it is let go on. */
  static boolean isStopped(long pid) {
    return ProcessStat.of(PROC.resolve(Long.toString(pid)))
        .filter(ProcessStat::isStopped)
        .isPresent();
  }

  private boolean hasMark(Path entry) {
    try {
      byte[] environment = Files.readAllBytes(entry.resolve("environ"));
      String text = "\0" + new String(environment, StandardCharsets.ISO_8859_1);
      return text.contains("\0" + VARIABLE + "=" + mark + "\0");
    } catch (IOException _) {
      return false;
    }
  }
}
