package dev.holdfast.plugins;

import dev.holdfast.store.engine.AtomicFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The server's own copies of jars: what the operator does to the dropped file while it is in use
 * changes nothing. For one thread.
 */
record PluginCopies(Path folder, Path states) {
  private static final String NEW = "new-";

  /**
   * Makes the folder of copies and removes what an earlier run has left in it: it is nobody else's.
   *
   * @param states where each plugin has a folder of its own
   */
  static PluginCopies open(Path folder, Path states) throws IOException {
    AtomicFiles.createFolders(folder);
    PluginCopies copies = new PluginCopies(folder, states);
    copies.keepOnly(Set.of());
    return copies;
  }

  /**
   * Copies a jar and reads the copy.
   *
   * @throws IOException when it is not a whole archive (yet)
   */
  PluginJar take(Path dropped) throws IOException, PluginRefusedException {
    PluginJar.requireWhole(dropped);
    Path copy = Files.createTempFile(folder, NEW, ".jar");
    try {
      Files.copy(dropped, copy, StandardCopyOption.REPLACE_EXISTING);
      PluginJar read = PluginJar.read(copy);
      Path kept = path(read.sha256());
      Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("r--------"));
      if (!Files.exists(kept)) {
        Files.move(copy, kept, StandardCopyOption.ATOMIC_MOVE);
      }
      return new PluginJar(dropped, read.sha256(), read.manifest(), read.signer());
    } finally {
      boolean _ = Files.deleteIfExists(copy);
    }
  }

  Path path(String sha256) {
    return folder.resolve(sha256 + ".jar");
  }

  /** Removes the copies of all other jars. */
  void keepOnly(Set<String> hashes) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String name = String.valueOf(file.getFileName());
        if (name.endsWith(".jar") && !hashes.contains(name.substring(0, name.length() - 4))) {
          boolean _ = Files.deleteIfExists(file);
        }
      }
    }
  }

  /** A folder of the plugin's own; made when it is missing. */
  Path stateOf(String id) throws IOException {
    Path state = states.resolve(id);
    AtomicFiles.createFolders(state);
    return state;
  }
}
