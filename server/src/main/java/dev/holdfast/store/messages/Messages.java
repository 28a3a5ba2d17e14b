package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Counter;
import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.Repairs;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.StoreRefusal;
import dev.holdfast.store.engine.StoreWatch;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts together what keeps the messages. Thread-safe. */
public final class Messages {
  private static final Logger LOG = LoggerFactory.getLogger(Messages.class);
  private static final Duration LOOK_PERIOD = Duration.ofSeconds(1);
  private static final int LOOKS_PER_PURGE = 60;

  private final Engine engine;
  private final NumberedNames names = new NumberedNames();
  private final ThreadActivity activity;
  private final Quarantine quarantine;
  private final Admission admission;
  private final Purge purge;
  private final Reconciliation reconciliation;
  private final StoreWatch watch;

  /** On its own: with many open messages one look takes a minute. */
  private final StoreWatch reconciler;

  private final ReplyRows replies;
  private final EventIntake intake;
  private final Inbox inbox;
  private final Outbox outbox;
  private final DeadLetters deadLetters;
  private final Stories stories;
  private final ChatThreads chatThreads;
  private final ThreadErasure erasure;

  /**
   * @param ledgers what follows the fate of events
   */
  public Messages(Engine engine, InboxConfig config, Time time, List<EventLedger> ledgers) {
    this.engine = engine;
    activity = new ThreadActivity(engine);
    admission = new Admission(engine, config.pendingMax());
    purge = new Purge(engine, ledgers, time, config.dedupeTime());
    reconciliation = new Reconciliation(engine, time);
    watch = new StoreWatch("holdfast-store-tidy", LOOK_PERIOD, this::look, engine.failStop());
    reconciler =
        new StoreWatch("holdfast-store-reconcile", LOOK_PERIOD, this::reconcile, engine.failStop());
    Ids ids = new Ids(time);
    replies = new ReplyRows(names, time);
    DeadLetterRows letters = new DeadLetterRows(ids, time);
    EventEndings endings = new EventEndings(replies, letters, ledgers);
    quarantine = new Quarantine(engine, letters, endings, time);
    intake = new EventIntake(engine, admission, ids, names, activity, quarantine);
    inbox = new Inbox(engine, intake, names, endings, quarantine);
    outbox = new Outbox(engine, replies, endings, letters, quarantine);
    deadLetters = new DeadLetters(engine, time, replies, endings);
    stories = new Stories(engine);
    chatThreads = new ChatThreads(engine, activity);
    erasure = new ThreadErasure(engine, activity);
  }

  /** {@code companion}: from now on; once, before anything is accepted. */
  public void accompany(Companion companion) {
    intake.accompany(companion);
    replies.accompany(companion);
  }

  public Inbox inbox() {
    return inbox;
  }

  public Outbox outbox() {
    return outbox;
  }

  public DeadLetters deadLetters() {
    return deadLetters;
  }

  public Stories stories() {
    return stories;
  }

  public ChatThreads chatThreads() {
    return chatThreads;
  }

  public ThreadErasure erasure() {
    return erasure;
  }

  /**
   * At a start: runs that were cut off wait again. Returns whose those are, in the order of their
   * acceptance.
   *
   * @param wasStopped whether a stop cut them off that could not be written down: then those runs
   *     do not count
   * @param now for their stories
   */
  public List<CutEvent> recover(Transaction tx, boolean wasStopped, Instant now)
      throws SQLException {
    int wrong = MessageCounters.balance(tx);
    if (wrong > 0) {
      engine
          .repairs()
          .add(Repairs.What.COUNT, wrong, wrong + " counts contradicted each other at the start");
    }
    Quarantine.recover(tx);
    names.load(tx.sql());
    activity.recover(tx);
    int uncounted = wasStopped ? 1 : 0;
    List<CutEvent> cut =
        tx.sql()
            .list(
                row -> new CutEvent(row.getString(1), row.getInt(2)),
                "update events set state = 0, attempts = max(attempts - ?, 0)"
                    + " where closed = 0 and state = ? returning id, attempts + ?",
                uncounted,
                EventState.RUNNING.code(),
                uncounted);
    String how = wasStopped ? "{\"by\":\"stop\"}" : "{\"by\":\"crash\"}";
    for (CutEvent each : cut) {
      Stories.insert(tx, new StoryLine(each.eventId(), now, Stories.CUT_OFF, how));
    }
    tx.count(MessageCounters.of(EventState.PENDING), cut.size());
    tx.count(MessageCounters.of(EventState.RUNNING), -cut.size());
    return cut.stream().sorted(Comparator.comparing(CutEvent::eventId)).toList();
  }

  /** Hears of each damaged row that is found from now on; hand over and return. */
  public void onDamaged(Consumer<DamagedRow> listener) {
    quarantine.onDamaged(listener);
  }

  /** Begins to look after the rows. */
  public void start() {
    watch.start();
    reconciler.start();
  }

  /** Events that are not finished. */
  public long open() {
    return MessageCounters.open(engine);
  }

  /** Rows whose checksum does not match and that are still kept. */
  public long damagedRows() {
    return engine.counted(MessageCounters.DAMAGED);
  }

  /** Why no new event is taken now; empty when they are. */
  public Optional<StoreRefusal> refusal() {
    return admission.refusal();
  }

  /** Refuses new events from now on. */
  public void stopIntake() {
    admission.stop();
  }

  /** Writes the times of threads; before the engine stops. Blocks. */
  public void stop() {
    reconciler.stop();
    watch.stop();
    activity.settle();
  }

  /** Forgets what is old enough, now; the watch does it once a minute. Returns how many events. */
  public long purge() throws StoreException {
    return purge.sweep();
  }

  /** Holds what is open against the tables, now. Returns whether anything was put right. */
  public boolean reconcile() throws StoreException {
    return reconciliation.look(_ -> true);
  }

  /** Hears at the start and once a minute which events nobody has begun. */
  public void onReconciled(Consumer<List<Waiting>> listener) {
    reconciliation.onLook(listener);
  }

  private void look(int number) {
    activity.settle();
    if (number % LOOKS_PER_PURGE == 0) {
      try {
        long removed = purge.sweep();
        if (removed > 0) {
          LOG.info("store: {} old events were removed", removed);
        }
      } catch (StoreException e) {
        LOG.warn("store: old events could not be removed: {}", e.getMessage());
      }
    }
  }

  private void reconcile(int number) {
    if (number % LOOKS_PER_PURGE == 1) {
      try {
        reconciliation.look(reconciler::rest);
      } catch (StoreException e) {
        LOG.warn("store: open events are compared later: {}", e.getMessage());
      }
    }
  }

  public void measure(MeterRegistry registry) {
    Gauge.builder("holdfast.inbox.depth", this, Messages::open)
        .description("Events that are not finished.")
        .register(registry);
    gauge("holdfast.outbox.depth", MessageCounters.OPEN_REPLIES)
        .description("Replies that are not finished.")
        .register(registry);
    for (String kind : List.of(DeadLetterRows.EVENT, DeadLetterRows.REPLY)) {
      gauge("holdfast.dead.letters", MessageCounters.ofLetters(kind))
          .tag("kind", kind)
          .register(registry);
    }
    for (EventState state : EventState.values()) {
      measureEvents(registry, state.label(), MessageCounters.of(state));
    }
    measureEvents(registry, "accepted", MessageCounters.ACCEPTED);
    gauge("holdfast.quarantined.rows", MessageCounters.QUARANTINED)
        .description("Rows whose checksum did not match.")
        .register(registry);
  }

  private void measureEvents(MeterRegistry registry, String state, Counter counter) {
    gauge("holdfast.inbox.events", counter)
        .description("Accepted events by state; accepted is the sum of the others.")
        .tag("state", state)
        .register(registry);
  }

  private Gauge.Builder<Engine> gauge(String name, Counter counter) {
    return Gauge.builder(name, engine, all -> all.counted(counter));
  }
}
