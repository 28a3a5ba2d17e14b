package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.turn.ChatSentences;
import dev.holdfast.api.FailureCode;
import dev.holdfast.incidents.IncidentKind;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.time.ManualTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** For how long a message waits for a model before it is given up. */
class ParkClockTest {
  private static final Duration TTL = Duration.ofHours(1);

  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ScriptedProvider model = rigs.model;
  private final ManualTime time = new ManualTime();

  @BeforeEach
  void setUp() {
    time.jumpWall(Duration.between(time.now(), Instant.now())); // from the store's, which is real
    rigs.options.time = time;
    rigs.options.parkTtl = TTL;
    rigs.options.turnTimeout = Duration.ofHours(10);
    rigs.options.stuck = Duration.ofHours(10);
  }

  @Test
  void aReplayDuringTheOutageWaitsAsLongAgain() throws Exception {
    model.fails(FailureCode.OVERLOADED, 1000);
    AgentRig world = rigs.open();
    Event event = world.send("t", "k", "hello");
    world.awaitState(event, EventState.DEAD_LETTERED);
    String letter =
        world.store.deadLetters().list(ThreadReader.OPERATOR, "", Instant.MAX, 1).getFirst().id();
    long replayed = time.nanos();
    assertThat(world.store.deadLetters().replay(letter)).isTrue();
    world.orchestrator.rescan();
    world.awaitState(event, EventState.DEAD_LETTERED);
    assertThat(Duration.ofNanos(time.nanos() - replayed)).isGreaterThanOrEqualTo(TTL);
  }

  @Test
  void aMessageFromBeforeADowntimeWaitsForTheModelAllTheSame() throws Exception {
    model.fails(FailureCode.OVERLOADED, 1);
    time.jumpWall(Duration.ofDays(2));
    AgentRig world = rigs.open();
    Event event = world.send("t", "k", "hello");
    assertThat(world.answerOf(event)).endsWith("heard: hello");
  }

  @Test
  void whatWaitedThroughADowntimeIsAskedAgainBeforeItIsGivenUp() throws Exception {
    ScriptedProvider refuses = new ScriptedProvider().fails(FailureCode.AUTH, 10_000);
    AgentRig world = rigs.open(refuses, rigs.options);
    Event event = world.send("t", "k", "hello");
    world.awaitState(event, EventState.PARKED);
    rigs.close();
    time.jumpWall(Duration.ofDays(2));
    assertThat(rigs.open().answerOf(event)).endsWith("heard: hello");
  }

  @Test
  void aProbeThatHangsIsGivenUpWhenItsTimeIsOver() throws Exception {
    CountDownLatch probing = new CountDownLatch(1);
    model.fails(FailureCode.OVERLOADED, 1).hangs(probing);
    AgentRig world = rigs.open();
    Event event = world.send("t", "k", "hello");
    probing.await();
    time.advance(TTL.plusMinutes(1));
    assertThat(world.answerOf(event)).endsWith(ChatSentences.PARKED_TOO_LONG);
    assertThat(world.stateOf(event)).isEqualTo(EventState.DEAD_LETTERED);
  }

  @Test
  void aRefusedKeyIsToldAsWhatItIs() throws Exception {
    for (FailureCode code : List.of(FailureCode.AUTH, FailureCode.QUOTA)) {
      model.fails(code, 1);
      AgentRig world = rigs.open();
      Event event = world.send("t", "k-" + code, "hello");
      assertThat(world.answerOf(event)).isEqualTo(ChatSentences.MODEL_REFUSES + "heard: hello");
    }
  }

  @Test
  void aContextOfWhichNothingIsLeftIsToldAsThat() throws Exception {
    AgentRig world = rigs.open();
    world.answerOf(world.send("t", "k1", "hello"));
    rigs.close();
    try (var files = Files.walk(rigs.folder())) {
      Path context = files.filter(file -> file.endsWith("context.jsonl")).findFirst().orElseThrow();
      Files.writeString(context, "no\nword\nof\nit\n");
    }
    world = rigs.open();
    assertThat(world.answerOf(world.send("t", "k2", "hello")))
        .contains(ChatSentences.CONTEXT_LOST)
        .doesNotContain(ChatSentences.CONTEXT_DAMAGED);
    assertThat(world.incidents.reported)
        .singleElement()
        .satisfies(told -> assertThat(told.kind()).isEqualTo(IncidentKind.DAMAGE));
  }
}
