package dev.holdfast.store;

import dev.holdfast.store.engine.Connections;
import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.StoreHooks;
import dev.holdfast.store.engine.StoreRefusal;
import dev.holdfast.store.engine.Tables;
import dev.holdfast.store.engine.TextFiles;
import dev.holdfast.store.ledgers.Approvals;
import dev.holdfast.store.ledgers.Audit;
import dev.holdfast.store.ledgers.Schedules;
import dev.holdfast.store.ledgers.Usage;
import dev.holdfast.store.messages.ChatThreads;
import dev.holdfast.store.messages.Companion;
import dev.holdfast.store.messages.CutEvent;
import dev.holdfast.store.messages.DamagedRow;
import dev.holdfast.store.messages.DeadLetters;
import dev.holdfast.store.messages.Inbox;
import dev.holdfast.store.messages.Messages;
import dev.holdfast.store.messages.Outbox;
import dev.holdfast.store.messages.StoredThreadOwners;
import dev.holdfast.store.messages.Stories;
import dev.holdfast.store.messages.ThreadErasure;
import dev.holdfast.store.messages.ThreadLabels;
import dev.holdfast.store.messages.ThreadOwners;
import dev.holdfast.store.messages.Waiting;
import dev.holdfast.store.opening.Database;
import dev.holdfast.store.threads.ThreadFolders;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All that is on disk. Open once per process, under the instance lock. */
public final class Store implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Store.class);

  private final Database database;
  private final Engine engine;
  private final Messages messages;
  private final Usage usage;
  private final Audit audit;
  private final Approvals approvals;
  private final Schedules schedules;
  private final ThreadOwners owners;
  private final ThreadLabels labels;
  private final TextFiles texts;
  private final ThreadFolders threads;
  private final LastRun lastRun;
  private boolean closed;
  private boolean whole;

  /**
   * Opens the data folder and makes it when it is missing. After an unclean stop the whole database
   * is checked first. Blocks for as long as that takes.
   *
   * @throws StartRefusedException 65 when something is damaged or newer than this program; 74 when
   *     the disk cannot be used
   */
  public static Store open(
      StoreConfig config, Path dataDir, Time time, MeterRegistry registry, StoreHooks hooks)
      throws StartRefusedException {
    Database database = Database.open(dataDir);
    Store store;
    try {
      Engine engine = new Engine(database, config.engine(), time, registry, hooks);
      store = new Store(database, engine, config, time, registry);
    } catch (SQLException e) {
      database.giveUp();
      throw Connections.refusal(dataDir.resolve(Connections.FILE), e);
    }
    try {
      store.start();
      return store;
    } catch (StartRefusedException e) {
      store.close(); // the start may be tried again in this process
      throw e;
    }
  }

  private Store(
      Database database, Engine engine, StoreConfig config, Time time, MeterRegistry registry)
      throws SQLException {
    this.database = database;
    this.engine = engine;
    audit = new Audit(engine, time);
    approvals = new Approvals(engine, audit);
    usage = new Usage(engine);
    messages = new Messages(engine, config.inbox(), time, List.of(approvals, usage));
    schedules = new Schedules(engine, messages.inbox(), audit);
    owners = new StoredThreadOwners(engine);
    labels = new ThreadLabels(engine);
    texts = new TextFiles(engine.failStop());
    threads =
        new ThreadFolders(
            database.folder().resolve("threads"), engine.failStop(), time, config.files());
    database.tell(engine.repairs());
    lastRun = recover(time.now().truncatedTo(ChronoUnit.MILLIS));
    messages.measure(registry);
    Gauge.builder("holdfast.damaged.log.lines", threads, ThreadFolders::damagedLines)
        .description("Lines of chat threads' logs that were found damaged since the start.")
        .register(registry);
  }

  private void start() throws StartRefusedException {
    engine.start();
    bring(StoredThreadOwners.TABLES);
    bring(ThreadLabels.TABLES);
    bring(ThreadErasure.TABLES);
    messages.start();
  }

  private void bring(Tables tables) throws StartRefusedException {
    try {
      engine.bring(tables);
    } catch (StoreException e) {
      throw new StartRefusedException(StartRefusedException.IO, e.failure().message());
    }
  }

  private LastRun recover(Instant now) throws SQLException {
    List<CutEvent> cut = engine.recover(tx -> messages.recover(tx, database.wasStopped(), now));
    if (!database.wasClean()) {
      LOG.info(
          "store: the database is intact; {} events are open, {} of them were running",
          messages.open(),
          cut.size());
    }
    return new LastRun(
        database.wasClean(),
        database.lastSign(),
        database.integrity(),
        database.wasMended(),
        cut.subList(0, Math.min(cut.size(), LastRun.CUT_MAX)),
        cut.size(),
        messages.open() - cut.size(),
        now);
  }

  /** For packages that keep tables of their own. */
  public Engine engine() {
    return engine;
  }

  /** As {@link Messages#accompany}. */
  public void accompany(Companion companion) {
    messages.accompany(companion);
  }

  public Inbox inbox() {
    return messages.inbox();
  }

  public Outbox outbox() {
    return messages.outbox();
  }

  public Stories stories() {
    return messages.stories();
  }

  public DeadLetters deadLetters() {
    return messages.deadLetters();
  }

  public ChatThreads chatThreads() {
    return messages.chatThreads();
  }

  public ThreadOwners threadOwners() {
    return owners;
  }

  public ThreadLabels threadLabels() {
    return labels;
  }

  public ThreadErasure threadErasure() {
    return messages.erasure();
  }

  public Usage usage() {
    return usage;
  }

  public Audit audit() {
    return audit;
  }

  public Approvals approvals() {
    return approvals;
  }

  public Schedules schedules() {
    return schedules;
  }

  public TextFiles texts() {
    return texts;
  }

  public ThreadFolders threads() {
    return threads;
  }

  /**
   * Forgets what is old enough, now; the watch does it once a minute. Returns how many events went.
   */
  long purge() throws StoreException {
    return messages.purge();
  }

  /**
   * Holds what is open against the tables, now; the watch does it once a minute. Returns whether
   * anything was put right.
   */
  boolean reconcile() throws StoreException {
    return messages.reconcile();
  }

  /** Whether the last run ended cleanly; true for a new data folder. */
  public boolean wasClean() {
    return database.wasClean();
  }

  /** How the run before this one ended, and what it left. */
  public LastRun lastRun() {
    return lastRun;
  }

  /** Hears of each damaged row that is found from now on; hand over and return. */
  public void onDamaged(Consumer<DamagedRow> listener) {
    messages.onDamaged(listener);
  }

  /** Why new events cannot be accepted now; empty when they can. */
  public Optional<StoreRefusal> refusal() {
    return messages.refusal();
  }

  /** How many rows are damaged, taken out of service and kept. */
  public long damagedRows() {
    return messages.damagedRows();
  }

  /** How many faults of the database were found and mended since the start. */
  public long repairs() {
    return engine.repairs().count();
  }

  /** Hears when rows that were not found before may be found now: look again. */
  public void onMended(Runnable listener) {
    engine.onMended(listener);
  }

  /** Hears at the start and once a minute which events nobody has begun. */
  public void onReconciled(Consumer<List<Waiting>> listener) {
    messages.onReconciled(listener);
  }

  /** Refuses new events from now on; what is queued is still written. */
  public void stopIntake() {
    messages.stopIntake();
  }

  /**
   * Writes what is queued and closes the database. Blocks until it is done; a second call does
   * nothing.
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    messages.stopIntake();
    messages.stop();
    try {
      try {
        engine.stop();
      } finally {
        threads.close();
      }
      database.close();
      whole = engine.failStop().cause() == null;
    } catch (SQLException | IOException e) {
      LOG.error("store: not closed cleanly, the next start will check it: {}", e.getMessage());
    }
  }

  /**
   * Before {@link #close}: what still runs is cut off by a stop, which needs no room to be noted.
   */
  public void markStopped() {
    try {
      database.markStopped();
    } catch (IOException e) {
      LOG.warn("store: a stop in order cannot be noted: {}", e.toString());
    }
  }

  /** Whether {@link #close} has written everything. */
  public synchronized boolean isWhole() {
    return whole;
  }

  /**
   * Writes the clean marker: the very last act of a clean stop, after {@link #close}. Does nothing
   * when the store failed or was not closed cleanly; then the next start checks the database.
   */
  public synchronized void markClean() throws IOException {
    if (whole) {
      database.markClean();
    }
  }
}
