package dev.holdfast.tests.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** What a channel's plugin has written down of the drafts that it shows. */
public final class KeptDrafts {
  private KeptDrafts() {}

  /** The file as it is; empty before the first draft. */
  public static String of(ServerRig rig) throws IOException {
    try (Stream<Path> files = Files.walk(rig.setup().dataDir())) {
      Optional<Path> found = files.filter(file -> file.endsWith("drafts.json")).findFirst();
      return found.isPresent() ? Files.readString(found.get()) : "";
    }
  }
}
