package dev.holdfast.agents.dispatch;

import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.dispatch.ActiveAgents.Share;
import dev.holdfast.agents.thread.AgentHost;
import dev.holdfast.agents.thread.ModelTally;
import dev.holdfast.agents.thread.ModelTrials;
import dev.holdfast.agents.thread.ThreadAgent;
import dev.holdfast.agents.thread.ThreadView;
import dev.holdfast.agents.turn.ChatSentences;
import dev.holdfast.agents.turn.TurnEndings;
import dev.holdfast.agents.turn.TurnResources;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.FailureCode;
import dev.holdfast.models.Models;
import dev.holdfast.models.ModelsAwayException;
import dev.holdfast.models.RemoteUse;
import dev.holdfast.models.Suspect;
import dev.holdfast.modes.ModeNow;
import dev.holdfast.resilience.Backoff;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.Repairs;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.Approval;
import dev.holdfast.store.ledgers.ClickVerdict;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.store.messages.Waiting;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Gives thread agents their events: new ones as they are committed, older ones from disk, always in
 * the order of their acceptance. Thread-safe.
 */
public final class Orchestrator {
  private static final int PAGE = 500;
  private static final long POLL_MILLIS = 100;

  /** More than these that wait for approval are not told from those that wait for a model. */
  private static final int APPROVALS_MAX = 1000;

  private final Store store;
  private final Time time;
  private final TurnEndings endings;
  private final ActiveAgents agents;
  private final OutageQueue parking;
  private final CommandRunner commands;
  private final CommandQueue overtaking;
  private final CommittedEvents committed = new CommittedEvents();
  private final Supplier<ModeNow> mode;

  /** Used by the dispatching loop alone. */
  private final HeldMessages held;

  /** New messages of threads that found no room; used by the dispatching loop alone. */
  private final ThreadsAwaitingRoom awaitingRoom = new ThreadsAwaitingRoom();

  /**
   * Whether there are open events on disk that nobody was told of; the cursor says after which one.
   */
  private volatile boolean scanWanted = true;

  private volatile boolean rescanWanted;

  /** Which of new and waiting events went first at the last look; used by the same loop alone. */
  private boolean agedFirst;

  private long scanned;

  /** As the store told it last; empty when that was looked at. */
  private final AtomicReference<Optional<List<Waiting>>> waiting =
      new AtomicReference<>(Optional.empty());

  private volatile String lastFailure = "";

  /** What waited at the last look although nobody had it; used by the dispatching loop alone. */
  private Set<Long> unserved = Set.of();

  public Orchestrator(AgentParts parts) {
    this(parts, new SoleOwner());
  }

  Orchestrator(AgentParts parts, ThreadOwner owner) {
    TurnResources resources = parts.resources();
    store = resources.store();
    time = resources.time();
    endings = parts.endings();
    mode = parts.mode();
    agents = new ActiveAgents(parts, owner, new Host(), this::rescan);
    commands = new CommandRunner(parts, agents, this::decide, this::rescan);
    overtaking = new CommandQueue(commands::obey, this::rescan);
    held = new HeldMessages(store, endings, time, agents::isOurs, overtaking::add);
    parking =
        new OutageQueue(
            time,
            () -> resources.config().turn().parkTtl(),
            new DefaultModels(resources.models(), mode),
            this::resume);
    if (hasParkedForModels()) {
      parking.assumeAway();
    }
  }

  /**
   * Whether more is parked than what waits for a person's word, or has got it and not gone on yet.
   */
  private boolean hasParkedForModels() {
    long parked = store.inbox().counts().getOrDefault("parked", 0L);
    return parked > 0
        && parked
            > Stream.of(Approval.State.WAITING, Approval.State.APPROVED)
                .flatMap(
                    state ->
                        store
                            .approvals()
                            .list(ThreadReader.OPERATOR, Optional.of(state), "", APPROVALS_MAX)
                            .stream())
                .map(Approval::eventId)
                .distinct()
                .count();
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

  /** What waits on disk, as its table says; told now and then. Returns at once. */
  public void waiting(List<Waiting> events) {
    waiting.set(Optional.of(events));
  }

  /**
   * The dispatching loop: runs until interrupted.
   *
   * @param tick called after each round: real progress, for those who watch
   */
  public void run(Runnable tick) throws InterruptedException {
    long swept = time.nanos();
    boolean moving = true;
    scanned = 0; // after a crash of this loop too: an event may have been lost between two hands
    scanWanted = true;
    while (true) {
      ModeNow now = mode.get();
      long waitMillis = moving ? 0 : POLL_MILLIS;
      moving = now.mode().runsTurns() ? handOut(waitMillis) : hold(now, waitMillis);
      if (time.nanos() - swept > TimeUnit.SECONDS.toNanos(1)) {
        agents.sweep();
        swept = time.nanos();
      }
      tick.run();
    }
  }

  /** Gives agents what has come and what is on disk. Whether it found anything to do. */
  private boolean handOut(long waitMillis) throws InterruptedException {
    if (held.isHolding()) {
      held.end();
      rescan();
    }
    if (committed.takeOverflow()) {
      scanWanted = true;
      agents.refresh(); // their later events must not overtake those on disk
    }
    boolean moving = takeCommitted(waitMillis);
    agedFirst = !agedFirst;
    moving |= agedFirst && scan();
    moving |= awaitingRoom.letIn(threadId -> !agents.isOurs(threadId) || agents.activate(threadId));
    moving |= !agedFirst && scan();
    waiting.getAndSet(Optional.empty()).ifPresent(this::findUnserved);
    return moving;
  }

  /**
   * No turn may run: what runs is interrupted, messages stay on disk, commands are obeyed. Whether
   * there is more to do.
   */
  private boolean hold(ModeNow now, long waitMillis) throws InterruptedException {
    agents.interruptAll();
    if (committed.takeOverflow() || rescanWanted) {
      rescanWanted = false;
      held.lookAgain();
    }
    boolean isMore = held.look(now);
    Event event = committed.poll(isMore ? 0 : waitMillis);
    for (int taken = 1; event != null && taken < PAGE; taken++) {
      boolean _ = held.take(Incoming.of(event), now); // one that could not is found on disk
      event = committed.poll(0);
    }
    return isMore;
  }

  private boolean takeCommitted(long waitMillis) throws InterruptedException {
    Event event = committed.poll(waitMillis);
    for (int taken = 1; event != null; taken++) {
      Incoming incoming = Incoming.of(event);
      if (isBehindOthers(incoming) || !dispatch(incoming, Share.ALL)) {
        scanWanted |= !awaitingRoom.add(event.threadId(), incoming.flow());
      }
      if (taken == PAGE) {
        return true; // others, a scan for example, want their turn too
      }
      event = committed.poll(0);
    }
    return false;
  }

  /** Whether it needs room for an agent, and others have waited for that before it came. */
  private boolean isBehindOthers(Incoming incoming) {
    String threadId = incoming.event().threadId();
    return !awaitingRoom.isEmpty()
        && !incoming.overtakes()
        && agents.isOurs(threadId)
        && agents.find(threadId).isEmpty();
  }

  /** Whether it found anything to do. */
  private boolean scan() {
    if (rescanWanted) {
      rescanWanted = false;
      scanned = 0;
      agents.refresh();
    }
    if (!scanWanted) {
      return false;
    }
    scanWanted = false;
    List<Event> page = store.inbox().open(scanned, PAGE);
    for (Event event : page) {
      // Unless new messages wait for room too: then whoever comes first gets it.
      if (!dispatch(
          Incoming.of(event), awaitingRoom.isEmpty() ? Share.ALL_BUT_A_TENTH : Share.ALL)) {
        scanWanted = true;
        return false;
      }
      scanned = event.seq();
    }
    scanWanted |= !page.isEmpty(); // a short page may have left out damaged rows
    return scanWanted;
  }

  /**
   * Nothing is left to be handed out, so whatever waits is with an agent that is about to take it.
   * An event for which that is wrong twice in a row was forgotten, whoever did it.
   */
  private void findUnserved(List<Waiting> events) {
    if (scanWanted || !awaitingRoom.isEmpty()) {
      unserved = Set.of();
      return;
    }
    Set<Long> now =
        events.stream()
            .filter(event -> agents.isOurs(event.threadId()) && !agents.isBusy(event.threadId()))
            .map(Waiting::seq)
            .collect(Collectors.toSet());
    List<Long> twice = now.stream().filter(unserved::contains).sorted().toList();
    unserved = now;
    if (!twice.isEmpty()) {
      store
          .engine()
          .repairs()
          .add(
              Repairs.What.EVENT,
              twice.size(),
              "event %d: waited and was with no agent, like %d others; they are looked for again"
                  .formatted(twice.getFirst(), twice.size() - 1));
      rescan();
    }
  }

  /** False when there is no room for another agent: the event stays on disk. */
  private boolean dispatch(Incoming incoming, Share share) {
    if (!agents.isOurs(incoming.event().threadId())) {
      return true;
    }
    if (incoming.overtakes()) {
      overtaking.add(incoming);
      return true;
    }
    return agents.offer(incoming, share);
  }

  /** The loop that brings parked turns back: runs until interrupted. */
  public void runParking() throws InterruptedException {
    parking.run();
  }

  private boolean resume(String threadId, boolean probe) {
    return agents.findActivated(threadId).map(agent -> agent.resume(probe)).orElse(false);
  }

  /** Whether no model could be reached at the last try: turns are parked. */
  public boolean modelsAreAway() {
    return !parking.isBack();
  }

  /** What the last call of a model that failed said, in a few words of ours. */
  public String lastModelFailure() {
    return lastFailure;
  }

  /** How many messages models fail on while they answer others. */
  public Optional<AloneMessages> failsAlone() {
    return parking
        .alone()
        .map(
            alone ->
                new AloneMessages(
                    alone.turns(), alone.firstEventId(), time.now().plus(alone.triesIn())));
  }

  /** {@code next}: when the first of them is tried again. */
  public record AloneMessages(int messages, String firstEventId, Instant next) {}

  /** How long until a parked turn asks a model again; empty when that is not known. */
  public Optional<Duration> asksModelsIn() {
    return parking.probesIn();
  }

  /**
   * How remote models may be used for what belongs to no chat thread.
   *
   * @param person whom it is counted for, the platform's id behind the channel and account
   * @throws CallFailedException BUDGET_EXHAUSTED
   */
  public RemoteUse mayAsk(String person) throws CallFailedException {
    return agents.mayAsk(person);
  }

  /** Whether remote models may cost nothing more for now. */
  public boolean isBudgetSpent() throws StoreException {
    return agents.isBudgetSpent();
  }

  /** Whether a chat thread may cost nothing more today. */
  public boolean isThreadSpent(String threadId) throws StoreException {
    return agents.isThreadSpent(threadId);
  }

  /** Whether so many threads hang that the server can free no more of them. */
  public boolean isClogged() {
    return agents.isClogged();
  }

  /** How many threads and tools hang that were given up and cannot be ended. */
  public int hanging() {
    return agents.hanging();
  }

  /**
   * Cancels the running turn; with {@code all} the waiting events too. What is accepted from now on
   * is not touched. Nobody is answered; if it ended anything, the conversation log says so. Returns
   * how many events it ended.
   */
  public int stop(String threadId, boolean all) {
    return stop(threadId, store.inbox().newest(), all);
  }

  /** As {@link #stop(String, boolean)}, said where the inbox had come to {@code place}. */
  public int stop(String threadId, long place, boolean all) {
    int ended = agents.stop(threadId, place, all);
    if (ended > 0) {
      endings.logDone(threadId, ChatSentences.STOPPED);
    }
    return ended;
  }

  /** Starts a fresh context before the next turn; the running turn, if any, ends first. */
  public void reset(String threadId) {
    long place = store.inbox().newest();
    agents.reset(threadId); // first: what comes behind the place must not begin with the old one
    stop(threadId, place, false);
  }

  /**
   * Does something with what a thread has on disk while nothing of it runs. False, and nothing is
   * done, while its agent has something to do. Blocks.
   */
  public boolean whileInactive(String threadId, Runnable work) {
    return agents.whileInactive(threadId, work);
  }

  /**
   * A person's word on a call that waits. False when it does not wait any more.
   *
   * @param by {@code person:<platform id>} or {@code token:<name>}
   */
  public boolean decide(String approvalId, boolean yes, String by) throws StoreException {
    Optional<Approval> asked = store.approvals().find(approvalId);
    boolean counts = asked.isPresent() && store.approvals().decide(approvalId, yes, by, time.now());
    if (counts) {
      Approval.State state = yes ? Approval.State.APPROVED : Approval.State.DENIED;
      endings.closed(asked.get(), state, by);
    }
    asked.flatMap(question -> agents.find(question.threadId())).ifPresent(ThreadAgent::answered);
    return counts;
  }

  /**
   * A person's click on a button; blocks until what it decides is on disk. May be told twice.
   *
   * @param token of the button, as it came
   */
  public ClickVerdict.Meaning clicked(String threadId, String person, String token)
      throws StoreException {
    ClickVerdict verdict = store.approvals().click(token, threadId, person, time.now());
    if (verdict.decides()) {
      endings.closed(verdict.question().orElseThrow(), verdict.state(), "person:" + person);
      agents.find(threadId).ifPresent(ThreadAgent::answered);
    }
    return verdict.meaning();
  }

  public List<ThreadView> active() {
    return agents.views();
  }

  public Optional<ThreadView> find(String threadId) {
    return agents.find(threadId).map(ThreadAgent::view);
  }

  /**
   * Begins no more turns. Blocks until those that run have ended, or until the deadline; whether
   * they have.
   */
  public boolean finish(Deadline deadline) throws InterruptedException {
    return agents.finish(deadline);
  }

  /**
   * Cuts running turns off at their last checkpoint. Blocks for 2 s at most; whether all have
   * ended.
   */
  public boolean close() throws InterruptedException {
    return agents.close();
  }

  /** The models that turns ask, while turns may run. */
  private record DefaultModels(Models models, Supplier<ModeNow> mode)
      implements OutageQueue.ModelAccess {
    private static final Duration CLOSED = Duration.ofSeconds(1);

    @Override
    public Duration opensIn() {
      return mode.get().mode().runsTurns() ? models.opensIn(models.defaultLevel()) : CLOSED;
    }

    @Override
    public Backoff pauses() {
      return models.pauses(models.defaultLevel());
    }
  }

  /** What agents ask of their surroundings. */
  private final class Host implements AgentHost {
    @Override
    public void parked(Incoming head, long sinceNanos, ModelTrials trials) {
      parking.add(
          new WaitingTurns.Turn(
              head.seq(),
              head.id(),
              head.event().threadId(),
              head.flow(),
              sinceNanos,
              trials,
              time.nanos()));
    }

    @Override
    public void modelFailed(String threadId, ModelsAwayException away, boolean alone) {
      lastFailure = String.join(", ", away.guards()) + ": " + away.failure().code();
      if (away.suspect() != Suspect.NONE) {
        parking.failed(threadId, alone);
      } else if (away.failure().code() == FailureCode.BULKHEAD_FULL) {
        parking.probeEnded(threadId);
      } else {
        parking.refused(threadId);
      }
    }

    @Override
    public ModelTally tally() {
      return parking.tally();
    }

    @Override
    public Duration awayFor() {
      return parking.awayFor();
    }

    @Override
    public void asked(String threadId, Instant until) {
      Duration left = Duration.between(time.now(), until);
      Duration wait = left.isNegative() ? Duration.ZERO : left;
      time.after(wait.plusMillis(50), () -> resume(threadId, false));
    }

    @Override
    public void probeEnded(String threadId) {
      parking.probeEnded(threadId);
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
    public boolean mayRunTurns() {
      return mode.get().mode().runsTurns();
    }

    @Override
    public void obey(Incoming incoming) {
      commands.obey(incoming);
    }
  }
}
