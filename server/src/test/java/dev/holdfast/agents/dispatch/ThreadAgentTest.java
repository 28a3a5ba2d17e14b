package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.turn.ChatSentences;
import dev.holdfast.agents.turn.ThreadsConfig.WhileBusy;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.Message;
import dev.holdfast.incidents.AffectedEvent;
import dev.holdfast.incidents.IncidentKind;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.time.ManualTime;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ThreadAgentTest {
  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ScriptedProvider model = rigs.model;
  private final AgentRig.Options options = rigs.options;

  @Test
  void aMessageIsAnswered() throws Exception {
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "hello");
    assertThat(world.answerOf(event)).isEqualTo("heard: hello");
    assertThat(world.stateOf(event)).isEqualTo(EventState.ANSWERED);
  }

  /** And not the one at which its turn began, which may be much later. */
  @Test
  void theLogKeepsTheTimeAtWhichAMessageCame() throws Exception {
    options.time = new ManualTime(); // it differs from that of whoever takes messages in
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "hello");
    world.answerOf(event);
    String line = world.store.threads().of(event.threadId()).readLog(10).getFirst();
    assertThat(line)
        .contains("hello")
        .contains(
            "\"at\":\""
                + event.receivedAt().truncatedTo(ChronoUnit.SECONDS).toString().replace("Z", ""));
  }

  @Test
  void manyMessagesOfOneThreadAreAnsweredInOrderThoughTheMailboxIsSmall() throws Exception {
    AgentRig world = rigs.open();
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      events.add(world.send("t", "k" + i, "m" + i));
    }
    for (int i = 0; i < 40; i++) {
      assertThat(world.answerOf(events.get(i))).isEqualTo("heard: m" + i);
    }
    assertThat(model.requests().stream().map(ScriptedProvider::lastUser))
        .containsExactlyElementsOf(
            events.stream().map(event -> "m" + events.indexOf(event)).toList());
  }

  @Test
  void aHangingThreadDoesNotDelayAnother() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    model.hangs(begun);
    AgentRig world = rigs.open();
    Event stuck = world.send("a", "k1", "hang");
    begun.await();
    assertThat(world.answerOf(world.send("b", "k2", "hello"))).isEqualTo("heard: hello");
    assertThat(world.stateOf(stuck)).isEqualTo(EventState.RUNNING);
  }

  @Test
  void stopFreesAHangingTurnAndTheNextMessageIsAnswered() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    model.hangs(begun);
    AgentRig world = rigs.open();
    Event stuck = world.send("t", "k1", "hang");
    begun.await();
    Event next = world.send("t", "k2", "next");
    Event stop = world.send("t", "k3", "/stop");
    assertThat(world.answerOf(stop)).isEqualTo("Stopped.");
    assertThat(world.answerOf(next)).isEqualTo("heard: next");
    world.awaitState(stuck, EventState.CANCELLED);
  }

  @Test
  void stopAllCancelsWhatWaitsToo() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    model.hangs(begun);
    AgentRig world = rigs.open();
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      events.add(world.send("t", "k" + i, "m" + i));
    }
    begun.await();
    world.answerOf(world.send("t", "stop", "/stop all"));
    for (Event event : events) {
      world.awaitState(event, EventState.CANCELLED);
    }
    assertThat(world.answerOf(world.send("t", "later", "later"))).isEqualTo("heard: later");
  }

  @Test
  void aTurnThatTakesTooLongEndsWithAnHonestSentence() throws Exception {
    options.turnTimeout = Duration.ofSeconds(1);
    model.hangs(new CountDownLatch(1));
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "hang");
    assertThat(world.answerOf(event)).isEqualTo(ChatSentences.TIMED_OUT);
    assertThat(world.stateOf(event)).isEqualTo(EventState.DEAD_LETTERED);
  }

  @Test
  void aRefusedRequestIsSpokenAndKeptAsADeadLetter() throws Exception {
    model.fails(FailureCode.INVALID_REQUEST, 1);
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "x");
    assertThat(world.answerOf(event)).contains("refused this request");
    assertThat(
            world
                .store
                .deadLetters()
                .list(ThreadReader.OPERATOR, "event", java.time.Instant.MAX, 10))
        .extracting(dev.holdfast.store.messages.DeadLetter::eventId)
        .containsExactly(event.id());
    assertThat(world.answerOf(world.send("t", "k2", "y"))).isEqualTo("heard: y");
  }

  @Test
  void aBugGetsABoundedNumberOfRunsAndIsSpoken() throws Exception {
    for (int i = 0; i < 3; i++) {
      model.then(
          (_, _) -> {
            throw new IllegalStateException("secret innards");
          });
    }
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "x");
    assertThat(world.answerOf(event)).isEqualTo(ChatSentences.CRASHED);
    assertThat(model.requests()).hasSize(3);
    assertThat(world.answerOf(world.send("t", "k2", "y"))).isEqualTo("heard: y");
  }

  @Test
  void whileTheModelIsAwayTheMessageIsKeptTheSenderToldOnceAndAnsweredLater() throws Exception {
    model.fails(FailureCode.OVERLOADED, 1);
    AgentRig world = rigs.open();
    Event first = world.send("t", "k1", "one");
    world.awaitState(first, EventState.PARKED);
    Event second = world.send("t", "k2", "two");
    world.await(() -> !world.repliesTo(first).isEmpty(), () -> "not told");
    assertThat(world.answerOf(first)).isEqualTo(ChatSentences.MODEL_AWAY + "heard: one");
    assertThat(world.answerOf(second)).isEqualTo("heard: two");
  }

  @Test
  void aParkedTurnSurvivesARestart() throws Exception {
    model.fails(FailureCode.AUTH, 1);
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "one");
    world.awaitState(event, EventState.PARKED);
    world = rigs.open();
    assertThat(world.answerOf(event)).endsWith("heard: one");
    assertThat(world.repliesTo(event)).containsExactly(ChatSentences.MODEL_REFUSES, "heard: one");
  }

  @Test
  void anAnswerThatWasPaidForBeforeACrashIsNotAskedForAgain() throws Exception {
    AgentRig world = rigs.open();
    world.answerOf(world.send("t", "k0", "before"));
    Event event = world.send("t2", "k1", "x");
    world.answerOf(event);
    // The same event once more, as after a crash between its answer and its end.
    rigs.close();
    StoreSurgery.reopen(rigs.folder(), event);
    world = rigs.open();
    int asked = model.requests().size();
    assertThat(world.answerOf(event)).isEqualTo("heard: x");
    assertThat(model.requests()).hasSize(asked);
  }

  @Test
  void anEventThatTookTheServerDownTooOftenIsGivenUp() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    model.hangs(begun);
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "x");
    begun.await();
    rigs.close();
    StoreSurgery.countRuns(rigs.folder(), event, 3);
    world = rigs.open();
    assertThat(world.answerOf(event)).isEqualTo(ChatSentences.CRASHED);
    assertThat(world.stateOf(event)).isEqualTo(EventState.DEAD_LETTERED);
    assertThat(world.incidents.reported)
        .singleElement()
        .satisfies(
            told -> {
              assertThat(told.kind()).isEqualTo(IncidentKind.EVENT_CRASHES);
              assertThat(told.details().affected())
                  .extracting(AffectedEvent::eventId)
                  .containsExactly(event.id());
            });
  }

  /** Else all that run with the one that takes the process down would be given up with it. */
  @Test
  void eventsThatWentDownTwiceRunOneAtATimeAndHoldUpNoOthers() throws Exception {
    CountDownLatch stopped = new CountDownLatch(2);
    model.hangs(stopped).hangs(stopped);
    AgentRig world = rigs.open();
    Event first = world.send("a", "k1", "x");
    Event second = world.send("b", "k2", "x");
    stopped.await();
    rigs.close();
    StoreSurgery.countRuns(rigs.folder(), first, 2);
    StoreSurgery.countRuns(rigs.folder(), second, 2);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    model.then(
        (_, _) -> {
          begun.countDown();
          goOn.await();
          return ScriptedProvider.text("alive");
        });
    AgentRig again = rigs.open();
    begun.await();
    assertThat(again.answerOf(again.send("c", "k3", "new"))).isEqualTo("heard: new");
    assertThat(Stream.of(first, second).map(event -> attempts(again, event)))
        .containsExactlyInAnyOrder(2, 3);
    goOn.countDown();
    assertThat(again.answerOf(first) + again.answerOf(second)).contains("alive", "heard: x");
  }

  private static int attempts(AgentRig world, Event event) {
    return world.store.inbox().find(event.id()).orElseThrow().attempts();
  }

  @Test
  void aCleanStopInTheMiddleOfATurnIsNotHeldAgainstTheEvent() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    model.hangs(begun);
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "x");
    begun.await();
    world = rigs.open();
    assertThat(world.answerOf(event)).isEqualTo("heard: x");
    assertThat(world.store.inbox().find(event.id()).orElseThrow().attempts()).isOne();
  }

  @Test
  void collectMakesOneTurnOfWhatWaits() throws Exception {
    options.whileBusy = WhileBusy.COLLECT;
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    model.then(
        (_, _) -> {
          begun.countDown();
          go.await();
          return ScriptedProvider.text("first");
        });
    AgentRig world = rigs.open();
    world.send("t", "k1", "one");
    begun.await();
    Event two = world.send("t", "k2", "two");
    Event three = world.send("t", "k3", "three");
    world.await(
        () -> world.orchestrator.find("web:main:t").orElseThrow().waiting() == 2,
        () -> "not waiting");
    go.countDown();
    assertThat(world.answerOf(three)).isEqualTo("heard: three");
    assertThat(world.answerOf(two)).isEmpty();
    assertThat(model.requests()).hasSize(2);
    assertThat(
            model.requests().getLast().messages().stream().filter(Message.User.class::isInstance))
        .hasSize(3);
  }

  @Test
  void newStartsAFreshContext() throws Exception {
    AgentRig world = rigs.open();
    world.answerOf(world.send("t", "k1", "one"));
    assertThat(world.answerOf(world.send("t", "k2", "/new"))).contains("fresh");
    world.answerOf(world.send("t", "k3", "two"));
    assertThat(model.heard()).containsExactly(new Message.User("two"));
  }

  @Test
  void moreThreadsThanMayBeActiveAreServedOneAfterTheOther() throws Exception {
    options.activeMax = 3;
    AgentRig world = rigs.open();
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      events.add(world.send("t" + i, "k" + i, "m" + i));
    }
    for (int i = 0; i < 30; i++) {
      assertThat(world.answerOf(events.get(i))).isEqualTo("heard: m" + i);
    }
    assertThat(world.orchestrator.active()).hasSizeLessThanOrEqualTo(3);
  }

  @Test
  void anInterruptThatNobodyOrderedLeavesNoEventBehind() throws Exception {
    model.then(
        (_, _) -> {
          throw new InterruptedException("out of nowhere");
        });
    AgentRig world = rigs.open();
    assertThat(world.answerOf(world.send("t", "k1", "x"))).isEqualTo("heard: x");
  }

  @Test
  void theEquationHoldsInTheEnd() throws Exception {
    model.fails(FailureCode.INVALID_REQUEST, 1);
    AgentRig world = rigs.open();
    Event bad = world.send("a", "k1", "x");
    Event good = world.send("b", "k2", "y");
    world.answerOf(bad);
    world.answerOf(good);
    var counts = world.store.inbox().counts();
    assertThat(counts.get("accepted")).isEqualTo(2);
    assertThat(
            counts.entrySet().stream()
                .filter(e -> !e.getKey().equals("accepted"))
                .mapToLong(e -> e.getValue())
                .sum())
        .isEqualTo(2);
  }
}
