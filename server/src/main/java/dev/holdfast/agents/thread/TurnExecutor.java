package dev.holdfast.agents.thread;

import dev.holdfast.agents.context.Conversation;
import dev.holdfast.agents.context.Entries;
import dev.holdfast.agents.context.Epoch;
import dev.holdfast.agents.context.EpochOverException;
import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.turn.ApprovalGate;
import dev.holdfast.agents.turn.Budgets;
import dev.holdfast.agents.turn.ChatSentences;
import dev.holdfast.agents.turn.FormQuestions;
import dev.holdfast.agents.turn.RunningTurn;
import dev.holdfast.agents.turn.RunningTurn.Cancel;
import dev.holdfast.agents.turn.ToolProgress;
import dev.holdfast.agents.turn.ToolRound;
import dev.holdfast.agents.turn.TurnEnd;
import dev.holdfast.agents.turn.TurnEndings;
import dev.holdfast.agents.turn.TurnEndings.Say;
import dev.holdfast.agents.turn.TurnLoop;
import dev.holdfast.agents.turn.TurnProgress;
import dev.holdfast.agents.turn.TurnResources;
import dev.holdfast.agents.turn.TurnStatus;
import dev.holdfast.agents.turn.WaitsForPersonException;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.incidents.AffectedEvent;
import dev.holdfast.incidents.IncidentDetails;
import dev.holdfast.incidents.IncidentKind;
import dev.holdfast.incidents.IncidentSeverity;
import dev.holdfast.incidents.NewIncident;
import dev.holdfast.models.ModelsAwayException;
import dev.holdfast.resilience.Backoff;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.ReplyVoice;
import dev.holdfast.supervision.Fatal;
import dev.holdfast.time.TimeLimit;
import java.io.IOException;
import java.lang.ref.SoftReference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the turns of one chat thread through whatever happens to them: each ends answered or
 * accounted for, parked, or left for the next start. Belongs to its agent's loop, except where it
 * says otherwise.
 */
final class TurnExecutor {
  private static final Logger LOG = LoggerFactory.getLogger(TurnExecutor.class);
  private static final long BYTES_PER_UNIT = 6;
  private static final Backoff RETRY = new Backoff(Duration.ofMillis(500), Duration.ofSeconds(15));

  private final String threadId;
  private final TurnResources resources;
  private final TurnEndings endings;
  private final Epoch epoch;
  private final TurnLimits limits;
  private final AgentHost host;
  private final TurnLoop.Joining joining;
  private final UnansweredEvents unanswered;
  private final ApprovalGate gate;
  private final FormQuestions questions;
  private final TurnStatus turnStatus;

  /** Between two turns it is kept only while the heap has room for it: disk has it. */
  private @Nullable SoftReference<Conversation> conversation;

  private Instant askedUntil = Instant.EPOCH;

  /** Which event waits for a model, and after which replay. */
  private String waits = "";

  private volatile long waitsSince;

  /** Which event they are of, and after which replay. */
  private String tried = "";

  private volatile ModelTrials trials = ModelTrials.NONE;

  TurnExecutor(
      String threadId,
      TurnResources resources,
      TurnEndings endings,
      TurnLimits limits,
      AgentHost host,
      TurnLoop.Joining joining) {
    this.threadId = threadId;
    this.resources = resources;
    this.endings = endings;
    this.epoch = endings.epoch();
    this.limits = limits;
    this.host = host;
    this.joining = joining;
    this.unanswered =
        new UnansweredEvents(threadId, resources.store(), resources.configs(), endings);
    this.gate = new ApprovalGate(resources, endings);
    this.questions = new FormQuestions(resources, endings);
    this.turnStatus = new TurnStatus(host::outage);
  }

  /** What the running turn does, in words. From any thread. */
  String doing() {
    return turnStatus.doing();
  }

  /** When the question to a person is void. */
  Instant askedUntil() {
    return askedUntil;
  }

  /** When the event that waits for a model began to, by {@link dev.holdfast.time.Time#nanos}. */
  long waitsSince() {
    return waitsSince;
  }

  /** How the event that waits for a model has fared so far. */
  ModelTrials trials() {
    return trials;
  }

  /** The trials of one event say nothing of the next. */
  private void beginTrials(Incoming head) {
    if (!tried.equals(run(head))) {
      tried = run(head);
      trials = ModelTrials.begin(host.tally());
    }
  }

  private static String run(Incoming head) {
    return head.id() + "." + head.event().replays();
  }

  /**
   * For how long the event has waited for a model, and so may never have been answered: from its
   * arrival, but not from before the outage, nor from before this process or its last replay.
   */
  private Duration waited(Incoming head) {
    String now = run(head);
    long nanos = resources.time().nanos();
    if (!waits.equals(now)) {
      Duration age =
          head.event().replays() > 0
              ? Duration.ZERO
              : Duration.between(head.event().receivedAt(), resources.time().now());
      Duration away = host.awayFor();
      Duration waited = age.compareTo(away) < 0 ? age : away;
      waits = now;
      waitsSince = nanos - Math.max(0, waited.toNanos());
    }
    return Duration.ofNanos(nanos - waitsSince);
  }

  private boolean hasWaitedTooLong(Incoming head) {
    return waited(head).compareTo(resources.config().turn().parkTtl()) > 0;
  }

  /** A probe that hangs does not keep its message waiting for longer than any other. */
  private TimeLimit waitOf(RunningTurn turn, Incoming head) {
    Duration limit = resources.config().turn().parkTtl().minus(waited(head));
    turnStatus.heard(false);
    return TimeLimit.start(
        resources.time(),
        limit.isNegative() ? Duration.ZERO : limit,
        _ -> Duration.ZERO,
        () -> {
          if (!turnStatus.isHeard()) {
            turn.cancel(Cancel.WAITED);
          }
        });
  }

  /** Time in which the process stood still does not count. */
  private TimeLimit timeoutOf(RunningTurn turn) {
    Duration limit = resources.config().turn().timeout();
    return TimeLimit.start(
        resources.time(),
        limit,
        stood -> stood.compareTo(limit) < 0 ? stood : limit,
        () -> turn.cancel(Cancel.TIMEOUT));
  }

  /** Serves one batch. {@code turn} is closed on return: no interrupt comes after it. */
  TurnOutcome serve(RunningTurn turn) {
    List<Incoming> batch = turn.events();
    Incoming head = batch.getFirst();
    try {
      for (int failures = 1; ; failures++) {
        turnStatus.doing("waiting for a free turn");
        epoch.waits(Epoch.AS_LONG_AS_IT_TAKES); // each of the others has its own limits
        turn.acquire(
            limits.memory(),
            bytesOf(batch),
            isSuspect(head),
            limits.permits(),
            limits.freshness().of(head));
        epoch.works();
        if (!host.mayRunTurns()) {
          unanswered.release(batch); // it begins again from disk
          return settle(turn, TurnOutcome.LEFT);
        }
        try (TimeLimit _ = timeoutOf(turn);
            TimeLimit _ = turn.isProbe() ? waitOf(turn, head) : null) {
          Optional<TurnOutcome> outcome = serveOnce(batch, turn.isProbe());
          if (outcome.isPresent()) {
            return settle(turn, outcome.get());
          }
        } catch (StoreException e) {
          if (e.failure().kind() == FailureKind.INVALID) {
            LOG.info("event {}: already ended elsewhere: {}", head.id(), e.failure().message());
            return settle(turn, TurnOutcome.LEFT); // not all of them, perhaps: disk knows
          }
          LOG.warn(
              "thread {}: the store refuses writes, its turn waits: {}",
              threadId,
              e.failure().message());
          unanswered.release(batch); // a disk that refuses is not held against the event
        } catch (IOException e) {
          LOG.warn(
              "thread {}: the disk refuses writes, its turn waits: {}", threadId, e.getMessage());
          unanswered.release(batch);
        } finally {
          turn.release();
        }
        turnStatus.doing("waiting to retry");
        Duration wait = RETRY.after(failures);
        epoch.waits(wait);
        resources.time().sleep(wait);
      }
    } catch (InterruptedException e) {
      epoch.works();
      Cancel why = turn.close().orElse(Cancel.SHUTDOWN);
      List<Incoming> cut = why == Cancel.SHUTDOWN ? batch : turn.events();
      return unanswered.cutOff(cut, why, turn.stoppedUpTo());
    } finally {
      turn.release(); // also what it had while it waited for the rest
      turn.close();
      turnStatus.doing("idle");
    }
  }

  /**
   * What the turn will hold at most, by what has been measured: each letter stands in the payload,
   * the message, the entry, the message as a model sees it, and some times in the request.
   */
  private long bytesOf(List<Incoming> batch) {
    long units = batch.stream().mapToLong(Incoming::units).sum();
    return BYTES_PER_UNIT * (units + resources.store().threads().of(threadId).contextBytes());
  }

  /** Whether one more end of the process in a run of it gives it up. */
  private boolean isSuspect(Incoming head) {
    return head.event().attempts() >= Math.max(1, resources.config().attemptsMax() - 1);
  }

  /** A turn that has not ended may have been stopped in the same moment. */
  private TurnOutcome settle(RunningTurn turn, TurnOutcome outcome) {
    return outcome != TurnOutcome.DONE && turn.close().equals(Optional.of(Cancel.STOP))
        ? unanswered.cutOff(turn.events(), Cancel.STOP, turn.stoppedUpTo())
        : outcome;
  }

  /** Forgets what was said so far; it stays on disk, set aside. */
  void reset() throws IOException {
    conversation = null;
    load().replace(List.of());
  }

  /** As {@link #reset}; what the disk refuses stays as it was. */
  void resetIfPossible() {
    try {
      reset();
    } catch (IOException e) {
      LOG.warn("thread {}: could not start a fresh context: {}", threadId, e.getMessage());
    }
  }

  /** Empty: not ended, to be served again after a pause. */
  private Optional<TurnOutcome> serveOnce(List<Incoming> batch, boolean probe)
      throws StoreException, IOException, InterruptedException {
    Incoming head = batch.getFirst();
    beginTrials(head);
    if (waitsForModel(head, probe)) {
      if (hasWaitedTooLong(head)) {
        unanswered.giveUpWaiting(batch, FailureCode.AGENT_UNAVAILABLE, "no model was available");
        return Optional.of(TurnOutcome.DONE);
      }
      return Optional.of(TurnOutcome.AWAITS_MODEL);
    }
    List<Incoming> started = start(whole(batch));
    if (started.isEmpty()) {
      return Optional.of(TurnOutcome.DONE); // ended by somebody else meanwhile
    }
    if (head.command().isPresent()) {
      reset();
      endings.end(
          started, TurnEnd.ANSWERED, new Say(ReplyVoice.COMMAND, "This is a fresh conversation."));
      return Optional.of(TurnOutcome.DONE);
    }
    if (!head.isReadable()) {
      endings.end(
          started, TurnEnd.deadLettered(FailureCode.INTERNAL, "unreadable payload"), Say.NOTHING);
      return Optional.of(TurnOutcome.DONE);
    }
    return answer(started, probe);
  }

  /** With what was said, as disk has it; without those of which disk has nothing any more. */
  private List<Incoming> whole(List<Incoming> batch) {
    List<Incoming> whole = new ArrayList<>();
    for (Incoming incoming : batch) {
      if (incoming.isLight()) {
        resources.store().inbox().find(incoming.id()).map(Incoming::of).ifPresent(whole::add);
      } else {
        whole.add(incoming);
      }
    }
    return whole;
  }

  /**
   * An event that was parked before this process began goes to the end of the parking queue, not to
   * a model.
   */
  private boolean waitsForModel(Incoming head, boolean probe) {
    return head.event().state() == EventState.PARKED && !probe && !host.modelsAreBack();
  }

  /**
   * Counts the run of each event before it starts; drops those that ended meanwhile or have crashed
   * too often.
   */
  private List<Incoming> start(List<Incoming> batch) throws StoreException, InterruptedException {
    List<Incoming> started = new ArrayList<>();
    for (Incoming incoming : batch) {
      int attempt = startOne(incoming);
      if (attempt > resources.config().attemptsMax()) {
        endings.end(
            List.of(incoming),
            TurnEnd.deadLettered(
                FailureCode.ACTOR_CRASHED,
                "the server went down in each of its " + (attempt - 1) + " runs"),
            new Say(ReplyVoice.ERROR, ChatSentences.CRASHED));
      } else if (attempt > 0) {
        started.add(incoming);
        endings.news(
            TurnEndings.STARTED,
            incoming,
            Entries.object().put("attempt", attempt).put("run", runsBefore(incoming) + 1));
        endings.story(incoming, TurnEndings.STARTED, Entries.object().put("attempt", attempt));
      }
    }
    return started;
  }

  /** Those that are not held against it too, such as one that was parked. */
  private int runsBefore(Incoming incoming) {
    return resources
        .store()
        .stories()
        .count(TurnEndings.STARTED, List.of(incoming.id()))
        .getOrDefault(incoming.id(), 0);
  }

  /** The number of the attempt; 0 when the event has ended meanwhile. */
  private int startOne(Incoming incoming) throws StoreException {
    try {
      return epoch.write(
          () -> resources.store().inbox().start(incoming.seq(), resources.config().attemptsMax()));
    } catch (StoreException e) {
      if (e.failure().kind() == FailureKind.INVALID) {
        return 0;
      }
      throw e;
    }
  }

  private Optional<TurnOutcome> answer(List<Incoming> batch, boolean probe)
      throws StoreException, IOException, InterruptedException {
    Incoming head = batch.getFirst();
    long begun = resources.time().nanos();
    TurnProgress progress =
        new TurnProgress(
            resources.store().usage(),
            endings,
            head,
            probe,
            limits.budgets(),
            turnStatus,
            host::modelAnswered);
    ToolProgress watch =
        new ToolProgress(
            resources.secrets(), resources.time(), endings, head, questions, turnStatus::doing);
    try {
      Conversation talk = conversation(head);
      ToolRound tools =
          new ToolRound(
              resources::toolbox,
              resources.time(),
              talk,
              head,
              watch,
              gate,
              resources.attachments().config());
      new TurnLoop(resources, talk, progress, tools, joining).run(batch);
      endings.measure(begun, progress.modelTime().plus(watch.toolTime()));
      return Optional.of(TurnOutcome.DONE);
    } catch (WaitsForPersonException e) {
      askedUntil = e.until();
      for (Incoming incoming : batch) {
        String reason = "waiting for approval of: " + e.getMessage();
        epoch.change(() -> resources.store().inbox().park(incoming.seq(), reason, true));
      }
      return Optional.of(TurnOutcome.AWAITS_PERSON);
    } catch (ModelsAwayException e) {
      return park(batch, progress, e);
    } catch (StoreException e) {
      throw e;
    } catch (CallFailedException e) {
      if (Budgets.isOurs(e.failure())) {
        limits.budgets().refuse(batch, e.failure(), endings);
        return Optional.of(TurnOutcome.DONE);
      }
      LOG.warn("event {}: its turn failed: {}", head.id(), e.getMessage());
      host.modelAnswered(); // it refused, so it is there
      endings.story(
          head,
          "turn.failed",
          Entries.object()
              .put("code", e.failure().code().name())
              .put("message", e.failure().message()));
      endings.end(
          batch,
          TurnEnd.of(EventState.DEAD_LETTERED, e.failure()),
          unanswered.error(ChatSentences.of(e.failure())));
      return Optional.of(TurnOutcome.DONE);
    } catch (EpochOverException e) {
      throw e;
    } catch (RuntimeException | Error e) {
      Fatal.check(e);
      return crashed(batch, e);
    }
  }

  /** Whether the turn has failed while others were answered. */
  private boolean countFailure(TurnProgress progress, ModelsAwayException away) {
    ModelTally now = host.tally();
    ModelTrials before = progress.hasGotOn() ? ModelTrials.begin(now) : trials;
    trials = before.failed(away.suspect(), now);
    boolean alone = trials.isAloneSince(before);
    host.modelFailed(threadId, away, alone);
    return alone;
  }

  private Optional<TurnOutcome> park(
      List<Incoming> batch, TurnProgress progress, ModelsAwayException away)
      throws StoreException, InterruptedException {
    Incoming head = batch.getFirst();
    boolean alone = countFailure(progress, away);
    if (hasWaitedTooLong(head)) {
      unanswered.giveUpWaiting(batch, away.failure().code(), away.failure().summary());
      return Optional.of(TurnOutcome.DONE);
    }
    if (trials.isToBeGivenUp()) {
      LOG.warn("event {}: given up, models answer others: {}", head.id(), away.failure().summary());
      unanswered.giveUpAlone(batch, away.failure(), trials.failures());
      return Optional.of(TurnOutcome.DONE);
    }
    boolean refused = away.failure().kind() == FailureKind.PERMANENT;
    if (refused) {
      LOG.error("models: permanently refused, the operator must act: {}", away.failure().summary());
    }
    conversation = null; // what is parked holds nothing
    if (away.failure().code() != FailureCode.BULKHEAD_FULL) { // no outage: it waits for others
      progress.tellItWaits(
          alone
              ? ChatSentences.MODEL_FAILS
              : refused ? ChatSentences.MODEL_REFUSES : ChatSentences.MODEL_AWAY);
      turnStatus.isFirstOfOutage(); // also when the person was told before a restart
    }
    for (Incoming incoming : batch) {
      epoch.change(
          () ->
              resources
                  .store()
                  .inbox()
                  .park(incoming.seq(), away.failure().summary(), progress.hasTold()));
    }
    endings.news("turn.parked", head, Entries.object().put("reason", away.failure().message()));
    endings.story(head, "turn.parked", Entries.object().put("reason", away.failure().summary()));
    return Optional.of(TurnOutcome.AWAITS_MODEL);
  }

  /**
   * A bug. The agent begins again from what is on disk; the same event gets a bounded number of
   * runs.
   */
  private Optional<TurnOutcome> crashed(List<Incoming> batch, Throwable bug)
      throws InterruptedException {
    Incoming head = batch.getFirst();
    LOG.error("thread {}: crashed in event {}", threadId, head.id(), bug);
    endings.countRestart();
    conversation = null;
    endings.story(
        head, "turn.crashed", Entries.object().put("error", bug.getClass().getSimpleName()));
    int attempts = resources.store().inbox().find(head.id()).map(Event::attempts).orElse(0);
    if (attempts >= resources.config().attemptsMax()) {
      String reason = "a crash in each of " + attempts + " runs: " + bug.getClass().getSimpleName();
      endings.end(
          batch,
          TurnEnd.deadLettered(FailureCode.ACTOR_CRASHED, reason),
          unanswered.error(ChatSentences.CRASHED));
      return Optional.of(TurnOutcome.DONE);
    }
    return Optional.empty();
  }

  private Conversation conversation(Incoming head) throws IOException, StoreException {
    SoftReference<Conversation> kept = conversation;
    Conversation loaded = kept == null ? null : kept.get();
    if (loaded == null) {
      loaded = load();
      conversation = new SoftReference<>(loaded);
      if (loaded.quarantined() > 0) {
        LOG.error(
            "thread {}: {} damaged lines of its context are set aside",
            threadId,
            loaded.quarantined());
        resources.incidents().report(damaged(head, loaded.quarantined()));
        String told =
            loaded.entries().isEmpty() ? ChatSentences.CONTEXT_LOST : ChatSentences.CONTEXT_DAMAGED;
        endings.tell(head, new Say(ReplyVoice.REPAIR, told));
      }
    }
    return loaded;
  }

  private static NewIncident damaged(Incoming head, int lines) {
    return new NewIncident(
        IncidentKind.DAMAGE,
        IncidentSeverity.CRITICAL,
        "contexts",
        "Damaged lines were found in what the model remembers of a conversation.",
        IncidentDetails.of(
                List.of(
                    "The lines were set aside in context.quarantine.jsonl of the conversation's"
                        + " folder; the rest is used."),
                List.of("Check the disk: lines have changed since they were written."),
                List.of("holdfast doctor", "holdfast trace " + head.id()))
            .withAffected(
                List.of(
                    new AffectedEvent(
                        head.id(),
                        "",
                        lines
                            + " damaged lines of its context were set aside and the person was"
                            + " told")),
                1));
  }

  private Conversation load() throws IOException {
    return epoch.write(() -> Conversation.load(resources.store().threads().of(threadId), epoch));
  }
}
