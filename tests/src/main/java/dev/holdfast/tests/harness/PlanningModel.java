package dev.holdfast.tests.harness;

import dev.holdfast.kit.testing.WireExchange;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A model that plays every part in plans whose goals hold {@code goal #NAME}: it writes their
 * steps, gives up what has failed, works as an agent that calls two tools of the extension {@code
 * worker}, and repeats in chats what it is told. It keeps a journal of what it was asked.
 * Thread-safe.
 */
public final class PlanningModel implements AutoCloseable {
  /** The prompt of the agents that are this model. */
  public static final String PROMPT = "You are thorough.";

  /** Why it gives up. */
  public static final String LOST = "It needs what has failed.";

  private static final Pattern GOAL = Pattern.compile("goal #([a-z0-9-]+)");
  private static final List<String> CALLS = List.of("worker_look", "worker_keep");

  /** What it was asked for. */
  public enum Part {
    STEPS,
    JUDGEMENT,
    WORK,
    CHAT
  }

  /**
   * One request, in the order of their arrival.
   *
   * @param round of {@link Part#WORK}, from 0
   */
  public record Asked(Part part, String goal, int round) {}

  private final FakeModel model = new FakeModel().unrecorded();
  private final ConcurrentLinkedQueue<Asked> journal = new ConcurrentLinkedQueue<>();
  private final Function<String, Object> steps;

  /**
   * @param steps those of a goal, by its name
   */
  public PlanningModel(Function<String, Object> steps) {
    this.steps = steps;
    model.always(this::answer);
  }

  public PlanningModel use(Setup setup) {
    model.asOpenAi(setup);
    return this;
  }

  /** The requests of one kind for one goal. */
  public List<Asked> asked(Part part, String goal) {
    return journal.stream()
        .filter(asked -> asked.part() == part && asked.goal().equals(goal))
        .toList();
  }

  private void answer(RecordedModelRequest request, WireExchange exchange) throws IOException {
    Matcher found = GOAL.matcher(request.body().path("messages").toString());
    String goal = found.find() ? found.group(1) : "";
    Part part = part(request);
    int round = round(request);
    journal.add(new Asked(part, goal, round));
    script(part, goal, round).run(request, exchange);
  }

  private ModelScript script(Part part, String goal, int round) {
    return switch (part) {
      case STEPS -> says(Map.of("steps", steps.apply(goal)));
      case JUDGEMENT -> says(Map.of("decision", "fail", "reason", LOST));
      case WORK ->
          round < CALLS.size()
              ? CallScript.call("call-" + round, CALLS.get(round), Map.of("say", goal))
              : ModelScript.answer(_ -> "thought of " + goal);
      case CHAT -> ModelScript.echo();
    };
  }

  private static Part part(RecordedModelRequest request) {
    String tools = request.body().path("tools").toString();
    if (request.body().path("tools").size() == 1 && tools.contains("\"submit_steps\"")) {
      return Part.STEPS;
    }
    if (request.body().path("tools").size() == 1 && tools.contains("\"decide\"")) {
      return Part.JUDGEMENT;
    }
    return request.body().path("messages").path(0).toString().contains(PROMPT)
        ? Part.WORK
        : Part.CHAT;
  }

  private static int round(RecordedModelRequest request) {
    int said = 0;
    for (var message : request.body().path("messages")) {
      said += message.path("role").asText().equals("assistant") ? 1 : 0;
    }
    return said;
  }

  private static ModelScript says(Object json) {
    return ModelScript.answer(_ -> Json.write(json));
  }

  @Override
  public void close() {
    model.close();
  }
}
