package dev.holdfast.tests.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.AgentScript;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.CampaignLedger;
import dev.holdfast.tests.harness.CrashPoint;
import dev.holdfast.tests.harness.HoldfastProcess;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.PlanningModel;
import dev.holdfast.tests.harness.PlanningModel.Asked;
import dev.holdfast.tests.harness.PlanningModel.Part;
import dev.holdfast.tests.harness.Post;
import dev.holdfast.tests.harness.RunLength;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.StoredPlans;
import dev.holdfast.tests.harness.Strace;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * kill -9 at each transition that a plan stores: right before the store writes it, and right after,
 * before anybody has heard of it. The plan is made in a chat; a model writes its six steps. Of
 * their workers one is killed, one hangs, and one answers garbage; one asks a person, one is a
 * model with tools, and one may not be asked twice. A clean plan is watched first, to know how
 * often the store writes; then one plan after the other is killed. By default a sample, spread by
 * the seed; {@code -Dholdfast.sweep=all} goes through all of them, and so does {@code
 * -Dholdfast.full=true}.
 */
@Timeout(10_800)
class PlanSweepTest {
  private static final boolean ALL =
      RunLength.isFull() || System.getProperty("holdfast.sweep", "").equals("all");
  private static final Duration SAMPLE = Duration.ofSeconds(8);
  private static final int HITS_MIN = 3;

  /** Most writes are of pages of one transaction, of which any is as good as another. */
  private static final int KIND_MAX = 100;

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String EFFECTS = "fsync,fdatasync,pwrite64";
  private static final String UNKNOWN = "its outcome is unknown";

  private final long seed = Long.getLong("holdfast.seed", System.nanoTime());
  private final ServerRig rig = new ServerRig();
  private final AgentScript worker = new AgentScript(rig, "worker");
  private final AgentScript slow = new AgentScript(rig, "slow");
  private final AgentScript careful = new AgentScript(rig, "careful");
  private final PlanningModel model = new PlanningModel(PlanSweepTest::steps).use(rig.setup());
  private final Map<String, Integer> hits = new TreeMap<>();
  private final Map<String, Integer> stands = new TreeMap<>();
  private int missed;
  private int unknown;

  @AfterEach
  void end() {
    rig.close();
    model.close();
  }

  private static Map<String, Object> step(
      String name, String agent, String action, Map<String, Object> payload) {
    return Map.of("name", name, "agent", agent, "action", action, "payload", payload);
  }

  /** Two branches that are joined at the end; what refers to a step needs it. */
  private static Object steps(String goal) {
    return List.of(
        step("see", "worker", "look", Map.of("say", Map.of("colour", "blue"))),
        step(
            "ask",
            "worker",
            "keep",
            Map.of(
                "first", Map.of("die", true), "ask", Map.of("question", "Sure of " + goal + "?"))),
        step(
            "wait",
            "slow",
            "look",
            Map.of("first", Map.of("hang", true), "say", ref("see.colour") + " sky")),
        step(
            "build",
            "careful",
            "act",
            Map.of("marks", "done", "first", Map.of("raw", "garbage"), "note", ref("see.colour"))),
        step("think", "thinker", "work", Map.of("goal", "goal #" + goal + " " + ref("see.colour"))),
        step(
            "join",
            "worker",
            "act",
            Map.of(
                "marks",
                "done",
                "say",
                List.of(ref("ask.told"), ref("wait"), ref("build"), ref("think.text")))));
  }

  private static String ref(String part) {
    return "$" + "{" + part + "}";
  }

  private static Map<String, Object> agents() {
    Map<String, Object> retry =
        Map.of("max_attempts", 6, "initial_backoff_ms", 50, "max_backoff_ms", 100);
    Map<String, Object> circuit = Map.of("failure_threshold", 1000);
    return Map.of(
        "default",
        Map.of("retry", retry, "circuit_breaker", circuit),
        "slow",
        Map.of("timeout_secs", 2),
        "thinker",
        Map.of("kind", "model", "prompt", PlanningModel.PROMPT, "tools", List.of("worker_*")));
  }

  @Test
  void aPlanThatIsKilledAnywhereEndsAsItShouldAndRepeatsNothing() throws Exception {
    CampaignLedger ledger = new CampaignLedger("plan sweep", seed);
    rig.setup()
        .set("extensions", List.of(worker.declaration(), slow.declaration(), careful.checkable()))
        .set("agents", agents());
    rig.start();
    List<CrashPoint> points = CrashPoint.of(clean(), KIND_MAX, new Random(seed));
    long end = System.nanoTime() + SAMPLE.toNanos();
    int done = 0;
    for (CrashPoint point : points) {
      if (!ALL && System.nanoTime() > end && hits() >= HITS_MIN) {
        break;
      }
      done++;
      try {
        kill(point, "t" + done);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError(
            "killed at " + point + ", seed " + seed + "\n" + story("t" + done), e);
      }
    }
    ledger
        .with("points", points.size())
        .with("tried", done)
        .with("hits", hits)
        .with("hits_by_state", stands)
        .with("not_reached", missed)
        .with("unsafe_steps_of_unknown_outcome", unknown)
        .write();
    assertThat(hits()).as("kills that hit").isGreaterThanOrEqualTo(HITS_MIN);
    assertThat(missed).as("points that were not reached").isLessThanOrEqualTo(done / 2);
  }

  private int hits() {
    return hits.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** How often the store makes each call in a plan that nobody kills. */
  private Map<String, Integer> clean() throws Exception {
    rig.converse("warm", "warm", "hello");
    try (Strace strace = Strace.watch(rig.server(), rig.folder(), EFFECTS)) {
      plan("clean");
      Map<String, Integer> busiest = strace.busiest();
      System.out.printf("plan sweep: a clean plan makes %s%n", busiest);
      return busiest;
    }
  }

  private void plan(String name) throws Exception {
    Await.until("accepted", SOON, () -> send(name));
    awaitTold(name);
    judge(name, new Before("", "", 0, List.of()), 0);
    JsonNode plan = planOf(name).orElseThrow();
    assertThat(codes(step(plan, "ask"))).as("one is killed, then asks").hasSize(3);
    assertThat(codes(step(plan, "wait"))).as("one hangs").contains("TIMEOUT");
    assertThat(codes(step(plan, "build"))).as("one answers garbage").contains("BACKEND_FAILURE");
  }

  private static List<String> codes(JsonNode step) {
    return step.path("attempts").findValuesAsText("code");
  }

  /** What had been stored and seen when the process was gone. */
  private record Before(String plan, String join, int words, List<Post> told) {}

  private void kill(CrashPoint point, String name) throws Exception {
    try (Strace _ = Strace.killAt(rig.server(), rig.folder(), point.call(), point.when())) {
      boolean sent = send(name);
      HoldfastProcess server = rig.server();
      Await.until("killed, or done", SOON, () -> !server.isAlive() || (sent && isTold(name)));
    }
    if (rig.server().isAlive()) {
      missed++;
      judge(name, new Before("", "", 0, List.of()), 0);
      return;
    }
    assertThat(rig.server().exitNow()).contains(137);
    hits.merge(point.call(), 1, Integer::sum);
    Before before;
    Map<String, Long> finished = new HashMap<>();
    try (StoredPlans stored = StoredPlans.of(rig)) {
      before =
          new Before(
              stored.planState(name),
              stored.stepState(name, "join"),
              stored.wordsSaid(name, "think"),
              told(name));
      for (String task :
          stored.rows("select id from tasks_tasks where state in ('SUCCEEDED', 'DEAD_LETTERED')")) {
        finished.put(task, runs(task));
      }
      if (stored.stepState(name, "think").equals("SUCCEEDED")) {
        before = new Before(before.plan(), before.join(), 3, before.told());
      }
    }
    stands.merge(before.plan().isEmpty() ? "not made" : before.plan(), 1, Integer::sum);
    rig.start();
    Await.until("accepted at last", SOON, () -> send(name));
    awaitTold(name);
    judge(name, before, 1);
    for (Map.Entry<String, Long> task : finished.entrySet()) {
      assertThat(runs(task.getKey()))
          .as("what was finished runs no more")
          .isEqualTo(task.getValue());
    }
  }

  /** Starts of programs for a task. */
  private long runs(String task) throws IOException {
    long runs = 0;
    for (AgentScript script : List.of(worker, slow, careful)) {
      runs += script.runs().stream().filter(run -> run.endsWith(" " + task)).count();
    }
    return runs;
  }

  private boolean send(String name) {
    try {
      return rig.sender().send(name, name, "/plan goal #" + name).isAccepted();
    } catch (IOException e) {
      return false;
    }
  }

  private void awaitTold(String name) {
    Await.until("the end of " + name + " is told", SOON, () -> isTold(name));
    rig.api().awaitQuiet(SOON);
  }

  /** Answers the question that was read, as a person would; what got lost is answered again. */
  private boolean isTold(String name) throws IOException {
    if (!told(name).isEmpty()) {
      return true;
    }
    if (asked(name).isEmpty()) {
      return false;
    }
    JsonNode step = planOf(name).map(plan -> step(plan, "ask")).orElseGet(Json::object);
    if (step.path("state").asText().equals("awaiting_input")) {
      rig.api()
          .post(
              "/api/v1/tasks/" + step.path("task_id").asText() + "/input", Map.of("answer", "yes"));
    }
    return false;
  }

  private List<Post> told(String name) {
    return posts(name, "Goal: goal #" + name);
  }

  private List<Post> asked(String name) {
    return posts(name, "Sure of " + name + "?");
  }

  private List<Post> posts(String name, String words) {
    return rig.platform().posts().stream()
        .filter(post -> post.thread().equals(name) && post.mode().shows())
        .filter(post -> post.text().contains(words))
        .toList();
  }

  private Optional<JsonNode> planOf(String name) throws IOException {
    String thread = ServerApi.encode("webhook:ci:" + name);
    JsonNode plans = rig.api().get("/api/v1/plans?state=all&thread=" + thread).json().path("plans");
    assertThat(plans.size()).as("plans of one message").isLessThan(2);
    return plans.isEmpty()
        ? Optional.empty()
        : Optional.of(
            rig.api().get("/api/v1/plans/" + plans.path(0).path("plan_id").asText()).json());
  }

  private static JsonNode step(JsonNode plan, String name) {
    for (JsonNode step : plan.path("steps")) {
      if (step.path("name").asText().equals(name)) {
        return step;
      }
    }
    return Json.object();
  }

  private void judge(String name, Before before, int kills) throws IOException, SQLException {
    JsonNode plan = planOf(name).orElseThrow();
    assertThat(plan.path("steps")).hasSize(6);
    JsonNode join = step(plan, "join");
    boolean lost = join.path("state").asText().equals("dead_lettered");
    for (JsonNode step : plan.path("steps")) {
      if (!lost || !step.path("name").asText().equals("join")) {
        assertThat(step.path("state").asText()).as("%s", step).isEqualTo("succeeded");
      }
    }
    if (lost) {
      unknown++;
      assertThat(join.path("reason").asText()).contains(UNKNOWN);
      assertThat(before.join()).as("only what had begun is in doubt").isEqualTo("IN_PROGRESS");
      assertThat(plan.path("reason").asText()).isEqualTo(PlanningModel.LOST);
    } else {
      assertThat(join.path("output").toString())
          .isIn(
              output(name, "found"), // by its check, after the garbage
              output(name, "done")); // the kill came before it
    }
    assertThat(plan.path("state").asText()).isEqualTo(lost ? "failed" : "succeeded");
    judgeEffects(step(plan, "build"), join, lost);
    judgeModelCalls(name, before, kills, lost);
    judgePosts(name, before, kills, lost);
  }

  private static String output(String name, String build) {
    return "[\"yes\",\"blue sky\",\"%s\",\"thought of %s\"]".formatted(build, name);
  }

  /** What may not be done twice is not, and what has an outcome was done. */
  private void judgeEffects(JsonNode build, JsonNode join, boolean lost) throws IOException {
    String built = build.path("task_id").asText();
    long done = careful.marks().stream().filter(("done-" + built)::equals).count();
    long begun = careful.marks().stream().filter(("half-" + built)::equals).count();
    long undone = careful.marks().stream().filter(("undone-" + built)::equals).count();
    assertThat(done).as("it is built once: %s", careful.marks()).isEqualTo(1);
    assertThat(begun - undone).as("what was half done was undone").isEqualTo(1);
    String joined = join.path("task_id").asText();
    long effects = worker.marks().stream().filter(("done-" + joined)::equals).count();
    assertThat(effects).isBetween(lost ? 0L : 1L, 1L);
    assertThat(worker.runs().stream().filter(("act " + joined)::equals).count())
        .as("starts of what is unsafe")
        .isBetween(lost ? 0L : 1L, 1L);
  }

  /** Only the call during which the process died may be made again. */
  private void judgeModelCalls(String name, Before before, int kills, boolean lost) {
    boolean hadSteps = !before.plan().isEmpty() && !before.plan().equals("DRAFT");
    assertThat(model.asked(Part.STEPS, name)).hasSizeBetween(1, hadSteps ? 1 : 1 + kills);
    List<Integer> rounds = model.asked(Part.WORK, name).stream().map(Asked::round).toList();
    assertThat(rounds).as("no round is asked after a later one").isSorted();
    assertThat(rounds).contains(0, 1, 2).hasSizeBetween(3, 3 + kills);
    for (int round = 0; round < before.words(); round++) {
      assertThat(rounds).as("it had been answered").containsOnlyOnce(round);
    }
    boolean judged = before.plan().equals("FAILED");
    assertThat(model.asked(Part.JUDGEMENT, name))
        .hasSizeBetween(lost ? 1 : 0, lost ? judged ? 1 : 1 + kills : 0);
  }

  private void judgePosts(String name, Before before, int kills, boolean lost) throws IOException {
    List<Post> told = told(name);
    assertThat(told.stream().map(Post::inReplyTo).distinct()).as("it is told once").hasSize(1);
    assertThat(told.stream().map(Post::replyId).distinct()).hasSize(1);
    JsonNode reply = rig.api().event(told.getFirst().inReplyTo()).path("replies").path(0);
    boolean isUnknown = !before.told().isEmpty() || reply.path("unknowns").asInt() > 0;
    assertThat(told).hasSizeBetween(1, 1 + (isUnknown ? kills : 0));
    assertThat(told).allMatch(post -> post.text().contains(lost ? "has failed" : "has succeeded"));
    assertThat(asked(name).stream().map(Post::replyId).distinct())
        .as("it is asked once")
        .hasSize(1);
  }

  private String story(String name) {
    try {
      return planOf(name).map(JsonNode::toPrettyString).orElse("no plan");
    } catch (IOException e) {
      return "its plan cannot be read: " + e;
    }
  }
}
