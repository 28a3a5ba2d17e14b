package dev.holdfast.extensions;

import dev.holdfast.tools.prompts.PreparedMessage;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.stream.Collectors;

/** Turns what an MCP server answers to a prompt into what a model reads. */
final class PromptResult {
  static final int TEXT_UNITS_MAX = 32_000;

  private PromptResult() {}

  /**
   * @param called what the person has typed
   */
  static PreparedMessage of(String id, String called, JsonObject result) {
    if (!(result.getValue("messages") instanceof JsonArray messages) || messages.isEmpty()) {
      return new PreparedMessage.Failed("The extension returned no messages.");
    }
    List<JsonObject> read =
        messages.stream().filter(JsonObject.class::isInstance).map(JsonObject.class::cast).toList();
    boolean isOne = read.size() == 1 && !"assistant".equals(read.getFirst().getValue("role"));
    String text =
        read.stream()
            .map(message -> (isOne ? "" : role(message) + ": ") + text(message))
            .collect(Collectors.joining("\n\n"));
    String shown = Texts.visible(text);
    String cut =
        shown.length() <= TEXT_UNITS_MAX
            ? shown
            : Texts.cut(shown, TEXT_UNITS_MAX) + "\n[cut: it is longer]";
    return new PreparedMessage.Ready(
        "%s\n[What this stands for, as the extension %s has prepared it:]\n%s"
            .formatted(called, id, cut));
  }

  private static String role(JsonObject message) {
    return "assistant".equals(message.getValue("role")) ? "Assistant" : "User";
  }

  private static String text(JsonObject message) {
    return message.getValue("content") instanceof JsonArray parts
        ? McpResult.text(parts, McpResult.Images.NONE)
        : McpResult.text(new JsonArray().add(message.getValue("content")), McpResult.Images.NONE);
  }
}
