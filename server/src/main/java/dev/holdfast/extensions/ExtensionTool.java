package dev.holdfast.extensions;

import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolSpec;
import java.time.Duration;

/** What every tool of an extension says of itself. */
abstract class ExtensionTool implements Tool {
  private final ToolSpec spec;
  private final ReplayClass replay;
  private final Duration timeout;

  ExtensionTool(ToolSpec spec, ReplayClass replay, Duration timeout) {
    this.spec = spec;
    this.replay = replay;
    this.timeout = timeout;
  }

  @Override
  public final ToolSpec spec() {
    return spec;
  }

  @Override
  public final ReplayClass replay() {
    return replay;
  }

  @Override
  public final Duration timeout() {
    return timeout;
  }
}
