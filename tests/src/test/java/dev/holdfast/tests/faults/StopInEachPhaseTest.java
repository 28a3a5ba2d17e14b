package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.CallScript;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.PlatformMode;
import dev.holdfast.tests.harness.Promise;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import dev.holdfast.tests.harness.ThreadFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A person's /stop in the middle of what a chat thread does, seen from outside. Within a second of
 * its acknowledgement the thread is free; see {@link Promise} for how that is judged.
 */
@Timeout(120)
class StopInEachPhaseTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Duration FREE_WITHIN = Duration.ofSeconds(1);

  @RegisterExtension
  static final Served SERVED =
      Served.aloneWithModel(rig -> rig.setup().set("tools.shell.enabled", true));

  private final ServerRig rig = SERVED.rig();
  private final FakeModel model = SERVED.model();

  @Test
  void aModelThatStallsInTheMiddleIsLeft() {
    model.next(ModelScript.stallStream());
    begin("think");
    Await.until("the model is asked", LIMIT, () -> !model.requests().isEmpty());
    isFree("a model that stalls");
    assertThat(rig.platform().posts()).noneMatch(post -> post.text().contains("PARTIAL"));
  }

  /** Row F40: the thread is free while the child that ignores TERM still has its five seconds. */
  @Test
  void aChildThatIgnoresItsEndIsLeftAndKilled() {
    String mark = "31415926";
    String line = "trap '' TERM INT HUP; touch begun; while :; do sleep 0." + mark + "; done";
    model.next(CallScript.call("c1", "shell", Map.of("command", line)));
    begin("do it");
    Await.until("it runs", LIMIT, () -> Files.exists(scratch().resolve("begun")));
    isFree("a child that ignores its end");
    Await.until("it is gone", LIMIT, () -> ShellRig.processes(mark).isEmpty());
  }

  private Path scratch() {
    return ThreadFolder.of(rig, SERVED.thread()).path().resolve("scratch");
  }

  /** A reply under way is neither cut off nor in the way of the next turn. */
  @Test
  void aReplyThatIsBeingPostedHoldsNobodyUp() {
    rig.platform()
        .plan(post -> post.inReplyTo().equals(id("e1")) ? PlatformMode.HANG : PlatformMode.ACCEPT);
    begin("hello");
    Await.until(
        "it is being posted",
        LIMIT,
        () -> rig.platform().posts().stream().anyMatch(post -> post.inReplyTo().equals(id("e1"))));
    rig.accept(id("stop"), SERVED.thread(), "/stop");
    long acked = System.nanoTime();
    rig.accept(id("e2"), SERVED.thread(), "still there?");
    rig.api().awaitState(id("e2"), Set.of("answered"), LIMIT);
    Promise.kept("/stop and an answer, a reply that is being posted", FREE_WITHIN, acked);
    rig.api().awaitState(id("stop"), Set.of("answered"), LIMIT);
    rig.platform().refuse(); // which ends the post that hangs
  }

  private static String id(String name) {
    return SERVED.thread() + "-" + name;
  }

  private void begin(String text) {
    rig.accept(id("e1"), SERVED.thread(), text);
  }

  private void isFree(String phase) {
    rig.accept(id("stop"), SERVED.thread(), "/stop");
    long acked = System.nanoTime();
    rig.api().awaitState(id("e1"), Set.of("cancelled"), LIMIT);
    Promise.kept("/stop, " + phase, FREE_WITHIN, acked);
    rig.accept(id("next"), SERVED.thread(), "still there?");
    long asked = System.nanoTime();
    rig.api().awaitState(id("next"), Set.of("answered"), LIMIT);
    Promise.kept("the answer after it, " + phase, FREE_WITHIN, asked);
    assertThat(rig.platform().awaitPost(id("next"), LIMIT).text()).contains("still there?");
    assertThat(rig.platform().awaitPost(id("stop"), LIMIT).text()).isEqualTo("Stopped.");
  }
}
