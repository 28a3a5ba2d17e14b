package dev.holdfast.ingress.openai;

import dev.holdfast.api.ToolCall;
import dev.holdfast.ingress.stream.SseWriter;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;

/**
 * The events of one response, numbered so that a client which comes back, even to another run of
 * the server, is sent what it has not seen. The numbers only grow: each run of the turn has a range
 * of its own, and so has an answer of which what was streamed is no beginning. Then, and when a
 * model begins anew, the text begins again in a new item.
 */
final class ResponseStream implements AnswerProgress {
  private static final long RUN = 1_000_000;
  private static final long WHOLE = RUN / 2;

  private final SseWriter events;
  private final ResponseFacts facts;
  private final long after;
  private final StreamedText sent = new StreamedText();
  private long number;
  private int items;
  private String item = "";

  /** {@code after}: the number of the last event that the client has; -1 for none. */
  ResponseStream(SseWriter events, ResponseFacts facts, long after) {
    this.events = events;
    this.facts = facts;
    this.after = after;
  }

  /**
   * How every stream begins.
   *
   * @param questions what people were asked before
   */
  void begin(List<String> questions) throws InterruptedException {
    JsonObject response = facts.view("in_progress", facts.output(questions, "", List.of()), null);
    send("response.created", new JsonObject().put("response", response));
    send("response.in_progress", new JsonObject().put("response", response));
  }

  private void send(String type, JsonObject details) throws InterruptedException {
    long mine = number++;
    if (mine > after) {
      write(type, mine, details);
    }
  }

  private void write(String type, long mine, JsonObject details) throws InterruptedException {
    JsonObject event =
        new JsonObject().put("type", type).put("sequence_number", mine).mergeIn(details);
    events.write("event: " + type + "\ndata: " + event.encode() + "\n\n");
  }

  @Override
  public void onRun(int run) {
    onRestart();
    number = Math.max(number, RUN * (run - 1));
  }

  @Override
  public void onText(String delta) throws InterruptedException {
    String added = sent.add(delta);
    if (!added.isEmpty()) {
      text(added);
    }
  }

  private void text(String delta) throws InterruptedException {
    if (item.isEmpty()) {
      item = "msg_" + facts.key() + "_" + items;
      open(item);
    }
    send(
        "response.output_text.delta",
        inText().put("delta", delta).put("logprobs", new JsonArray()));
  }

  private void open(String id) throws InterruptedException {
    send("response.output_item.added", inOutput().put("item", ResponseFacts.message(id, null)));
    send("response.content_part.added", inText(id).put("part", ResponseFacts.textPart("")));
  }

  private JsonObject inOutput() {
    return new JsonObject().put("output_index", items);
  }

  private JsonObject inText() {
    return inText(item);
  }

  private JsonObject inText(String id) {
    return inOutput().put("item_id", id).put("content_index", 0);
  }

  private void close(String id, String text) throws InterruptedException {
    send(
        "response.output_text.done", inText(id).put("text", text).put("logprobs", new JsonArray()));
    send("response.content_part.done", inText(id).put("part", ResponseFacts.textPart(text)));
    send("response.output_item.done", inOutput().put("item", ResponseFacts.message(id, text)));
    items++;
  }

  @Override
  public void onRestart() {
    if (!item.isEmpty()) {
      items++;
      item = "";
    }
    sent.clear();
  }

  @Override
  public void onMissed() {
    sent.voided();
  }

  @Override
  public void onRound() {
    sent.endRound();
  }

  @Override
  public void onQuestion(String text) throws InterruptedException {
    onRestart(); // what the model said before it comes with the answer
    String id = "msg_" + facts.key() + "_" + items;
    open(id);
    send(
        "response.output_text.delta",
        inText(id).put("delta", text).put("logprobs", new JsonArray()));
    close(id, text);
  }

  @Override
  public void onQuiet() throws InterruptedException {
    events.write(": still here\n\n");
  }

  /**
   * @param response as it is in the end
   * @param runs how many runs the turn has had
   */
  void end(CompletedAnswer answer, JsonObject response, int runs) throws InterruptedException {
    if (!answer.text().isEmpty()) {
      Optional<String> rest = sent.rest(answer.text());
      if (rest.isEmpty()) {
        onRestart();
        number = Math.max(number, RUN * Math.max(0, runs - 1) + WHOLE);
      }
      String left = rest.orElse(answer.text());
      if (!left.isEmpty() || item.isEmpty()) {
        text(left);
      }
      close(item, answer.text());
    }
    List<ToolCall> calls = answer.calls();
    for (int i = 0; i < calls.size(); i++) {
      call(calls.get(i), i);
    }
    last("response." + response.getString("status"), response);
  }

  private void call(ToolCall call, int n) throws InterruptedException {
    JsonObject begun = facts.call(call, n, false);
    send("response.output_item.added", inOutput().put("item", begun));
    JsonObject at = inOutput().put("item_id", begun.getString("id"));
    send("response.function_call_arguments.delta", at.copy().put("delta", call.arguments()));
    send(
        "response.function_call_arguments.done",
        at.put("name", call.tool()).put("arguments", call.arguments()));
    send("response.output_item.done", inOutput().put("item", facts.call(call, n, true)));
    items++;
  }

  /** The last event goes to whoever asks: without it no client knows that there is no more. */
  void last(String type, JsonObject response) throws InterruptedException {
    write(type, Math.max(number, after + 1), new JsonObject().put("response", response));
    events.write("data: [DONE]\n\n");
  }
}
