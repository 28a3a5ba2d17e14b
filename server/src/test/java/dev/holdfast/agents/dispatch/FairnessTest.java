package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A new message is answered soon, however many others wait, and those are not forgotten. */
class FairnessTest {
  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ScriptedProvider model = rigs.model;
  private final AgentRig.Options options = rigs.options;
  private final Semaphore answers = new Semaphore(0);

  private AgentRig world() {
    return rigs.opened();
  }

  /**
   * A backlog of so many threads, from before a restart; the model answers when it is allowed to.
   */
  private List<Event> backlog(int threads, int each) throws Exception {
    rigs.open(new ScriptedProvider().hangs(new CountDownLatch(1)), stuck());
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < threads * each; i++) {
      events.add(world().send("old-" + i % threads, "k" + i, "old " + i));
    }
    rigs.close();
    for (int i = 0; i < threads * each + 10; i++) {
      model.then(
          (asked, _) -> {
            answers.acquire();
            return ScriptedProvider.text("heard: " + ScriptedProvider.lastUser(asked));
          });
    }
    rigs.open();
    return events;
  }

  private static AgentRig.Options stuck() {
    AgentRig.Options stuck = new AgentRig.Options();
    stuck.turnsMax = 1;
    return stuck;
  }

  private List<Event> stillOpen(List<Event> events) {
    return events.stream().filter(event -> world().stateOf(event).isOpen()).toList();
  }

  @Test
  void aNewMessageIsNotBehindTheThreadsThatWaitForATurn() throws Exception {
    options.turnsMax = 2;
    List<Event> old = backlog(60, 2);
    world()
        .await(() -> world().orchestrator.active().size() == 60, () -> "not all agents are there");
    Event fresh = world().send("new", "new", "hello");
    world().await(() -> world().orchestrator.find("web:main:new").isPresent(), () -> "no agent");
    for (int open = old.size(); world().stateOf(fresh).isOpen(); open--) {
      int before = open;
      answers.release();
      world()
          .await(
              () -> !world().stateOf(fresh).isOpen() || stillOpen(old).size() < before,
              () -> "no turn ended with the answer that it was allowed");
    }
    assertThat(world().answerOf(fresh)).isEqualTo("heard: hello");
    assertThat(stillOpen(old)).hasSizeGreaterThan(old.size() / 2);
    answers.release(1000);
    old.forEach(event -> world().awaitState(event, EventState.ANSWERED));
  }

  @Test
  void aNewMessageFindsRoomThoughMoreThreadsWaitThanMayBeActive() throws Exception {
    options.activeMax = 20;
    options.turnsMax = 100;
    List<Event> old = backlog(100, 1);
    world().await(() -> world().orchestrator.active().size() == 18, () -> "the room is not used");
    Event fresh = world().send("new", "new", "hello");
    Event other = world().send("other", "other", "hello");
    world()
        .await(
            () -> model.requests().size() == 20,
            () -> "new threads found no room beside the old ones");
    Event third = world().send("third", "third", "hello"); // the room is full by now
    answers.release(8);
    world()
        .await(
            () ->
                model.requests().stream()
                    .anyMatch(asked -> ScriptedProvider.lastUser(asked).equals("hello")),
            () -> "none of the new ones was asked for");
    answers.release(1000);
    for (Event event : List.of(fresh, other, third)) {
      assertThat(world().answerOf(event)).isEqualTo("heard: hello");
    }
    old.forEach(event -> world().awaitState(event, EventState.ANSWERED));
  }

  /** Each place that becomes free is asked for by the loud one at once. */
  @Test
  void whoeverWaitsForRoomIsNotOvertakenByThoseWhoComeLater() throws Exception {
    options.activeMax = 4;
    List<Event> loud = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      model.then(
          (asked, _) -> {
            answers.acquire();
            return ScriptedProvider.text("heard: " + ScriptedProvider.lastUser(asked));
          });
    }
    rigs.open();
    for (int i = 0; i < 8; i++) {
      loud.add(world().sendAs("loud", "loud-" + i, "loud" + i, "loud " + i));
    }
    world().await(() -> model.requests().size() == 4, () -> "the room is not used");
    Event quiet = world().sendAs("quiet", "quiet", "quiet", "hello");
    int turns = 0;
    for (; world().stateOf(quiet).isOpen(); turns++) {
      List<Event> before = stillOpen(loud);
      answers.release();
      world()
          .await(
              () -> !world().stateOf(quiet).isOpen() || stillOpen(before).size() < before.size(),
              () -> "no turn ended with the answer that it was allowed");
      String next = "loud-" + loud.size();
      loud.add(world().sendAs("loud", next, next, next));
    }
    assertThat(turns).as("turns until the quiet one has its answer").isLessThan(12);
    answers.release(1000);
    loud.forEach(event -> world().awaitState(event, EventState.ANSWERED));
  }

  @Test
  void theOrderOfAThreadHoldsWhenItsNewMessageMeetsItsBacklog() throws Exception {
    options.turnsMax = 2;
    backlog(5, 10);
    Event last = world().send("old-3", "new", "the last");
    answers.release(1000);
    world().answerOf(last);
    assertThat(
            model.requests().stream()
                .map(ScriptedProvider::lastUser)
                .filter(
                    text -> text.equals("the last") || text.endsWith("3") || text.endsWith("8")))
        .containsExactly(
            "old 3",
            "old 8",
            "old 13",
            "old 18",
            "old 23",
            "old 28",
            "old 33",
            "old 38",
            "old 43",
            "old 48",
            "the last");
  }

  @Test
  void aBacklogMovesOnWhileNewMessagesKeepComing() throws Exception {
    options.activeMax = 10;
    options.turnsMax = 4;
    List<Event> old = backlog(30, 1);
    answers.release(100_000);
    for (int i = 0; !stillOpen(old).isEmpty(); i++) {
      Event event = world().send("new-" + i, "new" + i, "hello");
      if (i % 20 == 0) {
        world().answerOf(event);
      }
      assertThat(i).isLessThan(5000);
    }
    old.forEach(event -> assertThat(world().stateOf(event)).isEqualTo(EventState.ANSWERED));
  }
}
