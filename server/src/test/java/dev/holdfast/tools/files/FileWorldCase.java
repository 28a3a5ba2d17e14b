package dev.holdfast.tools.files;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Has files of a conversation for each test. */
abstract class FileWorldCase {
  @TempDir Path folder;
  FileWorld world;

  @BeforeEach
  final void openWorld() throws Exception {
    world = new FileWorld(folder);
  }
}
