package dev.holdfast.api;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a tool call ended; an error is a result like any other, the model sees it.
 *
 * @param text what the model reads; longer than the cap is fine, the server cuts it and keeps all
 *     of it in a file; more than 10,485,760 UTF-16 units count as a failure of the tool
 * @param failure null when it went well
 * @param facts for the story, for example an exit code; no secrets
 * @param images files in {@link ToolContext#scratch} that a model that sees is shown, in this
 *     order: PNG, JPEG, GIF or WebP by their bytes. The server copies them before anything else
 *     happens, so the tool may overwrite or delete them in its next call. Of an error none is
 *     shown; of more or larger ones than {@code attachments} allows, and of other files, the model
 *     reads why they are not
 */
public record ToolResult(
    String text, @Nullable Failure failure, Map<String, String> facts, List<Path> images) {
  public ToolResult {
    Objects.requireNonNull(text, "text");
    facts = Map.copyOf(facts);
    // Paths of Java's own, whoever made them: the server runs no code of a tool after its call.
    images = images.stream().map(image -> Path.of(image.toString())).toList();
  }

  public static ToolResult ok(String text) {
    return new ToolResult(text, null, Map.of(), List.of());
  }

  public static ToolResult error(Failure failure) {
    return error(failure, failure.message());
  }

  /** For the model: an error whose text says more than the failure. */
  public static ToolResult error(Failure failure, String text) {
    return new ToolResult(text, failure, Map.of(), List.of());
  }

  /** The same with another text. */
  public ToolResult withText(String other) {
    return new ToolResult(other, failure, facts, images);
  }

  public ToolResult withFacts(Map<String, String> more) {
    return new ToolResult(text, failure, more, images);
  }

  /** {@code shown}: absolute, or relative to {@link ToolContext#scratch}. */
  public ToolResult withImages(List<Path> shown) {
    return new ToolResult(text, failure, facts, shown);
  }

  public boolean isError() {
    return failure != null;
  }
}
