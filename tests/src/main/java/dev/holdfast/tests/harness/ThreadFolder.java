package dev.holdfast.tests.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The folder of one chat thread of the account {@code ci}, as an operator finds it. */
public record ThreadFolder(Path path) {
  /** A path below it that does not exist when the thread has no folder yet. */
  public static ThreadFolder of(ServerRig rig, String thread) {
    Path all = rig.setup().dataDir().resolve("threads/webhook");
    String id = "webhook:ci:" + thread;
    if (Files.isDirectory(all)) {
      try (Stream<Path> files = Files.walk(all, 3)) {
        return files
            .filter(file -> file.getFileName().toString().equals("meta.json"))
            .filter(file -> read(file).contains("\"" + id + "\""))
            .map(file -> new ThreadFolder(file.resolveSibling("")))
            .findFirst()
            .orElse(new ThreadFolder(all.resolve("none")));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return new ThreadFolder(all.resolve("none"));
  }

  /** The text of a file in it; empty when there is none. */
  public String text(String name) {
    Path file = path.resolve(name);
    return Files.exists(file) ? read(file) : "";
  }

  public long lines(String name) {
    return text(name).lines().count();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
