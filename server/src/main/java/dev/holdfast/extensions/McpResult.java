package dev.holdfast.extensions;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.ToolResult;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.stream.Collectors;

/** Turns what an MCP server answers to a call into what a model reads. */
final class McpResult {
  private McpResult() {}

  /**
   * @param structured whether the tool declares the shape of its results: then the text is the
   *     structured part alone, which the toolbox holds against the schema
   */
  static ToolResult of(JsonObject result, boolean structured) {
    Object type = result.getValue("resultType", "complete");
    if (!"complete".equals(type)) {
      String text = "The extension answered with a result of an unknown type.";
      return ToolResult.error(
          Failure.of(FailureCode.ACTION_NOT_SUPPORTED, text).as(FailureKind.INVALID));
    }
    String text = text(result.getValue("content"));
    if (Boolean.TRUE.equals(result.getValue("isError"))) {
      String message = "The tool reported an error.";
      Failure failure = Failure.of(FailureCode.BACKEND_FAILURE, message).as(FailureKind.INVALID);
      return ToolResult.error(failure, text.isBlank() ? message : text);
    }
    Object data = result.getValue("structuredContent");
    if (data instanceof JsonObject object && (structured || text.isBlank())) {
      return ToolResult.ok(object.encode());
    }
    if (structured) {
      String message = "The tool did not return the structured result that it declares.";
      return ToolResult.error(
          Failure.of(FailureCode.BACKEND_FAILURE, message).as(FailureKind.INVALID), message);
    }
    return ToolResult.ok(text.isBlank() ? "(no output)" : text);
  }

  /** What a model reads of the parts of a content. */
  static String text(Object content) {
    return content instanceof JsonArray parts
        ? parts.stream().map(McpResult::part).collect(Collectors.joining("\n"))
        : "";
  }

  private static String part(Object content) {
    if (!(content instanceof JsonObject part)) {
      return "";
    }
    return switch (String.valueOf(part.getValue("type"))) {
      case "text" -> String.valueOf(part.getValue("text", ""));
      case "image", "audio" ->
          "[%s: %s, %d characters of base64]"
              .formatted(
                  part.getValue("type"), part.getValue("mimeType"), length(part.getValue("data")));
      case "resource_link" ->
          "[resource: %s %s]".formatted(part.getValue("name"), part.getValue("uri"));
      case "resource" -> resource(part.getValue("resource"));
      default -> "[content of an unknown type]";
    };
  }

  private static String resource(Object content) {
    if (!(content instanceof JsonObject resource)) {
      return "";
    }
    return resource.getValue("text") instanceof String text
        ? "[resource: %s]\n%s".formatted(resource.getValue("uri"), text)
        : "[resource: %s, %s, %d characters of base64]"
            .formatted(
                resource.getValue("uri"),
                resource.getValue("mimeType"),
                length(resource.getValue("blob")));
  }

  private static int length(Object data) {
    return data instanceof String text ? text.length() : 0;
  }
}
