package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.CampaignLedger;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.OnlyInFull;
import dev.holdfast.tests.harness.RunLength;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A message that is sent once a stop was acknowledged is answered, whatever the stop meets. How
 * often, of each kind: {@code -Dholdfast.stop_rounds}.
 */
@OnlyInFull(shortForm = "KillCampaignTest")
@Timeout(900)
class StopRoundsTest {
  private static final int ROUNDS = RunLength.of("holdfast.stop_rounds", 4, 60);
  private static final int ROUNDS_PER_KILL = 6;
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** One chat thread: a message that takes for ever, a stop, a greeting. */
  private record Round(String thread, boolean all) {
    String id(String what) {
      return what + "-" + thread;
    }

    void say(ServerRig rig) {
      rig.accept(id("slow"), thread, "slow " + thread);
    }

    /** Each is acknowledged before the next is sent. */
    void stopAndGreet(ServerRig rig) {
      if (all) {
        rig.accept(id("waits"), thread, "slow, and behind another one");
      }
      rig.accept(id("stop"), thread, all ? "/stop all" : "/stop");
      rig.accept(id("hello"), thread, "hello " + thread);
    }

    /** {@code said}: what a stop may be answered with. */
    void judge(ServerRig rig, Set<String> said) throws IOException {
      assertThat(rig.api().state(id("hello"))).as(id("hello")).isEqualTo("answered");
      assertThat(rig.platform().shownFor(id("hello")))
          .singleElement()
          .satisfies(post -> assertThat(post.text()).endsWith("hello " + thread));
      assertThat(rig.api().state(id("stop"))).as(id("stop")).isEqualTo("answered");
      assertThat(rig.platform().shownFor(id("stop")))
          .singleElement()
          .satisfies(post -> assertThat(post.text()).isIn(said));
      assertThat(rig.api().state(id("slow"))).as(id("slow")).isEqualTo("cancelled");
      if (all) {
        assertThat(rig.api().state(id("waits"))).as(id("waits")).isEqualTo("cancelled");
      }
    }
  }

  private static FakeModel slowModel(ServerRig rig) {
    return new FakeModel()
        .asOpenAi(rig.setup())
        .always(
            (request, exchange) -> // what was stopped stands before it, as said by the same person
            (request.lastText().contains("hello") ? ModelScript.echo() : ModelScript.hang())
                    .run(request, exchange));
  }

  private static List<Round> rounds(boolean all) {
    List<Round> rounds = new ArrayList<>();
    for (int i = 0; i < ROUNDS; i++) {
      rounds.add(new Round((all ? "all-" : "one-") + i, all));
    }
    return rounds;
  }

  private static void judge(ServerRig rig, List<Round> rounds, Set<String> said)
      throws IOException {
    rig.api().awaitQuiet(LIMIT);
    for (Round round : rounds) {
      round.judge(rig, said);
    }
  }

  /** Every other stop comes when the model is asked, the rest as soon as it can. */
  @Test
  void noStopCancelsWhatWasSentAfterIt() throws Exception {
    CampaignLedger ledger = new CampaignLedger("stop rounds", 0);
    try (ServerRig rig = new ServerRig();
        FakeModel model = slowModel(rig)) {
      rig.start();
      for (boolean all : List.of(false, true)) {
        List<Round> rounds = rounds(all);
        for (Round round : rounds) {
          int asked = model.requests().size();
          round.say(rig);
          if (rounds.indexOf(round) % 2 == 0) {
            Await.until("the model is asked", LIMIT, () -> model.requests().size() > asked);
          }
          round.stopAndGreet(rig);
        }
        judge(rig, rounds, Set.of("Stopped."));
      }
      ledger.with("rounds", 2 * ROUNDS).write();
    }
  }

  /** Killed when the last greeting was acknowledged: some stops and greetings are still open. */
  @Test
  void noStopCancelsWhatWasSentAfterItOverAKill() throws Exception {
    CampaignLedger ledger = new CampaignLedger("stop rounds over kills", 0);
    try (ServerRig rig = new ServerRig();
        FakeModel _ = slowModel(rig)) {
      rig.start();
      for (boolean all : List.of(false, true)) {
        List<Round> rounds = rounds(all);
        for (int from = 0; from < rounds.size(); from += ROUNDS_PER_KILL) {
          List<Round> some = rounds.subList(from, Math.min(from + ROUNDS_PER_KILL, rounds.size()));
          some.forEach(round -> round.say(rig));
          atOnce(some.stream().<Runnable>map(round -> () -> round.stopAndGreet(rig)).toList());
          rig.restart();
          // A stop whose effect the kill left on disk, and whose answer it did not, finds nothing
          // more. All are judged here: three kills of one run after the other give a message up.
          judge(rig, some, Set.of("Stopped.", "Nothing was running."));
        }
      }
      ledger.with("rounds", 2 * ROUNDS).with("kills", rig.killsAtNanos().size()).write();
    }
  }

  private static void atOnce(List<Runnable> tasks) throws InterruptedException {
    List<Throwable> failed = java.util.Collections.synchronizedList(new ArrayList<>());
    List<Thread> threads =
        tasks.stream()
            .map(
                task ->
                    Thread.ofVirtual()
                        .uncaughtExceptionHandler((_, why) -> failed.add(why))
                        .start(task))
            .toList();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(failed).isEmpty();
  }
}
