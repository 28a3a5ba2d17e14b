package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.agents.turn.RunningTurn;
import dev.holdfast.agents.turn.ThreadsConfig.WhileBusy;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.Message;
import dev.holdfast.api.ToolCall;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A stop, and what else happens in the same moment. */
@Timeout(60)
class StopRaceTest {
  private static final String THREAD = "web:main:t";

  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ScriptedProvider model = rigs.model;
  private final AgentRig.Options options = rigs.options;
  private final ObstructedTime time = new ObstructedTime();
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch go = new CountDownLatch(1);

  @BeforeEach
  void setTime() {
    options.time = time;
  }

  @AfterEach
  void letGo() {
    time.open();
    go.countDown();
  }

  @Test
  void theSuccessorOfADeafAgentBeginsNothingThatStopAllEnds() throws Exception {
    model.then(deafly());
    AgentRig world = rigs.open();
    Event deaf = world.send("t", "k1", "x");
    begun.await();
    Event waiting = world.send("t", "k2", "never mind");
    time.blocksIn("UnansweredEvents.cancelOpen");
    CompletableFuture<Integer> stop = stopAll(world);
    time.awaitBlocked();
    time.advance(RunningTurn.REACTION);
    world.awaitRound();
    time.open();
    assertThat(stop.get()).isEqualTo(2);
    assertThat(world.answerOf(world.send("t", "k3", "hello"))).isEqualTo("heard: hello");
    assertThat(world.stateOf(deaf)).isEqualTo(EventState.CANCELLED);
    assertThat(world.stateOf(waiting)).isEqualTo(EventState.CANCELLED);
    assertThat(model.requests()).as("turns").hasSize(2);
  }

  @Test
  void anAgentThatIsActivatedMeanwhileBeginsNothingThatStopAllEnds() throws Exception {
    options.activeMax = 1;
    model.hangs(begun);
    AgentRig world = rigs.open();
    world.send("other", "k1", "x");
    begun.await();
    Event waiting = world.send("t", "k2", "never mind");
    time.blocksIn("UnansweredEvents.cancelOpen");
    CompletableFuture<Integer> stop = stopAll(world);
    time.awaitBlocked();
    world.orchestrator.stop("web:main:other", false);
    world.await(() -> world.orchestrator.find(THREAD).isPresent(), () -> "no room");
    world.awaitRound();
    time.open();
    assertThat(stop.get()).isEqualTo(1);
    assertThat(world.answerOf(world.send("t", "k3", "hello"))).isEqualTo("heard: hello");
    assertThat(world.stateOf(waiting)).isEqualTo(EventState.CANCELLED);
    assertThat(model.requests()).as("turns").hasSize(2);
  }

  @Test
  void aMessageThatWaitsForRoomIsEndedBeforeItRuns() throws Exception {
    options.activeMax = 1;
    model.hangs(begun);
    AgentRig world = rigs.open();
    world.send("other", "k1", "x");
    begun.await();
    Event waiting = world.send("t", "k2", "never mind");
    Event stop = world.send("t", "k3", "/stop");
    Event hello = world.send("t", "k4", "hello");
    assertThat(world.answerOf(stop)).isEqualTo("Stopped.");
    assertThat(world.stateOf(waiting)).isEqualTo(EventState.CANCELLED);
    world.orchestrator.stop("web:main:other", false);
    assertThat(world.answerOf(hello)).isEqualTo("heard: hello");
    assertThat(model.requests()).as("turns").hasSize(2);
  }

  @Test
  void aMessageOnItsWayToAnIdleAgentIsEndedBeforeItRuns() throws Exception {
    Thread test = Thread.currentThread();
    CountDownLatch committed = new CountDownLatch(2);
    options.owner =
        _ -> {
          if (Thread.currentThread() != test) {
            committed.countDown();
            if (committed.getCount() == 0) {
              UninterruptibleTool.await(go);
            }
          }
          return true;
        };
    AgentRig world = rigs.open();
    world.answerOf(world.send("t", "k1", "one"));
    world.await(
        () -> world.orchestrator.find(THREAD).orElseThrow().doing().equals("idle"),
        () -> "not idle");
    Event onItsWay = world.send("t", "k2", "never mind");
    committed.await();
    assertThat(world.orchestrator.stop(THREAD, false)).isEqualTo(1);
    go.countDown();
    assertThat(world.answerOf(world.send("t", "k3", "hello"))).isEqualTo("heard: hello");
    assertThat(world.stateOf(onItsWay)).isEqualTo(EventState.CANCELLED);
    assertThat(model.requests()).as("turns").hasSize(2);
  }

  @Test
  void aMessageThatComesWhileAStopAllIsWrittenIsEndedByTheNextStop() throws Exception {
    model.hangs(begun);
    AgentRig world = rigs.open();
    world.send("t", "k1", "x");
    begun.await();
    Event first = world.send("t", "k2", "never mind");
    time.blocksIn("UnansweredEvents.cancelOpen");
    CompletableFuture<Integer> stopAll = stopAll(world);
    time.awaitBlocked();
    world.await(
        () -> world.orchestrator.find(THREAD).orElseThrow().doing().equals("idle"),
        () -> "not idle");
    Event second = world.send("t", "k3", "nor this");
    Event stop = world.send("t", "k4", "/stop");
    Event hello = world.send("t", "k5", "hello");
    world.awaitState(stop, EventState.RUNNING);
    world.awaitRound();
    time.open();
    assertThat(stopAll.get()).isEqualTo(2);
    assertThat(world.answerOf(stop)).isEqualTo("Stopped.");
    assertThat(world.answerOf(hello)).isEqualTo("heard: hello");
    assertThat(world.stateOf(first)).isEqualTo(EventState.CANCELLED);
    assertThat(world.stateOf(second)).isEqualTo(EventState.CANCELLED);
    assertThat(model.requests()).as("turns").hasSize(2);
  }

  /** The first one has ended its turn, whose thread does not know that yet. */
  @Test
  void aSecondStopEndsTheNextTurnAlthoughTheFirstOneHasNotComeToItsEnd() throws Exception {
    model.then(deafly());
    AgentRig world = rigs.open();
    Event first = world.send("t", "k1", "never mind");
    begun.await();
    Event second = world.send("t", "k2", "nor this");
    assertThat(world.orchestrator.stop(THREAD, false)).isEqualTo(1);
    assertThat(world.orchestrator.stop(THREAD, false)).isEqualTo(1);
    assertThat(world.orchestrator.stop(THREAD, false)).isZero();
    go.countDown();
    assertThat(world.answerOf(world.send("t", "k3", "hello"))).isEqualTo("heard: hello");
    assertThat(world.stateOf(first)).isEqualTo(EventState.CANCELLED);
    assertThat(world.stateOf(second)).isEqualTo(EventState.CANCELLED);
    assertThat(model.requests()).as("turns").hasSize(2);
  }

  /** However long the disk takes for the others. */
  @Test
  void aTurnIsInterruptedWhileCommandsOfOtherChatThreadsAreWritten() throws Exception {
    CountDownLatch interrupted = new CountDownLatch(1);
    model.then(
        (_, _) -> {
          begun.countDown();
          try {
            new CountDownLatch(1).await();
          } catch (InterruptedException e) {
            interrupted.countDown();
            throw e;
          }
          return ScriptedProvider.text("nobody let it go on");
        });
    AgentRig world = rigs.open();
    Event stopped = world.send("t", "k1", "x");
    begun.await();
    time.blocksIn("TurnEndings.persist");
    Event status = world.send("other", "k2", "/status");
    time.awaitBlocked();
    Event stop = world.send("t", "k3", "/stop");
    try {
      world.await(() -> interrupted.getCount() == 0, () -> "it waits for the command of the other");
    } finally {
      time.open();
      world.answerOf(status);
      world.answerOf(stop);
    }
    assertThat(world.stateOf(stopped)).isEqualTo(EventState.CANCELLED);
  }

  @Test
  void aCrashOfTheLoopDoesNotForgetIt() throws Exception {
    time.breaks("ThreadAgent.begin", 2);
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "never mind");
    world.await(
        () -> world.meters.counter("holdfast.restarts", "child", "thread-agent").count() == 1,
        () -> "no crash");
    assertThat(world.orchestrator.stop(THREAD, false)).isEqualTo(1);
    Event hello = world.send("t", "k2", "hello");
    world.await(
        () -> {
          time.advance(Duration.ofSeconds(1));
          return !world.stateOf(hello).isOpen();
        },
        () -> "no answer");
    assertThat(world.stateOf(event)).isEqualTo(EventState.CANCELLED);
    assertThat(model.requests()).as("turns").hasSize(1);
  }

  @Test
  void nothingJoinsATurnThatIsStopped() throws Exception {
    AgentRig world = openWithTurnThatMayBeJoined();
    Event stopped = world.send("t", "k1", "never mind");
    begun.await();
    Event waiting = world.send("t", "k2", "hello");
    awaitWaiting(world, 1);
    assertThat(world.orchestrator.stop(THREAD, waiting.seq(), false)).isEqualTo(1);
    go.countDown();
    assertThat(world.answerOf(waiting)).isEqualTo("heard: hello");
    assertThat(world.stateOf(stopped)).isEqualTo(EventState.CANCELLED);
  }

  @Test
  void nothingJoinsATurnWhoseTimeIsUp() throws Exception {
    AgentRig world = openWithTurnThatMayBeJoined();
    Event late = world.send("t", "k1", "never mind");
    begun.await();
    Event waiting = world.send("t", "k2", "hello");
    awaitWaiting(world, 1);
    time.advance(options.turnTimeout);
    go.countDown();
    assertThat(world.answerOf(waiting)).isEqualTo("heard: hello");
    assertThat(world.stateOf(late)).isEqualTo(EventState.DEAD_LETTERED);
  }

  @Test
  void aFreshContextIsThereBeforeTheNextMessageBegins() throws Exception {
    model.says("heard").hangs(begun);
    AgentRig world = rigs.open();
    world.answerOf(world.send("t", "k1", "one"));
    world.send("t", "k2", "never mind");
    begun.await();
    Event next = world.send("t", "k3", "two");
    awaitWaiting(world, 1);
    time.blocksIn("Orchestrator.reset");
    CompletableFuture<Boolean> reset =
        inBackground(
            () -> {
              world.orchestrator.reset(THREAD);
              return true;
            });
    time.awaitBlocked();
    world.awaitRound();
    time.open();
    assertThat(reset.get()).isTrue();
    assertThat(world.answerOf(next)).isEqualTo("heard: two");
    assertThat(model.heard()).containsExactly(new Message.User("two"));
  }

  @Test
  void aCrashDoesNotForgetTheFreshContext() throws Exception {
    AgentRig world = rigs.open();
    world.answerOf(world.send("t", "k1", "one"));
    time.breaks("TurnExecutor.reset", 1);
    world.orchestrator.reset(THREAD);
    world.await(
        () -> world.meters.counter("holdfast.restarts", "child", "thread-agent").count() == 1,
        () -> "no crash");
    Event next = world.send("t", "k2", "two");
    world.await(
        () -> {
          time.advance(Duration.ofSeconds(1));
          return !world.stateOf(next).isOpen();
        },
        () -> "no answer");
    assertThat(model.heard()).containsExactly(new Message.User("two"));
  }

  /** A turn was parked with messages from both sides of a stop. */
  @Test
  void whatCameAfterAStopBeginsAnewAlsoWhileTheStopIsWritten() throws Exception {
    ParkedPair pair = ParkedPair.open(rigs);
    AgentRig world = pair.world();
    awaitDoing(world, "parked");
    time.blocksIn("UnansweredEvents.cancel");
    CompletableFuture<Integer> stop =
        inBackground(() -> world.orchestrator.stop(THREAD, pair.before().seq(), false));
    time.awaitBlocked();
    world.await(() -> model.requests().size() == 3, () -> "it does not begin");
    time.open();
    assertThat(stop.join()).isEqualTo(1);
    assertThat(world.answerOf(pair.after())).endsWith("heard: hello");
    assertThat(world.stateOf(pair.before())).isEqualTo(EventState.CANCELLED);
    assertThat(model.heard().reversed().get(1))
        .isInstanceOfSatisfying(
            Message.Assistant.class, said -> assertThat(said.text()).startsWith("(No answer"));
  }

  @Test
  void aParkedTurnWhoseEndCannotBeWrittenIsParkedAgain() throws Exception {
    model.fails(FailureCode.AUTH, 1);
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "x");
    awaitDoing(world, "parked");
    time.breaks("UnansweredEvents.cancel", 1);
    assertThatThrownBy(() -> world.orchestrator.stop(THREAD, false))
        .isInstanceOf(IllegalStateException.class);
    awaitDoing(world, "parked");
    assertThat(world.orchestrator.stop(THREAD, false)).isEqualTo(1);
    assertThat(world.stateOf(event)).isEqualTo(EventState.CANCELLED);
  }

  /** Its answer is on disk, and its agent does not know that yet. */
  @Test
  void aTurnThatHasJustEndedIsNotStopped() throws Exception {
    AgentRig world = rigs.open();
    world.news.watch(
        item -> {
          if (item.kind().equals("event.finished")) {
            begun.countDown();
            UninterruptibleTool.await(go);
          }
        },
        () -> {});
    Event event = world.send("t", "k1", "x");
    begun.await();
    assertThat(world.orchestrator.stop(THREAD, false)).isZero();
    go.countDown();
    assertThat(world.answerOf(event)).isEqualTo("heard: x");
  }

  @Test
  void afterTheServerHasClosedNoFreshContextIsBegun() throws Exception {
    AgentRig world = rigs.open();
    boolean _ = world.orchestrator.close();
    world.orchestrator.reset(THREAD);
    assertThat(world.orchestrator.find(THREAD)).isEmpty();
  }

  private ScriptedProvider.Step deafly() {
    return (_, _) -> {
      begun.countDown();
      UninterruptibleTool.await(go);
      return ScriptedProvider.text("too late");
    };
  }

  /** Its first model call does not react to an interrupt; its second one does at once. */
  private AgentRig openWithTurnThatMayBeJoined() throws Exception {
    options.whileBusy = WhileBusy.STEER;
    model.then(
        (_, _) -> {
          begun.countDown();
          UninterruptibleTool.await(go);
          return ScriptedProvider.calling(new ToolCall("c1", "none", "{}"));
        });
    model.then(
        (_, _) -> {
          throw new InterruptedException("it was interrupted before");
        });
    return rigs.open();
  }

  private static CompletableFuture<Integer> stopAll(AgentRig world) {
    return inBackground(() -> world.orchestrator.stop(THREAD, true));
  }

  private static <T> CompletableFuture<T> inBackground(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, task -> Thread.ofVirtual().start(task));
  }

  private static void awaitWaiting(AgentRig world, int messages) {
    world.await(
        () -> world.orchestrator.find(THREAD).orElseThrow().waiting() == messages,
        () -> "not waiting");
  }

  private static void awaitDoing(AgentRig world, String doing) {
    world.await(
        () -> world.orchestrator.find(THREAD).map(view -> view.doing().equals(doing)).orElse(false),
        () -> "it is " + world.orchestrator.find(THREAD));
  }
}
