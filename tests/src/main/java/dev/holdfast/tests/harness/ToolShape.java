package dev.holdfast.tests.harness;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** How each provider writes tool calls and their results into a request. */
public enum ToolShape {
  ANTHROPIC(""),
  MINIMAX(""),
  OPENAI("/v1"),
  GEMINI(""),
  OLLAMA("");

  private final String basePath;

  ToolShape(String basePath) {
    this.basePath = basePath;
  }

  /** A call that the model made, as it goes back to the model; id "" where the shape has none. */
  public record Call(String id, String tool, JsonNode arguments) {}

  /** A result; id "" where the shape has none, and {@code isError} false where it marks none. */
  public record Result(String id, String tool, String text, boolean isError) {}

  public String provider() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Makes a server use the double behind {@code tap} in this shape. */
  public void use(Setup setup, ModelTap tap) {
    String keys = "models.providers." + provider() + ".";
    if (this != OLLAMA) {
      setup.set(keys + "api_key", FakeModel.KEY);
    }
    setup.set(keys + "base_url", tap.url(basePath));
    setup.set("models.levels.operational", List.of(provider() + "/test-model"));
  }

  /** Whether an id ties each result to its call. */
  public boolean hasIds() {
    return this != OLLAMA && this != GEMINI;
  }

  /** Whether a failed call is marked as such, beside its text. */
  public boolean marksErrors() {
    return this == ANTHROPIC || this == MINIMAX;
  }

  /** The calls of a request, oldest first. */
  public List<Call> calls(JsonNode body) {
    List<Call> calls = new ArrayList<>();
    switch (this) {
      case ANTHROPIC, MINIMAX -> {
        for (JsonNode block : blocks(body, "tool_use")) {
          calls.add(new Call(text(block, "id"), text(block, "name"), block.path("input")));
        }
      }
      case OPENAI, OLLAMA -> {
        for (JsonNode message : body.path("messages")) {
          for (JsonNode call : message.path("tool_calls")) {
            JsonNode function = call.path("function");
            JsonNode given = function.path("arguments");
            JsonNode arguments = given.isTextual() ? Json.read(given.asText()) : given;
            calls.add(new Call(text(call, "id"), text(function, "name"), arguments));
          }
        }
      }
      case GEMINI -> {
        for (JsonNode call : parts(body, "functionCall")) {
          calls.add(new Call(text(call, "id"), text(call, "name"), call.path("args")));
        }
      }
    }
    return calls;
  }

  /** The results of a request, oldest first. */
  public List<Result> results(JsonNode body) {
    List<Result> results = new ArrayList<>();
    switch (this) {
      case ANTHROPIC, MINIMAX -> {
        for (JsonNode block : blocks(body, "tool_result")) {
          JsonNode content = block.path("content");
          String said =
              content.isTextual() ? content.asText() : content.path(0).path("text").asText();
          boolean isError = block.path("is_error").asBoolean();
          results.add(new Result(text(block, "tool_use_id"), "", said, isError));
        }
      }
      case OPENAI, OLLAMA -> {
        for (JsonNode message : body.path("messages")) {
          if (text(message, "role").equals("tool")) {
            String id = text(message, "tool_call_id");
            results.add(
                new Result(id, text(message, "tool_name"), text(message, "content"), false));
          }
        }
      }
      case GEMINI -> {
        for (JsonNode result : parts(body, "functionResponse")) {
          String said = result.path("response").toString();
          results.add(new Result(text(result, "id"), text(result, "name"), said, false));
        }
      }
    }
    return results;
  }

  private static List<JsonNode> blocks(JsonNode body, String type) {
    List<JsonNode> found = new ArrayList<>();
    for (JsonNode message : body.path("messages")) {
      for (JsonNode block : message.path("content")) {
        if (text(block, "type").equals(type)) {
          found.add(block);
        }
      }
    }
    return found;
  }

  private static List<JsonNode> parts(JsonNode body, String kind) {
    List<JsonNode> found = new ArrayList<>();
    for (JsonNode content : body.path("contents")) {
      for (JsonNode part : content.path("parts")) {
        if (part.has(kind)) {
          found.add(part.path(kind));
        }
      }
    }
    return found;
  }

  private static String text(JsonNode node, String field) {
    return node.path(field).asText("");
  }
}
