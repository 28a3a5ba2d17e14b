package dev.holdfast.tests.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.CampaignLedger;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.OnlyInFull;
import dev.holdfast.tests.harness.Post;
import dev.holdfast.tests.harness.RunLength;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Nothing of an extension outlives it, however it ends, and nobody waits for one that is not his.
 * How many rounds: {@code -Dholdfast.extension_kills}.
 */
@Isolated("it measures how soon processes are gone")
class ExtensionKillTest {
  private static final int ROUNDS = RunLength.of("holdfast.extension_kills", 8, 500);
  private static final Duration LIMIT = Duration.ofSeconds(40);

  /** On a busy machine the whole tree takes some seconds to be there. */
  private static final int START_SECS = 10;

  /** Each way in which a child comes to its end. */
  private enum Ending {
    SERVER_STOPPED,
    START_TIMED_OUT,
    RESTARTED,
    CONFIGURATION_CHANGED,
    UNUSED,
    SERVER_KILLED
  }

  private final Map<Ending, Long> slowestMillis = new EnumMap<>(Ending.class);
  private final Map<Ending, Integer> rounds = new EnumMap<>(Ending.class);

  private static Map<String, Object> declaration(ExtensionTree tree, Ending ending)
      throws IOException {
    List<String> command = tree.command();
    Map<String, Object> timeouts = new HashMap<>(Map.of("start_secs", 30));
    if (ending == Ending.START_TIMED_OUT) {
      command.add("silent");
      timeouts.put("start_secs", START_SECS);
    }
    if (ending == Ending.UNUSED) {
      timeouts.put("idle_secs", 1);
    }
    Map<String, Object> once = Map.of("max", 0);
    return Map.of("id", "demo", "command", command, "timeouts", timeouts, "restart", once);
  }

  private static String state(ServerRig rig) throws IOException {
    return rig.api().get("/api/v1/extensions/demo").json().path("state").asText();
  }

  private static void awaitState(ServerRig rig, String state) {
    Await.until("demo is " + state, LIMIT, () -> state(rig).equals(state));
  }

  @Test
  @OnlyInFull(shortForm = "KillCampaignTest")
  void nothingOfItsTreeIsLeftInEachOfTheSixCases() throws Exception {
    CampaignLedger ledger = new CampaignLedger("extension kills", 0);
    try (ServerRig rig = new ServerRig()) {
      boolean runs = false;
      for (int round = 0; round < ROUNDS; round++) {
        Ending ending = round % 2 == 0 ? Ending.SERVER_KILLED : other(round / 2);
        ExtensionTree tree = new ExtensionTree();
        rig.setup().set("extensions", List.of(declaration(tree, ending))).write();
        if (!runs) {
          rig.start();
        }
        Await.until("its tree is there, to be " + ending, LIMIT, tree::isWhole);
        List<Long> before = tree.processes();
        end(rig, ending);
        long millis = ExtensionTree.awaitGone(ending.toString(), before);
        slowestMillis.merge(ending, millis, Math::max);
        rounds.merge(ending, 1, Integer::sum);
        runs = ending != Ending.SERVER_KILLED && ending != Ending.SERVER_STOPPED;
      }
    }
    ledger.with("rounds", rounds).with("slowest_end_millis", slowestMillis).write();
    assertThat(rounds.get(Ending.SERVER_KILLED)).isGreaterThanOrEqualTo(ROUNDS / 2);
  }

  /** Being unused takes ten seconds to be found out, so that comes seldom. */
  private static Ending other(int number) {
    return number % 9 == 8 ? Ending.UNUSED : Ending.values()[number % 4];
  }

  private static void end(ServerRig rig, Ending ending) throws IOException {
    switch (ending) {
      case SERVER_KILLED -> rig.server().kill9();
      case SERVER_STOPPED -> {
        awaitState(rig, "ready");
        assertThat(rig.server().stop()).isZero();
      }
      case START_TIMED_OUT -> awaitState(rig, "parked");
      case UNUSED -> awaitState(rig, "idle");
      case RESTARTED -> {
        awaitState(rig, "ready");
        assertThat(rig.api().post("/api/v1/extensions/demo/restart", Map.of()).status())
            .isEqualTo(200);
        Await.until("another runs", LIMIT, () -> !state(rig).equals("ready"));
        awaitState(rig, "ready");
      }
      case CONFIGURATION_CHANGED -> {
        awaitState(rig, "ready");
        rig.setup().set("extensions", List.of()).write();
        Await.until(
            "it is gone", LIMIT, () -> rig.api().get("/api/v1/extensions/demo").status() == 404);
      }
    }
  }

  /** The call would have 30 s: it must end because its server did. */
  @Test
  void aCallFailsAtOnceWhenItsExtensionIsKilledAndTheNextOneWorks() throws Exception {
    String mark = "kill-" + System.nanoTime() + "-end";
    try (ServerRig rig = new ServerRig()) {
      rig.setup().set("extensions", List.of(ExtensionTest.python("demo", mark)));
      rig.start();
      awaitState(rig, "ready");
      Path hanging = rig.setup().dataDir().resolve("extensions/demo/files/hanging");
      rig.accept("e1", "t", ShellRig.call("demo_hang", Map.of()));
      Await.until("it is in the call", LIMIT, () -> Files.exists(hanging));
      long killed = System.nanoTime();
      Instant killedAt = Instant.now();
      ExtensionTree.pythons(mark)
          .forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
      Post answer = rig.platform().awaitPost("e1", Duration.ofSeconds(20));
      System.out.printf(
          "extension kill -9 in mid-call: the call failed after %d ms, answered after %d ms%n",
          Duration.between(killedAt, callEnded(rig)).toMillis(),
          (System.nanoTime() - killed) / 1_000_000);
      assertThat(answer.text())
          .containsPattern("ended with exit code 137|closed its output")
          .contains("The outcome is unknown: check before repeating.");
      assertThat(rig.converse("e2", "t", ShellRig.call("demo_echo", Map.of("a", 2))).text())
          .contains("echo {\"a\": 2}");
      JsonNode extension = rig.api().get("/api/v1/extensions/demo").json();
      assertThat(extension.path("restarts").asInt()).isOne();
      System.out.printf(
          "extension kill -9 in mid-call: the next call was answered after %d ms%n",
          (System.nanoTime() - killed) / 1_000_000);
    }
  }

  /** When the call of e1 was over, by its story. */
  private static Instant callEnded(ServerRig rig) throws IOException {
    for (JsonNode line : rig.api().event("e1").path("story")) {
      if (line.path("what").asText().equals("tool.ended")) {
        return Instant.parse(line.path("at").asText());
      }
    }
    throw new AssertionError("the call has not ended");
  }

  @Test
  void oneThatCrashesAgainAndAgainIsParkedAndReadySaysSo() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      Map<String, Object> crashing = new HashMap<>(ExtensionTest.python("demo", "crash"));
      crashing.put("restart", Map.of("initial_backoff_ms", 10, "max_backoff_ms", 50));
      rig.setup().set("extensions", List.of(crashing));
      rig.start();
      awaitState(rig, "parked");
      Path starts = rig.setup().dataDir().resolve("extensions/demo/files/starts");
      assertThat(Files.readAllLines(starts)).as("the first start and 5 more").hasSize(6);
      Await.until(
          "/ready says so and stays 200",
          LIMIT,
          () -> {
            Answer ready = new Http().get(rig.setup().url("/ready"), Map.of());
            return ready.status() == 200
                && ready.body().contains("extension/demo")
                && ready.body().contains("degraded");
          });
      assertThat(rig.converse("e1", "t", "hello").text()).isEqualTo("echo: hello");
    }
  }

  /** 200 chat threads at once, ten for each extension, one of which answers none. */
  @Test
  void noTurnWaitsForAnExtensionThatIsNotItsOwn() throws Exception {
    int extensions = 20;
    int callsEach = 10;
    try (ServerRig rig = new ServerRig()) {
      List<Map<String, Object>> all = new ArrayList<>();
      for (int i = 0; i < extensions; i++) {
        Map<String, Object> one = new HashMap<>(ExtensionTest.python("x" + i));
        one.put("timeouts", Map.of("start_secs", 60, "call_secs", 120));
        all.add(one);
      }
      rig.setup().set("extensions", all);
      rig.start();
      Await.until(
          "all are ready",
          Duration.ofSeconds(90),
          () -> {
            for (int i = 0; i < extensions; i++) {
              JsonNode one = rig.api().get("/api/v1/extensions/x" + i).json();
              if (!one.path("state").asText().equals("ready")) {
                return false;
              }
            }
            return true;
          });
      long begun = System.nanoTime();
      for (int call = 0; call < callsEach; call++) {
        for (int i = 0; i < extensions; i++) {
          String id = "c" + i + "-" + call;
          String tool = "x" + i + (i == 0 ? "_hang" : "_echo");
          rig.accept(id, id, ShellRig.call(tool, Map.of("n", call)));
        }
      }
      for (int call = 0; call < callsEach; call++) {
        for (int i = 1; i < extensions; i++) {
          Post post = rig.platform().awaitPost("c" + i + "-" + call, Duration.ofSeconds(60));
          assertThat(post.text()).contains("echo {\"n\": " + call + "}");
        }
      }
      System.out.printf(
          "20 extensions, 200 calls at once, one hangs: the other 190 were answered after %d ms%n",
          (System.nanoTime() - begun) / 1_000_000);
      for (int call = 0; call < callsEach; call++) {
        assertThat(rig.platform().shownFor("c0-" + call)).as("still in its call").isEmpty();
      }
    }
  }
}
