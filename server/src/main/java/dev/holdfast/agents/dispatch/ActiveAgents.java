package dev.holdfast.agents.dispatch;

import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.context.MemoryBudget;
import dev.holdfast.agents.thread.AgentHost;
import dev.holdfast.agents.thread.Freshness;
import dev.holdfast.agents.thread.StuckTurns;
import dev.holdfast.agents.thread.ThreadAgent;
import dev.holdfast.agents.thread.ThreadView;
import dev.holdfast.agents.thread.TurnLimits;
import dev.holdfast.agents.thread.UnansweredEvents;
import dev.holdfast.agents.turn.Budgets;
import dev.holdfast.agents.turn.RunningTurn;
import dev.holdfast.agents.turn.TurnEndings;
import dev.holdfast.agents.turn.TurnMemory;
import dev.holdfast.agents.turn.TurnPermits;
import dev.holdfast.agents.turn.TurnResources;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.models.RemoteUse;
import dev.holdfast.modes.ModeNow;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.store.engine.StoreException;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread agents of this process, one for each chat thread that it serves and that has something
 * to do: activated when an event comes, replaced when their thread hangs, gone when they are idle
 * or their place is wanted. Thread-safe.
 */
final class ActiveAgents implements ThreadAgent.Keeper {
  private static final Logger LOG = LoggerFactory.getLogger(ActiveAgents.class);

  private final TurnResources resources;
  private final TurnEndings endings;
  private final Vertx vertx;
  private final Supplier<ModeNow> mode;
  private final ThreadOwner owner;
  private final AgentHost host;
  private final Runnable lost;
  private final TurnLimits limits;
  private final StuckTurns stuck;
  private final ConcurrentMap<String, ThreadAgent> agents = new ConcurrentHashMap<>();
  private final IdleAgents idle = new IdleAgents();
  private final HeldThreads held = new HeldThreads();
  private volatile boolean closing;

  /** {@code lost} hears when an agent could not start: its events are to be looked for again. */
  ActiveAgents(AgentParts parts, ThreadOwner owner, AgentHost host, Runnable lost) {
    this.resources = parts.resources();
    this.endings = parts.endings();
    this.vertx = parts.vertx();
    this.mode = parts.mode();
    this.owner = owner;
    this.host = host;
    this.lost = lost;
    limits =
        new TurnLimits(
            new TurnPermits(resources.config().threads().concurrentTurnsMax()),
            new Freshness(resources.time(), resources.store().inbox().newest()),
            TurnMemory.ofHeap(),
            MemoryBudget.ofHeap(),
            new Budgets(resources, parts.mode(), parts.meters()));
    stuck = new StuckTurns(resources, endings, parts.meters(), this::replace);
    parts.meters().gauge("holdfast.threads.active", agents, ConcurrentMap::size);
  }

  /**
   * Gives an event to its thread's agent. False when there is no room for that agent: the event
   * stays on disk.
   *
   * @param share how many agents there may be for events of its kind, of all that may be active
   */
  boolean offer(Incoming incoming, Share share) {
    boolean[] taken = {true};
    agents.compute(
        incoming.event().threadId(),
        (id, agent) -> {
          if (agent != null && agent.offer(incoming)) {
            return agent;
          }
          taken[0] = agent != null || hasRoom(share);
          return taken[0] ? activate(id, false) : null;
        });
    return taken[0];
  }

  /** How much of the room for agents an activation may use. */
  enum Share {
    ALL,
    /** A tenth is kept for threads with new messages. */
    ALL_BUT_A_TENTH
  }

  /** An agent for this thread, which finds its events on disk. False when there is no room. */
  boolean activate(String threadId) {
    if (agents.containsKey(threadId)) {
      return true;
    }
    if (!hasRoom(Share.ALL)) {
      return false;
    }
    agents.computeIfAbsent(threadId, id -> activate(id, false));
    return true;
  }

  /** Room is made at the cost of the agent that has been idle for longest. */
  private boolean hasRoom(Share share) {
    int all = resources.config().threads().activeMax();
    int limit = share == Share.ALL ? all : all - all / 10;
    int active = agents.size();
    while (active >= limit) {
      Optional<ThreadAgent> oldest = idle.retireOldest();
      if (oldest.isEmpty()) {
        return false;
      }
      active--;
      Thread.ofVirtual().start(() -> leave(oldest.get()));
    }
    return true;
  }

  /** Whether this process is the one to serve the thread; while it stops it serves none. */
  boolean isOurs(String threadId) {
    return !closing && owner.isHere(threadId);
  }

  /**
   * A new agent looks on disk first, so that the event at hand comes after the older ones of its
   * thread. {@code fresh}: it starts with a new context.
   */
  private ThreadAgent activate(String threadId, boolean fresh) {
    ThreadAgent agent = new ThreadAgent(threadId, resources, endings, limits, host, this);
    if (fresh) {
      agent.reset();
    }
    DeploymentOptions options =
        new DeploymentOptions().setThreadingModel(ThreadingModel.VIRTUAL_THREAD);
    vertx.deployVerticle(agent, options).onFailure(bug -> failed(agent, bug));
    return agent;
  }

  private void failed(ThreadAgent agent, Throwable bug) {
    if (!closing) {
      LOG.error("thread {}: no agent could be started", agent.threadId(), bug);
      agents.remove(agent.threadId(), agent);
      lost.run();
    }
  }

  @Override
  public boolean isHeld(String threadId) {
    return !mode.get().mode().runsTurns() || held.isHeld(threadId);
  }

  /** Interrupts all that runs; it begins again from what is on disk. Never blocks. */
  void interruptAll() {
    agents.values().stream()
        .flatMap(agent -> agent.running().stream())
        .forEach(turn -> turn.cancel(RunningTurn.Cancel.HELD));
  }

  /** Whether remote models may cost nothing more for now. */
  RemoteUse mayAsk(String person) throws CallFailedException {
    return limits.budgets().check(person);
  }

  boolean isBudgetSpent() throws StoreException {
    return limits.budgets().isSpent();
  }

  boolean isThreadSpent(String threadId) throws StoreException {
    return limits.budgets().isThreadSpent(threadId);
  }

  @Override
  public void settled(ThreadAgent agent) {
    idle.add(agent);
  }

  @Override
  public void deaf(ThreadAgent agent, RunningTurn turn) {
    stuck.free(agent, turn);
  }

  private void replace(ThreadAgent old) {
    agents.computeIfPresent(
        old.threadId(),
        (id, agent) -> agent != old ? agent : isOurs(id) ? activate(id, old.leavesReset()) : null);
    old.deployment().ifPresent(vertx::undeploy);
  }

  private void leave(ThreadAgent agent) {
    agents.remove(agent.threadId(), agent);
    agent.deployment().ifPresent(vertx::undeploy);
  }

  /** Lets those go that have been idle for long, and frees turns that do not move. */
  void sweep() {
    Instant limit = resources.time().now().minus(resources.config().threads().idle());
    idle.retireSince(limit).forEach(this::leave);
    agents.values().forEach(stuck::lookAfter);
  }

  /** All of them look on disk again. */
  void refresh() {
    agents.values().forEach(ThreadAgent::refresh);
  }

  Optional<ThreadAgent> find(String threadId) {
    return Optional.ofNullable(agents.get(threadId));
  }

  /** Whether an agent has something of this thread to do, or is about to look for it on disk. */
  boolean isBusy(String threadId) {
    return find(threadId).filter(agent -> agent.idleSince().isEmpty()).isPresent();
  }

  List<ThreadView> views() {
    return agents.values().stream().map(ThreadAgent::view).toList();
  }

  /**
   * Ends the turn that runs or is parked, or else the one that would begin next, as far as its
   * events were accepted up to {@code place}; with {@code all} whatever else came up to there, but
   * commands. Nothing later is touched. What it ends has ended on disk when it returns, and nothing
   * of the thread begins meanwhile. Blocks. Returns how many events that were.
   */
  int stop(String threadId, long place, boolean all) {
    if (!agents.containsKey(threadId) && !owner.isHere(threadId)) {
      return 0;
    }
    Lock writing = held.hold(threadId);
    try {
      Optional<List<Incoming>> inHand = interrupt(threadId, place);
      writing.lock();
      try {
        UnansweredEvents unanswered =
            new UnansweredEvents(threadId, resources.store(), resources.configs(), endings);
        int ended = inHand.map(unanswered::cancel).orElse(0);
        if (all) {
          return ended + unanswered.cancelOpen(place);
        }
        return inHand.isPresent() ? ended : unanswered.cancelNext(place);
      } finally {
        writing.unlock();
      }
    } finally {
      letGo(threadId);
    }
  }

  private void letGo(String threadId) {
    held.letGo(threadId);
    agents.computeIfPresent(
        threadId,
        (_, agent) -> {
          agent.refresh();
          return agent;
        });
    find(threadId).ifPresent(this::settled); // it may have nothing to do now
  }

  /**
   * Does something with what a thread has on disk while no agent knows of it and none begins.
   * False, and nothing is done, while an agent has something to do. Blocks.
   */
  boolean whileInactive(String threadId, Runnable work) {
    Optional<ThreadAgent> agent = findActivated(threadId);
    if (agent.isPresent() && !agent.get().retire()) {
      return false;
    }
    agent.ifPresent(this::leave);
    Lock writing = held.hold(threadId);
    writing.lock();
    try {
      if (agents.containsKey(threadId)) {
        return false; // an event came in between
      }
      work.run();
      return true;
    } finally {
      writing.unlock();
      letGo(threadId);
    }
  }

  /** As {@link ThreadAgent#stop}. Waits for an agent that is being activated. */
  private Optional<List<Incoming>> interrupt(String threadId, long place) {
    return findActivated(threadId).flatMap(agent -> agent.stop(place));
  }

  /**
   * As {@link #find}, but waits for an agent that is being activated: it runs before it can be
   * found, and may have asked for something already.
   */
  Optional<ThreadAgent> findActivated(String threadId) {
    return Optional.ofNullable(agents.computeIfPresent(threadId, (_, active) -> active));
  }

  /** Starts a fresh context before the next turn. */
  void reset(String threadId) {
    if (isOurs(threadId)) {
      agents.compute(
          threadId, (id, agent) -> agent != null && agent.reset() ? agent : activate(id, true));
    }
  }

  /** Whether so many threads hang that the server can free no more of them. */
  boolean isClogged() {
    return stuck.areTooMany();
  }

  int hanging() {
    return stuck.hanging();
  }

  /** As {@link Orchestrator#finish}. */
  boolean finish(Deadline deadline) throws InterruptedException {
    closing = true;
    return new Shutdown(resources.time(), agents.values()).finish(deadline);
  }

  /** As {@link Orchestrator#close}. */
  boolean close() throws InterruptedException {
    closing = true;
    return new Shutdown(resources.time(), agents.values()).cutOff();
  }
}
