package dev.holdfast.processes;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Has means to start children for each test. */
abstract class ChildCase {
  @TempDir Path temporary;
  ChildRig rig;

  @BeforeEach
  final void makeRig() throws IOException {
    rig = new ChildRig(temporary);
  }
}
