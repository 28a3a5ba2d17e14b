package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.FailureCode;
import dev.holdfast.modes.Mode;
import dev.holdfast.modes.ModeNow;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** While no turn may run. */
@Timeout(60)
class HeldTurnsTest {
  private static final ModeNow HELD = new ModeNow(Mode.SAFE, 7, "kept");

  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ScriptedProvider model = rigs.model;
  private final AgentRig.Options options = rigs.options;

  @Test
  void messagesAreKeptTheirThreadsToldOnceAndAnsweredInOrderLater() throws Exception {
    AgentRig world = rigs.open();
    options.mode = HELD;
    List<Event> all = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      all.add(world.send("t" + i % 3, "k" + i, "message " + i));
    }
    world.await(() -> told(world, all) == 3, () -> "told " + told(world, all));
    world.awaitRound();
    assertThat(model.requests()).isEmpty();
    assertThat(all).allMatch(event -> world.stateOf(event) == EventState.PENDING);
    assertThat(told(world, all)).isEqualTo(3);
    options.mode = ModeNow.FULL;
    for (int i = 0; i < 12; i++) {
      assertThat(world.answerOf(all.get(i))).endsWith("heard: message " + i);
    }
    for (int thread = 0; thread < 3; thread++) {
      List<String> asked = new ArrayList<>();
      for (int i = thread; i < 12; i += 3) {
        asked.add("heard: message " + i);
      }
      assertThat(heardOf(world, all, thread)).isEqualTo(asked);
    }
  }

  private static long told(AgentRig world, List<Event> events) {
    return events.stream()
        .flatMap(event -> world.repliesTo(event).stream())
        .filter(HELD.sentence()::equals)
        .count();
  }

  private static List<String> heardOf(AgentRig world, List<Event> events, int thread) {
    return events.stream()
        .filter(event -> event.threadId().endsWith("t" + thread))
        .flatMap(event -> world.repliesTo(event).stream())
        .filter(text -> !text.equals(HELD.sentence()))
        .toList();
  }

  @Test
  void aTurnThatRunsIsInterruptedAndBeginsAgain() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    model.hangs(asked);
    AgentRig world = rigs.open();
    Event event = world.send("t", "1", "hello");
    asked.await();
    options.mode = HELD;
    world.awaitState(event, EventState.PENDING);
    world.await(() -> told(world, List.of(event)) == 1, () -> "not told");
    assertThat(world.store.inbox().find(event.id()).orElseThrow().attempts()).isZero();
    options.mode = ModeNow.FULL;
    assertThat(world.answerOf(event)).isEqualTo("keptheard: hello");
    assertThat(model.requests()).hasSize(2);
  }

  @Test
  void aRestartTellsNobodyAgainAndTheNextHoldTellsAnew() throws Exception {
    options.mode = HELD;
    AgentRig world = rigs.open();
    Event event = world.send("t", "1", "hello");
    world.await(() -> told(world, List.of(event)) == 1, () -> "not told");
    AgentRig again = rigs.open();
    Event marker = again.send("other", "2", "x");
    again.await(() -> told(again, List.of(marker)) == 1, () -> "not told");
    assertThat(told(again, List.of(event))).isOne();
    options.mode = new ModeNow(Mode.SAFE, 9, "kept");
    again.await(() -> told(again, List.of(event)) == 2, () -> "not told of the next hold");
    assertThat(model.requests()).isEmpty();
  }

  @Test
  void commandsAreObeyedAllTheSame() throws Exception {
    AgentRig world = rigs.open();
    options.mode = HELD;
    Event event = world.send("t", "1", "hello");
    world.await(() -> told(world, List.of(event)) == 1, () -> "not told");
    assertThat(world.answerOf(world.send("t", "2", "/stop"))).isEqualTo("Stopped.");
    world.awaitState(event, EventState.CANCELLED);
    assertThat(model.requests()).isEmpty();
  }

  @Test
  void aParkedTurnAsksNoModel() throws Exception {
    model.fails(FailureCode.AUTH, 1);
    AgentRig world = rigs.open();
    Event event = world.send("t", "1", "hello");
    world.awaitState(event, EventState.PARKED);
    options.mode = HELD;
    int asked = model.requests().size();
    world.await(() -> told(world, List.of(event)) == 1, () -> "not told");
    world.awaitRound();
    assertThat(model.requests()).hasSize(asked);
    options.mode = ModeNow.FULL;
    assertThat(world.answerOf(event)).endsWith("heard: hello");
  }
}
