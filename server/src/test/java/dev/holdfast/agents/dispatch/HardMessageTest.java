package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.turn.ChatSentences;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.store.messages.DeadLetter;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A message on which the provider always breaks holds up nobody else. */
class HardMessageTest {
  private static final String HARD = "what breaks it";

  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ManualTime time = new ManualTime();
  private volatile boolean away;

  @BeforeEach
  void setUp() {
    time.jumpWall(Duration.between(time.now(), Instant.now())); // from the store's, which is real
    rigs.options.time = time;
    rigs.options.turnTimeout = Duration.ofDays(10);
    rigs.options.stuck = Duration.ofDays(10);
    rigs.options.parkTtl = Duration.ofDays(10);
  }

  private enum Breaks {
    CUT,
    ERROR,
    SILENCE,
    NO_SUCH_MODEL;

    Failure failure() {
      return switch (this) {
        case CUT -> Failure.of(FailureCode.NETWORK, "acme cut its answer off");
        case ERROR -> Failure.of(FailureCode.BACKEND_FAILURE, "acme refused with 502");
        case SILENCE -> Failure.of(FailureCode.TIMEOUT, "acme said nothing");
        case NO_SUCH_MODEL ->
            Failure.of(FailureCode.INVALID_REQUEST, "acme refused with 404")
                .as(FailureKind.PERMANENT);
      };
    }
  }

  private AgentRig breaksOn(Breaks how) throws Exception {
    for (int i = 0; i < 10_000; i++) {
      rigs.model.then(
          (asked, _) -> {
            if (away) {
              throw new CallFailedException(Failure.of(FailureCode.OVERLOADED, "down"));
            }
            if (ScriptedProvider.lastUser(asked).equals(HARD)) {
              throw new CallFailedException(how.failure());
            }
            return ScriptedProvider.text("heard: " + ScriptedProvider.lastUser(asked));
          });
    }
    return rigs.open();
  }

  @ParameterizedTest
  @EnumSource
  void aLaterMessageOfAnotherThreadIsAnsweredAtOnce(Breaks how) throws Exception {
    AgentRig world = breaksOn(how);
    Event hard = world.send("bad", "hard", HARD);
    int tries = 8;
    world.await(() -> rigs.model.requests().size() >= tries, () -> "it is not tried again");
    assertThat(world.stateOf(hard).isOpen()).isTrue();
    Event other = world.send("good", "k", "hello");
    assertThat(world.answerOf(other)).isEqualTo("heard: hello");
  }

  @ParameterizedTest
  @EnumSource
  void whatWaitsBehindItInAnOutageIsAnsweredAllTheSame(Breaks how) throws Exception {
    away = true;
    AgentRig world = breaksOn(how);
    Event hard = world.send("bad", "hard", HARD);
    world.awaitState(hard, EventState.PARKED);
    List<Event> others = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      others.add(world.send("t" + i % 6, "k" + i, "hello " + i));
    }
    for (Event first : others.subList(0, 6)) {
      world.awaitState(first, EventState.PARKED);
    }
    away = false;
    for (Event other : others) {
      assertThat(world.answerOf(other)).contains("heard: hello");
    }
  }

  @Test
  void whatFailsAgainAndAgainWhileOthersAreAnsweredIsGivenUpAndThePersonIsTold() throws Exception {
    AgentRig world = breaksOn(Breaks.CUT);
    Event hard = world.send("bad", "hard", HARD);
    world.awaitState(hard, EventState.PARKED);
    for (int i = 0; world.stateOf(hard).isOpen() && i < 1000; i++) {
      assertThat(world.answerOf(world.send("good", "k" + i, "hello"))).isEqualTo("heard: hello");
    }
    assertThat(world.stateOf(hard)).isEqualTo(EventState.DEAD_LETTERED);
    assertThat(world.answerOf(hard)).endsWith(ChatSentences.MODEL_FAILED);
    DeadLetter letter =
        world.store.deadLetters().list(ThreadReader.OPERATOR, "", Instant.MAX, 1).getFirst();
    assertThat(letter.reason()).contains("acme cut its answer off");
  }

  /** Nobody else is asked for: that the model is away is as likely. */
  @Test
  void whatFailsWhileNobodyElseIsAnsweredIsNotGivenUp() throws Exception {
    AgentRig world = breaksOn(Breaks.CUT);
    Event hard = world.send("bad", "hard", HARD);
    world.await(() -> rigs.model.requests().size() >= 40, () -> "it is not tried again");
    assertThat(world.stateOf(hard).isOpen()).isTrue();
  }
}
