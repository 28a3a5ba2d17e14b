package dev.holdfast.tools;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.ToolResult;
import dev.holdfast.processes.ChildResult;
import dev.holdfast.processes.ProcessSpec.Limits;
import java.time.Duration;
import java.util.Map;

/** Tells a model how a child process of a tool ended. */
final class ChildReport {
  private ChildReport() {}

  /**
   * @param what it was, for the sentence of a failure
   * @param granted how long it was allowed to run
   */
  static ToolResult of(String what, ChildResult result, Duration granted) {
    StringBuilder text = new StringBuilder();
    append(text, result.output());
    append(text, result.errors());
    if (result.truncated()) {
      append(text, "[cut: there were " + result.outputBytes() + " bytes of output]");
    }
    if (result.timedOut()) {
      append(text, "ended after " + granted.toSeconds() + " s: its time was over");
    }
    switch (result.exceeded()) {
      case MEMORY ->
          append(
              text,
              "ended: all its processes together may hold %d MiB of memory, files in /tmp and"
                      .formatted(Limits.DEFAULT.memoryBytes() >> 20)
                  + " /dev/shm included");
      case DISK ->
          append(
              text,
              "ended: one command may write %d MiB in all"
                  .formatted(Limits.DEFAULT.fileBytes() >> 20));
      case NOTHING -> {}
    }
    append(text, "exit code " + result.exitCode());
    return asResult(what, result, text.toString().stripTrailing(), granted)
        .withFacts(
            Map.of(
                "exit_code", Integer.toString(result.exitCode()),
                "output_bytes", Long.toString(result.outputBytes()),
                "millis", Long.toString(result.took().toMillis())));
  }

  private static ToolResult asResult(
      String what, ChildResult result, String text, Duration granted) {
    if (result.timedOut()) {
      String message = "The " + what + " did not end within " + granted.toSeconds() + " s.";
      return ToolResult.error(Failure.of(FailureCode.TIMEOUT, message), text);
    }
    if (result.exitCode() != 0) {
      String message = "The " + what + " ended with exit code " + result.exitCode() + ".";
      Failure failure = Failure.of(FailureCode.BACKEND_FAILURE, message).as(FailureKind.INVALID);
      return ToolResult.error(failure, text);
    }
    return ToolResult.ok(text);
  }

  private static void append(StringBuilder text, String part) {
    text.append(part);
    if (!part.isEmpty() && !part.endsWith("\n")) {
      text.append('\n');
    }
  }
}
