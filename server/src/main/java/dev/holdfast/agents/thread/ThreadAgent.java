package dev.holdfast.agents.thread;

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
import dev.holdfast.agents.thread.AgentState.Choosing;
import dev.holdfast.agents.thread.AgentState.GivenUp;
import dev.holdfast.agents.thread.AgentState.Gone;
import dev.holdfast.agents.thread.AgentState.Idle;
import dev.holdfast.agents.thread.AgentState.Running;
import dev.holdfast.agents.thread.AgentState.Starting;
import dev.holdfast.agents.turn.RunningTurn;
import dev.holdfast.agents.turn.RunningTurn.Cancel;
import dev.holdfast.agents.turn.ThreadsConfig.WhileBusy;
import dev.holdfast.agents.turn.TurnEndings;
import dev.holdfast.agents.turn.TurnResources;
import dev.holdfast.supervision.Fatal;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves one chat thread: one verticle on a virtual thread, one mailbox, one loop, one turn at a
 * time. {@link AgentMoves} says what each event does in each state; here is the loop, and what the
 * moves ask for is done. The lock guards state and mailbox; the conversation belongs to the loop
 * alone. No error leaves it.
 */
public final class ThreadAgent extends VerticleBase {
  private static final Logger LOG = LoggerFactory.getLogger(ThreadAgent.class);
  private static final Duration RESTART_PAUSE = Duration.ofSeconds(1);

  /** Who looks after agents. Called without the agent's lock, except where it says otherwise. */
  public interface Keeper {
    /**
     * Whether nothing of the thread may begin for now; {@link #refresh} tells when it may. Called
     * under the agent's lock too.
     */
    boolean isHeld(String threadId);

    /** The agent may have nothing to do for now. */
    void settled(ThreadAgent agent);

    /** The thread of its turn has not reacted to its interrupt in time. */
    void deaf(ThreadAgent agent, RunningTurn turn);
  }

  private final String threadId;
  private final TurnResources resources;
  private final AgentHost host;
  private final Keeper keeper;
  private final Epoch epoch;
  private final TurnEndings endings;
  private final TurnExecutor turns;
  private final Object lock = new Object();
  private final Mailbox mailbox;
  private AgentState state = new Starting(false);
  private Instant since;
  private @Nullable Context loop;

  /** Until it has; used by the loop alone. */
  private boolean looksForOldCommands = true;

  /** {@code endings}: its own are the same, but within its epoch. */
  public ThreadAgent(
      String threadId,
      TurnResources resources,
      TurnEndings endings,
      TurnLimits limits,
      AgentHost host,
      Keeper keeper) {
    this.threadId = threadId;
    this.resources = resources;
    this.host = host;
    this.keeper = keeper;
    this.epoch = new Epoch(resources.time());
    this.endings = endings.within(epoch);
    this.turns =
        new TurnExecutor(threadId, resources, this.endings, limits, host, this::joinRunning);
    this.mailbox =
        new Mailbox(
            resources.config().threads().mailbox(),
            limits.mailboxes(),
            () -> keeper.isHeld(threadId));
    this.since = resources.time().now();
  }

  public String threadId() {
    return threadId;
  }

  /** Its name to Vert.x; empty until it has started. */
  public Optional<String> deployment() {
    synchronized (lock) {
      return Optional.ofNullable(loop).map(Context::deploymentID);
    }
  }

  @Override
  public Future<?> start() {
    synchronized (lock) {
      loop = context;
      move(new AgentEvent.Started());
    }
    return Future.succeededFuture();
  }

  /** False when this agent is gone. Never blocks. */
  public boolean offer(Incoming incoming) {
    synchronized (lock) {
      if (state.inHand().stream().noneMatch(mine -> mine.seq() == incoming.seq())) {
        mailbox.offer(incoming);
      }
      return wake();
    }
  }

  /** Looks on disk again, for events that came back. False when this agent is gone. */
  public boolean refresh() {
    synchronized (lock) {
      mailbox.reread();
      return wake();
    }
  }

  private boolean wake() {
    if (!mailbox.hasNothingToGiveOut()) {
      move(new AgentEvent.WorkCame());
    }
    return !(state instanceof Gone);
  }

  /** Starts a fresh context before the next turn. False when this agent is gone. */
  public boolean reset() {
    synchronized (lock) {
      move(new AgentEvent.ResetAsked());
      return !(state instanceof Gone);
    }
  }

  /** Whether somebody wanted a fresh context of an agent that was given up. */
  public boolean leavesReset() {
    synchronized (lock) {
      return state instanceof GivenUp(boolean reset) && reset;
    }
  }

  /**
   * Goes on with the parked turn; {@code probe}: to find out whether a model is back. False when
   * none is parked.
   */
  public boolean resume(boolean probe) {
    synchronized (lock) {
      AgentState before = state;
      move(new AgentEvent.Resumed(probe));
      return state != before;
    }
  }

  /** A person has answered: the turn that asked goes on, also when it is only about to wait. */
  public void answered() {
    synchronized (lock) {
      move(new AgentEvent.PersonAnswered());
    }
  }

  /**
   * Somebody said stop when the inbox had come to {@code place}. Interrupts the turn in hand, if
   * one is and has messages from before. Returns those, which are to be ended on disk while the
   * thread is held; empty when no turn is in hand, but for one that was stopped before: then disk
   * says what the next one is about. Never blocks.
   */
  public Optional<List<Incoming>> stop(long place) {
    synchronized (lock) {
      List<AgentEffect> asked = move(new AgentEvent.StopSaid(place));
      return asked.contains(new EndNext())
          ? Optional.empty()
          : Optional.of(
              asked.stream()
                  .flatMap(
                      effect -> effect instanceof End end ? end.events().stream() : Stream.empty())
                  .toList());
    }
  }

  /** Ends the running turn at its next checkpoint; nothing starts any more. */
  public void shutdown() {
    synchronized (lock) {
      move(new AgentEvent.CloseAsked(true));
    }
  }

  /** Nothing new starts; a turn that runs may end. True when nothing runs. */
  public boolean quiesce() {
    synchronized (lock) {
      move(new AgentEvent.CloseAsked(false));
      return !state.isBusy();
    }
  }

  /** Leaves if there is nothing to do. */
  public boolean retire() {
    synchronized (lock) {
      if (mailbox.hasNothingToGiveOut() && !keeper.isHeld(threadId)) {
        move(new AgentEvent.LeaveAsked());
      }
      return state instanceof Gone;
    }
  }

  /** Since when it has been idle; empty while it is not. */
  public Optional<Instant> idleSince() {
    synchronized (lock) {
      boolean isIdle =
          state instanceof Idle && mailbox.hasNothingToGiveOut() && !keeper.isHeld(threadId);
      return isIdle ? Optional.of(since) : Optional.empty();
    }
  }

  public ThreadView view() {
    synchronized (lock) {
      String doing = state instanceof Running ? turns.doing() : state.words();
      String eventId = state.inHand().isEmpty() ? "" : state.inHand().getLast().id();
      return new ThreadView(threadId, doing, since, mailbox.size(), eventId);
    }
  }

  /** The turn that runs, if one does. */
  public Optional<RunningTurn> running() {
    synchronized (lock) {
      return state instanceof Running running ? Optional.of(running.turn()) : Optional.empty();
    }
  }

  /**
   * Gives up the thread that runs this turn: nothing that it does counts from here on, and its
   * events are to be ended before this agent is replaced. False when it is over, or writes.
   */
  boolean giveUp(RunningTurn turn) {
    synchronized (lock) {
      boolean isOurs = state instanceof Running running && running.turn() == turn;
      if (!isOurs || !epoch.end()) {
        return false;
      }
      move(new AgentEvent.ThreadGivenUp());
      return true;
    }
  }

  /** Under the lock. Does what a move asks for, but what blocks: that is left to the caller. */
  private List<AgentEffect> move(AgentEvent event) {
    AgentMoves.Move move = AgentMoves.next(state, event);
    if (move.next().getClass() != state.getClass()) {
      since = resources.time().now();
    }
    state = move.next();
    move.effects().forEach(this::carryOut);
    return move.effects();
  }

  private void carryOut(AgentEffect effect) {
    switch (effect) {
      case RunLoop() -> runLoop();
      case RunLoopLater() -> resources.time().after(RESTART_PAUSE, this::restart);
      case Reread() -> mailbox.reread();
      case StopTurn(RunningTurn turn, long place) -> turn.stop(place);
      case CutOff(RunningTurn turn) -> turn.cancel(Cancel.SHUTDOWN);
      case AwaitModel(Incoming head) -> host.parked(head, turns.waitsSince(), turns.trials());
      case AwaitPerson() -> host.asked(threadId, turns.askedUntil());
      case ProbeEnded() -> host.probeEnded(threadId);
      case AwaitNothing(Incoming head) -> host.gone(head);
      case End(_), EndNext() -> {} // it blocks: the stopper does it, and counts
    }
  }

  private void runLoop() {
    Context context = loop;
    if (context != null) {
      context.runOnContext(_ -> drain());
    }
  }

  private void restart() {
    synchronized (lock) {
      move(new AgentEvent.Started());
    }
  }

  /** What the loop throws is a bug or a failure to read: it begins again from what is on disk. */
  private void drain() {
    try {
      drainAll();
    } catch (RuntimeException | Error e) {
      Fatal.check(e);
      if (epoch.isOver()) {
        LOG.warn("thread {}: an abandoned Java thread came back ({})", threadId, e.toString());
        return;
      }
      LOG.error("thread {}: its loop crashed and will restart soon", threadId, e);
      endings.countRestart();
      synchronized (lock) {
        move(new AgentEvent.LoopCrashed());
      }
    }
    keeper.settled(this);
  }

  /** The one loop: commands first, then one turn after the other until there is nothing to do. */
  private void drainAll() {
    while (true) {
      resetIfAsked();
      refill();
      runCommands();
      Optional<RunningTurn> turn = begin();
      if (turn.isPresent()) {
        end(turns.serve(turn.get()));
      }
      if (rests()) {
        return;
      }
    }
  }

  private void resetIfAsked() {
    boolean asked;
    synchronized (lock) {
      asked = state instanceof Choosing choosing && choosing.reset();
    }
    if (asked) {
      turns.resetIfPossible();
      synchronized (lock) {
        move(new AgentEvent.ResetDone());
      }
    }
  }

  private void refill() {
    boolean wanted;
    synchronized (lock) {
      wanted = choosesFromMailbox() && mailbox.wantsRefill();
      if (wanted) {
        mailbox.beginRefill();
      }
    }
    if (wanted) {
      Backlog backlog = Backlog.read(resources.store().inbox(), threadId, mailbox.capacity());
      synchronized (lock) {
        mailbox.refill(backlog.events(), backlog.complete());
      }
      obeyOldCommands(backlog);
    }
  }

  /**
   * After a start they may wait behind more messages than the mailbox holds, and none of those may
   * begin before. Later ones are handed over as they come.
   */
  private void obeyOldCommands(Backlog backlog) {
    if (looksForOldCommands) {
      backlog.commands(resources.store().inbox(), threadId, host::obey);
      looksForOldCommands = false;
    }
  }

  /** Before any message: what was said to the server must not come after what it is about. */
  private void runCommands() {
    for (Optional<Incoming> next = command(); next.isPresent(); next = command()) {
      host.obey(next.get());
    }
  }

  private Optional<Incoming> command() {
    synchronized (lock) {
      return state instanceof Choosing ? mailbox.takeOvertaking() : Optional.empty();
    }
  }

  /** The batch in hand goes first, then what waits. Empty when nothing is to begin. */
  private Optional<RunningTurn> begin() {
    synchronized (lock) {
      if (!(state instanceof Choosing choosing)) {
        return Optional.empty();
      }
      boolean collect = resources.config().threads().whileBusy() == WhileBusy.COLLECT;
      List<Incoming> batch =
          choosesFromMailbox()
              ? light(mailbox.take(incoming -> collect && incoming.canJoin()))
              : choosing.batch();
      if (batch.isEmpty()) {
        return Optional.empty();
      }
      RunningTurn turn =
          new RunningTurn(
              batch, choosing.probe(), epoch, resources.time(), deaf -> keeper.deaf(this, deaf));
      move(new AgentEvent.TurnBegun(turn, batch));
      return Optional.of(turn);
    }
  }

  /** Its turn reads what was said again, once there is room for it. */
  private static List<Incoming> light(List<Incoming> batch) {
    return batch.stream().map(Incoming::light).toList();
  }

  private boolean choosesFromMailbox() {
    return state instanceof Choosing choosing && choosing.batch().isEmpty();
  }

  private void end(TurnOutcome outcome) {
    synchronized (lock) {
      epoch.check();
      move(new AgentEvent.TurnEnded(outcome));
    }
  }

  /** Whether the loop is at its end: nothing to do, or its turn waits for something. */
  private boolean rests() {
    synchronized (lock) {
      if (mailbox.hasNothingToGiveOut() || !(state instanceof Choosing)) {
        move(new AgentEvent.LoopRested());
      }
      return !state.isBusy();
    }
  }

  /** With {@code while_busy: steer}: what came while the turn runs becomes a part of it. */
  private List<Incoming> joinRunning() {
    if (resources.config().threads().whileBusy() != WhileBusy.STEER) {
      return List.of();
    }
    synchronized (lock) {
      if (!(state instanceof Running running)) {
        return List.of();
      }
      List<Incoming> more = mailbox.takeJoining(Incoming::canJoin);
      if (more.isEmpty()) {
        return more;
      }
      if (!running.turn().joins(light(more))) {
        mailbox.reread();
        return List.of();
      }
      move(new AgentEvent.Joined(light(more)));
      return more;
    }
  }
}
