package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.turn.ThreadsConfig.WhileBusy;
import dev.holdfast.api.Message;
import dev.holdfast.api.ToolCall;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A /stop ends what was accepted before it and nothing that was accepted after it. */
@Timeout(120)
class StopPlaceTest {
  private static final int ROUNDS = 60;

  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ScriptedProvider model = rigs.model;
  private final AgentRig.Options options = rigs.options;
  private final CountDownLatch begun = new CountDownLatch(1);

  @Test
  void aMessageRightBehindItIsAnswered() throws Exception {
    AgentRig world = rigs.open();
    List<Event> stops = new ArrayList<>();
    List<Event> hellos = new ArrayList<>();
    for (int i = 0; i < ROUNDS; i++) {
      world.send("t", "m" + i, "never mind");
      stops.add(world.send("t", "s" + i, "/stop"));
      hellos.add(world.send("t", "h" + i, "hello"));
      world.answerOf(hellos.getLast());
    }
    areAnswered(world, hellos);
    areAnswered(world, stops);
  }

  @Test
  void aMessageRightBehindStopAllIsAnswered() throws Exception {
    AgentRig world = rigs.open();
    List<Event> stops = new ArrayList<>();
    List<Event> hellos = new ArrayList<>();
    for (int i = 0; i < ROUNDS; i++) {
      world.send("t", "m" + i, "never mind");
      world.send("t", "n" + i, "nor this");
      stops.add(world.send("t", "s" + i, "/stop all"));
      hellos.add(world.send("t", "h" + i, "hello"));
      world.answerOf(hellos.getLast());
    }
    areAnswered(world, hellos);
    areAnswered(world, stops);
  }

  @Test
  void itHoldsAfterARestartToo() throws Exception {
    List<Event> pending = pendingAtAStart("never mind", "/stop", "hello");
    AgentRig world = rigs.open();
    assertThat(world.answerOf(pending.get(2))).isEqualTo("heard: hello");
    assertThat(world.answerOf(pending.get(1))).isEqualTo("Stopped.");
    assertThat(world.stateOf(pending.get(0))).isEqualTo(EventState.CANCELLED);
    assertThat(model.requests()).hasSize(1);
  }

  @Test
  void afterARestartItEndsTheTurnThatIsAboutToRunAndNoOther() throws Exception {
    List<Event> pending = pendingAtAStart("never mind", "but this", "/stop", "hello");
    AgentRig world = rigs.open();
    assertThat(world.answerOf(pending.get(3))).isEqualTo("heard: hello");
    assertThat(world.answerOf(pending.get(1))).isEqualTo("heard: but this");
    assertThat(world.answerOf(pending.get(2))).isEqualTo("Stopped.");
    assertThat(world.stateOf(pending.get(0))).isEqualTo(EventState.CANCELLED);
  }

  @Test
  void afterARestartStopAllEndsAllThatCameBeforeIt() throws Exception {
    List<Event> pending = pendingAtAStart("one", "two", "/stop all", "hello");
    AgentRig world = rigs.open();
    assertThat(world.answerOf(pending.get(3))).isEqualTo("heard: hello");
    assertThat(world.answerOf(pending.get(2))).isEqualTo("Stopped.");
    assertThat(world.stateOf(pending.get(0))).isEqualTo(EventState.CANCELLED);
    assertThat(world.stateOf(pending.get(1))).isEqualTo(EventState.CANCELLED);
  }

  @Test
  void afterARestartMessagesThatAreCollectedStopAtIt() throws Exception {
    options.whileBusy = WhileBusy.COLLECT;
    List<Event> pending = pendingAtAStart("one", "two", "/stop", "hello");
    AgentRig world = rigs.open();
    assertThat(world.answerOf(pending.get(3))).isEqualTo("heard: hello");
    assertThat(world.stateOf(pending.get(0))).isEqualTo(EventState.CANCELLED);
    assertThat(world.stateOf(pending.get(1))).isEqualTo(EventState.CANCELLED);
    assertThat(world.answerOf(pending.get(2))).isEqualTo("Stopped.");
  }

  /** The dispatching loop does not come to it: the thread's agent has to find it. */
  @Test
  void afterARestartItIsFoundBehindMoreMessagesThanAMailboxHolds() throws Exception {
    List<Event> pending = pendingAtAStart("never mind", "b", "c", "d", "e", "/stop", "hello");
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger dispatched = new AtomicInteger();
    options.owner =
        _ -> {
          if (dispatched.incrementAndGet() == 2) {
            UninterruptibleTool.await(go);
          }
          return true;
        };
    AgentRig world = rigs.open();
    try {
      assertThat(world.answerOf(pending.get(6))).isEqualTo("heard: hello");
      assertThat(world.answerOf(pending.get(5))).isEqualTo("Stopped.");
      assertThat(world.stateOf(pending.get(0))).isEqualTo(EventState.CANCELLED);
    } finally {
      go.countDown();
      world.awaitRound(); // it would not hear that it is to end
    }
  }

  /** The server went down between what it did and its answer. */
  @Test
  void obeyedAgainAfterARestartItEndsNothingBehindIt() throws Exception {
    model.hangs(begun);
    AgentRig world = rigs.open();
    world.send("t", "k1", "never mind");
    begun.await();
    Event stop = world.send("t", "k2", "/stop");
    assertThat(world.answerOf(stop)).isEqualTo("Stopped.");
    boolean _ = world.orchestrator.close();
    Event hello = world.send("t", "k3", "hello");
    rigs.close();
    StoreSurgery.reopen(rigs.folder(), stop);
    world = rigs.open();
    assertThat(world.answerOf(hello)).isEqualTo("heard: hello");
    assertThat(world.stateOf(stop)).isEqualTo(EventState.ANSWERED);
  }

  /** The server goes down when the stop has done its work, and before it is answered. */
  @Test
  void obeyedAgainAfterARestartItEndsNoSecondTurn() throws Exception {
    List<Event> events = cutOffBehindItsWork("/stop");
    AgentRig world = rigs.open(new ScriptedProvider(), options);
    assertThat(world.answerOf(events.get(2))).isEqualTo("Stopped.");
    assertThat(world.answerOf(events.get(1))).isEqualTo("heard: but this");
    assertThat(world.stateOf(events.get(0))).isEqualTo(EventState.CANCELLED);
  }

  @Test
  void obeyedAgainAfterARestartStopAllSaysWhatItDid() throws Exception {
    List<Event> events = cutOffBehindItsWork("/stop all");
    AgentRig world = rigs.open();
    assertThat(world.answerOf(events.get(2))).isEqualTo("Stopped.");
    assertThat(world.stateOf(events.get(0))).isEqualTo(EventState.CANCELLED);
    assertThat(world.stateOf(events.get(1))).isEqualTo(EventState.CANCELLED);
  }

  /** The server went down when the run was counted, and before anything was written down of it. */
  @Test
  void whatWasCutOffAtItsVeryBeginningStaysToBeRead() throws Exception {
    List<Event> pending = pendingAtAStart("never mind", "/stop");
    StoreSurgery.countRuns(rigs.folder(), pending.get(0), 1);
    AgentRig world = rigs.open();
    assertThat(world.answerOf(pending.get(1))).isEqualTo("Stopped.");
    assertThat(world.stateOf(pending.get(0))).isEqualTo(EventState.CANCELLED);
    assertThat(world.store.threads().of("web:main:t").readLog(10).getFirst())
        .contains("never mind");
  }

  /** What an earlier stop has ended is not taken for its work. */
  @Test
  void cutOffBeforeItsWorkItDoesItAfterARestart() throws Exception {
    model.hangs(begun);
    AgentRig world = rigs.open();
    world.send("t", "k1", "never mind");
    begun.await();
    assertThat(world.answerOf(world.send("t", "k2", "/stop"))).isEqualTo("Stopped.");
    boolean _ = world.orchestrator.close();
    Event waiting = world.send("t", "k3", "nor this");
    Event stop = world.send("t", "k4", "/stop");
    rigs.close();
    StoreSurgery.countRuns(rigs.folder(), stop, 1);
    world = rigs.open();
    assertThat(world.answerOf(stop)).isEqualTo("Stopped.");
    assertThat(world.stateOf(waiting)).isEqualTo(EventState.CANCELLED);
  }

  /** A tool's call of a stopped turn is not made by the turn of the message behind it. */
  @Test
  void whatHasJoinedATurnAfterItGetsATurnOfItsOwn() throws Exception {
    options.whileBusy = WhileBusy.STEER;
    CountDownLatch go = new CountDownLatch(1);
    model.then(
        (_, _) -> {
          begun.countDown();
          go.await();
          return ScriptedProvider.calling(new ToolCall("c1", "none", "{}"));
        });
    CountDownLatch joined = new CountDownLatch(1);
    model.hangs(joined);
    AgentRig world = rigs.open();
    Event before = world.send("t", "k1", "never mind");
    begun.await();
    Event after = world.send("t", "k2", "hello");
    awaitWaiting(world, 1);
    go.countDown();
    joined.await();
    assertThat(world.orchestrator.stop("web:main:t", before.seq(), false)).isEqualTo(1);
    assertThat(world.answerOf(after)).isEqualTo("heard: hello");
    assertThat(world.stateOf(before)).isEqualTo(EventState.CANCELLED);
    assertThat(model.heard().getLast()).isEqualTo(new Message.User("hello"));
  }

  @Test
  void whatWasParkedWithAnEarlierMessageGoesOnWithoutIt() throws Exception {
    ParkedPair pair = ParkedPair.open(rigs);
    AgentRig world = pair.world();
    assertThat(world.orchestrator.stop("web:main:t", pair.before().seq(), false)).isEqualTo(1);
    assertThat(world.stateOf(pair.before())).isEqualTo(EventState.CANCELLED);
    assertThat(world.answerOf(pair.after())).endsWith("heard: hello");
  }

  @Test
  void aTurnThatCameAfterItRunsOn() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    model.then(
        (_, _) -> {
          begun.countDown();
          go.await();
          return ScriptedProvider.text("here it is");
        });
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "hello");
    Event waiting = world.send("t", "k2", "more");
    begun.await();
    assertThat(world.orchestrator.stop("web:main:t", event.seq() - 1, false)).isZero();
    assertThat(world.orchestrator.stop("web:main:t", event.seq() - 1, true)).isZero();
    go.countDown();
    assertThat(world.answerOf(event)).isEqualTo("here it is");
    assertThat(world.answerOf(waiting)).isEqualTo("heard: more");
  }

  @Test
  void stopAllLeavesWhatWaitsBehindIt() throws Exception {
    model.hangs(begun);
    AgentRig world = rigs.open();
    Event running = world.send("t", "k1", "hang");
    begun.await();
    Event before = world.send("t", "k2", "never mind");
    Event after = world.send("t", "k3", "hello");
    assertThat(world.orchestrator.stop("web:main:t", before.seq(), true)).isEqualTo(2);
    assertThat(world.answerOf(after)).isEqualTo("heard: hello");
    assertThat(world.stateOf(running)).isEqualTo(EventState.CANCELLED);
    assertThat(world.stateOf(before)).isEqualTo(EventState.CANCELLED);
  }

  /** "Stopped." is a promise: no crash brings the turn back. */
  @Test
  void theStoppedMessageHasEndedOnDiskWhenItIsAnswered() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    model.then(
        (_, _) -> {
          begun.countDown();
          UninterruptibleTool.await(go);
          return ScriptedProvider.text("too late");
        });
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "x");
    begun.await();
    assertThat(world.orchestrator.stop("web:main:t", event.seq(), false)).isEqualTo(1);
    assertThat(world.stateOf(event)).isEqualTo(EventState.CANCELLED);
    go.countDown();
  }

  /** Accepted by a server that stops before it could do anything about them. */
  private List<Event> pendingAtAStart(String... texts) throws Exception {
    AgentRig stopping = rigs.open();
    boolean _ = stopping.orchestrator.close();
    List<Event> events = new ArrayList<>();
    for (String text : texts) {
      events.add(stopping.send("t", "k" + events.size(), text));
    }
    rigs.close();
    return events;
  }

  /** A message that the command has ended, one behind it, and the command. */
  private List<Event> cutOffBehindItsWork(String command) throws Exception {
    ObstructedTime time = new ObstructedTime();
    options.time = time;
    model.hangs(begun);
    AgentRig world = rigs.open();
    Event running = world.send("t", "k1", "never mind");
    begun.await();
    model.hangs(new CountDownLatch(1)); // as it does, should the other one be begun
    Event waiting = world.send("t", "k2", "but this");
    time.breaks("CommandRunner.end", 1);
    Event stop = world.send("t", "k3", command);
    world.awaitState(running, EventState.CANCELLED);
    time.awaitBroken();
    rigs.close();
    return List.of(running, waiting, stop);
  }

  private static void awaitWaiting(AgentRig world, int messages) {
    world.await(
        () -> world.orchestrator.find("web:main:t").orElseThrow().waiting() == messages,
        () -> "not waiting");
  }

  private static void areAnswered(AgentRig world, List<Event> events) {
    assertThat(events.stream().map(world::stateOf)).containsOnly(EventState.ANSWERED);
  }
}
