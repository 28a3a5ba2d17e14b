package dev.holdfast.extensions;

import dev.holdfast.api.Failure;
import dev.holdfast.api.ToolResult;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** What tests of extensions begin and end with. */
abstract class ExtensionCase {
  @TempDir Path temporary;
  @AutoClose ExtensionRig rig;

  @BeforeEach
  void makeRig() throws Exception {
    rig = new ExtensionRig(temporary);
  }

  static Failure failure(ToolResult result) {
    return Objects.requireNonNull(result.failure(), result.text());
  }
}
