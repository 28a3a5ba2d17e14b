package dev.holdfast.tools.files;

import dev.holdfast.libc.FileCalls;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Files that no tool may reach: what the server reads its configuration and secrets from. Each is
 * known by its path and by itself, so that neither another name of it nor one that it had before it
 * was replaced helps. Thread-safe.
 */
final class HiddenFiles {
  private final Supplier<? extends Collection<Path>> named;
  private final Set<Identity> known = ConcurrentHashMap.newKeySet();

  /** The time of birth tells a file from a later one that got its number. */
  private record Identity(long device, long inode, long born) {
    static Identity of(FileStatus status) {
      return new Identity(status.device(), status.inode(), status.born());
    }
  }

  HiddenFiles(Supplier<? extends Collection<Path>> named) {
    this.named = named;
    List<Path> _ = look();
  }

  /** Remembers what they are at this moment, and returns every path that leads to one of them. */
  List<Path> look() {
    List<Path> paths = new ArrayList<>();
    for (Path name : named.get()) {
      paths.add(name.normalize());
      try {
        Path real = name.toRealPath();
        paths.add(real);
        known.add(Identity.of(LinuxCalls.status(FileCalls.CURRENT_FOLDER, real.toString())));
      } catch (IOException | FileFailedException _) {
        // It does not exist, so there is nothing to know.
      }
    }
    return paths;
  }

  /** Whether it is one of them, or was when it was last looked at. */
  boolean isOne(FileStatus status) {
    return known.contains(Identity.of(status));
  }
}
