package dev.holdfast.plugins;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Has a host of plugins for each test. */
abstract class PluginHostCase {
  @TempDir Path folder;
  HostRig rig;

  @BeforeEach
  void open() throws IOException {
    rig = new HostRig(folder);
  }

  @AfterEach
  void close() throws InterruptedException {
    rig.close();
  }
}
