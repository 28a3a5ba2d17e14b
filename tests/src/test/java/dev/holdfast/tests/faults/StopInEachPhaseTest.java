package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.PlatformMode;
import dev.holdfast.tests.harness.Promise;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A person's /stop in the middle of what a chat thread does, seen from outside. Within a second of
 * its acknowledgement the thread is free; see {@link Promise} for how that is judged.
 */
@Timeout(120)
class StopInEachPhaseTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Duration FREE_WITHIN = Duration.ofSeconds(1);

  @Test
  void aSilentModelIsLeft() {
    try (ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup())) {
      model.next(ModelScript.hang());
      rig.start();
      rig.accept("e1", "t", "think");
      Await.until("the model is asked", LIMIT, () -> !model.requests().isEmpty());
      isFree(rig, "a silent model");
    }
  }

  @Test
  void aModelThatStallsInTheMiddleIsLeft() {
    try (ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup())) {
      model.next(ModelScript.stallStream());
      rig.start();
      rig.accept("e1", "t", "think");
      Await.until("the model is asked", LIMIT, () -> !model.requests().isEmpty());
      isFree(rig, "a model that stalls");
      assertThat(rig.platform().posts()).noneMatch(post -> post.text().contains("PARTIAL"));
    }
  }

  /** Row F40: the thread is free while the child that ignores TERM still has its five seconds. */
  @Test
  void aChildThatIgnoresItsEndIsLeftAndKilled() {
    try (ShellRig shell = new ShellRig().start()) {
      String mark = "31415926";
      String line = "trap '' TERM INT HUP; touch begun; while :; do sleep 0." + mark + "; done";
      shell.rig().accept("e1", "t", ShellRig.command(line));
      Await.until("it runs", LIMIT, () -> Files.exists(shell.scratch("t").resolve("begun")));
      isFree(shell.rig(), "a child that ignores its end");
      Await.until("it is gone", LIMIT, () -> ShellRig.processes(mark).isEmpty());
    }
  }

  @Test
  void aCallThatWaitsForAPersonIsWithdrawn() throws Exception {
    try (ShellRig shell = new ShellRig()) {
      shell.rig().setup().set("tools.autonomy", "supervised");
      shell.start();
      shell.rig().accept("e1", "t", ShellRig.command("touch never"));
      String question = shell.rig().platform().awaitText("e1", "/approve", LIMIT).text();
      String code = question.replaceAll("(?s).*/approve (\\S+).*", "$1");
      isFree(shell.rig(), "a call that waits for a person");
      shell.rig().accept("late", "t", "/approve " + code);
      assertThat(shell.rig().platform().awaitPost("late", LIMIT).text()).doesNotContain("Approved");
      try (Stream<Path> files = Files.walk(shell.rig().setup().dataDir())) {
        assertThat(files).noneMatch(file -> file.endsWith("never"));
      }
    }
  }

  /** A reply under way is neither cut off nor in the way of the next turn. */
  @Test
  void aReplyThatIsBeingPostedHoldsNobodyUp() {
    try (ServerRig rig = new ServerRig()) {
      rig.platform()
          .plan(post -> post.inReplyTo().equals("e1") ? PlatformMode.HANG : PlatformMode.ACCEPT);
      rig.start();
      rig.accept("e1", "t", "hello");
      Await.until(
          "it is being posted",
          LIMIT,
          () -> rig.platform().posts().stream().anyMatch(post -> post.inReplyTo().equals("e1")));
      rig.accept("stop", "t", "/stop");
      long acked = System.nanoTime();
      rig.accept("e2", "t", "still there?");
      rig.api().awaitState("e2", Set.of("answered"), LIMIT);
      Promise.kept("/stop and an answer, a reply that is being posted", FREE_WITHIN, acked);
      rig.api().awaitState("stop", Set.of("answered"), LIMIT);
    }
  }

  private static void isFree(ServerRig rig, String phase) {
    rig.accept("stop", "t", "/stop");
    long acked = System.nanoTime();
    rig.api().awaitState("e1", Set.of("cancelled"), LIMIT);
    Promise.kept("/stop, " + phase, FREE_WITHIN, acked);
    rig.accept("next", "t", "still there?");
    long asked = System.nanoTime();
    rig.api().awaitState("next", Set.of("answered"), LIMIT);
    Promise.kept("the answer after it, " + phase, FREE_WITHIN, asked);
    assertThat(rig.platform().awaitPost("next", LIMIT).text()).contains("still there?");
    assertThat(rig.platform().awaitPost("stop", LIMIT).text()).isEqualTo("Stopped.");
  }
}
