package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.turn.ChatSentences;
import dev.holdfast.agents.turn.ThreadsConfig.WhileBusy;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ToolCall;
import dev.holdfast.store.messages.DeadLetter;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.StoryLine;
import dev.holdfast.store.messages.ThreadReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Turns that are refused, stopped, crashed or begun again at awkward moments. */
@Timeout(60)
class RecoveryTest {
  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ScriptedProvider model = rigs.model;
  private final AgentRig.Options options = rigs.options;

  private static long starts(AgentRig world, Event event) {
    return world.store.stories().of(event.id()).stream()
        .map(StoryLine::what)
        .filter("turn.started"::equals)
        .count();
  }

  /** The limit is three runs: a disk that refuses four times would else give the event up. */
  @Test
  void aDiskThatRefusesIsNotHeldAgainstTheEventAndTheAnswerIsPaidOnce() throws Exception {
    AgentRig world = rigs.open();
    Path threads = Files.createDirectories(rigs.folder().resolve("threads"));
    Path inTheWay = Files.writeString(threads.resolve("web"), "no folder can be made here");
    Event event = world.send("t", "k1", "hello");
    world.await(() -> starts(world, event) > 4, () -> "tried " + starts(world, event) + " times");
    assertThat(world.stateOf(event).isOpen()).isTrue();
    Files.delete(inTheWay);
    assertThat(world.answerOf(event)).isEqualTo("heard: hello");
    assertThat(world.stateOf(event)).isEqualTo(EventState.ANSWERED);
    assertThat(model.requests()).hasSize(1);
  }

  /** The only turn that may run is another thread's: this one has not begun when stop comes. */
  @Test
  void stopReachesATurnThatHasNotBegun() throws Exception {
    options.turnsMax = 1;
    CountDownLatch begun = new CountDownLatch(1);
    model.hangs(begun);
    AgentRig world = rigs.open();
    Event other = world.send("a", "k1", "hang");
    begun.await();
    Event waiting = world.send("b", "k2", "never mind");
    world.await(
        () -> world.orchestrator.find("web:main:b").isPresent(), () -> "its agent is not there");
    Event stop = world.send("b", "k3", "/stop");
    world.awaitState(waiting, EventState.CANCELLED);
    assertThat(world.answerOf(stop)).isEqualTo("Stopped.");
    assertThat(world.stateOf(other)).isEqualTo(EventState.RUNNING);
    assertThat(model.requests()).hasSize(1);
  }

  /** Whenever it comes, stop ends the message before it, or comes after its answer. */
  @Test
  void stopRightBehindAMessageNeverLeavesItOpen() throws Exception {
    AgentRig world = rigs.open();
    for (int i = 0; i < 40; i++) {
      Event event = world.send("t", "m" + i, "message " + i);
      Event stop = world.send("t", "s" + i, "/stop");
      world.answerOf(stop);
      world.await(() -> !world.stateOf(event).isOpen(), () -> "open: " + world.stateOf(event));
      assertThat(world.stateOf(event)).isIn(EventState.CANCELLED, EventState.ANSWERED);
    }
    assertThat(world.answerOf(world.send("t", "end", "still there?")))
        .isEqualTo("heard: still there?");
  }

  @Test
  void stopAllEndsMessagesAndLeavesNoCommandUnanswered() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    model.hangs(begun);
    AgentRig world = rigs.open();
    Event stuck = world.send("t", "k1", "hang");
    begun.await();
    List<Event> messages = new ArrayList<>();
    List<Event> commands = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      messages.add(world.send("t", "m" + i, "message " + i));
      commands.add(world.send("t", "n" + i, "/new"));
    }
    Event stop = world.send("t", "stop", "/stop all");
    world.answerOf(stop);
    world.awaitState(stuck, EventState.CANCELLED);
    for (Event message : messages) {
      world.awaitState(message, EventState.CANCELLED);
    }
    for (Event command : commands) {
      world.await(() -> !world.stateOf(command).isOpen(), () -> "open: " + world.stateOf(command));
    }
    assertThat(model.requests()).hasSize(1);
    assertThat(world.answerOf(world.send("t", "later", "later"))).isEqualTo("heard: later");
  }

  @Test
  void aCrashInsideACollectedTurnLosesNoMessageAndAnswersOnce() throws Exception {
    options.whileBusy = WhileBusy.COLLECT;
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    model.then(
        (_, _) -> {
          begun.countDown();
          go.await();
          return ScriptedProvider.text("first");
        });
    model.then(
        (_, _) -> {
          throw new IllegalStateException("a bug in the collected turn");
        });
    AgentRig world = rigs.open();
    Event one = world.send("t", "k1", "one");
    begun.await();
    Event two = world.send("t", "k2", "two");
    Event three = world.send("t", "k3", "three");
    world.await(
        () -> world.orchestrator.find("web:main:t").orElseThrow().waiting() == 2,
        () -> "not waiting");
    go.countDown();
    assertThat(world.answerOf(three)).isEqualTo("heard: three");
    assertThat(world.answerOf(one)).isEqualTo("first");
    assertThat(world.answerOf(two)).isEmpty();
    assertThat(world.stateOf(two)).isEqualTo(EventState.ANSWERED);
    assertThat(model.requests()).hasSize(3);
    assertThat(
            model.requests().getLast().messages().stream()
                .filter(dev.holdfast.api.Message.User.class::isInstance))
        .as("each message once, also after the crash")
        .hasSize(3);
  }

  @Test
  void aReplayAfterTooManyRoundsBeginsAnew() throws Exception {
    for (int i = 0; i < 25; i++) {
      model.calls(new ToolCall("c" + i, "nothing", "{\"n\":" + i + "}"));
    }
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "x");
    assertThat(world.answerOf(event)).isEqualTo(ChatSentences.ROUNDS_SPENT);
    DeadLetter letter =
        world.store.deadLetters().list(ThreadReader.OPERATOR, "event", Instant.MAX, 10).getFirst();
    assertThat(world.store.deadLetters().replay(letter.id())).isTrue();
    world.orchestrator.rescan();
    world.await(
        () -> world.stateOf(event) == EventState.ANSWERED,
        () -> world.store.stories().of(event.id()) + " asked " + model.requests().size());
    assertThat(world.repliesTo(event)).contains("heard: x");
    assertThat(model.requests()).hasSize(26);
  }

  private static void replay(AgentRig world) throws Exception {
    DeadLetter letter =
        world.store.deadLetters().list(ThreadReader.OPERATOR, "event", Instant.MAX, 10).getFirst();
    assertThat(world.store.deadLetters().replay(letter.id())).isTrue();
    world.orchestrator.rescan();
  }

  private static List<String> ids(AgentRig world, Event event) {
    return world.store.outbox().ofEvent(event.id()).stream()
        .map(reply -> reply.reply().id().substring(event.id().length()))
        .toList();
  }

  @Test
  void eachReplayThatFailsIsSpokenOf() throws Exception {
    model.fails(FailureCode.INVALID_REQUEST, 3);
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "x");
    String sentence = world.answerOf(event);
    for (int replays = 1; replays <= 2; replays++) {
      int spoken = replays + 1;
      replay(world);
      world.await(
          () -> world.repliesTo(event).size() == spoken, () -> "said: " + world.repliesTo(event));
      world.awaitState(event, EventState.DEAD_LETTERED);
    }
    assertThat(world.repliesTo(event)).containsExactly(sentence, sentence, sentence);
    assertThat(ids(world, event)).containsExactly(".e.1", ".e1.1", ".e2.1");
    replay(world);
    world.awaitState(event, EventState.ANSWERED);
    assertThat(world.repliesTo(event)).hasSize(4).last().isEqualTo("heard: x");
    List<String> logged =
        world.store.threads().of(event.threadId()).readLog(100).stream()
            .filter(line -> line.contains(sentence))
            .toList();
    assertThat(logged).as("a page shows each of them").hasSize(3).doesNotHaveDuplicates();
  }

  /** Its replies are found again by their ids, so that they have to be the same in each try. */
  @Test
  void aReplayThatIsCutOffAndGoesOnSaysNothingTwice() throws Exception {
    model.fails(FailureCode.INVALID_REQUEST, 1).fails(FailureCode.NETWORK, 20);
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "x");
    world.answerOf(event);
    replay(world);
    world.awaitState(event, EventState.PARKED);
    for (int crash = 0; crash < 3; crash++) {
      rigs.close();
      StoreSurgery.run(rigs.folder(), "update events set told = 0 where id = ?", event.id());
      int asked = model.requests().size(); // before it is opened: it may ask at once
      world = rigs.open();
      AgentRig now = world;
      world.await(
          () -> model.requests().size() > asked, () -> "no try, it is " + now.stateOf(event));
      world.await(() -> now.stateOf(event) == EventState.PARKED, () -> "not parked");
    }
    assertThat(ids(world, event)).containsExactly(".e.1", ".n1.1");
  }

  /** The database has the end of the run and the reply, or neither. */
  @Test
  void theEndOfAReplayIsWrittenOnce() throws Exception {
    model.fails(FailureCode.INVALID_REQUEST, 3);
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "x");
    world.answerOf(event);
    replay(world);
    world.await(() -> ids(world, event).size() == 2, () -> "said: " + ids(world, event));
    rigs.close();
    StoreSurgery.run(
        rigs.folder(),
        "update events set closed = 0, state = 1 where id = ?",
        event.id()); // torn by us
    AgentRig after = rigs.open();
    after.awaitState(event, EventState.DEAD_LETTERED);
    assertThat(ids(after, event)).containsExactly(".e.1", ".e1.1");
  }
}
