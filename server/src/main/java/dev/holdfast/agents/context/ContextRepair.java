package dev.holdfast.agents.context;

import dev.holdfast.api.Message;
import dev.holdfast.api.ToolCall;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes of any list of messages one that a provider accepts, so that no request must fail for ever.
 */
public final class ContextRepair {
  static final String EMPTY = "(an empty message)";
  static final String NO_RESULT =
      "This call has no result: it was cancelled or cut off, and may have done its work.";

  /** In place of a message of a person. */
  static final String LOST = "(This message was lost: its record was damaged.)";

  private ContextRepair() {}

  /**
   * Each call is followed by its result and each result follows its call; nothing is empty; the
   * first message is a user's, and the model's answers do not follow one another. A list that is in
   * order comes back as it is.
   */
  public static List<Message> repair(List<Message> messages) {
    List<Message> repaired = new ArrayList<>();
    int i = 0;
    while (i < messages.size()) {
      switch (messages.get(i)) {
        case Message.User user -> {
          repaired.add(user.text().isBlank() ? new Message.User(EMPTY, user.images()) : user);
          i++;
        }
        case Message.ToolResult _ -> i++; // without its call: it was cut off
        case Message.Assistant said -> {
          Map<String, Message.ToolResult> results = resultsAfter(messages, i + 1);
          i += 1 + consecutiveResults(messages, i + 1);
          add(repaired, said, results);
        }
      }
    }
    return repaired;
  }

  private static void add(
      List<Message> repaired, Message.Assistant said, Map<String, Message.ToolResult> results) {
    boolean isEmpty = said.text().isBlank() && said.toolCalls().isEmpty();
    if (isEmpty || repaired.isEmpty()) {
      return;
    }
    if (repaired.getLast() instanceof Message.Assistant) {
      repaired.add(new Message.User(LOST)); // what was between them is gone
    }
    repaired.add(said);
    for (ToolCall call : said.toolCalls()) {
      repaired.add(
          results.getOrDefault(
              call.id(), new Message.ToolResult(call.id(), call.tool(), NO_RESULT, true)));
    }
  }

  private static int consecutiveResults(List<Message> messages, int from) {
    int end = from;
    while (end < messages.size() && messages.get(end) instanceof Message.ToolResult) {
      end++;
    }
    return end - from;
  }

  /** The first result of a call counts. */
  private static Map<String, Message.ToolResult> resultsAfter(List<Message> messages, int from) {
    Map<String, Message.ToolResult> results = new HashMap<>();
    int end = from + consecutiveResults(messages, from);
    for (Message message : messages.subList(from, end)) {
      if (message instanceof Message.ToolResult result) {
        String text = result.text().isBlank() ? "(no output)" : result.text();
        results.putIfAbsent(
            result.callId(),
            new Message.ToolResult(
                result.callId(), result.tool(), text, result.isError(), result.images()));
      }
    }
    return results;
  }
}
