package dev.holdfast.store.messages;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.holdfast.api.Choice;
import java.util.List;

/** The buttons of a reply as {@link NewReply#choices} holds them. */
public final class ReplyChoices {
  private static final ObjectMapper JSON = JsonMapper.builder().build();

  private ReplyChoices() {}

  /** Empty for none. */
  public static String write(List<Choice> choices) {
    try {
      return choices.isEmpty() ? "" : JSON.writeValueAsString(choices);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("texts and truth values are always JSON", e);
    }
  }

  /**
   * @throws IllegalArgumentException when it was not written by {@link #write}: a bug, since rows
   *     are checked
   */
  public static List<Choice> read(String json) {
    try {
      return json.isEmpty() ? List.of() : JSON.readValue(json, new TypeReference<>() {});
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not a list of buttons", e.getCause());
    }
  }
}
