package dev.holdfast.agents.thread;

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
import dev.holdfast.agents.thread.AgentState.Choosing;
import dev.holdfast.agents.thread.AgentState.Closed;
import dev.holdfast.agents.thread.AgentState.Closing;
import dev.holdfast.agents.thread.AgentState.GivenUp;
import dev.holdfast.agents.thread.AgentState.Gone;
import dev.holdfast.agents.thread.AgentState.Idle;
import dev.holdfast.agents.thread.AgentState.Parked;
import dev.holdfast.agents.thread.AgentState.Running;
import dev.holdfast.agents.thread.AgentState.Starting;
import java.util.List;
import java.util.stream.Stream;

/**
 * A thread agent's rules as one pure function, so that a test can try every event in every state.
 */
final class AgentMoves {
  private AgentMoves() {}

  /** Where an event leads, and what is to be done about it, in this order. */
  record Move(AgentState next, List<AgentEffect> effects) {
    Move(AgentState next, AgentEffect... effects) {
      this(next, List.of(effects));
    }
  }

  static Move next(AgentState state, AgentEvent event) {
    Move move = decide(state, event);
    boolean awaitsModel = move.next() instanceof Parked parked && !parked.asks();
    return state.probes() && !move.next().probes() && !awaitsModel
        ? new Move(
            move.next(),
            Stream.concat(move.effects().stream(), Stream.of(new ProbeEnded())).toList())
        : move;
  }

  private static Move decide(AgentState state, AgentEvent event) {
    return switch (event) {
      case Started() -> started(state);
      case WorkCame() -> workCame(state);
      case ResetAsked() -> resetAsked(state);
      case ResetDone() -> resetDone(state);
      case Resumed(boolean probe) -> resumed(state, probe);
      case PersonAnswered() -> personAnswered(state);
      case StopSaid(long place) -> stopSaid(state, place);
      case TurnBegun begun -> turnBegun(state, begun);
      case Joined(List<Incoming> more) -> joined(state, more);
      case TurnEnded(TurnOutcome outcome) -> turnEnded(state, outcome);
      case LoopRested() -> loopRested(state);
      case LoopCrashed() -> loopCrashed(state);
      case ThreadGivenUp() -> threadGivenUp(state);
      case LeaveAsked() -> leaveAsked(state);
      case CloseAsked(boolean now) -> closeAsked(state, now);
    };
  }

  private static Move started(AgentState state) {
    return switch (state) {
      case Starting(boolean reset) -> new Move(Choosing.fromMailbox(reset), new RunLoop());
      case Idle _, Choosing _, Running _, Parked _ -> new Move(state);
      case Closing _, Closed _, GivenUp _, Gone _ -> new Move(state);
    };
  }

  private static Move workCame(AgentState state) {
    return switch (state) {
      case Idle() -> new Move(Choosing.fromMailbox(false), new RunLoop());
      case Choosing _, Running _, Closing _ -> new Move(state); // the loop comes to it
      case Starting _, Parked _ -> new Move(state); // it waits its turn
      case Closed _, GivenUp _, Gone _ -> new Move(state); // it waits on disk
    };
  }

  private static Move resetAsked(AgentState state) {
    return switch (state) {
      case Starting _ -> new Move(new Starting(true));
      case Idle() -> new Move(Choosing.fromMailbox(true), new RunLoop());
      case Choosing(List<Incoming> batch, boolean probe, _) ->
          new Move(new Choosing(batch, probe, true));
      case Running(var turn, var batch, boolean joined, _, boolean answered, boolean closing) ->
          new Move(new Running(turn, batch, joined, true, answered, closing));
      case Parked(List<Incoming> batch, boolean asks, _) -> new Move(new Parked(batch, asks, true));
      case GivenUp _ -> new Move(new GivenUp(true)); // for its successor
      case Closing _, Closed _, Gone _ -> new Move(state);
    };
  }

  private static Move resetDone(AgentState state) {
    return switch (state) {
      case Choosing(List<Incoming> batch, boolean probe, _) ->
          new Move(new Choosing(batch, probe, false));
      case Starting _, Idle _, Running _, Parked _ -> new Move(state);
      case Closing _, Closed _, GivenUp _, Gone _ -> new Move(state);
    };
  }

  private static Move resumed(AgentState state, boolean probe) {
    return switch (state) {
      case Parked(List<Incoming> batch, _, boolean reset) ->
          new Move(new Choosing(batch, probe, reset), new RunLoop());
      case Starting _, Idle _, Choosing _, Running _ -> new Move(state);
      case Closing _, Closed _, GivenUp _, Gone _ -> new Move(state);
    };
  }

  /** A turn that is only about to wait for the answer must not miss it. */
  private static Move personAnswered(AgentState state) {
    return switch (state) {
      case Running(var turn, var batch, boolean joined, boolean reset, _, boolean closing) ->
          new Move(new Running(turn, batch, joined, reset, true, closing));
      case Parked _ -> resumed(state, false);
      case Starting _, Idle _, Choosing _ -> new Move(state);
      case Closing _, Closed _, GivenUp _, Gone _ -> new Move(state);
    };
  }

  /**
   * Of a turn in hand only what came up to the place is touched: if it has messages on both sides
   * of it, those behind it get another turn. Where no turn is in hand, or only one that an earlier
   * stop has ended as a whole, disk says what comes next.
   */
  private static Move stopSaid(AgentState state, long place) {
    List<Incoming> before = upTo(place, state.inHand());
    List<Incoming> after = after(place, state.inHand());
    return switch (state) {
      case Choosing choosing when choosing.batch().isEmpty() -> new Move(state, new EndNext());
      case Running running when running.batch().isEmpty() -> new Move(state, new EndNext());
      case Choosing _, Running _, Parked _ when before.isEmpty() -> new Move(state);
      case Choosing(_, boolean probe, boolean reset) ->
          new Move(new Choosing(after, probe && !after.isEmpty(), reset), new End(before));
      case Running(var turn, _, boolean joined, boolean reset, boolean answered, var closing) ->
          new Move(
              new Running(turn, after, joined, reset, answered, closing),
              new StopTurn(turn, place),
              new End(before));
      case Parked(List<Incoming> batch, _, boolean reset) ->
          new Move(
              new Choosing(after, false, reset),
              new AwaitNothing(batch.getFirst()),
              new End(before),
              new RunLoop());
      case Starting _, Idle _, Closing _, Closed _, GivenUp _, Gone _ ->
          new Move(state, new EndNext());
    };
  }

  private static Move turnBegun(AgentState state, TurnBegun begun) {
    return switch (state) {
      case Choosing(_, _, boolean reset) ->
          new Move(new Running(begun.turn(), begun.batch(), false, reset, false, false));
      case Starting _, Idle _, Running _, Parked _ -> new Move(state);
      case Closing _, Closed _, GivenUp _, Gone _ -> new Move(state);
    };
  }

  private static Move joined(AgentState state, List<Incoming> more) {
    return switch (state) {
      case Running(var turn, var batch, _, boolean reset, boolean answered, boolean closing) ->
          new Move(
              new Running(
                  turn,
                  Stream.concat(batch.stream(), more.stream()).toList(),
                  true,
                  reset,
                  answered,
                  closing));
      case Starting _, Idle _, Choosing _, Parked _ -> new Move(state);
      case Closing _, Closed _, GivenUp _, Gone _ -> new Move(state);
    };
  }

  private static Move turnEnded(AgentState state, TurnOutcome outcome) {
    return switch (state) {
      case Running running when running.closing() -> new Move(new Closing());
      case Running running ->
          switch (outcome) {
            case DONE -> // what joined it may have been left out of its end: disk knows
                running.joined() ? nextTurn(running, new Reread()) : nextTurn(running);
            case LEFT -> nextTurn(running, new Reread());
            case AWAITS_MODEL, AWAITS_PERSON -> wait(running, outcome);
          };
      case Starting _, Idle _, Choosing _, Parked _ -> new Move(state);
      case Closing _, Closed _, GivenUp _, Gone _ -> new Move(state);
    };
  }

  private static Move nextTurn(Running running, AgentEffect... effects) {
    return new Move(Choosing.fromMailbox(running.reset()), effects);
  }

  private static Move wait(Running running, TurnOutcome outcome) {
    boolean asks = outcome == TurnOutcome.AWAITS_PERSON;
    List<Incoming> batch = running.batch();
    if (batch.isEmpty()) {
      return nextTurn(running); // stopped in the same moment
    }
    if (asks && running.answered()) {
      return new Move(new Choosing(batch, false, running.reset()));
    }
    AgentEffect await = asks ? new AwaitPerson() : new AwaitModel(batch.getFirst());
    return new Move(new Parked(batch, asks, running.reset()), await);
  }

  private static Move loopRested(AgentState state) {
    return switch (state) {
      case Choosing(List<Incoming> batch, _, boolean reset) ->
          new Move(batch.isEmpty() && !reset ? new Idle() : state);
      case Closing() -> new Move(new Closed());
      case Starting _, Idle _, Running _, Parked _ -> new Move(state);
      case Closed _, GivenUp _, Gone _ -> new Move(state);
    };
  }

  /** It begins again from what is on disk, after a pause. */
  private static Move loopCrashed(AgentState state) {
    return switch (state) {
      case Choosing(_, _, boolean reset) -> beginAgain(reset);
      case Running running when running.closing() -> new Move(new Closed());
      case Running running -> beginAgain(running.reset());
      case Closing() -> new Move(new Closed());
      // The crash came after the turn was parked or the loop at its end.
      case Starting _, Idle _, Parked _ -> new Move(state);
      case Closed _, GivenUp _, Gone _ -> new Move(state);
    };
  }

  private static Move beginAgain(boolean reset) {
    return new Move(new Starting(reset), new Reread(), new RunLoopLater());
  }

  private static Move threadGivenUp(AgentState state) {
    return switch (state) {
      case Running running -> new Move(new GivenUp(running.reset()), new Reread());
      case Starting _, Idle _, Choosing _, Parked _ -> new Move(state);
      case Closing _, Closed _, GivenUp _, Gone _ -> new Move(state);
    };
  }

  private static Move leaveAsked(AgentState state) {
    return switch (state) {
      case Idle() -> new Move(new Gone(), new Reread()); // it takes nothing in any more
      case Starting _, Choosing _, Running _, Parked _ -> new Move(state);
      case Closing _, Closed _, GivenUp _, Gone _ -> new Move(state);
    };
  }

  private static Move closeAsked(AgentState state, boolean now) {
    return switch (state) {
      case Running(var turn, var batch, boolean joined, boolean reset, boolean answered, _) -> {
        Running last = new Running(turn, batch, joined, reset, answered, true);
        yield now ? new Move(last, new CutOff(turn)) : new Move(last);
      }
      case Choosing _ -> new Move(new Closing());
      case Starting _, Idle _, Parked _ -> new Move(new Closed());
      case Closing _, Closed _, GivenUp _, Gone _ -> new Move(state);
    };
  }

  private static List<Incoming> upTo(long place, List<Incoming> events) {
    return events.stream().filter(incoming -> incoming.seq() <= place).toList();
  }

  private static List<Incoming> after(long place, List<Incoming> events) {
    return events.stream().filter(incoming -> incoming.seq() > place).toList();
  }
}
