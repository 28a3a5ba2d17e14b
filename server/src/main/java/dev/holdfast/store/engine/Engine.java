package dev.holdfast.store.engine;

import dev.holdfast.store.engine.StoreRefusal.Cause;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;

/**
 * The database as every package uses it that keeps something: it brings its own {@link Tables},
 * changes them through the one writer and reads them through a few readers. Changes that wait at
 * the same time share one transaction and one fsync; a failed fsync ends the process. Thread-safe;
 * what blocks is not for the writer's own thread.
 */
public final class Engine {
  private static final Duration SLOW = Duration.ofSeconds(1);
  private static final Duration LOOK_PERIOD = Duration.ofMillis(250);
  private static final int LOOKS_PER_PROBE = 4;

  private final Source source;
  private final EngineConfig config;
  private final FailStop failStop;
  private final Timer commits;
  private final Counters counters = new Counters();
  private final Writer writer;
  private final Checkpoints checkpoints;
  private final Readers readers;
  private final StoreWatch watch;
  private final BackgroundCheck check;
  private final Repairs repairs;
  private volatile Runnable mended = () -> {};
  private volatile long freeBytes;

  /** An open database file that was found to be whole. Its owner closes it after the engine. */
  public interface Source {
    Path folder();

    /** The connection that alone writes. */
    Statements writer();

    /** One more connection, closed by the engine. */
    Statements another() throws SQLException;

    /** Hears after each commit how many there have ever been, before anybody hears of a result. */
    void committed(long commits);
  }

  /**
   * One change, made on the writer's thread together with others: short, and without any wait. It
   * may run again after a rollback that another change caused. Throws {@link StoreException} only
   * before its first write; anything else rolls back all that it did.
   */
  public interface Work<T> {
    T in(Transaction tx) throws SQLException, StoreException;
  }

  /** A question to the database, asked on a reader's thread. */
  public interface Read<T> {
    T from(Statements sql) throws SQLException;
  }

  /** The same over JDBI, for where speed does not matter. */
  public interface Ask<T> {
    T of(Handle handle);
  }

  public Engine(
      Source source, EngineConfig config, Time time, MeterRegistry registry, StoreHooks hooks)
      throws SQLException {
    this.source = source;
    this.config = config;
    failStop = new FailStop(hooks.fatal());
    repairs = new Repairs(registry);
    commits =
        Timer.builder("holdfast.inbox.commit")
            .description("One transaction of the writer, with its fsync.")
            .publishPercentileHistogram()
            .minimumExpectedValue(Duration.ofNanos(50_000))
            .maximumExpectedValue(Duration.ofSeconds(5))
            .register(registry);
    counters.load(source.writer());
    writer =
        new Writer(source.writer(), counters, config, time, failStop, new AfterBatch(hooks.tick()));
    checkpoints = new Checkpoints(source.another(), writer.turn(), failStop);
    readers = new Readers(source, failStop);
    check = new BackgroundCheck(source.another(), this, checkpoints::frames, failStop);
    watch = new StoreWatch("holdfast-store-watch", LOOK_PERIOD, this::look, failStop);
    measureFreeBytes();
  }

  /** What follows on each batch, on the writer's thread. */
  private final class AfterBatch implements Writer.Listener {
    private final Runnable tick;

    AfterBatch(Runnable tick) {
      this.tick = tick;
    }

    @Override
    public void ended(long nanos) {
      commits.record(nanos, TimeUnit.NANOSECONDS);
      source.committed(counters.get(Transaction.COMMITS));
      checkpoints.committed();
    }

    @Override
    public void alive() {
      tick.run();
    }
  }

  /** How many commits a database holds that no engine runs on; zero before it has tables. */
  public static long commits(Statements sql) throws SQLException {
    boolean empty =
        sql.list(
                row -> row.getInt(1),
                "select 1 from sqlite_master where type = 'table' and name = 'counters'")
            .isEmpty();
    return empty
        ? 0
        : sql.first(
                row -> row.getLong(1),
                "select n from counters where name = ?",
                Transaction.COMMITS.name())
            .orElse(0L);
  }

  /**
   * What a start has to put right, in a transaction of its own on the calling thread. Only before
   * {@link #start}.
   */
  public <T> T recover(Work<T> work) throws SQLException {
    Transaction tx = new Transaction(source.writer(), counters);
    tx.begin();
    T result;
    try {
      result = work.in(tx);
    } catch (StoreException e) {
      throw new IllegalStateException("a recovery refuses nothing", e);
    }
    tx.commit();
    tx.publish();
    return result;
  }

  /** From here on changes are written. */
  public void start() {
    writer.start();
    checkpoints.start();
    watch.start();
    check.start();
  }

  /**
   * Writes what is queued and closes all connections but the writer's. Blocks until it is done;
   * changes that come later fail with OVERLOADED.
   */
  public void stop() throws SQLException {
    check.stop();
    watch.stop();
    writer.stop();
    checkpoints.stop();
    readers.stop();
  }

  /**
   * Brings a package's tables up to date, in one transaction: call it before they are used first.
   * Blocks.
   *
   * @throws StartRefusedException 65 when a newer program has changed them
   * @throws StoreException when the disk refuses, or a script fails; then nothing was changed
   */
  public void bring(Tables tables) throws StoreException, StartRefusedException {
    int before = call(tables::bring);
    if (before > tables.scripts().size()) {
      throw new StartRefusedException(
          StartRefusedException.DAMAGED,
          "%s was written by a newer Holdfast (tables of %s of version %d, this one knows %d); start that one, or restore a backup from before the upgrade"
              .formatted(
                  source.folder().resolve(Connections.FILE),
                  tables.owner(),
                  before,
                  tables.scripts().size()));
    }
    Schema ours = schemaOf(tables);
    List<String> changed = read(sql -> ours.differencesIn(Schema.in(sql)));
    if (!changed.isEmpty()) {
      throw new StartRefusedException(
          StartRefusedException.DAMAGED,
          source.folder().resolve(Connections.FILE) + ": " + Schema.damage(changed));
    }
  }

  private static Schema schemaOf(Tables tables) {
    try {
      return tables.schema();
    } catch (SQLException e) {
      throw new IllegalStateException("scripts of " + tables.owner() + " need other tables", e);
    }
  }

  /**
   * A change that is durable on return. Blocks, also for as long as the disk hangs; an interrupt
   * does not cut it short.
   *
   * @throws StoreException OVERLOADED when the disk is full or too much is queued, IO when the disk
   *     failed, or what the work refused; then nothing was changed
   * @throws IllegalStateException when the work failed otherwise: a bug; nothing was changed
   */
  public <T> T call(Work<T> work) throws StoreException {
    return writer.call(work);
  }

  /**
   * A change that is refused (OVERLOADED) when it has to wait for seconds. Returns at once; the
   * future completes on the writer's thread after the fsync, with the failures of {@link #call}.
   */
  public <T> CompletableFuture<T> offer(Work<T> work) {
    return writer.offer(work);
  }

  /**
   * As {@link #offer(Work)}; {@code first} hears the result before anybody else, in the order of
   * the commits, on the writer's thread: hand over and return.
   */
  public <T> CompletableFuture<T> offer(Work<T> work, Consumer<T> first) {
    return writer.offer(work, first);
  }

  /**
   * A change that nobody waits for, written with the next commit. A full disk only delays it; a
   * crash may lose it.
   */
  public void later(Work<?> work) {
    writer.later(work);
  }

  /**
   * Sees all that was committed before, and nothing that is committed while it reads. Blocks until
   * a reader is free and has answered; an interrupt does not cut it short.
   *
   * @throws IllegalStateException when the database cannot be read
   */
  public <T> T read(Read<T> read) {
    return readers.read(read);
  }

  /** As {@link #read}. */
  public <T> T ask(Ask<T> ask) {
    return readers.ask(ask);
  }

  /** The count as of the last commit; from memory. */
  public long counted(Counter counter) {
    return counters.get(counter);
  }

  /** All counts of one moment, as of the last commit; what is absent is zero. From memory. */
  public Map<Counter, Long> counts() {
    return counters.snapshot();
  }

  /**
   * Why nothing new should be begun now: the disk failed, is full or nearly full, or hangs. Empty
   * when all is well. From memory.
   */
  public Optional<StoreRefusal> refusal() {
    String dead = failStop.cause();
    if (dead != null) {
      return Optional.of(new StoreRefusal(Cause.STORE_FAILED, dead));
    }
    if (writer.isFull()) {
      return Optional.of(new StoreRefusal(Cause.DISK_TAKES_NOTHING, Writer.TAKES_NOTHING));
    }
    long free = freeBytes;
    if (free < config.freeBytesMin()) {
      return Optional.of(
          new StoreRefusal(
              Cause.LOW_SPACE,
              "only " + free + " bytes of disk are free, the reserve is " + config.freeBytesMin()));
    }
    return writer.busyFor().compareTo(SLOW) > 0
        ? Optional.of(new StoreRefusal(Cause.DISK_SLOW, "the disk is too slow"))
        : Optional.empty();
  }

  /** Frees the memory that a load took. Does not wait. */
  public void shrink() {
    writer.shrink();
  }

  /**
   * From now on a transaction ends as a full disk ends it while {@code asked} says so, which is
   * asked once for each, on the writer's thread.
   */
  public void refuseWhile(BooleanSupplier asked) {
    writer.refuseWhile(asked);
  }

  public FailStop failStop() {
    return failStop;
  }

  public Repairs repairs() {
    return repairs;
  }

  /** Hears when what reads found may have been less than there is: look again. */
  public void onMended(Runnable listener) {
    mended = listener;
  }

  /** Something that keeps rows from being found was put right. */
  public void mended() {
    mended.run();
  }

  /** Never waits for the writer, so that a disk that hangs is noticed. */
  private void look(int number) {
    writer.refuseLate();
    measureFreeBytes();
    check.yieldToLog();
    if (number % LOOKS_PER_PROBE == 0 && writer.isFull()) {
      writer.probe();
    }
  }

  private void measureFreeBytes() {
    try {
      freeBytes = Files.getFileStore(source.folder()).getUsableSpace();
    } catch (IOException _) {
      freeBytes = 0; // a disk that cannot even be asked takes no events
    }
  }
}
