package dev.holdfast.store;

import dev.holdfast.store.engine.Checkpoints;
import dev.holdfast.store.engine.Count;
import dev.holdfast.store.engine.Counters;
import dev.holdfast.store.engine.FailStop;
import dev.holdfast.store.engine.NumberedNames;
import dev.holdfast.store.engine.Readers;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.Statements;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.StoreHooks;
import dev.holdfast.store.engine.TextFiles;
import dev.holdfast.store.engine.ThreadActivity;
import dev.holdfast.store.engine.Writer;
import dev.holdfast.store.ledgers.Approvals;
import dev.holdfast.store.ledgers.Audit;
import dev.holdfast.store.ledgers.Schedules;
import dev.holdfast.store.ledgers.Usage;
import dev.holdfast.store.messages.Admission;
import dev.holdfast.store.messages.DeadLetterRows;
import dev.holdfast.store.messages.DeadLetters;
import dev.holdfast.store.messages.EventEndings;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.Ids;
import dev.holdfast.store.messages.Inbox;
import dev.holdfast.store.messages.Outbox;
import dev.holdfast.store.messages.Purge;
import dev.holdfast.store.messages.Quarantine;
import dev.holdfast.store.messages.Refusal;
import dev.holdfast.store.messages.ReplyRows;
import dev.holdfast.store.messages.StoreWatch;
import dev.holdfast.store.messages.Stories;
import dev.holdfast.store.opening.CleanMarker;
import dev.holdfast.store.opening.Database;
import dev.holdfast.store.threads.ThreadFolders;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All that is on disk. Open once per process, under the instance lock. */
public final class Store implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Store.class);

  private final Database database;
  private final FailStop failStop;
  private final Counters counters = new Counters();
  private final Readers readers;
  private final ThreadActivity touches = new ThreadActivity();
  private final Checkpoints checkpoints;
  private final Writer writer;
  private final Admission intake;
  private final Purge purge;
  private final StoreWatch watch;
  private final StoreWatch tidy;
  private final Inbox inbox;
  private final Outbox outbox;
  private final Stories stories;
  private final Usage usage;
  private final Audit audit;
  private final Approvals approvals;
  private final Schedules schedules;
  private final TextFiles texts;
  private final DeadLetters deadLetters;
  private final ThreadFolders threads;
  private boolean closed;
  private boolean whole;

  /** What everything is built from. */
  private record World(
      StoreConfig config, Database database, Time time, MeterRegistry registry, StoreHooks hooks) {}

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
    try {
      return new Store(new World(config, database, time, registry, hooks));
    } catch (SQLException e) {
      throw Database.refusal(dataDir, e);
    }
  }

  private Store(World world) throws SQLException {
    this.database = world.database;
    Path folder = database.folder();
    Time time = world.time;
    failStop = new FailStop(world.hooks.fatal());
    Statements sql = database.writer();
    counters.load(sql);
    NumberedNames names = new NumberedNames();
    names.load(sql);
    Checkpointing checkpointing = new Checkpointing();
    writer = new Writer(sql, counters, names, parts(world, checkpointing));
    checkpoints = new Checkpoints(database.another(), writer.turn(), failStop);
    checkpointing.of = checkpoints;
    readers = new Readers(database, failStop);
    intake = new Admission(world.config, folder, counters, writer, failStop);
    purge = new Purge(writer, time, world.config.inbox().dedupeTime());
    watch = StoreWatch.overDisk(writer, intake, failStop);
    tidy = StoreWatch.overRows(purge, touches, failStop);

    Ids ids = new Ids(time);
    DeadLetterRows letters = new DeadLetterRows(ids);
    ReplyRows replies = new ReplyRows(time);
    audit = new Audit(writer, readers, time);
    EventEndings endings = new EventEndings(time, replies, letters, audit);
    Quarantine quarantine = new Quarantine(writer, letters, endings, time);
    inbox = new Inbox(writer, readers, counters, intake, new Inbox.Rows(ids, endings, quarantine));
    outbox =
        new Outbox(
            writer,
            readers,
            counters,
            time,
            new Outbox.Rows(replies, endings, letters, quarantine));
    stories = new Stories(writer, readers);
    usage = new Usage(writer, readers);
    approvals = new Approvals(writer, readers, audit);
    schedules = new Schedules(writer, readers, inbox, audit);
    texts = new TextFiles(failStop);
    deadLetters =
        new DeadLetters(writer, readers, counters, time, new DeadLetters.Rows(replies, endings));
    threads =
        new ThreadFolders(
            folder.resolve("threads"),
            readers,
            touches,
            new ThreadFolders.Given(failStop, time, world.config.files()));
    touches.begin(writer, sql);
    recover(sql);
    measure(world.registry);
    writer.start();
    checkpoints.start();
    watch.start();
    tidy.start();
  }

  /** The writer is made before the checkpointer, which needs its lock. */
  private final class Checkpointing implements Runnable {
    private volatile @org.jspecify.annotations.Nullable Checkpoints of;

    @Override
    public void run() {
      database.committed(counters.get(Count.COMMITS));
      Checkpoints checkpoints = of;
      if (checkpoints != null) {
        checkpoints.committed();
      }
    }
  }

  private Writer.Parts parts(World world, Runnable afterBatch) {
    Timer commits =
        Timer.builder("holdfast.inbox.commit")
            .description("One transaction of the writer, with its fsync.")
            .publishPercentileHistogram()
            .minimumExpectedValue(Duration.ofNanos(50_000))
            .maximumExpectedValue(Duration.ofSeconds(5))
            .register(world.registry);
    return new Writer.Parts(
        world.config.inbox(),
        world.time,
        failStop,
        world.hooks.tick(),
        commits,
        afterBatch,
        touches);
  }

  /** Runs that were cut off wait again; their attempts stay counted. */
  private void recover(Statements sql) throws SQLException {
    sql.of("begin immediate").execute();
    long cut =
        sql.update(
            "update events set state = 0 where closed = 0 and state = ?",
            EventState.RUNNING.code());
    Map<Count, Long> deltas = Map.of(Count.PENDING, cut, Count.RUNNING, -cut);
    Counters.write(sql, deltas);
    sql.of("commit").execute();
    counters.publish(deltas);
    if (!database.wasClean()) {
      LOG.info(
          "store: the database is whole; {} events are open, {} of them were running",
          counters.open(),
          cut);
    }
  }

  private void measure(MeterRegistry registry) {
    Gauge.builder("holdfast.inbox.depth", counters, Counters::open)
        .description("Events that are not finished.")
        .register(registry);
    Gauge.builder("holdfast.outbox.depth", counters, all -> all.get(Count.OPEN_REPLIES))
        .description("Replies that are not finished.")
        .register(registry);
    for (String kind : List.of(DeadLetterRows.EVENT, DeadLetterRows.REPLY)) {
      Gauge.builder("holdfast.dead.letters", counters, all -> all.get(DeadLetterRows.countOf(kind)))
          .tag("kind", kind)
          .register(registry);
    }
    for (EventState state : EventState.values()) {
      Count count = Count.of(state);
      Gauge.builder("holdfast.inbox.events", counters, all -> all.get(count))
          .description("Accepted events by state; accepted is the sum of the others.")
          .tag("state", count.label())
          .register(registry);
    }
    Gauge.builder("holdfast.inbox.events", counters, all -> all.get(Count.ACCEPTED))
        .description("Accepted events by state; accepted is the sum of the others.")
        .tag("state", "accepted")
        .register(registry);
    Gauge.builder("holdfast.quarantined.rows", counters, all -> all.get(Count.QUARANTINED))
        .description("Rows whose checksum did not match.")
        .register(registry);
    Gauge.builder("holdfast.damaged.log.lines", threads, ThreadFolders::damagedLines)
        .description("Lines of chat threads' logs that were found damaged since the start.")
        .register(registry);
  }

  public Inbox inbox() {
    return inbox;
  }

  public Outbox outbox() {
    return outbox;
  }

  public Stories stories() {
    return stories;
  }

  public Usage usage() {
    return usage;
  }

  public DeadLetters deadLetters() {
    return deadLetters;
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
    return purge.sweep();
  }

  /** Whether the last run ended cleanly; true for a new data folder. */
  public boolean wasClean() {
    return database.wasClean();
  }

  /** Why new events cannot be accepted now; empty when they can. */
  public Optional<Refusal> refusal() {
    return intake.refusal();
  }

  /** How many rows were ever found damaged and taken out of service. */
  public long quarantinedRows() {
    return counters.get(Count.QUARANTINED);
  }

  /** Refuses new events from now on; what is queued is still written. */
  public void stopIntake() {
    intake.stop();
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
    intake.stop();
    tidy.stop();
    touches.settle();
    watch.stop();
    writer.stop();
    try {
      threads.close();
      checkpoints.stop();
      readers.stop();
      database.close();
      whole = failStop.cause() == null;
    } catch (SQLException | IOException e) {
      LOG.error("store: not closed cleanly, the next start will check it: {}", e.getMessage());
    }
  }

  /**
   * Writes the clean marker: the very last act of a clean stop, after {@link #close}. Does nothing
   * when the store failed or was not closed cleanly; then the next start checks the database.
   */
  public synchronized void markClean() throws IOException {
    if (whole) {
      CleanMarker.write(database.folder(), database.nonce());
    }
  }
}
