package dev.holdfast.tests.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.AgentScript;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.LivePlans;
import dev.holdfast.tests.harness.Oracle;
import dev.holdfast.tests.harness.PlanLoad;
import dev.holdfast.tests.harness.PlanLoad.Wanted;
import dev.holdfast.tests.harness.PlanningModel;
import dev.holdfast.tests.harness.Post;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * kill -9 at random moments, also while the server recovers, amid 50 plans: graphs with steps that
 * fail, ask and must not run twice, some written by a model, some cancelled on the way. How often:
 * {@code -Dholdfast.kills}; the same dice again: {@code -Dholdfast.seed}.
 */
@Isolated("it measures how soon a plan is cancelled")
class PlanKillCampaignTest {
  private static final int KILLS = Integer.getInteger("holdfast.kills", 6);
  private static final Duration READY_WITHIN = Duration.ofSeconds(60);
  private static final Duration END_WITHIN = Duration.ofMinutes(10);
  private static final Duration RECONCILED_WITHIN = Duration.ofSeconds(10);
  private static final int ATTEMPTS_MAX = 12;
  private static final String UNKNOWN = "its outcome is unknown";

  private final long seed = Long.getLong("holdfast.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final ServerRig rig = new ServerRig();
  private final AgentScript worker = new AgentScript(rig, "worker");
  private final AgentScript careful = new AgentScript(rig, "careful");
  private final PlanningModel model = new PlanningModel(PlanLoad::steps).use(rig.setup());
  private final List<Long> killsAtNanos = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();
  private int killsOfStarts;
  private int longLives;
  private int unknown;

  @AfterEach
  void end() {
    rig.close();
    model.close();
  }

  @Test
  void noPlanIsLostOrDoneTwiceThroughKills() throws Exception {
    Map<String, Object> retry =
        Map.of("max_attempts", 10, "initial_backoff_ms", 300, "max_backoff_ms", 600);
    rig.setup()
        .set("extensions", List.of(worker.declaration(), careful.checkable()))
        .set("tasks.max_running", 6)
        .set("inbox.max_attempts", 1000) // many a kill hits the turn that tells of the same plan
        .set(
            "agents",
            Map.of(
                "default",
                Map.of("retry", retry, "circuit_breaker", Map.of("failure_threshold", 1000))));
    rig.start();
    System.out.printf("plan kill campaign: %d kills, seed %d%n", KILLS, seed);
    List<Wanted> plans;
    try (PlanLoad load = new PlanLoad(rig, seed)) {
      Await.until("all are open", END_WITHIN, () -> load.plans().size() >= PlanLoad.OPEN);
      killAgainAndAgain(load);
      rig.server().awaitReady(READY_WITHIN);
      load.stop();
      plans = load.plans();
      try {
        Await.until("all plans end", END_WITHIN, () -> areEnded(plans, load));
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ", not over: " + unfinished(plans), e);
      }
      System.out.printf(
          "plan kill campaign: %d kills hit, %d of them during a start, %d lives of more than"
              + " 10 s; %d plans; cancels: %s; seed %d%n",
          killsAtNanos.size(), killsOfStarts, longLives, plans.size(), load.cancels(), seed);
      violations.addAll(load.violations());
    }
    violations.addAll(new Oracle(rig, List.of(), killsAtNanos).judge(Duration.ofSeconds(60)));
    for (Wanted plan : plans) {
      judge(plan);
    }
    try (LivePlans table = LivePlans.of(rig)) {
      violations.addAll(table.undelivered());
    }
    System.out.printf(
        "plan kill campaign: %d unsafe steps of unknown outcome, %d violations%n",
        unknown, violations.size());
    assertThat(violations).as("seed %d", seed).isEmpty();
    assertThat(killsAtNanos).hasSizeGreaterThanOrEqualTo(KILLS);
    assertThat(plans).hasSizeGreaterThanOrEqualTo(PlanLoad.OPEN);
    assertThat(rig.server().stop()).isZero();
    assertThat(Oracle.integrity(rig.setup().dataDir().resolve("holdfast.db"))).isEqualTo("ok");
  }

  private void killAgainAndAgain(PlanLoad load) throws Exception {
    while (killsAtNanos.size() < KILLS) {
      boolean inRecovery = !killsAtNanos.isEmpty() && random.nextInt(5) == 0;
      if (inRecovery) {
        Await.pause(Duration.ofMillis(50L + random.nextInt(1_500)));
      } else {
        live();
      }
      if (rig.server().isAlive()) {
        killsAtNanos.add(System.nanoTime());
        killsOfStarts += inRecovery ? 1 : 0;
        if (killsAtNanos.size() % 25 == 0) {
          System.out.printf(
              "plan kill campaign: %d kills so far, %d plans, %d violations%n",
              killsAtNanos.size(), load.plans().size(), violations.size());
        }
        rig.server().kill9();
      }
      assertThat(rig.server().exitNow()).as("killed by us, seed %d", seed).contains(137);
      rig.launch();
    }
  }

  /** A life of some seconds; one in ten is long enough for the promise that holds after ten. */
  private void live() throws Exception {
    Instant launched = Instant.now();
    rig.server().awaitReady(READY_WITHIN);
    boolean isLong = random.nextInt(10) == 0 || killsAtNanos.size() == KILLS / 2;
    Await.pause(isLong ? RECONCILED_WITHIN : Duration.ofMillis(50L + random.nextInt(2_950)));
    if (isLong) {
      longLives++;
      look(launched);
    }
  }

  /** Nothing that an earlier process has begun is shown as running, and no lease is over. */
  private void look(Instant launched) throws Exception {
    try (LivePlans table = LivePlans.of(rig)) {
      violations.addAll(table.ghosts(launched));
    }
    Instant now = Instant.now();
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

  private boolean areEnded(List<Wanted> plans, PlanLoad load) throws IOException {
    load.answerAll();
    return rig.api().get("/api/v1/plans?state=open").json().path("plans").isEmpty()
        && plans.stream()
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
