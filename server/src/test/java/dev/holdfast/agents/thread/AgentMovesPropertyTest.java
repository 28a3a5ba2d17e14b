package dev.holdfast.agents.thread;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.context.Incoming;
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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

/** Whatever happens in whatever order: what the moves of a thread agent never do. */
class AgentMovesPropertyTest {
  /** What may happen, by whoever. */
  enum Step {
    MESSAGE,
    START,
    BEGIN,
    BEGIN_TWO,
    END,
    END_AWAITING_MODEL,
    END_AWAITING_PERSON,
    JOIN,
    RESUME,
    ANSWER,
    STOP_HERE,
    STOP_EARLIER,
    WRITE_STOP,
    RESET,
    CRASH,
    GIVE_UP,
    LEAVE,
    CLOSE
  }

  @Property(tries = 3000)
  void nothingIsLostAndNothingRunsThatWasStopped(@ForAll @Size(max = 60) List<Step> steps) {
    World world = new World();
    steps.forEach(world::step);
    world.settle();
  }

  /** The loop, the disk and the stoppers around the moves; it checks each of them. */
  private static final class World {
    private AgentState state = new Starting(false);
    private boolean mayStart = true;
    private boolean loopRuns;
    private long newest;

    /** What is open on disk. */
    private final TreeMap<Long, Incoming> open = new TreeMap<>();

    /** What stops have promised to end, and the writes of that which are still to come. */
    private final Set<Incoming> stopped = new HashSet<>();

    private final Deque<List<Incoming>> unwritten = new ArrayDeque<>();

    /** The turn that runs: its events, and up to where a stop has interrupted it. */
    private List<Incoming> turn = List.of();

    private long interruptedUpTo;
    private long stopPlace;
    private boolean awaited;

    void step(Step step) {
      switch (step) {
        case MESSAGE -> {
          newest += 2;
          open.put(newest, AgentMovesTest.incoming(newest));
          on(new AgentEvent.WorkCame());
        }
        case START -> {
          if (mayStart) {
            mayStart = false;
            on(new AgentEvent.Started());
          }
        }
        case BEGIN -> begin(1);
        case BEGIN_TWO -> begin(2);
        case END -> end();
        case END_AWAITING_MODEL -> await(TurnOutcome.AWAITS_MODEL);
        case END_AWAITING_PERSON -> await(TurnOutcome.AWAITS_PERSON);
        case JOIN -> join();
        case RESUME -> on(new AgentEvent.Resumed(false));
        case ANSWER -> on(new AgentEvent.PersonAnswered());
        case STOP_HERE -> stop(newest + 1);
        case STOP_EARLIER -> stop(newest - 1);
        case WRITE_STOP -> writeStop();
        case RESET -> on(new AgentEvent.ResetAsked());
        case CRASH -> crash();
        case GIVE_UP -> giveUp();
        case LEAVE -> {
          if (open.isEmpty()) {
            on(new AgentEvent.LeaveAsked());
          }
        }
        case CLOSE -> on(new AgentEvent.CloseAsked(false));
      }
    }

    private void begin(int most) {
      if (!loopRuns) {
        return;
      }
      if (state instanceof Choosing choosing && choosing.reset()) {
        on(new AgentEvent.ResetDone());
      }
      List<Incoming> batch =
          state.inHand().isEmpty() ? waiting().stream().limit(most).toList() : state.inHand();
      if (state instanceof Choosing && !batch.isEmpty()) {
        turn = batch;
        interruptedUpTo = 0;
        on(new AgentEvent.TurnBegun(AgentMovesTest.turn(), batch));
      } else if (!(state instanceof Running)) {
        on(new AgentEvent.LoopRested());
        loopRuns = state.isBusy();
      }
    }

    /** What the mailbox gives out: nothing while a stop is written. */
    private List<Incoming> waiting() {
      return unwritten.isEmpty() ? List.copyOf(open.values()) : List.of();
    }

    private void stop(long place) {
      stopPlace = place;
      on(new AgentEvent.StopSaid(place));
    }

    /** As the loop does: a turn that was interrupted ends what came up to the stop. */
    private void end() {
      if (!(state instanceof Running)) {
        return;
      }
      List<Incoming> ends =
          interruptedUpTo == 0
              ? turn
              : turn.stream().filter(one -> one.seq() <= interruptedUpTo).toList();
      ends.forEach(one -> open.remove(one.seq()));
      on(
          new AgentEvent.TurnEnded(
              ends.size() == turn.size() ? TurnOutcome.DONE : TurnOutcome.LEFT));
      turn = List.of();
    }

    /** A turn that was interrupted by a stop does not come to wait. */
    private void await(TurnOutcome outcome) {
      if (state instanceof Running && interruptedUpTo == 0) {
        on(new AgentEvent.TurnEnded(outcome));
        turn = List.of();
        loopRuns = state.isBusy();
      }
    }

    private void join() {
      List<Incoming> more = waiting().stream().filter(one -> !turn.contains(one)).limit(1).toList();
      if (state instanceof Running && interruptedUpTo == 0 && !more.isEmpty()) {
        turn = new ArrayList<>(turn);
        turn.addAll(more);
        on(new AgentEvent.Joined(more));
      }
    }

    private void writeStop() {
      List<Incoming> events = unwritten.poll();
      if (events != null) {
        events.forEach(one -> open.remove(one.seq()));
        if (!waiting().isEmpty()) {
          on(new AgentEvent.WorkCame());
        }
      }
    }

    private void crash() {
      if (loopRuns) {
        loopRuns = false;
        turn = List.of();
        on(new AgentEvent.LoopCrashed());
      }
    }

    private void giveUp() {
      if (state instanceof Running) {
        on(new AgentEvent.ThreadGivenUp());
        loopRuns = false;
      }
    }

    private void on(AgentEvent event) {
      AgentState before = state;
      AgentMoves.Move move = AgentMoves.next(state, event);
      state = move.next();
      move.effects().forEach(this::carryOut);
      check(before);
    }

    private void carryOut(AgentEffect effect) {
      switch (effect) {
        case AgentEffect.RunLoop() -> {
          assertThat(loopRuns).as("a second loop").isFalse();
          loopRuns = true;
        }
        case AgentEffect.RunLoopLater() -> mayStart = true;
        case AgentEffect.StopTurn(RunningTurn _, long place) ->
            interruptedUpTo = Math.max(interruptedUpTo, place);
        case AgentEffect.End(List<Incoming> events) -> write(events);
        case AgentEffect.EndNext() ->
            write(
                open.values().stream()
                    .filter(one -> one.seq() <= stopPlace && !stopped.contains(one))
                    .limit(1)
                    .toList());
        case AgentEffect.AwaitModel(Incoming head) -> {
          assertThat(((Parked) state).batch()).startsWith(head);
          awaited = true;
        }
        case AgentEffect.AwaitPerson() -> awaited = true;
        case AgentEffect.AwaitNothing(_) -> awaited = false;
        case AgentEffect.Reread(), AgentEffect.CutOff(_), AgentEffect.ProbeEnded() -> {}
      }
    }

    private void write(List<Incoming> events) {
      stopped.addAll(events);
      unwritten.add(events);
    }

    private void check(AgentState before) {
      if (before instanceof Gone || before instanceof Closed || before instanceof GivenUp) {
        assertThat(state).hasSameClassAs(before);
      }
      if (state instanceof Parked) {
        assertThat(awaited).as("somebody resumes what is parked").isTrue();
      }
      if (state instanceof Running running) {
        assertThat(running.batch()).as("stopped, and served").noneMatch(stopped::contains);
        assertThat(turn).as("of the turn that runs").containsAll(running.batch());
      }
      if (state.isBusy()) {
        assertThat(loopRuns).as("a busy agent without a loop").isTrue();
      }
      for (Incoming one : state.inHand()) {
        assertThat(open.containsKey(one.seq()) || stopped.contains(one)).isTrue();
      }
    }

    /** With time all that was accepted has ended, or waits on disk for another agent. */
    void settle() {
      for (int round = 0; round < 200 && !isSettled(); round++) {
        step(Step.WRITE_STOP);
        step(Step.START);
        step(Step.RESUME);
        step(Step.BEGIN);
        step(Step.END);
        if (state instanceof Idle && !open.isEmpty()) {
          on(new AgentEvent.WorkCame());
        }
      }
      assertThat(isSettled()).as("still %s with %s", state, open).isTrue();
    }

    private boolean isSettled() {
      return switch (state) {
        case Idle() -> open.isEmpty() && unwritten.isEmpty();
        case Closed(), Gone(), GivenUp(_) -> true;
        case Starting _, Choosing _, Running _, Parked _, Closing() -> false;
      };
    }
  }
}
