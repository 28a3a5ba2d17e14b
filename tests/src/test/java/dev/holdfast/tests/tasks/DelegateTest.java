package dev.holdfast.tests.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.AgentScript;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tasks that are given out in a chat, in the real jar with real programs. */
@Timeout(300)
class DelegateTest {
  private static final Duration LIMIT = Duration.ofSeconds(40);
  private static final Pattern PLAN = Pattern.compile("Plan ([0-9a-f-]{36}) runs");

  private final ServerRig rig = new ServerRig();
  private final AgentScript worker = new AgentScript(rig, "worker");

  @AfterEach
  void end() {
    rig.close();
  }

  private void start() {
    rig.setup().set("extensions", List.of(worker.declaration()));
    rig.start();
  }

  private static String delegate(String action, Map<String, Object> payload, int waitSecs) {
    return ShellRig.call(
        "delegate",
        Map.of("agent", "worker", "action", action, "payload", payload, "wait_secs", waitSecs));
  }

  private String say(String event, String text) {
    return rig.converse(event, "t", text).text();
  }

  private boolean isSaid(String words) {
    return rig.platform().posts().stream().anyMatch(post -> post.text().contains(words));
  }

  @Test
  void aTaskIsAnsweredInTheTurnOrToldLater() throws Exception {
    start();
    assertThat(say("e1", delegate("look", Map.of("say", "blue"), 20)))
        .contains("untrusted")
        .contains("blue");
    assertThat(say("e2", ShellRig.call("plan_status", Map.of())))
        .contains("worker (healthy): act, keep, look")
        .contains("succeeded: worker: look");
    assertThat(say("e3", delegate("nothing", Map.of(), 20))).contains("has no action");

    assertThat(say("e4", delegate("look", Map.of("say", "later", "sleep", 2), 0)))
        .containsPattern(PLAN);
    Await.until("its end is told", LIMIT, () -> isSaid("has succeeded") && isSaid("later"));
    assertThat(worker.runs()).hasSize(2);
  }

  @Test
  void aPersonSeesAndCancelsAPlan() throws Exception {
    start();
    Matcher made = PLAN.matcher(say("e1", delegate("act", Map.of("sleep", 60), 0)));
    assertThat(made.find()).isTrue();
    String code = made.group(1).substring(28);
    Await.until("it runs", LIMIT, () -> worker.runs().size() == 1);
    assertThat(say("e2", "/plans")).contains(code).contains("running").contains("worker: act");
    assertThat(say("e3", "/cancel " + code)).isEqualTo("Plan " + code + " is cancelled.");
    Await.until("its process is gone", LIMIT, () -> worker.processes().isEmpty());
    assertThat(say("e4", "/plans")).contains("cancelled");
    assertThat(worker.ends()).isEmpty();
  }

  @Test
  void aStoppedTurnEndsTheTaskThatItWaitsFor() throws Exception {
    start();
    rig.accept("e1", "t", delegate("act", Map.of("sleep", 60), 120));
    Await.until("it runs", LIMIT, () -> worker.runs().size() == 1);
    assertThat(say("e2", "/stop")).isEqualTo("Stopped.");
    Await.until("its process is gone", LIMIT, () -> worker.processes().isEmpty());
    Await.until(
        "it is cancelled",
        LIMIT,
        () -> say("e" + System.nanoTime(), "/plans").contains("cancelled"));
  }

  @Test
  void aTurnThatIsKilledFindsItsTaskAgainAndNothingUnsafeRunsTwice() throws Exception {
    start();
    rig.accept("e1", "t", delegate("keep", Map.of("say", "green", "sleep", 2), 120));
    rig.accept("e2", "u", delegate("act", Map.of("say", "red", "sleep", 2), 120));
    Await.until("both run", LIMIT, () -> worker.runs().size() == 2);
    rig.server().kill9();
    rig.start();
    assertThat(rig.platform().awaitPost("e1", LIMIT).text()).contains("green");
    assertThat(rig.platform().awaitPost("e2", LIMIT).text()).contains("its outcome is unknown");
    assertThat(worker.runs().stream().filter(run -> run.startsWith("act"))).hasSize(1);
    List<String> kept = worker.runs().stream().filter(run -> run.startsWith("keep")).toList();
    assertThat(kept).hasSize(2);
    assertThat(kept.getFirst()).as("the same key").isEqualTo(kept.getLast());
  }

  @Test
  void aStopOfTheServerParksATaskAndTheNextStartEndsIt() throws Exception {
    rig.setup().set("server.shutdown_secs", 6);
    start();
    rig.accept("e1", "t", delegate("keep", Map.of("say", "green", "sleep", 5), 120));
    Await.until("it runs", LIMIT, () -> worker.runs().size() == 1);
    assertThat(rig.server().stop()).isZero();
    rig.start();
    assertThat(rig.platform().awaitPost("e1", LIMIT).text()).contains("green");
  }

  @Test
  void anUnsafeActionIsAskedForAndAHarmlessOneIsNot() throws Exception {
    rig.setup().set("tools.autonomy", "supervised");
    start();
    assertThat(say("e1", delegate("look", Map.of("say", "blue"), 20))).contains("blue");
    assertThat(say("e2", delegate("act", Map.of("say", "red"), 20))).contains("/approve");
    assertThat(worker.runs()).hasSize(1);
  }

  @Test
  void stepsGetWhatEarlierOnesAnswered() throws Exception {
    start();
    String plan =
        ShellRig.call(
            "plan",
            Map.of(
                "goal",
                "two colours",
                "wait_secs",
                60,
                "steps",
                List.of(
                    Map.of(
                        "name",
                        "a",
                        "agent",
                        "worker",
                        "action",
                        "look",
                        "payload",
                        Map.of("say", Map.of("colour", "blue"))),
                    Map.of(
                        "name",
                        "b",
                        "agent",
                        "worker",
                        "action",
                        "look",
                        "payload",
                        Map.of("say", Map.of("colour", "red"))),
                    Map.of(
                        "name",
                        "c",
                        "agent",
                        "worker",
                        "action",
                        "keep",
                        "payload",
                        Map.of("say", "$" + "{a.colour} and $" + "{b.colour}")))));
    assertThat(say("e1", plan)).contains("succeeded").contains("blue and red");
    assertThat(worker.runs().getLast()).startsWith("keep");
  }
}
