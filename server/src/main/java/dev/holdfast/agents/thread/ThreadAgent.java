package dev.holdfast.agents.thread;

import dev.holdfast.agents.context.Epoch;
import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.dispatch.Orchestrator;
import dev.holdfast.agents.turn.AgentParts;
import dev.holdfast.agents.turn.RunningTurn;
import dev.holdfast.agents.turn.RunningTurn.Cancel;
import dev.holdfast.agents.turn.ThreadsConfig.WhileBusy;
import dev.holdfast.agents.turn.TurnEndings;
import dev.holdfast.supervision.Fatal;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves one chat thread: one verticle on a virtual thread, one mailbox, one drain loop, one turn
 * at a time. The lock guards what others may touch; the conversation belongs to the drain loop
 * alone. No error leaves it.
 */
public final class ThreadAgent extends VerticleBase {
  private static final Logger LOG = LoggerFactory.getLogger(ThreadAgent.class);
  private static final Duration RESTART_PAUSE = Duration.ofSeconds(1);

  private final String threadId;
  private final AgentParts parts;
  private final AgentHost host;
  private final Epoch epoch;
  private final TurnExecutor turns;
  private final UnansweredEvents unanswered;
  private final Object lock = new Object();
  private final Mailbox mailbox;
  private Phase phase = Phase.STARTING;
  private List<Incoming> batch = List.of();
  private @Nullable RunningTurn running;
  private boolean resetWanted;
  private boolean asks;
  private boolean closing;
  private Instant since;
  private @Nullable Context loop;

  /** Where somebody said stop before the turn that they meant had begun; 0: nowhere. */
  private long stopPlace;

  /** A person's word came while the turn had not begun to wait for it. */
  private boolean wordCame;

  public ThreadAgent(String threadId, AgentParts parts, AgentHost host) {
    this.threadId = threadId;
    this.parts = parts;
    this.host = host;
    this.epoch = new Epoch(parts.time());
    this.turns = new TurnExecutor(threadId, parts, host, epoch, this::joinRunning);
    this.unanswered = new UnansweredEvents(threadId, parts, new TurnEndings(parts));
    this.mailbox = new Mailbox(parts.config().threads().mailbox(), host.shared().mailboxes());
    this.since = parts.time().now();
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
      phase = Phase.IDLE;
      wakeLoop();
    }
    return Future.succeededFuture();
  }

  /** False when this agent is gone. Never blocks. */
  public boolean offer(Incoming incoming) {
    synchronized (lock) {
      if (phase == Phase.GONE) {
        return false;
      }
      if (!isServed(incoming.seq())) {
        mailbox.offer(incoming);
      }
      wakeLoop();
      return true;
    }
  }

  /** Looks on disk again, for events that came back. False when this agent is gone. */
  public boolean refresh() {
    synchronized (lock) {
      if (phase == Phase.GONE) {
        return false;
      }
      mailbox.reread();
      wakeLoop();
      return true;
    }
  }

  /** Starts a fresh context before the next turn. False when this agent is gone. */
  public boolean reset() {
    synchronized (lock) {
      resetWanted = true;
      return refresh();
    }
  }

  /**
   * Goes on with the parked turn; {@code probe}: to find out whether a model is back. False when
   * none is parked.
   */
  public boolean resume(boolean probe) {
    synchronized (lock) {
      if (phase != Phase.PARKED || closing) {
        return false;
      }
      turns.probeNext(probe);
      phase = Phase.IDLE;
      wakeLoop();
      return true;
    }
  }

  /** A person has answered: the turn that asked goes on, also when it is only about to wait. */
  public void answered() {
    synchronized (lock) {
      wordCame = phase == Phase.BUSY;
      resume(false);
    }
  }

  /**
   * Ends the turn that runs, is parked or is about to begin, as far as its events were accepted up
   * to {@code place}; with {@code all} whatever else came up to there. Nothing later is touched.
   * What it ends has ended on disk when it returns, except the turn that is about to begin. Returns
   * how many events that were.
   */
  public int stop(long place, boolean all) {
    List<Incoming> ended;
    int soon = 0;
    synchronized (lock) {
      ended = batch.stream().filter(incoming -> incoming.seq() <= place).toList();
      RunningTurn turn = running;
      if (turn != null) {
        ended = !ended.isEmpty() && turn.stop(place) ? ended : List.of();
      } else if (phase == Phase.STARTING || phase == Phase.BUSY) {
        soon = batch.isEmpty() ? 1 : 0;
        stopPlace = Math.max(stopPlace, place);
      } else if (phase == Phase.PARKED && !ended.isEmpty()) {
        host.gone(batch.getFirst());
        batch = batch.stream().filter(incoming -> incoming.seq() > place).toList();
        phase = Phase.STOPPING;
      }
      if (all) {
        mailbox.clear();
      }
    }
    int cancelled = soon + ended.size();
    unanswered.cancel(ended);
    cancelled += all ? unanswered.cancelOpen(place) : 0;
    synchronized (lock) {
      if (all) {
        mailbox.overflow(); // commands, and what came meanwhile, are still on disk
        stopRunning(place); // what was begun while the others were ended
      }
      phase = phase == Phase.STOPPING ? Phase.IDLE : phase;
      wakeLoop();
    }
    host.settled(this); // it was parked and has nothing to do now: its place can be another's
    return cancelled;
  }

  private void stopRunning(long place) {
    if (running != null && batch.stream().anyMatch(incoming -> incoming.seq() <= place)) {
      running.stop(place);
    }
  }

  /** Ends the running turn at its next checkpoint; nothing starts any more. */
  public void shutdown() {
    synchronized (lock) {
      closing = true;
      running().ifPresent(turn -> turn.cancel(Cancel.SHUTDOWN));
    }
  }

  /** Nothing new starts; a turn that runs may end. True when nothing runs. */
  public boolean quiesce() {
    synchronized (lock) {
      closing = true;
      return phase != Phase.BUSY;
    }
  }

  /** Leaves if there is nothing to do. */
  public boolean retire() {
    synchronized (lock) {
      if (phase == Phase.IDLE && mailbox.isEmpty() && !resetWanted) {
        phase = Phase.GONE;
      }
      return phase == Phase.GONE;
    }
  }

  /** Since when it has been idle; empty while it is not. */
  public Optional<Instant> idleSince() {
    synchronized (lock) {
      return phase == Phase.IDLE && mailbox.isEmpty() ? Optional.of(since) : Optional.empty();
    }
  }

  public Orchestrator.ThreadView view() {
    synchronized (lock) {
      String doing = running == null ? phase.words(asks) : turns.doing();
      String eventId = batch.isEmpty() ? "" : batch.getLast().id();
      return new Orchestrator.ThreadView(threadId, doing, since, mailbox.size(), eventId);
    }
  }

  /** The turn that runs, if one does. */
  Optional<RunningTurn> running() {
    synchronized (lock) {
      return Optional.ofNullable(running);
    }
  }

  /**
   * Gives up the thread that runs this turn: nothing that it does counts from here on. Returns the
   * turn's events, to be ended before this agent is replaced; empty when it is over, or writes.
   */
  List<Incoming> giveUp(RunningTurn turn) {
    synchronized (lock) {
      if (running != turn || phase != Phase.BUSY || !epoch.end()) {
        return List.of();
      }
      phase = Phase.GIVEN_UP;
      running = null;
      mailbox.reread();
      List<Incoming> left = batch;
      batch = List.of();
      return left;
    }
  }

  /** Whether somebody wanted a fresh context. */
  public boolean wantsReset() {
    synchronized (lock) {
      return resetWanted;
    }
  }

  private void wakeLoop() {
    Context context = loop;
    if (context != null && phase == Phase.IDLE && !closing && hasWork()) {
      phase = Phase.BUSY;
      since = parts.time().now();
      context.runOnContext(_ -> drain());
    }
  }

  private boolean isServed(long seq) {
    return batch.stream().anyMatch(mine -> mine.seq() == seq);
  }

  private boolean hasWork() {
    return !batch.isEmpty() || !mailbox.isEmpty() || resetWanted;
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
      parts.meters().counter("holdfast.restarts", "child", "thread-agent").increment();
      synchronized (lock) {
        running = null;
        batch = List.of();
        phase = Phase.IDLE;
        stopPlace = 0;
        mailbox.reread();
        parts.time().after(RESTART_PAUSE, this::refresh);
      }
    }
    host.settled(this);
  }

  /** The one loop. */
  private void drainAll() {
    boolean on = true;
    while (on) {
      resetIfWanted();
      refill();
      runCommands();
      List<Incoming> next = next();
      on = next.isEmpty() ? !becomeIdle() : serve(next);
    }
  }

  private boolean serve(List<Incoming> next) {
    StuckTurns stuck = host.shared().stuckTurns();
    RunningTurn turn = new RunningTurn(next, epoch, parts.time(), deaf -> stuck.free(this, deaf));
    synchronized (lock) {
      running = turn;
      wordCame = false;
      since = parts.time().now();
      stopRunning(stopPlace);
      stopPlace = 0;
    }
    TurnExecutor.Ended ended = turns.serve(next, turn);
    synchronized (lock) {
      epoch.check();
      running = null;
      since = parts.time().now();
      if (ended != TurnExecutor.Ended.PARKED && ended != TurnExecutor.Ended.ASKED) {
        if (batch.size() > next.size() || ended == TurnExecutor.Ended.LEFT) {
          mailbox.reread(); // disk knows what joined the turn and ended, or was left
        }
        batch = List.of();
        return true;
      }
      if (ended == TurnExecutor.Ended.ASKED && wordCame) {
        return true; // the same batch once more
      }
      phase = Phase.PARKED;
      asks = ended == TurnExecutor.Ended.ASKED;
    }
    // After the phase: it may be resumed at once.
    if (asks) {
      host.asked(threadId, turns.askedUntil());
    } else {
      host.parked(next.getFirst());
    }
    return false;
  }

  private void refill() {
    boolean wanted;
    synchronized (lock) {
      wanted = batch.isEmpty() && mailbox.wantsRefill() && !closing;
      if (wanted) {
        mailbox.beginRefill();
      }
    }
    if (wanted) {
      Backlog backlog = Backlog.read(parts.store().inbox(), threadId, mailbox.capacity());
      synchronized (lock) {
        mailbox.refill(backlog.events(), backlog.complete());
      }
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
      return closing ? Optional.empty() : mailbox.takeOvertaking();
    }
  }

  /** The parked batch first, then what waits. */
  private List<Incoming> next() {
    synchronized (lock) {
      if (batch.isEmpty() && !closing) {
        boolean collect = parts.config().threads().whileBusy() == WhileBusy.COLLECT;
        batch = mailbox.take(incoming -> collect && incoming.canJoin());
      }
      return closing ? List.of() : batch;
    }
  }

  private boolean becomeIdle() {
    synchronized (lock) {
      if (!closing && hasWork()) {
        return false;
      }
      phase = Phase.IDLE;
      stopPlace = 0;
      since = parts.time().now();
      return true;
    }
  }

  private void resetIfWanted() {
    if (wantsReset()) {
      synchronized (lock) {
        resetWanted = false;
      }
      turns.resetIfPossible();
    }
  }

  /** With {@code while_busy: steer}: what came while the turn runs becomes a part of it. */
  private List<Incoming> joinRunning() {
    if (parts.config().threads().whileBusy() != WhileBusy.STEER) {
      return List.of();
    }
    synchronized (lock) {
      List<Incoming> joined = mailbox.takeJoining(Incoming::canJoin);
      if (running != null) {
        batch = running.joins(joined);
      }
      return joined;
    }
  }
}
