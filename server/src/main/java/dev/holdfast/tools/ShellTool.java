package dev.holdfast.tools;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.processes.Children;
import dev.holdfast.processes.ProcessSpec;
import dev.holdfast.processes.ProcessSpec.Limits;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Runs a command line in the thread's scratch folder, as a child process. What it does cannot be
 * known: UNSAFE.
 */
public final class ShellTool implements Tool {
  public static final String NAME = "shell";

  /**
   * Of each of the two streams: more than a model gets, so that the file with all of it says more.
   */
  private static final long OUTPUT_BYTES_MAX = 1 << 20;

  /** For ending a command that ignores TERM, before the box around this tool loses its patience. */
  private static final Duration ENDING = Duration.ofSeconds(15);

  private static final int LABEL_CHARACTERS_MAX = 60;
  private static final Path BASH = Path.of("/bin/bash");
  private static final Path SH = Path.of("/bin/sh");

  private static final String SCHEMA =
      """
      {"type": "object",
       "properties": {
         "command": {"type": "string", "minLength": 1, "maxLength": 100000,
           "description": "The command line, as typed into a shell."},
         "timeout_secs": {"type": "integer", "minimum": 1,
           "description": "Seconds after which it is stopped; there is an upper limit."}},
       "required": ["command"],
       "additionalProperties": false}
      """;

  private final Children children;
  private final Duration timeout;
  private final Path shell;

  public ShellTool(Children children, ShellConfig config) {
    this.children = children;
    this.timeout = config.timeout();
    this.shell = Files.isExecutable(BASH) ? BASH : SH;
  }

  @Override
  public ToolSpec spec() {
    String description =
        "Runs a command line with "
            + shell.getFileName()
            + " in this thread's working folder and returns its output and exit code. Nothing keeps"
            + " running afterwards; input is empty. At most "
            + timeout.toSeconds()
            + " s.";
    return new ToolSpec(NAME, description, SCHEMA);
  }

  @Override
  public Duration timeout() {
    return timeout.plus(ENDING);
  }

  @Override
  public String label(String argumentsJson) {
    String command;
    try {
      command = new JsonObject(argumentsJson).getString("command", "");
    } catch (DecodeException | ClassCastException _) {
      return NAME;
    }
    String line = command.strip().replaceAll("\\s+", " ");
    int[] points = line.codePoints().limit(LABEL_CHARACTERS_MAX).toArray();
    return NAME + ": " + new String(points, 0, points.length);
  }

  @Override
  public ToolResult run(String argumentsJson, ToolContext context) throws InterruptedException {
    JsonObject arguments = new JsonObject(argumentsJson);
    context.progress().doing(label(argumentsJson));
    Duration asked = Duration.ofSeconds(arguments.getLong("timeout_secs", timeout.toSeconds()));
    Duration granted = asked.compareTo(timeout) < 0 ? asked : timeout;
    ProcessSpec spec =
        new ProcessSpec(
            List.of(shell.toString(), "-c", arguments.getString("command")),
            context.scratch(),
            Map.of(),
            "",
            granted,
            Limits.DEFAULT,
            OUTPUT_BYTES_MAX);
    try {
      return ChildReport.of("command", children.run(spec), granted);
    } catch (CallFailedException e) {
      return ToolResult.error(e.failure());
    }
  }
}
