package dev.holdfast.tests.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.AgentScript;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Tasks that are given out in a chat, in the real jar with real programs. */
@Timeout(300)
@ResourceLock(TaskServer.LOCK)
class DelegateTest {
  private static final Duration LIMIT = Duration.ofSeconds(40);
  private static final Pattern PLAN = Pattern.compile("Plan ([0-9a-f-]{36}) runs");
  private static final Pattern DENY = Pattern.compile("/deny (\\w+)");

  @RegisterExtension static final Served SERVED = TaskServer.SERVED;

  private final ServerRig rig = SERVED.rig();
  private AgentScript worker;

  @BeforeEach
  void begin() throws IOException {
    worker = TaskServer.agent("worker");
  }

  private static String delegate(String action, Map<String, Object> payload, int waitSecs) {
    return ShellRig.call(
        "delegate",
        Map.of("agent", "worker", "action", action, "payload", payload, "wait_secs", waitSecs));
  }

  private boolean isSaid(String words) {
    return rig.platform().posts().stream().anyMatch(post -> post.text().contains(words));
  }

  @Test
  void aTaskIsAnsweredInTheTurnOrToldLater() throws Exception {
    assertThat(SERVED.say("e1", delegate("look", Map.of("say", "blue"), 20)))
        .contains("untrusted")
        .contains("blue");
    assertThat(SERVED.say("e2", ShellRig.call("plan_status", Map.of())))
        .contains("worker (healthy): act, keep, look")
        .contains("succeeded: worker: look");
    assertThat(SERVED.say("e3", delegate("nothing", Map.of(), 20))).contains("has no action");

    assertThat(SERVED.say("e4", delegate("look", Map.of("say", "later", "sleep", 2), 0)))
        .containsPattern(PLAN);
    Await.until("its end is told", LIMIT, () -> isSaid("has succeeded") && isSaid("later"));
    assertThat(worker.runs()).hasSize(2);
  }

  @Test
  void aPersonSeesAndCancelsAPlan() throws Exception {
    Matcher made = PLAN.matcher(SERVED.say("e1", delegate("act", Map.of("sleep", 60), 0)));
    assertThat(made.find()).isTrue();
    String code = made.group(1).substring(28);
    Await.until("it runs", LIMIT, () -> worker.runs().size() == 1);
    assertThat(SERVED.say("e2", "/plans"))
        .contains(code)
        .contains("running")
        .contains("worker: act");
    assertThat(SERVED.say("e3", "/cancel " + code)).isEqualTo("Plan " + code + " is cancelled.");
    Await.until("its process is gone", LIMIT, () -> worker.processes().isEmpty());
    assertThat(SERVED.say("e4", "/plans")).contains("cancelled");
    assertThat(worker.ends()).isEmpty();
  }

  @Test
  void aStoppedTurnEndsTheTaskThatItWaitsFor() throws Exception {
    rig.accept(SERVED.id("e1"), SERVED.thread(), delegate("act", Map.of("sleep", 60), 120));
    Await.until("it runs", LIMIT, () -> worker.runs().size() == 1);
    assertThat(SERVED.say("e2", "/stop")).isEqualTo("Stopped.");
    Await.until("its process is gone", LIMIT, () -> worker.processes().isEmpty());
    Await.until(
        "it is cancelled",
        LIMIT,
        () -> SERVED.say("e" + System.nanoTime(), "/plans").contains("cancelled"));
  }

  @Test
  void aTurnThatIsKilledFindsItsTaskAgainAndNothingUnsafeRunsTwice() throws Exception {
    rig.accept(
        SERVED.id("e1"),
        SERVED.thread(),
        delegate("keep", Map.of("say", "green", "sleep", 2), 120));
    rig.accept(
        SERVED.id("e2"), SERVED.id("u"), delegate("act", Map.of("say", "red", "sleep", 2), 120));
    Await.until("both run", LIMIT, () -> worker.runs().size() == 2);
    rig.server().kill9();
    rig.start();
    assertThat(rig.platform().awaitPost(SERVED.id("e1"), LIMIT).text()).contains("green");
    assertThat(rig.platform().awaitPost(SERVED.id("e2"), LIMIT).text())
        .contains("its outcome is unknown");
    assertThat(worker.runs().stream().filter(run -> run.startsWith("act"))).hasSize(1);
    List<String> kept = worker.runs().stream().filter(run -> run.startsWith("keep")).toList();
    assertThat(kept).hasSize(2);
    assertThat(kept.getFirst()).as("the same key").isEqualTo(kept.getLast());
  }

  @Test
  void aStopOfTheServerParksATaskAndTheNextStartEndsIt() throws Exception {
    rig.accept(
        SERVED.id("e1"),
        SERVED.thread(),
        delegate("keep", Map.of("say", "green", "sleep", 5), 120));
    Await.until("it runs", LIMIT, () -> worker.runs().size() == 1);
    assertThat(rig.server().stop()).isZero();
    rig.start();
    assertThat(rig.platform().awaitPost(SERVED.id("e1"), LIMIT).text()).contains("green");
  }

  @Test
  void anUnsafeActionIsAskedForAndAHarmlessOneIsNot() throws Exception {
    TaskServer.autonomy("supervised");
    try {
      assertThat(SERVED.say("e1", delegate("look", Map.of("say", "blue"), 20))).contains("blue");
      Matcher code = DENY.matcher(SERVED.say("e2", delegate("act", Map.of("say", "red"), 20)));
      assertThat(code.find()).isTrue();
      assertThat(worker.runs()).hasSize(1);
      assertThat(SERVED.say("e3", "/deny " + code.group(1))).contains("enied");
    } finally {
      TaskServer.autonomy("full");
    }
  }

  @Test
  void stepsGetWhatEarlierOnesAnswered() throws Exception {
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
    assertThat(SERVED.say("e1", plan)).contains("succeeded").contains("blue and red");
    assertThat(worker.runs().getLast()).startsWith("keep");
  }
}
