package dev.holdfast.agents.thread;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.dispatch.AgentRig;
import dev.holdfast.agents.dispatch.AgentRigs;
import dev.holdfast.agents.dispatch.ScriptedProvider;
import dev.holdfast.agents.turn.ChatSentences;
import dev.holdfast.agents.turn.RunningTurn.Cancel;
import dev.holdfast.api.FailureCode;
import dev.holdfast.bus.NewsItem;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An event ends once, and that is said once, however many want to end it. */
class UnansweredEventsTest {
  private static final String THREAD = "web:main:t";

  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ScriptedProvider model = rigs.model;
  private final List<NewsItem> heard = new CopyOnWriteArrayList<>();
  private AgentRig world;

  @BeforeEach
  void open() throws Exception {
    world = rigs.open();
    world.news.watch(heard::add, () -> {});
  }

  @Test
  void aTurnThatIsFreedRightAfterItsAnswerSaysNothingMore() throws Exception {
    Event event = world.send("t", "k1", "x");
    assertThat(world.answerOf(event)).isEqualTo("heard: x");
    world.await(() -> count(event, "event.finished") == 1, () -> "nobody was told");

    new UnansweredEvents(THREAD, world.store, world.resources.configs(), world.endings())
        .cutOff(List.of(Incoming.of(event)), Cancel.STUCK, 0);

    assertThat(world.stateOf(event)).isEqualTo(EventState.ANSWERED);
    assertThat(world.repliesTo(event)).containsExactly("heard: x");
    assertThat(count(event, "reply.planned")).isEqualTo(1);
    assertThat(count(event, "event.finished")).isEqualTo(1);
    assertThat(log()).contains("heard: x").doesNotContain(ChatSentences.STUCK);
    assertThat(counted("dead_lettered")).isZero();
  }

  @Test
  void aParkedTurnIsCountedOnceByStopAll() throws Exception {
    model.fails(FailureCode.AUTH, 100);
    Event event = world.send("t", "k1", "x");
    world.awaitState(event, EventState.PARKED);
    world.await(
        () -> world.orchestrator.find(THREAD).orElseThrow().doing().equals("parked"),
        () -> "its agent does not know that it is parked");

    assertThat(world.orchestrator.stop(THREAD, true)).isEqualTo(1);

    assertThat(world.stateOf(event)).isEqualTo(EventState.CANCELLED);
    assertThat(count(event, "event.finished")).isEqualTo(1);
    assertThat(counted("cancelled")).isEqualTo(1);
  }

  /** A run that was given back is not counted any more, but its line is there. */
  @Test
  void whatWasParkedStandsInTheLogOnceAfterItIsStopped() throws Exception {
    model.fails(FailureCode.AUTH, 100);
    Event event = world.send("t", "k1", "said once");
    world.awaitState(event, EventState.PARKED);

    assertThat(world.orchestrator.stop(THREAD, true)).isEqualTo(1);

    assertThat(log().split("said once", -1)).hasSize(2);
  }

  private long count(Event event, String kind) {
    return heard.stream()
        .filter(item -> item.kind().equals(kind) && item.eventId().equals(event.id()))
        .count();
  }

  private double counted(String outcome) {
    return world.meters.find("holdfast.events").tag("outcome", outcome).counters().stream()
        .mapToDouble(counter -> counter.count())
        .sum();
  }

  private String log() throws Exception {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> files = Files.walk(rigs.folder().resolve("threads"))) {
      for (Path file : files.filter(path -> path.endsWith("log.jsonl")).toList()) {
        all.append(Files.readString(file, StandardCharsets.UTF_8));
      }
    }
    return all.toString();
  }
}
