package dev.holdfast.tests.harness;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Keeps so many plans open: makes new ones as others end, answers what they ask, and cancels some.
 * It goes on through outages of the server. Its plans are for {@link AgentScript}s {@code worker}
 * and {@code careful}, and for a {@link PlanningModel}.
 */
public final class PlanLoad implements AutoCloseable {
  private static final int CHAT_THREADS = 10;

  /** Of so many looks at an open plan one cancels it. */
  private static final int CANCELS = 150;

  /** One plan in so many is written by a model. */
  private static final int DRAFTS = 5;

  private static final Duration PACE = Duration.ofMillis(150);
  private static final Duration CANCEL_WITHIN = Duration.ofSeconds(1);

  /**
   * A plan that the server has accepted.
   *
   * @param cancelled whether it has accepted that, too
   */
  public record Wanted(String id, String goal, String thread, boolean cancelled) {}

  private final ServerRig rig;
  private final int open;
  private final Random random;
  private final Map<String, Wanted> wanted = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<String> violations = new ConcurrentLinkedQueue<>();

  /** By the states of the plan and its steps: how often, and the longest in milliseconds. */
  private final Map<String, long[]> cancels = new TreeMap<>();

  private final Thread thread;
  private volatile boolean stopped;
  private int number;

  /**
   * @param open how many
   */
  public PlanLoad(ServerRig rig, int open, long seed) {
    this.rig = rig;
    this.open = open;
    this.random = new Random(seed + 1);
    this.thread = Thread.ofVirtual().start(this::run);
  }

  /** A graph of steps of every kind. */
  public static Object steps(String goal) {
    int kind = Math.floorMod(goal.hashCode(), 3);
    List<Map<String, Object>> steps = new ArrayList<>();
    steps.add(step("see", "worker", "look", Map.of("say", "blue", "sleep", kind)));
    steps.add(step("flaky", "worker", "keep", Map.of("first", Map.of("code", 500))));
    steps.add(
        step(
            "build",
            "careful",
            "act",
            Map.of("marks", "done", "sleep", kind == 0 ? 0.5 : 0, "note", "$" + "{see}")));
    steps.add(
        step(
            "join",
            "worker",
            "act",
            Map.of("marks", "done", "sleep", kind == 1 ? 0.5 : 0, "note", "$" + "{flaky}")));
    if (kind == 2) {
      steps.add(step("ask", "worker", "keep", Map.of("ask", Map.of("question", "Sure?"))));
    }
    return steps;
  }

  private static Map<String, Object> step(
      String name, String agent, String action, Map<String, Object> payload) {
    return Map.of("name", name, "agent", agent, "action", action, "payload", payload);
  }

  /** All that were accepted so far. */
  public List<Wanted> plans() {
    return List.copyOf(wanted.values());
  }

  public List<String> violations() {
    return List.copyOf(violations);
  }

  /** In which states plans were cancelled: how often, and how long it took at most. */
  public synchronized String cancels() {
    StringBuilder text = new StringBuilder();
    cancels.forEach(
        (state, figures) ->
            text.append(text.isEmpty() ? "" : ", ")
                .append("%s %d (%d ms)".formatted(state, figures[0], figures[1])));
    return text.toString();
  }

  private void run() {
    while (!stopped) {
      try {
        int now = rig.api().get("/api/v1/plans?state=open&limit=200").json().path("plans").size();
        for (int i = now; i < open && !stopped; i++) {
          make();
        }
        if (random.nextInt(CANCELS / open) == 0) {
          cancelOne();
        }
        answerAll();
      } catch (IOException | RuntimeException e) {
        // The server is down or starting.
      }
      Await.pause(PACE);
    }
  }

  private void make() throws IOException {
    String name = "p" + number++;
    String thread = "c" + number % CHAT_THREADS;
    String goal = "goal #" + name;
    Map<String, Object> body = new TreeMap<>();
    body.put("goal", goal);
    body.put("thread_id", "webhook:ci:" + thread);
    if (number % DRAFTS != 0) {
      body.put("steps", steps(name));
    }
    Answer answer = rig.api().post("/api/v1/plans", body);
    if (answer.status() == 202) {
      String id = answer.json().path("plan_id").asText();
      wanted.put(id, new Wanted(id, goal, thread, false));
    }
  }

  private void cancelOne() throws IOException {
    JsonNode plans = rig.api().get("/api/v1/plans?state=open&limit=200").json().path("plans");
    if (plans.isEmpty()) {
      return;
    }
    String id = plans.path(random.nextInt(plans.size())).path("plan_id").asText();
    JsonNode before = rig.api().get("/api/v1/plans/" + id).json();
    long start = System.nanoTime();
    Answer answer = rig.api().post("/api/v1/plans/" + id + "/cancel", Map.of());
    long millis = (System.nanoTime() - start) / 1_000_000;
    if (answer.status() != 200) {
      return;
    }
    wanted.computeIfPresent(
        id, (_, plan) -> new Wanted(plan.id(), plan.goal(), plan.thread(), true));
    count(before, millis);
    if (millis > CANCEL_WITHIN.multipliedBy(Promise.SLOWNESS).toMillis()) {
      violations.add("the cancel of " + id + " took " + millis + " ms: " + before);
    }
  }

  private synchronized void count(JsonNode plan, long millis) {
    List<String> states = new ArrayList<>(List.of("plan " + plan.path("state").asText()));
    plan.path("steps").forEach(step -> states.add(step.path("state").asText()));
    for (String state : states.stream().distinct().toList()) {
      long[] figures = cancels.computeIfAbsent(state, _ -> new long[2]);
      figures[0]++;
      figures[1] = Math.max(figures[1], millis);
    }
  }

  /** Answers all that is asked, as people would. */
  public void answerAll() throws IOException {
    String waiting = "/api/v1/tasks?state=awaiting_input";
    for (JsonNode task : rig.api().get(waiting).json().path("tasks")) {
      if (stopped || random.nextInt(3) == 0) {
        rig.api()
            .post(
                "/api/v1/tasks/" + task.path("task_id").asText() + "/input",
                Map.of("answer", "yes"));
      }
    }
  }

  /** No new plans, and nothing is cancelled any more. */
  public void stop() {
    stopped = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    stop();
  }
}
