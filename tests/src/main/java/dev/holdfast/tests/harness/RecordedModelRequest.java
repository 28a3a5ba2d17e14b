package dev.holdfast.tests.harness;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.kit.testing.WireRequest;
import java.util.regex.Pattern;

/** A request that a fake model got. */
public record RecordedModelRequest(String path, String key, JsonNode body, long atNanos) {
  /** The line with which the server says when a message was sent and by whom. */
  private static final Pattern STAMP = Pattern.compile("\\n\\n\\[sent [^\\n]*\\]$");

  static RecordedModelRequest of(WireRequest request) {
    String bearer = request.header("authorization");
    String key = bearer.isEmpty() ? request.header("x-api-key") : bearer.replace("Bearer ", "");
    return new RecordedModelRequest(
        request.path(), key, Json.read(request.text()), request.atNanos());
  }

  /** The newest user message, as the person wrote it. */
  public String lastText() {
    String text = "";
    for (JsonNode message : body.path("messages")) {
      if (message.path("role").asText().equals("user")) {
        text = textOf(message.path("content"));
      }
    }
    return STAMP.matcher(text).replaceFirst("");
  }

  private static String textOf(JsonNode content) {
    if (content.isTextual()) {
      return content.asText();
    }
    StringBuilder all = new StringBuilder();
    content.forEach(part -> all.append(part.path("text").asText("")));
    return all.toString();
  }

  public boolean wantsStream() {
    return body.path("stream").asBoolean();
  }
}
