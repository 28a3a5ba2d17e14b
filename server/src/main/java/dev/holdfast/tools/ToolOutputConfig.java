package dev.holdfast.tools;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;

/** The {@code tools.output} section of holdfast.yaml: how much of an output a model gets. */
public record ToolOutputConfig(int bytesMax, int linesMax) {
  public ToolOutputConfig {
    Check.inRange("max_bytes", bytesMax, 256, 10_000_000);
    Check.inRange("max_lines", linesMax, 1, 1_000_000);
  }

  public static ToolOutputConfig from(Section output) {
    return new ToolOutputConfig(output.whole("max_bytes", 51_200), output.whole("max_lines", 2000));
  }
}
