package dev.holdfast.agents.turn;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.holdfast.agents.context.Entries;
import dev.holdfast.api.Message;
import dev.holdfast.api.ToolCall;
import dev.holdfast.store.threads.ContextEntry;
import java.util.ArrayList;
import java.util.List;

/** Notices a model that makes the same call again and again. */
final class LoopGuard {
  /** From this many on the model is told. */
  static final int TOLD_FROM = 3;

  private static final ObjectMapper JSON = new ObjectMapper();

  private LoopGuard() {}

  /**
   * How many calls at the end of the turn are the same one: tool and arguments, whatever their
   * order of keys.
   */
  static int repeats(List<ContextEntry> turn) {
    List<Same> calls = new ArrayList<>();
    for (ContextEntry entry : turn) {
      if (entry.type().equals(Entries.ASSISTANT)
          && Entries.message(entry).orElseThrow() instanceof Message.Assistant said) {
        said.toolCalls().forEach(call -> calls.add(Same.of(call)));
      }
    }
    int repeats = 0;
    for (int i = calls.size() - 1; i >= 0 && calls.get(i).equals(calls.getLast()); i--) {
      repeats++;
    }
    return repeats;
  }

  /** What the model is told with the result. */
  static String note(int repeats) {
    return "\n[You have made this same call "
        + repeats
        + " times in a row; its result will not change.]";
  }

  private record Same(String tool, JsonNode arguments) {
    static Same of(ToolCall call) {
      try {
        return new Same(call.tool(), JSON.readTree(call.arguments()));
      } catch (JsonProcessingException e) {
        return new Same(call.tool(), TextNode.valueOf(call.arguments()));
      }
    }
  }
}
