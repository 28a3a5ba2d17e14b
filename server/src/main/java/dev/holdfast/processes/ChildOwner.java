package dev.holdfast.processes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server that children belong to, by its data folder. It stands in the environment of each and
 * of what it starts, so that a later server finds them when nothing else leads to them any more.
 */
public record ChildOwner(Path dataDir) {
  static final String VARIABLE = "HOLDFAST_CHILD_OF";
  private static final Logger LOG = LoggerFactory.getLogger(ChildOwner.class);
  private static final Path PROC = Path.of("/proc");

  /**
   * Kills what still runs of an earlier server's children. Its death ends them; but a sandbox that
   * was only being made can outlive it, and so can, without a sandbox, what broke away. To be
   * called by the one server that holds the data folder, before it starts a child. Blocks for some
   * milliseconds.
   */
  public void endLeftovers() {
    List<Long> ended = new ArrayList<>();
    try (Stream<Path> entries = Files.list(PROC)) {
      entries
          .filter(entry -> entry.getFileName().toString().matches("[0-9]+"))
          .filter(this::owns)
          .map(entry -> Long.parseLong(entry.getFileName().toString()))
          .filter(pid -> ProcessHandle.of(pid).filter(ProcessHandle::destroyForcibly).isPresent())
          .forEach(ended::add);
    } catch (IOException | UncheckedIOException e) {
      LOG.debug("children: {} cannot be read ({})", PROC, e.toString());
    }
    if (!ended.isEmpty()) {
      LOG.info("children: ended processes that an earlier server left behind: {}", ended);
    }
  }

  private boolean owns(Path entry) {
    try {
      byte[] environment = Files.readAllBytes(entry.resolve("environ"));
      String text = "\0" + new String(environment, StandardCharsets.UTF_8);
      return text.contains("\0" + VARIABLE + "=" + dataDir + "\0");
    } catch (IOException _) {
      return false; // it is gone, or another user's
    }
  }
}
