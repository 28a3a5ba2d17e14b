package dev.holdfast.tools;

import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import java.util.List;
import java.util.Optional;

/** The tools by name, each call within its limits. Thread-safe. */
public final class Toolbox {
  Toolbox() {}

  /** What is offered to models, in a stable order. */
  public List<ToolSpec> specs() {
    throw new UnsupportedOperationException();
  }

  public Optional<Tool> find(String name) {
    throw new UnsupportedOperationException(name);
  }

  /**
   * Runs one call: arguments checked against the schema, timeout, one retry after 1 s for a passing failure of a
   * repeatable tool, output capped with all of it in a file that the text names. An unknown tool, bad arguments, an
   * exception, a timeout: an error result. Blocks.
   *
   * @throws InterruptedException when the turn is cancelled; the tool has been interrupted too
   */
  public ToolResult run(ToolCall call, ToolContext context) throws InterruptedException {
    throw new UnsupportedOperationException(call.toString() + context);
  }
}
