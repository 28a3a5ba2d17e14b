package dev.holdfast.api;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a tool call ended; an error is a result like any other, the model sees it.
 *
 * @param text what the model reads; longer than the cap is fine, the server cuts it and keeps all
 *     of it in a file
 * @param failure null when it went well
 * @param facts for the story, for example an exit code; no secrets
 */
public record ToolResult(String text, @Nullable Failure failure, Map<String, String> facts) {
  public ToolResult {
    facts = Map.copyOf(facts);
  }

  public static ToolResult ok(String text) {
    return new ToolResult(text, null, Map.of());
  }

  public static ToolResult error(Failure failure) {
    return new ToolResult(failure.message(), failure, Map.of());
  }

  /** For the model: an error whose text says more than the failure. */
  public static ToolResult error(Failure failure, String text) {
    return new ToolResult(text, failure, Map.of());
  }

  public ToolResult withFacts(Map<String, String> more) {
    return new ToolResult(text, failure, more);
  }

  public boolean isError() {
    return failure != null;
  }
}
