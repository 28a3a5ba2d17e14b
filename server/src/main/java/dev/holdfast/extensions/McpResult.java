package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.ToolResult;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Turns what an MCP server answers to a call into what a model reads. */
final class McpResult {
  /** Takes the images that stand in a result. */
  @FunctionalInterface
  interface Images {
    /** For what is described in words alone. */
    Images NONE = _ -> Optional.empty();

    /**
     * @param data what should be base64
     * @return where it lies in the working folder; empty when it is no image that can be shown, or
     *     one too many
     */
    Optional<String> save(@Nullable Object data);

    /** The files, in their order. */
    default List<Path> saved() {
      return List.of();
    }
  }

  private McpResult() {}

  /**
   * @param structured whether the tool declares the shape of its results: then the text is the
   *     structured part alone, which the toolbox holds against the schema
   */
  static ToolResult of(JsonObject result, boolean structured, Images images) {
    Object type = result.getValue("resultType", "complete");
    if (!"complete".equals(type)) {
      String text = "The extension answered with a result of an unknown type.";
      return ToolResult.error(
          Failure.of(FailureCode.ACTION_NOT_SUPPORTED, text).as(FailureKind.INVALID));
    }
    boolean isError = Boolean.TRUE.equals(result.getValue("isError"));
    String text = text(result.getValue("content"), isError ? Images.NONE : images);
    if (isError) {
      String message = "The tool reported an error.";
      Failure failure =
          Failure.of(FailureCode.BACKEND_FAILURE, message)
              .as(FailureKind.INVALID)
              .withContext(Map.of(ExtensionTool.REPORTED_BY_EXTENSION, ""));
      return ToolResult.error(failure, text.isBlank() ? message : text);
    }
    Object data = result.getValue("structuredContent");
    if (data instanceof JsonObject object && (structured || text.isBlank())) {
      return ToolResult.ok(object.encode()).withImages(images.saved());
    }
    if (structured) {
      String message = "The tool did not return the structured result that it declares.";
      return ToolResult.error(
          Failure.of(FailureCode.BACKEND_FAILURE, message).as(FailureKind.INVALID), message);
    }
    return ToolResult.ok(text).withImages(images.saved());
  }

  /**
   * What a task gets of it: the structured part, or else the text.
   *
   * @throws CallFailedException when the tool says that it failed
   */
  static String output(JsonObject result) throws CallFailedException {
    boolean structured = result.getValue("structuredContent") instanceof JsonObject;
    ToolResult read = of(result, structured, Images.NONE);
    Failure failure = read.failure();
    if (failure != null) {
      throw new CallFailedException(ExtensionCalls.worded(failure, read.text()));
    }
    return read.text();
  }

  /** What a model reads of the parts of a content. */
  static String text(Object content, Images images) {
    return content instanceof JsonArray parts
        ? parts.stream().map(part -> part(part, images)).collect(Collectors.joining("\n"))
        : "";
  }

  private static String part(Object content, Images images) {
    if (!(content instanceof JsonObject part)) {
      return "";
    }
    return switch (String.valueOf(part.getValue("type"))) {
      case "text" -> String.valueOf(part.getValue("text", ""));
      case "image" ->
          images.save(part.getValue("data")).map(McpResult::shown).orElseGet(() -> media(part));
      case "audio" -> media(part);
      case "resource_link" ->
          "[resource: %s %s]".formatted(part.getValue("name"), part.getValue("uri"));
      case "resource" -> resource(part.getValue("resource"), images);
      default -> "[content of an unknown type]";
    };
  }

  /** What stands in the place of an image that is shown. */
  static String shown(String path) {
    return "[image: " + path + "]";
  }

  private static String media(JsonObject part) {
    return "[%s: %s, %d characters of base64]"
        .formatted(part.getValue("type"), part.getValue("mimeType"), length(part.getValue("data")));
  }

  private static String resource(Object content, Images images) {
    if (!(content instanceof JsonObject resource)) {
      return "";
    }
    if (resource.getValue("text") instanceof String text) {
      return "[resource: %s]\n%s".formatted(resource.getValue("uri"), text);
    }
    return images
        .save(resource.getValue("blob"))
        .map(path -> "[resource: %s] %s".formatted(resource.getValue("uri"), shown(path)))
        .orElseGet(
            () ->
                "[resource: %s, %s, %d characters of base64]"
                    .formatted(
                        resource.getValue("uri"),
                        resource.getValue("mimeType"),
                        length(resource.getValue("blob"))));
  }

  private static int length(@Nullable Object data) {
    return data instanceof String text ? text.length() : 0;
  }
}
