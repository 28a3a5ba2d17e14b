package dev.holdfast.tests.harness;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.kit.testing.WireExchange;
import dev.holdfast.kit.testing.WireRequest;
import dev.holdfast.kit.testing.WireServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A model in the Anthropic shape that plays whole turns: told {@code turn <name>}, it asks for the
 * tools of each round, with a signed thought before them, and then says {@code done <name>}. It
 * keeps a journal of what it was asked. Thread-safe.
 */
public final class TurnModel implements AutoCloseable {
  private static final int PIECE = 8_000;
  private static final Pattern TURN = Pattern.compile("turn (\\S+)");

  /** A tool that is to be called. */
  public record Wish(String tool, Map<String, ?> arguments) {}

  /** What is asked for in a round of a turn, from 0; nothing: the turn is done. */
  @FunctionalInterface
  public interface Script {
    List<Wish> wishes(String turn, int round);
  }

  /** One request, in the order of their arrival. */
  public record Asked(String turn, int round, JsonNode body) {}

  private final WireServer server = new WireServer(this::receive);
  private final ConcurrentLinkedQueue<Asked> journal = new ConcurrentLinkedQueue<>();
  private final Script script;

  public TurnModel(Script script) {
    this.script = script;
  }

  public TurnModel use(Setup setup) {
    setup.set("models.providers.anthropic.api_key", FakeModel.KEY);
    setup.set("models.providers.anthropic.base_url", server.url("/v1"));
    setup.set("models.levels.operational", List.of("anthropic/claude-test"));
    return this;
  }

  /** The requests of one turn. */
  public List<Asked> asked(String turn) {
    return journal.stream().filter(asked -> asked.turn().equals(turn)).toList();
  }

  private void receive(WireRequest request, WireExchange exchange) throws IOException {
    JsonNode body = Json.read(request.text());
    String turn = "";
    int round = 0;
    for (JsonNode message : body.path("messages")) {
      Matcher begun = TURN.matcher(words(message));
      if (message.path("role").asText().equals("assistant")) {
        round++;
      } else if (begun.find()) {
        turn = begun.group(1);
        round = 0;
      }
    }
    journal.add(new Asked(turn, round, body));
    String answer = answer(turn, round, script.wishes(turn, round));
    exchange.startStream("text/event-stream");
    for (int from = 0; from < answer.length(); from += PIECE) {
      exchange.chunk(answer.substring(from, Math.min(answer.length(), from + PIECE)));
    }
    exchange.endStream();
  }

  private static String answer(String turn, int round, List<Wish> wishes) {
    StringBuilder events = new StringBuilder(event("message_start", Map.of("message", head())));
    if (wishes.isEmpty()) {
      addBlock(events, 0, Map.of("type", "text", "text", ""), List.of(text("done " + turn)));
    } else {
      List<Map<String, String>> deltas =
          List.of(
              delta("thinking", "thinking", "about " + turn),
              delta("signature", "signature", "signed-" + turn));
      addBlock(events, 0, thought("", ""), deltas);
      int index = 1;
      for (Wish wish : wishes) {
        addCall(events, index, "toolu_" + turn + "_" + round + "_" + index, wish);
        index++;
      }
    }
    String reason = wishes.isEmpty() ? "end_turn" : "tool_use";
    return events
        .append(
            event(
                "message_delta",
                Map.of(
                    "delta", Map.of("stop_reason", reason), "usage", Map.of("output_tokens", 7))))
        .append(event("message_stop", Map.of()))
        .toString();
  }

  /** The thought that goes with each round of tools, as it has to come back. */
  public static JsonNode thoughtOf(String turn) {
    return Json.of(thought("about " + turn, "signed-" + turn));
  }

  private static Map<String, String> thought(String words, String signature) {
    return Map.of("type", "thinking", "thinking", words, "signature", signature);
  }

  private static Map<String, String> text(String words) {
    return delta("text", "text", words);
  }

  private static Map<String, String> delta(String kind, String field, String value) {
    return Map.of("type", kind + "_delta", field, value);
  }

  private static void addBlock(
      StringBuilder events, int index, Map<String, ?> block, List<Map<String, String>> deltas) {
    events.append(event("content_block_start", Map.of("index", index, "content_block", block)));
    for (Map<String, String> delta : deltas) {
      events.append(event("content_block_delta", Map.of("index", index, "delta", delta)));
    }
    events.append(event("content_block_stop", Map.of("index", index)));
  }

  /** The arguments come in two pieces. */
  private static void addCall(StringBuilder events, int index, String id, Wish wish) {
    Map<String, Object> block =
        Map.of("type", "tool_use", "id", id, "name", wish.tool(), "input", Map.of());
    String json = Json.write(wish.arguments());
    int half = json.length() / 2;
    List<Map<String, String>> pieces =
        Stream.of(json.substring(0, half), json.substring(half))
            .map(piece -> delta("input_json", "partial_json", piece))
            .toList();
    addBlock(events, index, block, pieces);
  }

  private static Map<String, Object> head() {
    Map<String, Object> head = new LinkedHashMap<>();
    head.put("id", "m1");
    head.put("type", "message");
    head.put("role", "assistant");
    head.put("model", "claude-test");
    head.put("content", new ArrayList<>());
    head.put("usage", Map.of("input_tokens", 11, "output_tokens", 1));
    return head;
  }

  private static String words(JsonNode message) {
    JsonNode content = message.path("content");
    if (content.isTextual()) {
      return content.asText();
    }
    StringBuilder all = new StringBuilder();
    content.forEach(block -> all.append(block.path("text").asText("")));
    return all.toString();
  }

  private static String event(String type, Map<String, ?> fields) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("type", type);
    all.putAll(fields);
    return "event: " + type + "\ndata: " + Json.write(all) + "\n\n";
  }

  @Override
  public void close() {
    server.close();
  }
}
