package dev.holdfast.tests.harness;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.PlanLoad.Wanted;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Judges the plans of a {@link PlanLoad} from outside: none is lost, nothing is done twice, and
 * each end is told once. Every broken promise is one line in {@link #violations}.
 */
public final class PlanOracle {
  private static final int ATTEMPTS_MAX = 12;
  private static final String UNKNOWN = "its outcome is unknown";

  private final ServerRig rig;
  private final AgentScript worker;
  private final AgentScript careful;
  private final List<String> violations = new ArrayList<>();
  private int unknown;

  public PlanOracle(ServerRig rig, AgentScript worker, AgentScript careful) {
    this.rig = rig;
    this.worker = worker;
    this.careful = careful;
  }

  /** Many a kill hits the same step, and the turn that tells of the same plan. */
  public static void configure(Setup setup) {
    Map<String, Object> retry =
        Map.of("max_attempts", 10, "initial_backoff_ms", 300, "max_backoff_ms", 600);
    Map<String, Object> breaker = Map.of("failure_threshold", 1000);
    setup
        .set("tasks.max_running", 6)
        .set("inbox.max_attempts", 1000)
        .set("agents", Map.of("default", Map.of("retry", retry, "circuit_breaker", breaker)));
  }

  public List<String> violations() {
    return violations;
  }

  /** Steps that were unsafe, and of which a kill left the outcome unknown. */
  public int unknown() {
    return unknown;
  }

  /** All that a load has made, once it has ended. */
  public void judge(PlanLoad load) throws IOException, SQLException {
    violations.addAll(load.violations());
    for (Wanted plan : load.plans()) {
      judge(plan);
    }
    try (LivePlans table = LivePlans.of(rig)) {
      violations.addAll(table.undelivered());
    }
  }

  /** Nothing that an earlier process has begun is shown as running, and no lease is over. */
  public void look() throws Exception {
    Instant launched = rig.launchedAt();
    try (LivePlans table = LivePlans.of(rig)) {
      violations.addAll(table.ghosts(launched, rig.setup().now()));
    }
    Instant now = rig.setup().now();
    for (String state : List.of("dispatched", "in_progress")) {
      for (JsonNode task : rig.api().get("/api/v1/tasks?state=" + state).json().path("tasks")) {
        JsonNode attempts = task.path("attempts");
        Instant began =
            attempts.isEmpty()
                ? now
                : Instant.parse(attempts.path(attempts.size() - 1).path("began_at").asText());
        boolean open = state.equals("in_progress");
        if (!task.path("running").asBoolean() || (open && began.isBefore(launched))) {
          violations.add("shown as running without a live lease: " + task);
        }
      }
    }
  }

  /** Waits until all have ended and that is told; answers what they ask meanwhile. */
  public void awaitEnded(PlanLoad load, Duration limit) throws IOException {
    try {
      Await.until("all plans end", limit, () -> areEnded(load));
    } catch (AssertionError e) {
      throw new AssertionError("not over: " + unfinished(load.plans()), e);
    }
  }

  private boolean areEnded(PlanLoad load) throws IOException {
    load.answerAll();
    return rig.api().get("/api/v1/plans?state=open").json().path("plans").isEmpty()
        && load.plans().stream()
            .filter(plan -> !plan.thread().isEmpty())
            .noneMatch(plan -> told(plan).isEmpty());
  }

  private List<String> unfinished(List<Wanted> plans) throws IOException {
    List<String> all = new ArrayList<>();
    for (Wanted plan : plans) {
      JsonNode shown = rig.api().get("/api/v1/plans/" + plan.id()).json();
      if (shown.path("ended_at").isNull() || (!plan.thread().isEmpty() && told(plan).isEmpty())) {
        all.add((shown.path("ended_at").isNull() ? "open: " : "not told: ") + shown);
      }
    }
    return all;
  }

  private List<Post> told(Wanted plan) {
    return rig.platform().posts().stream()
        .filter(post -> post.thread().equals(plan.thread()) && post.mode().shows())
        .filter(post -> post.text().contains("Goal: " + plan.goal() + "\n"))
        .toList();
  }

  private void judge(Wanted plan) throws IOException {
    Answer answer = rig.api().get("/api/v1/plans/" + plan.id());
    JsonNode shown = answer.json();
    String state = shown.path("state").asText();
    String what = "plan " + plan.goal() + " (" + plan.id() + ", " + state + "): ";
    if (answer.status() != 200 || shown.path("ended_at").isNull()) {
      violations.add(what + "was accepted and has not ended: " + answer.body());
      return;
    }
    if (plan.cancelled() && !state.equals("cancelled")) {
      violations.add(what + "was cancelled, and that was not kept");
    }
    if (told(plan).stream().map(Post::inReplyTo).distinct().count() != 1) {
      violations.add(what + "told " + told(plan).size() + " times");
    }
    boolean lost = false;
    for (JsonNode step : shown.path("steps")) {
      lost |= judge(what, step, state.equals("cancelled"), lost);
    }
    String expected = state.equals("cancelled") ? state : lost ? "failed" : "succeeded";
    if (!state.equals(expected)) {
      violations.add(what + "should have " + expected + ": " + shown);
    }
  }

  /**
   * Whether the plan cannot succeed for it.
   *
   * @param lost whether it cannot for a step before it
   */
  private boolean judge(String what, JsonNode step, boolean cancelled, boolean lost)
      throws IOException {
    String task = step.path("task_id").asText();
    String name = step.path("name").asText();
    String state = step.path("state").asText();
    AgentScript agent = step.path("agent").asText().equals("careful") ? careful : worker;
    long done = agent.marks().stream().filter(("done-" + task)::equals).count();
    if (done > 1) {
      violations.add(what + name + " was done " + done + " times");
    }
    if (step.path("action").asText().equals("act") && state.equals("succeeded") && done == 0) {
      violations.add(what + name + " succeeded and was not done");
    }
    long runs = worker.runs().stream().filter(("act " + task)::equals).count();
    if (runs > 1) {
      violations.add(what + name + " is unsafe and was started " + runs + " times");
    }
    for (JsonNode attempt : step.path("attempts")) {
      if (attempt.path("ended_at").isNull()) {
        violations.add(what + name + " has ended, and an attempt of it has not: " + step);
      }
    }
    boolean doubtful =
        state.equals("dead_lettered") && step.path("reason").asText().contains(UNKNOWN);
    unknown += doubtful ? 1 : 0;
    boolean worn = isWorn(step);
    boolean over = cancelled || lost;
    if (!state.equals("succeeded")
        && !(over && List.of("cancelled", "failed").contains(state))
        && !(doubtful && name.equals("join"))
        && !worn) {
      violations.add(what + "step " + name + " is " + state + ": " + step);
    }
    return doubtful || worn;
  }

  /**
   * Whether kills have cut it off as often as anything is tried: a slow machine finishes little.
   */
  private static boolean isWorn(JsonNode step) {
    boolean all = true;
    for (JsonNode attempt : step.path("attempts")) {
      all &= attempt.path("code").asText().equals("INTERRUPTED");
    }
    return all
        && step.path("state").asText().equals("dead_lettered")
        && step.path("attempts").size() == ATTEMPTS_MAX;
  }
}
