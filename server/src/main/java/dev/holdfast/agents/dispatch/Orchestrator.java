package dev.holdfast.agents.dispatch;

import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.context.MemoryBudget;
import dev.holdfast.agents.thread.AgentHost;
import dev.holdfast.agents.thread.Freshness;
import dev.holdfast.agents.thread.StuckTurns;
import dev.holdfast.agents.thread.ThreadAgent;
import dev.holdfast.agents.thread.TurnPermits;
import dev.holdfast.agents.thread.UnansweredEvents;
import dev.holdfast.agents.turn.AgentParts;
import dev.holdfast.agents.turn.ApprovalPrompts;
import dev.holdfast.agents.turn.Budgets;
import dev.holdfast.agents.turn.TurnEndings;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.Approval;
import dev.holdfast.store.messages.Event;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.ThreadingModel;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Activates thread agents and gives them their events: new ones as they are committed, older ones
 * from disk, always in the order of their acceptance. Thread-safe.
 */
public final class Orchestrator {
  private static final Logger LOG = LoggerFactory.getLogger(Orchestrator.class);
  private static final int PAGE = 500;

  private static final long POLL_MILLIS = 100;

  /**
   * An active chat thread. {@code doing}: idle, queued, or what the running turn does; since when.
   */
  public record ThreadView(
      String threadId, String doing, Instant since, int waiting, String eventId) {}

  private final AgentParts parts;
  private final AgentHost.Shared shared;
  private final OutageQueue parking;
  private final Host host = new Host();
  private final ConcurrentMap<String, ThreadAgent> agents = new ConcurrentHashMap<>();
  private final IdleAgents idle = new IdleAgents();
  private final CommittedEvents committed = new CommittedEvents();

  /**
   * Whether there are open events on disk that nobody was told of; the cursor says after which one.
   */
  private volatile boolean scanWanted = true;

  /** New messages of threads that found no room; used by the dispatching loop alone. */
  private final ThreadsAwaitingRoom awaitingRoom = new ThreadsAwaitingRoom();

  private final CommandRunner commands;
  private volatile boolean rescanWanted;
  private volatile boolean closing;
  private long scanned;

  public Orchestrator(AgentParts parts) {
    this.parts = parts;
    this.commands = new CommandRunner(parts, this);
    this.shared =
        new AgentHost.Shared(
            new TurnPermits(parts.config().threads().concurrentTurnsMax()),
            new Freshness(parts.time(), accepted()),
            new StuckTurns(parts, this::replace),
            MemoryBudget.ofHeap(),
            new Budgets(parts));
    this.parking =
        new OutageQueue(
            parts.time(),
            () -> parts.config().turn().parkTtl(),
            () -> parts.models().opensIn(parts.models().defaultLevel()),
            this::resume);
    parts.meters().gauge("holdfast.threads.active", agents, ConcurrentMap::size);
    if (parts.store().inbox().counts().getOrDefault("parked", 0L) > 0) {
      parking.assumeAway();
    }
  }

  /**
   * A new event was committed. Returns at once. To be called in the order of the commits: the order
   * of one chat thread is the order of these calls.
   */
  public void wake(Event event) {
    committed.put(event);
  }

  /** Events were put back by an operator: look for them again. */
  public void rescan() {
    rescanWanted = true;
    scanWanted = true;
  }

  /**
   * The dispatching loop: runs until interrupted.
   *
   * @param tick called after each round: real progress, for those who watch
   */
  public void run(Runnable tick) throws InterruptedException {
    long swept = parts.time().nanos();
    boolean moving = true;
    boolean agedFirst = false;
    scanned = 0; // after a crash of this loop too: an event may have been lost between two hands
    scanWanted = true;
    while (true) {
      if (committed.takeOverflow()) {
        scanWanted = true;
        agents
            .values()
            .forEach(ThreadAgent::refresh); // their later events must not overtake those on disk
      }
      moving = takeCommitted(moving ? 0 : POLL_MILLIS);
      agedFirst = !agedFirst;
      moving |= agedFirst && scan();
      moving |= letIn();
      moving |= !agedFirst && scan();
      if (parts.time().nanos() - swept > TimeUnit.SECONDS.toNanos(1)) {
        sweep();
        swept = parts.time().nanos();
      }
      tick.run();
    }
  }

  private boolean takeCommitted(long waitMillis) throws InterruptedException {
    Event event = committed.poll(waitMillis);
    for (int taken = 1; event != null; taken++) {
      if (!dispatch(event, false)) {
        scanWanted |= !awaitingRoom.add(event.threadId());
      }
      if (taken == PAGE) {
        return true; // others, a scan for example, want their turn too
      }
      event = committed.poll(0);
    }
    return false;
  }

  /** The loop that brings parked turns back: runs until interrupted. */
  public void runParking() throws InterruptedException {
    parking.run();
  }

  /** Whether so many threads hang that the server can free no more of them. */
  public boolean isClogged() {
    return shared.stuckTurns().areTooMany();
  }

  /** How many threads and tools hang that were given up and cannot be ended. */
  public int hanging() {
    return shared.stuckTurns().hanging();
  }

  /** Whether no model could be reached at the last try: turns are parked. */
  public boolean modelsAreAway() {
    return !parking.isBack();
  }

  /**
   * Cancels the running turn; with {@code all} the waiting events too. What is accepted from now on
   * is not touched. Returns how many events it ended.
   */
  public int stop(String threadId, boolean all) {
    return stop(threadId, accepted(), all);
  }

  /** As {@link #stop(String, boolean)}, said where the inbox had come to {@code place}. */
  int stop(String threadId, long place, boolean all) {
    ThreadAgent agent = agents.get(threadId);
    if (agent == null && all) {
      return new UnansweredEvents(threadId, parts, new TurnEndings(parts)).cancelOpen(place);
    }
    return agent == null ? 0 : agent.stop(place, all);
  }

  private long accepted() {
    return parts.store().inbox().counts().getOrDefault("accepted", 0L);
  }

  /** Starts a fresh context before the next turn; the running turn, if any, ends first. */
  public void reset(String threadId) {
    stop(threadId, false);
    agents.compute(
        threadId, (id, agent) -> agent != null && agent.reset() ? agent : activate(id, true));
  }

  public List<ThreadView> active() {
    return agents.values().stream().map(ThreadAgent::view).toList();
  }

  public Optional<ThreadView> find(String threadId) {
    return Optional.ofNullable(agents.get(threadId)).map(ThreadAgent::view);
  }

  /**
   * Lets running turns end until {@code patience} is over or somebody hurries, then cuts them off
   * at their last checkpoint.
   */
  public void close(Duration patience, BooleanSupplier hurry) throws InterruptedException {
    closing = true;
    new Shutdown(parts.time(), agents.values()).close(patience, hurry);
  }

  /**
   * Threads that were turned away come in as soon as there is room: each finds its events on disk.
   */
  private boolean letIn() {
    return awaitingRoom.letIn(
        threadId -> {
          boolean known = agents.containsKey(threadId);
          if (!known && hasRoom(false)) {
            agents.computeIfAbsent(threadId, id -> activate(id, false));
            known = true;
          }
          return known || closing;
        });
  }

  /**
   * False when there is no room for another agent: the event stays on disk.
   *
   * @param aged whether it is one of those that have waited
   */
  private boolean dispatch(Event event, boolean aged) {
    if (closing) {
      return true;
    }
    Incoming incoming = Incoming.of(event);
    if (incoming.overtakes()) {
      Thread.ofVirtual().name("command").start(() -> commands.obey(incoming));
      return true;
    }
    boolean[] taken = {true};
    agents.compute(
        event.threadId(),
        (id, agent) -> {
          if (agent != null && agent.offer(incoming)) {
            return agent;
          }
          if (agent == null && !hasRoom(aged)) {
            taken[0] = false;
            return null;
          }
          return activate(id, false);
        });
    return taken[0];
  }

  /**
   * MemoryBudget is made at the cost of the agent that has been idle for longest. A tenth is kept
   * for threads with new messages, unless those wait too: then whoever comes first gets it.
   */
  private boolean hasRoom(boolean aged) {
    int all = parts.config().threads().activeMax();
    int limit = aged && awaitingRoom.isEmpty() ? all - all / 10 : all;
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

  /**
   * A new agent looks on disk first, so that the event at hand comes after the older ones of its
   * thread. {@code fresh}: it starts with a new context.
   */
  private ThreadAgent activate(String threadId, boolean fresh) {
    ThreadAgent agent = new ThreadAgent(threadId, parts, host);
    if (fresh) {
      agent.reset();
    }
    DeploymentOptions options =
        new DeploymentOptions().setThreadingModel(ThreadingModel.VIRTUAL_THREAD);
    parts.vertx().deployVerticle(agent, options).onFailure(bug -> failed(agent, bug));
    return agent;
  }

  private void replace(ThreadAgent old) {
    agents.computeIfPresent(
        old.threadId(),
        (id, agent) -> agent != old ? agent : closing ? null : activate(id, old.wantsReset()));
    old.deployment().ifPresent(parts.vertx()::undeploy);
  }

  private void failed(ThreadAgent agent, Throwable bug) {
    if (!closing) {
      LOG.error("thread {}: no agent could be started", agent.threadId(), bug);
      agents.remove(agent.threadId(), agent);
      rescan();
    }
  }

  private void leave(ThreadAgent agent) {
    agents.remove(agent.threadId(), agent);
    agent.deployment().ifPresent(parts.vertx()::undeploy);
  }

  /** Whether it found anything to do. */
  private boolean scan() {
    if (rescanWanted) {
      rescanWanted = false;
      scanned = 0;
      agents.values().forEach(ThreadAgent::refresh);
    }
    if (!scanWanted) {
      return false;
    }
    scanWanted = false;
    List<Event> page = parts.store().inbox().open(scanned, PAGE);
    for (Event event : page) {
      if (!dispatch(event, true)) {
        scanWanted = true;
        return false;
      }
      scanned = event.seq();
    }
    scanWanted |= !page.isEmpty(); // a short page may have left out damaged rows
    return scanWanted;
  }

  private void sweep() {
    Instant limit = parts.time().now().minus(parts.config().threads().idle());
    idle.retireSince(limit).forEach(this::leave);
    agents.values().forEach(shared.stuckTurns()::lookAfter);
  }

  private boolean resume(String threadId, boolean probe) {
    ThreadAgent agent = agents.get(threadId);
    return agent != null && agent.resume(probe);
  }

  /**
   * A person's word on a call that waits. False when it does not wait any more.
   *
   * @param by {@code person:<platform id>} or {@code token:<name>}
   */
  public boolean decide(String approvalId, boolean yes, String by) throws StoreException {
    Optional<Approval> asked = parts.store().approvals().find(approvalId);
    boolean counts = asked.isPresent() && ApprovalPrompts.decide(parts, asked.get(), yes, by);
    asked.map(question -> agents.get(question.threadId())).ifPresent(ThreadAgent::answered);
    return counts;
  }

  /** What agents ask of their surroundings. */
  private final class Host implements AgentHost {
    @Override
    public Shared shared() {
      return shared;
    }

    @Override
    public void settled(ThreadAgent agent) {
      if (agent.idleSince().isPresent()) {
        idle.add(agent);
      }
    }

    @Override
    public void parked(Incoming head) {
      parking.add(head.seq(), head.event().threadId(), head.event().receivedAt());
    }

    @Override
    public void asked(String threadId, Instant until) {
      parking.neutral();
      Duration left = Duration.between(parts.time().now(), until);
      Duration wait = left.isNegative() ? Duration.ZERO : left;
      parts.time().after(wait.plusMillis(50), () -> resume(threadId, false));
    }

    @Override
    public void gone(Incoming head) {
      parking.remove(head.seq());
    }

    @Override
    public long outage() {
      return parking.outage();
    }

    @Override
    public boolean modelsAreBack() {
      return parking.isBack();
    }

    @Override
    public void modelAnswered() {
      parking.answered();
    }

    @Override
    public void obey(Incoming incoming) {
      commands.obey(incoming);
    }
  }
}
