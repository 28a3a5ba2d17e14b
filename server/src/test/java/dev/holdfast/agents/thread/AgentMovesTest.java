package dev.holdfast.agents.thread;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.context.Epoch;
import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.thread.AgentEffect.AwaitModel;
import dev.holdfast.agents.thread.AgentEffect.AwaitNothing;
import dev.holdfast.agents.thread.AgentEffect.AwaitPerson;
import dev.holdfast.agents.thread.AgentEffect.CutOff;
import dev.holdfast.agents.thread.AgentEffect.End;
import dev.holdfast.agents.thread.AgentEffect.EndNext;
import dev.holdfast.agents.thread.AgentEffect.ProbeEnded;
import dev.holdfast.agents.thread.AgentEffect.Reread;
import dev.holdfast.agents.thread.AgentEffect.RunLoop;
import dev.holdfast.agents.thread.AgentEffect.RunLoopLater;
import dev.holdfast.agents.thread.AgentEffect.StopTurn;
import dev.holdfast.agents.thread.AgentEvent.CloseAsked;
import dev.holdfast.agents.thread.AgentEvent.Joined;
import dev.holdfast.agents.thread.AgentEvent.LeaveAsked;
import dev.holdfast.agents.thread.AgentEvent.LoopCrashed;
import dev.holdfast.agents.thread.AgentEvent.LoopRested;
import dev.holdfast.agents.thread.AgentEvent.PersonAnswered;
import dev.holdfast.agents.thread.AgentEvent.ResetAsked;
import dev.holdfast.agents.thread.AgentEvent.ResetDone;
import dev.holdfast.agents.thread.AgentEvent.Resumed;
import dev.holdfast.agents.thread.AgentEvent.Started;
import dev.holdfast.agents.thread.AgentEvent.StopSaid;
import dev.holdfast.agents.thread.AgentEvent.ThreadGivenUp;
import dev.holdfast.agents.thread.AgentEvent.TurnBegun;
import dev.holdfast.agents.thread.AgentEvent.TurnEnded;
import dev.holdfast.agents.thread.AgentEvent.WorkCame;
import dev.holdfast.agents.thread.AgentMoves.Move;
import dev.holdfast.agents.thread.AgentState.Choosing;
import dev.holdfast.agents.thread.AgentState.Closed;
import dev.holdfast.agents.thread.AgentState.Closing;
import dev.holdfast.agents.thread.AgentState.GivenUp;
import dev.holdfast.agents.thread.AgentState.Gone;
import dev.holdfast.agents.thread.AgentState.Idle;
import dev.holdfast.agents.thread.AgentState.Parked;
import dev.holdfast.agents.thread.AgentState.Running;
import dev.holdfast.agents.thread.AgentState.Starting;
import dev.holdfast.agents.turn.RunningTurn;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.time.ManualTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every event in every state. */
class AgentMovesTest {
  /** Messages on both sides of the stop at {@link #PLACE}. */
  private static final Incoming BEFORE = incoming(3);

  private static final long PLACE = 5;
  private static final Incoming AFTER = incoming(7);
  private static final Incoming LATER = incoming(9);
  private static final List<Incoming> BOTH = List.of(BEFORE, AFTER);
  private static final RunningTurn TURN = turn();
  private static final RunningTurn PROBE = turn(true);
  private static final RunningTurn NEXT_TURN = turn();

  /** Every state, in each form that makes a difference. */
  private static final Starting STARTING = new Starting(false);

  private static final Starting STARTING_ANEW = new Starting(true);
  private static final Idle IDLE = new Idle();
  private static final Choosing CHOOSING = Choosing.fromMailbox(false);
  private static final Choosing CHOOSING_FRESH = Choosing.fromMailbox(true);
  private static final Choosing RESUMED = new Choosing(BOTH, true, true);
  private static final Choosing RESUMED_ALONE = new Choosing(List.of(BEFORE), true, false);
  private static final Choosing RESUMED_LATER = new Choosing(List.of(LATER), false, false);
  private static final Running RUNNING = new Running(TURN, BOTH, false, false, false, false);
  private static final Running RUNNING_LATER = running(List.of(LATER));
  private static final Running RUNNING_STOPPED = running(List.of());
  private static final Running JOINED = new Running(TURN, BOTH, true, true, false, false);
  private static final Running ANSWERED = new Running(TURN, BOTH, false, true, true, false);
  private static final Running PROBING = new Running(PROBE, BOTH, false, false, false, false);
  private static final Running LAST = new Running(TURN, BOTH, false, false, false, true);
  private static final Parked PARKED = new Parked(BOTH, false, true);
  private static final Parked PARKED_LATER = new Parked(List.of(LATER), false, false);
  private static final Parked ASKING = new Parked(BOTH, true, false);
  private static final Closing CLOSING = new Closing();
  private static final Closed CLOSED = new Closed();
  private static final GivenUp GIVEN_UP = new GivenUp(false);
  private static final Gone GONE = new Gone();

  private static final List<AgentState> STATES =
      List.of(
          STARTING,
          STARTING_ANEW,
          IDLE,
          CHOOSING,
          CHOOSING_FRESH,
          RESUMED,
          RESUMED_ALONE,
          RESUMED_LATER,
          RUNNING,
          RUNNING_LATER,
          RUNNING_STOPPED,
          JOINED,
          ANSWERED,
          PROBING,
          LAST,
          PARKED,
          PARKED_LATER,
          ASKING,
          CLOSING,
          CLOSED,
          GIVEN_UP,
          GONE);

  private static final TurnBegun BEGUN = new TurnBegun(NEXT_TURN, BOTH);
  private static final TurnBegun BEGUN_PROBE = new TurnBegun(PROBE, BOTH);
  private static final TurnBegun BEGUN_LATER = new TurnBegun(NEXT_TURN, List.of(LATER));
  private static final TurnEnded DONE = new TurnEnded(TurnOutcome.DONE);
  private static final TurnEnded LEFT = new TurnEnded(TurnOutcome.LEFT);
  private static final TurnEnded AWAITS_MODEL = new TurnEnded(TurnOutcome.AWAITS_MODEL);
  private static final TurnEnded AWAITS_PERSON = new TurnEnded(TurnOutcome.AWAITS_PERSON);
  private static final StopSaid STOP = new StopSaid(PLACE);
  private static final Joined MORE = new Joined(List.of(LATER));

  private static final List<AgentEvent> EVENTS =
      List.of(
          new Started(),
          new WorkCame(),
          new ResetAsked(),
          new ResetDone(),
          new Resumed(true),
          new Resumed(false),
          new PersonAnswered(),
          STOP,
          BEGUN,
          BEGUN_PROBE,
          BEGUN_LATER,
          MORE,
          DONE,
          LEFT,
          AWAITS_MODEL,
          AWAITS_PERSON,
          new LoopRested(),
          new LoopCrashed(),
          new ThreadGivenUp(),
          new LeaveAsked(),
          new CloseAsked(false),
          new CloseAsked(true));

  private record Pair(AgentState state, AgentEvent event) {}

  private final Map<Pair, Move> moves = new LinkedHashMap<>();

  private void on(AgentEvent event, AgentState state, AgentState next, AgentEffect... effects) {
    moves.put(new Pair(state, event), new Move(next, effects));
  }

  /** What moves; in every other pair the event changes nothing. */
  private Map<Pair, Move> moves() {
    on(new Started(), STARTING, CHOOSING, new RunLoop());
    on(new Started(), STARTING_ANEW, CHOOSING_FRESH, new RunLoop());

    on(new WorkCame(), IDLE, CHOOSING, new RunLoop());

    on(new ResetAsked(), STARTING, STARTING_ANEW);
    on(new ResetAsked(), IDLE, CHOOSING_FRESH, new RunLoop());
    on(new ResetAsked(), CHOOSING, CHOOSING_FRESH);
    on(new ResetAsked(), RESUMED_LATER, new Choosing(List.of(LATER), false, true));
    on(new ResetAsked(), RUNNING, new Running(TURN, BOTH, false, true, false, false));
    on(
        new ResetAsked(),
        RUNNING_LATER,
        new Running(TURN, List.of(LATER), false, true, false, false));
    on(new ResetAsked(), RUNNING_STOPPED, new Running(TURN, List.of(), false, true, false, false));
    on(new ResetAsked(), LAST, new Running(TURN, BOTH, false, true, false, true));
    on(new ResetAsked(), PARKED_LATER, new Parked(List.of(LATER), false, true));
    on(new ResetAsked(), ASKING, new Parked(BOTH, true, true));
    on(new ResetAsked(), GIVEN_UP, new GivenUp(true));

    on(new ResetDone(), CHOOSING_FRESH, CHOOSING);
    on(new ResetDone(), RESUMED, new Choosing(BOTH, true, false));

    for (boolean probe : List.of(true, false)) {
      Choosing later = new Choosing(List.of(LATER), probe, false);
      on(new Resumed(probe), PARKED, new Choosing(BOTH, probe, true), new RunLoop());
      on(new Resumed(probe), PARKED_LATER, later, new RunLoop());
      on(new Resumed(probe), ASKING, new Choosing(BOTH, probe, false), new RunLoop());
    }

    on(new PersonAnswered(), RUNNING, new Running(TURN, BOTH, false, false, true, false));
    on(
        new PersonAnswered(),
        RUNNING_LATER,
        new Running(TURN, List.of(LATER), false, false, true, false));
    on(
        new PersonAnswered(),
        RUNNING_STOPPED,
        new Running(TURN, List.of(), false, false, true, false));
    on(new PersonAnswered(), JOINED, new Running(TURN, BOTH, true, true, true, false));
    on(new PersonAnswered(), LAST, new Running(TURN, BOTH, false, false, true, true));
    on(new PersonAnswered(), PARKED, new Choosing(BOTH, false, true), new RunLoop());
    on(new PersonAnswered(), PARKED_LATER, RESUMED_LATER, new RunLoop());
    on(new PersonAnswered(), ASKING, new Choosing(BOTH, false, false), new RunLoop());

    onStop();
    onTurns();
    onEnds();
    onProbes();
    return moves;
  }

  private void onStop() {
    StopTurn interrupt = new StopTurn(TURN, PLACE);
    End ends = new End(List.of(BEFORE));
    List<Incoming> after = List.of(AFTER);
    AwaitNothing waits = new AwaitNothing(BEFORE);
    List.of(
            STARTING,
            STARTING_ANEW,
            IDLE,
            CHOOSING,
            CHOOSING_FRESH,
            RUNNING_STOPPED,
            CLOSING,
            CLOSED,
            GIVEN_UP,
            GONE)
        .forEach(state -> on(STOP, state, state, new EndNext()));
    on(STOP, RESUMED, new Choosing(after, true, true), ends);
    on(STOP, RUNNING, running(after), interrupt, ends);
    on(STOP, JOINED, new Running(TURN, after, true, true, false, false), interrupt, ends);
    on(STOP, ANSWERED, new Running(TURN, after, false, true, true, false), interrupt, ends);
    on(STOP, LAST, new Running(TURN, after, false, false, false, true), interrupt, ends);
    on(STOP, PARKED, new Choosing(after, false, true), waits, ends, new RunLoop());
    on(STOP, ASKING, new Choosing(after, false, false), waits, ends, new RunLoop());
  }

  private void onTurns() {
    Running begun = new Running(NEXT_TURN, BOTH, false, false, false, false);
    Running begunFresh = new Running(NEXT_TURN, BOTH, false, true, false, false);
    on(BEGUN, CHOOSING, begun);
    on(BEGUN, CHOOSING_FRESH, begunFresh);
    on(BEGUN, RESUMED, begunFresh);
    on(BEGUN, RESUMED_LATER, begun);
    Running later = new Running(NEXT_TURN, List.of(LATER), false, false, false, false);
    on(BEGUN_LATER, CHOOSING, later);
    on(
        BEGUN_LATER,
        CHOOSING_FRESH,
        new Running(NEXT_TURN, List.of(LATER), false, true, false, false));
    on(BEGUN_LATER, RESUMED, new Running(NEXT_TURN, List.of(LATER), false, true, false, false));
    on(BEGUN_LATER, RESUMED_LATER, later);

    List<Incoming> all = List.of(BEFORE, AFTER, LATER);
    on(MORE, RUNNING, new Running(TURN, all, true, false, false, false));
    on(MORE, RUNNING_LATER, new Running(TURN, List.of(LATER, LATER), true, false, false, false));
    on(MORE, RUNNING_STOPPED, new Running(TURN, List.of(LATER), true, false, false, false));
    on(MORE, JOINED, new Running(TURN, all, true, true, false, false));
    on(MORE, ANSWERED, new Running(TURN, all, true, true, true, false));
    on(MORE, LAST, new Running(TURN, all, true, false, false, true));

    for (Running running : List.of(RUNNING, RUNNING_LATER, RUNNING_STOPPED)) {
      on(DONE, running, CHOOSING);
      on(LEFT, running, CHOOSING, new Reread());
    }
    on(DONE, JOINED, CHOOSING_FRESH, new Reread());
    on(LEFT, JOINED, CHOOSING_FRESH, new Reread());
    on(DONE, ANSWERED, CHOOSING_FRESH);
    on(LEFT, ANSWERED, CHOOSING_FRESH, new Reread());

    AwaitModel model = new AwaitModel(BEFORE);
    on(AWAITS_MODEL, RUNNING, new Parked(BOTH, false, false), model);
    on(AWAITS_MODEL, RUNNING_LATER, PARKED_LATER, new AwaitModel(LATER));
    on(AWAITS_MODEL, RUNNING_STOPPED, CHOOSING);
    on(AWAITS_MODEL, JOINED, PARKED, model);
    on(AWAITS_MODEL, ANSWERED, PARKED, model);
    on(AWAITS_PERSON, RUNNING, ASKING, new AwaitPerson());
    on(AWAITS_PERSON, RUNNING_LATER, new Parked(List.of(LATER), true, false), new AwaitPerson());
    on(AWAITS_PERSON, RUNNING_STOPPED, CHOOSING);
    on(AWAITS_PERSON, JOINED, new Parked(BOTH, true, true), new AwaitPerson());
    on(AWAITS_PERSON, ANSWERED, new Choosing(BOTH, false, true));
    for (TurnEnded ended : List.of(DONE, LEFT, AWAITS_MODEL, AWAITS_PERSON)) {
      on(ended, LAST, CLOSING);
    }
  }

  /** Whoever waits for what a probe finds out hears of each end that says nothing about it. */
  private void onProbes() {
    ProbeEnded ended = new ProbeEnded();
    List<Incoming> after = List.of(AFTER);
    on(BEGUN_PROBE, CHOOSING, PROBING);
    on(BEGUN_PROBE, CHOOSING_FRESH, new Running(PROBE, BOTH, false, true, false, false));
    on(BEGUN_PROBE, RESUMED, new Running(PROBE, BOTH, false, true, false, false));
    on(BEGUN_PROBE, RESUMED_ALONE, PROBING);
    on(BEGUN_PROBE, RESUMED_LATER, PROBING);
    Running begunFresh = new Running(NEXT_TURN, BOTH, false, true, false, false);
    on(BEGUN, RESUMED, begunFresh, ended); // no loop does that
    on(BEGUN, RESUMED_ALONE, new Running(NEXT_TURN, BOTH, false, false, false, false), ended);
    List<Incoming> later = List.of(LATER);
    on(BEGUN_LATER, RESUMED, new Running(NEXT_TURN, later, false, true, false, false), ended);
    on(
        BEGUN_LATER,
        RESUMED_ALONE,
        new Running(NEXT_TURN, later, false, false, false, false),
        ended);
    on(new ResetAsked(), RESUMED_ALONE, new Choosing(List.of(BEFORE), true, true));
    on(STOP, RESUMED_ALONE, CHOOSING, new End(List.of(BEFORE)), ended);
    on(
        STOP,
        PROBING,
        new Running(PROBE, after, false, false, false, false),
        new StopTurn(PROBE, PLACE),
        new End(List.of(BEFORE)));
    on(new ResetAsked(), PROBING, new Running(PROBE, BOTH, false, true, false, false));
    on(new PersonAnswered(), PROBING, new Running(PROBE, BOTH, false, false, true, false));
    on(MORE, PROBING, new Running(PROBE, List.of(BEFORE, AFTER, LATER), true, false, false, false));
    on(DONE, PROBING, CHOOSING, ended);
    on(LEFT, PROBING, CHOOSING, new Reread(), ended);
    on(AWAITS_MODEL, PROBING, new Parked(BOTH, false, false), new AwaitModel(BEFORE));
    on(AWAITS_PERSON, PROBING, ASKING, new AwaitPerson(), ended);
    AgentEffect[] again = {new Reread(), new RunLoopLater(), ended};
    on(new LoopCrashed(), RESUMED, STARTING_ANEW, again);
    on(new LoopCrashed(), RESUMED_ALONE, STARTING, again);
    on(new LoopCrashed(), PROBING, STARTING, again);
    on(new ThreadGivenUp(), PROBING, GIVEN_UP, new Reread(), ended);
    Running last = new Running(PROBE, BOTH, false, false, false, true);
    on(new CloseAsked(false), PROBING, last);
    on(new CloseAsked(true), PROBING, last, new CutOff(PROBE));
    for (boolean now : List.of(true, false)) {
      on(new CloseAsked(now), RESUMED, CLOSING, ended);
      on(new CloseAsked(now), RESUMED_ALONE, CLOSING, ended);
    }
  }

  private void onEnds() {
    on(new LoopRested(), CHOOSING, IDLE);
    on(new LoopRested(), CLOSING, CLOSED);

    AgentEffect[] again = {new Reread(), new RunLoopLater()};
    List.of(CHOOSING, RESUMED_LATER, RUNNING, RUNNING_LATER, RUNNING_STOPPED)
        .forEach(state -> on(new LoopCrashed(), state, STARTING, again));
    List.of(CHOOSING_FRESH, RESUMED, JOINED, ANSWERED)
        .forEach(state -> on(new LoopCrashed(), state, STARTING_ANEW, again));
    on(new LoopCrashed(), LAST, CLOSED);
    on(new LoopCrashed(), CLOSING, CLOSED);

    List.of(RUNNING, RUNNING_LATER, RUNNING_STOPPED, LAST)
        .forEach(state -> on(new ThreadGivenUp(), state, GIVEN_UP, new Reread()));
    List.of(JOINED, ANSWERED)
        .forEach(state -> on(new ThreadGivenUp(), state, new GivenUp(true), new Reread()));

    on(new LeaveAsked(), IDLE, GONE, new Reread());

    for (boolean now : List.of(true, false)) {
      AgentEffect[] cut = now ? new AgentEffect[] {new CutOff(TURN)} : new AgentEffect[] {};
      for (Running running : List.of(RUNNING, RUNNING_LATER, RUNNING_STOPPED, JOINED, ANSWERED)) {
        Running last =
            new Running(
                TURN, running.batch(), running.joined(), running.reset(), running.answered(), true);
        on(new CloseAsked(now), running, last, cut);
      }
      on(new CloseAsked(now), LAST, LAST, cut);
      List.of(CHOOSING, CHOOSING_FRESH, RESUMED, RESUMED_LATER)
          .forEach(state -> on(new CloseAsked(now), state, CLOSING));
      List.of(STARTING, STARTING_ANEW, IDLE, PARKED, PARKED_LATER, ASKING)
          .forEach(state -> on(new CloseAsked(now), state, CLOSED));
    }
  }

  @TestFactory
  Stream<DynamicTest> everyEventInEveryState() {
    Map<Pair, Move> expected = moves();
    List<DynamicTest> tests = new ArrayList<>();
    for (AgentState state : STATES) {
      for (AgentEvent event : EVENTS) {
        Move move = expected.getOrDefault(new Pair(state, event), new Move(state));
        tests.add(
            DynamicTest.dynamicTest(
                STATES.indexOf(state) + " " + state.getClass().getSimpleName() + ", " + name(event),
                () -> assertThat(AgentMoves.next(state, event)).isEqualTo(move)));
      }
    }
    return tests.stream();
  }

  @Test
  void noStateAndNoEventIsLeftOut() {
    assertThat(STATES.stream().map(Object::getClass).distinct())
        .hasSameSizeAs(AgentState.class.getPermittedSubclasses());
    assertThat(EVENTS.stream().map(Object::getClass).distinct())
        .hasSameSizeAs(AgentEvent.class.getPermittedSubclasses());
  }

  private static String name(AgentEvent event) {
    return event.getClass().getSimpleName()
        + (event instanceof TurnEnded(TurnOutcome outcome) ? " " + outcome : "");
  }

  private static Running running(List<Incoming> batch) {
    return new Running(TURN, batch, false, false, false, false);
  }

  static RunningTurn turn() {
    return turn(false);
  }

  private static RunningTurn turn(boolean probe) {
    ManualTime time = new ManualTime();
    return new RunningTurn(List.of(), probe, new Epoch(time), time, _ -> {});
  }

  static Incoming incoming(long seq) {
    return Incoming.of(
        new Event(
            seq,
            "e" + seq,
            "web:main",
            "web:main:t",
            "k" + seq,
            "",
            Instant.EPOCH,
            EventState.PENDING,
            0,
            false,
            0));
  }
}
