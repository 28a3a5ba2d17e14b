package dev.holdfast.ingress.openai;

import dev.holdfast.api.ToolCall;
import dev.holdfast.ingress.stream.SseWriter;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The events of one response, numbered so that a client which comes back, even to another run of
 * the server, is sent what it has not seen. The numbers only grow: each run of the turn has a range
 * of its own, and so has an answer of which what was streamed is no beginning. Then, and when a
 * model begins anew, the item of the text so far ends as incomplete, and the text begins again in
 * another one.
 */
final class ResponseStream implements AnswerProgress {
  private static final long RUN = 1_000_000;
  private static final long WHOLE = RUN / 2;

  private final SseWriter events;
  private final AtomicLong number;
  private final ResponseFacts facts;
  private final long after;
  private final StreamedText sent = new StreamedText();
  private final List<String> questions = new ArrayList<>();
  private final Set<String> questionsTold = new HashSet<>();
  private int items;

  /** Of the text that is being said; empty when there is none. */
  private String item = "";

  private boolean hasText;

  /** {@code after}: the number of the last event that the client has; -1 for none. */
  ResponseStream(OpenAiExchange exchange, ResponseFacts facts, long after) {
    this.events = exchange.events();
    this.number = exchange.number();
    this.facts = facts;
    this.after = after;
  }

  /**
   * How every stream begins.
   *
   * @param asked what people were asked before
   */
  void begin(List<String> asked) throws InterruptedException {
    questions.addAll(asked);
    JsonObject response = facts.view("in_progress", facts.questions(asked), null);
    send("response.created", new JsonObject().put("response", response));
    send("response.in_progress", new JsonObject().put("response", response));
  }

  private void send(String type, JsonObject details) throws InterruptedException {
    long mine = number.getAndIncrement();
    if (mine > after) {
      write(type, mine, details);
    }
  }

  private void write(String type, long mine, JsonObject details) throws InterruptedException {
    JsonObject event =
        new JsonObject().put("type", type).put("sequence_number", mine).mergeIn(details);
    events.write("event: " + type + "\ndata: " + event.encode() + "\n\n");
  }

  /** Where the range of a run begins in which all is told that was not streamed. */
  private static long whole(int runs) {
    return RUN * Math.max(0, runs - 1) + WHOLE;
  }

  private void continueFrom(long least) {
    number.set(Math.max(number.get(), least));
  }

  @Override
  public void onRun(int run) throws InterruptedException {
    onRestart();
    continueFrom(RUN * (run - 1));
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
      // A client may still hold an item of another run.
      item = facts.answerId() + (hasText || number.get() >= WHOLE ? "_" + number.get() : "");
      hasText = true;
      open(item);
    }
    delta(item, delta);
  }

  private void open(String id) throws InterruptedException {
    send("response.output_item.added", inOutput().put("item", ResponseFacts.message(id)));
    send("response.content_part.added", inText(id).put("part", ResponseFacts.textPart("")));
  }

  private void delta(String id, String delta) throws InterruptedException {
    send(
        "response.output_text.delta",
        inText(id).put("delta", delta).put("logprobs", new JsonArray()));
  }

  private JsonObject inOutput() {
    return new JsonObject().put("output_index", items);
  }

  private JsonObject inText(String id) {
    return inOutput().put("item_id", id).put("content_index", 0);
  }

  private void close(String id, String text, boolean isWhole) throws InterruptedException {
    send(
        "response.output_text.done", inText(id).put("text", text).put("logprobs", new JsonArray()));
    send("response.content_part.done", inText(id).put("part", ResponseFacts.textPart(text)));
    send(
        "response.output_item.done",
        inOutput().put("item", ResponseFacts.message(id, text, isWhole)));
    items++;
  }

  @Override
  public void onRestart() throws InterruptedException {
    if (!item.isEmpty()) {
      close(item, sent.soFar(), false);
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
    if (!questionsTold.add(text)) {
      return;
    }
    onRestart(); // what the model said before it comes with the answer
    if (!questions.contains(text)) {
      questions.add(text);
    }
    String id = facts.questionId(questions.indexOf(text));
    open(id);
    delta(id, text);
    close(id, text, true);
  }

  @Override
  public void onWaiting(String question, int runs) throws InterruptedException {
    if (!questionsTold.contains(question)) {
      continueFrom(whole(runs)); // above all that the client can have of this run
      onQuestion(question);
    }
  }

  @Override
  public void onQuiet() throws InterruptedException {
    events.write(": still here\n\n");
  }

  /**
   * @param asked what people were asked
   * @param runs how many runs the turn has had
   */
  void end(CompletedAnswer answer, List<String> asked, int runs, Instant now)
      throws InterruptedException {
    String answerId = facts.answerId();
    if (!answer.text().isEmpty()) {
      Optional<String> rest = sent.rest(answer.text());
      if (rest.isEmpty()) {
        onRestart();
        continueFrom(whole(runs));
      }
      String left = rest.orElse(answer.text());
      if (!left.isEmpty() || item.isEmpty()) {
        text(left);
      }
      answerId = item;
      close(item, answer.text(), answer.isWhole());
      item = "";
    }
    List<ToolCall> calls = answer.calls();
    for (int i = 0; i < calls.size(); i++) {
      call(calls.get(i), i);
    }
    JsonObject response = facts.completed(answer, asked, answerId, now);
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
    onRestart();
    write(type, Math.max(number.get(), after + 1), new JsonObject().put("response", response));
    events.write("data: [DONE]\n\n");
  }
}
