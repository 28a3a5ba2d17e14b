package dev.holdfast.memory;

import dev.holdfast.api.InboundMessage;
import dev.holdfast.config.Secrets;
import dev.holdfast.models.Models;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.messages.ChatThreads;
import dev.holdfast.store.messages.Ids;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.time.Time;
import dev.holdfast.tools.files.Sha256;
import dev.holdfast.tools.memory.Memory;
import dev.holdfast.tools.memory.MemoryVersion;
import dev.holdfast.tools.memory.RecallHits;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tidies the memories of chat threads now and then, and on demand. Thread-safe; everything blocks.
 */
public final class MemorySweeps {
  private static final Logger LOG = LoggerFactory.getLogger(MemorySweeps.class);
  private static final String SERVER = "server";
  private static final String AGAIN = "again: the server had ended in the middle of it";
  private static final String STOPPED = "the server stops; it runs again after the next start";
  private static final Duration LOOK = Duration.ofSeconds(1);
  private static final int THREADS_PER_PAGE = 500;

  /** Swept with a model in one sweep; the others wait for the next one. */
  private static final int THREADS_MAX = 200;

  private final Store store;
  private final Memory memory;
  private final Models models;
  private final SweepLedger ledger;
  private final ThreadSweep threads;
  private final Promotions promotions;
  private final SweepModel model;
  private final ServerCalm calm;
  private final SweepMetrics metrics;
  private final Supplier<SweepConfig> config;
  private final Time time;
  private final Ids ids;
  private final BlockingQueue<SweepRun> wanted = new ArrayBlockingQueue<>(1);

  /** Held while a sweep is made, and for good once they have been stopped. */
  private final Semaphore turn = new Semaphore(1);

  /** Since the start: known here before the next commit. */
  private final Set<String> writers = ConcurrentHashMap.newKeySet();

  private volatile boolean stopping;

  /** Ends of sweeps that the disk refused to record, by the number of the sweep. */
  private final Map<String, SweepRun> unrecorded = new ConcurrentHashMap<>();

  /** Whether nothing waits that a change has left to be done. */
  private volatile boolean isSettled;

  private volatile @Nullable SweepRun running;

  private MemorySweeps(
      Store store,
      Memory memory,
      RecallHits recalls,
      SweepLedger ledger,
      Models models,
      SweepBudget budget,
      Supplier<SweepConfig> config,
      Supplier<Set<String>> names,
      Secrets secrets,
      ServerCalm calm,
      Path dataDir,
      ZoneId zone,
      Time time,
      MeterRegistry registry) {
    this.store = store;
    this.memory = memory;
    this.models = models;
    this.ledger = ledger;
    this.config = config;
    this.calm = calm;
    this.time = time;
    ids = new Ids(time);
    metrics = new SweepMetrics(registry);
    KnownPeople people =
        new KnownPeople(
            () -> {
              Set<String> all = new HashSet<>(names.get());
              all.addAll(ledger.people());
              all.addAll(writers);
              return all;
            });
    model = new SweepModel(models, store.usage(), budget, calm, () -> stopping, time);
    threads =
        new ThreadSweep(
            memory,
            ledger,
            model,
            new TalkReader(store.threads(), store.audit(), zone, secrets::redact),
            calm,
            secrets,
            people,
            time);
    promotions =
        new Promotions(
            memory,
            recalls,
            ledger,
            store.texts(),
            dataDir,
            secrets,
            people,
            config,
            metrics,
            time,
            zone);
    store.threadErasure().also(RecallHits::forget);
    store
        .threadErasure()
        .also(
            (tx, threadId) -> {
              ledger.forget(tx, threadId);
              tx.afterCommit(() -> isSettled = false); // PROMOTIONS.md may name it
            });
  }

  /**
   * Brings its tables up to date.
   *
   * @param names of people that are known elsewhere
   */
  public static MemorySweeps open(
      Store store,
      Memory memory,
      RecallHits recalls,
      Models models,
      SweepBudget budget,
      Supplier<SweepConfig> config,
      Supplier<Set<String>> names,
      Secrets secrets,
      ServerCalm calm,
      Path dataDir,
      ZoneId zone,
      Time time,
      MeterRegistry registry)
      throws StoreException, StartRefusedException {
    MemorySweeps opened =
        new MemorySweeps(
            store,
            memory,
            recalls,
            SweepLedger.open(store.engine(), store.audit()),
            models,
            budget,
            config,
            names,
            secrets,
            calm,
            dataDir,
            zone,
            time,
            registry);
    opened.isSettled =
        opened.settle(); // before a turn changes a file whose replacement is not on record
    return opened;
  }

  /** Hears of each message that is accepted: who has written is not named to others. */
  public void wrote(InboundMessage message) {
    for (String name : List.of(message.sender(), message.origin().senderName())) {
      if (!name.isBlank() && writers.size() < SweepLedger.PEOPLE_MAX && writers.add(name)) {
        ledger.person(name);
      }
    }
  }

  /** Makes sweeps when they are due or asked for, until it is interrupted. */
  public void run() throws InterruptedException {
    while (true) {
      if (!isSettled && !stopping) {
        isSettled = true; // first: what comes meanwhile is settled then
        isSettled &= recordEnds() && settle();
      }
      SweepRun next = wanted.poll(LOOK.toMillis(), TimeUnit.MILLISECONDS);
      if (next == null && unrecorded.isEmpty() && isDue()) {
        next = fresh(SERVER, "", false);
      }
      if (next != null) {
        perform(next);
      }
    }
  }

  private boolean isDue() {
    return !stopping && calm.mayWork() && isTime(config.get());
  }

  private boolean isTime(SweepConfig now) {
    return now.enabled() && !next(now).isAfter(time.now());
  }

  /**
   * Ends what the last run was in the middle of; its sweep is made again. False when the disk
   * refuses.
   */
  private synchronized boolean settle() {
    try {
      threads.finishInterrupted();
      finishRestores();
      promotions.finishInterrupted();
      for (SweepRun run : ledger.runs(Integer.MAX_VALUE)) {
        boolean isWanted = wanted.stream().anyMatch(next -> next.id().equals(run.id()));
        if (run.outcome() == SweepRun.Outcome.RUNNING && !isWanted) {
          ledger.keep(ended(run, SweepRun.Outcome.CUT_OFF, "the server ended", run.promoted()));
          metrics.cutOff();
          if (!run.note()
              .equals(AGAIN)) { // one that ends the server each time would end it for ever
            repeat(run, AGAIN);
          }
        } else if (run.note().equals(STOPPED)) {
          ledger.keep(run.with(run.outcome(), "the server stopped"));
          repeat(run, "again: the server had stopped in the middle of it");
        }
      }
      return true;
    } catch (StoreException | IOException e) {
      LOG.warn("memory: what the last sweep left waits: {}", e.getMessage());
      return false;
    }
  }

  private void repeat(SweepRun run, String note) throws StoreException {
    boolean isWanted = !run.by().equals(SERVER) || config.get().enabled();
    if (!run.dry() && isWanted) {
      SweepRun again = fresh(run.by(), run.threadId(), false).with(SweepRun.Outcome.RUNNING, note);
      if (wanted.offer(again)) {
        ledger.keep(again);
      }
    }
  }

  /** A memory that was brought back is on record, even if the server ended before that. */
  private void finishRestores() throws StoreException, IOException {
    for (SweepLedger.Restore left : ledger.unfinishedRestores()) {
      Memory.Scope scope = scope(left.threadId());
      boolean isReplaced = Sha256.of(memory.bytes(scope)).equals(left.after());
      memory.settle(scope, Memory.RESTORE, left.after(), time.now());
      ledger.restored(left, isReplaced);
    }
  }

  private SweepRun fresh(String by, String threadId, boolean dry) {
    return new SweepRun(
        ids.next(), time.now(), null, by, threadId, dry, SweepRun.Outcome.RUNNING, 0, "");
  }

  /**
   * Asks for a sweep; it is on record on return.
   *
   * @param threadId empty for all
   * @param dry tells what it would do, and changes nothing
   * @return its number; empty while another one runs or waits
   */
  public synchronized Optional<String> request(String by, String threadId, boolean dry)
      throws StoreException {
    if (running != null || stopping || !wanted.isEmpty()) {
      return Optional.empty();
    }
    SweepRun run = fresh(by, threadId, dry);
    ledger.keep(run);
    wanted.add(run);
    return Optional.of(run.id());
  }

  private void perform(SweepRun run) throws InterruptedException {
    if (!turn.tryAcquire()) {
      return; // the server stops
    }
    long begun = time.nanos();
    running = run;
    SweepRun ended = ended(run, SweepRun.Outcome.FAILED, "it crashed", 0);
    try {
      ledger.begin(run.threadId());
      ledger.keep(run);
      ended = sweep(run);
    } catch (StoreException e) {
      LOG.warn("memory: sweep {} ended: {}", run.id(), e.failure().message());
      isSettled = false; // a file may have been replaced, and its entries are missing
      ended = ended(run, SweepRun.Outcome.FAILED, e.failure().message(), 0);
    } catch (InterruptedException e) {
      ended = ended(run, SweepRun.Outcome.CANCELLED, stopped(run), 0);
      throw e;
    } finally {
      running = null; // first: who sees its end may ask for another
      keepEnd(ended);
      metrics.ended(ended.outcome(), Duration.ofNanos(time.nanos() - begun));
      turn.release();
    }
  }

  private void keepEnd(SweepRun ended) {
    unrecorded.put(ended.id(), ended);
    if (!recordEnds()) {
      isSettled = false;
      LOG.warn("memory: the end of sweep {} will be recorded later", ended.id());
    }
  }

  /** False when the disk refuses. */
  private boolean recordEnds() {
    for (SweepRun ended : List.copyOf(unrecorded.values())) {
      try {
        ledger.keep(ended);
        unrecorded.remove(ended.id());
        LOG.info("memory: sweep {}: {} {}", ended.id(), ended.outcome().label(), ended.note());
      } catch (StoreException _) {
        return false;
      }
    }
    return true;
  }

  private SweepRun ended(SweepRun run, SweepRun.Outcome outcome, String note, int promoted) {
    return new SweepRun(
        run.id(),
        run.begunAt(),
        time.now(),
        run.by(),
        run.threadId(),
        run.dry(),
        outcome,
        promoted,
        note);
  }

  private SweepRun sweep(SweepRun run) throws StoreException, InterruptedException {
    SweepRun.Outcome outcome = SweepRun.Outcome.DONE;
    String note = "";
    try {
      if (model.isThere()) {
        sweepThreads(run);
      } else {
        outcome = SweepRun.Outcome.NO_MODEL;
        note = "no model is named for the level " + SweepModel.LEVEL;
      }
    } catch (SweepEndedException e) {
      outcome = e.outcome();
      note = outcome == SweepRun.Outcome.CANCELLED ? stopped(run) : e.why();
    }
    // Costs nothing, so that it is done whatever became of the models.
    int promoted = run.dry() || stopping ? 0 : promotions.judgeAll(run.threadId());
    return ended(run, outcome, note, promoted);
  }

  private static String stopped(SweepRun run) {
    return run.dry() ? "the server stops" : STOPPED;
  }

  private void sweepThreads(SweepRun run)
      throws SweepEndedException, StoreException, InterruptedException {
    if (!run.threadId().isEmpty()) {
      Optional<SweptThread> swept = threads.sweep(run, run.threadId(), 0);
      count(run, swept);
      if (swept.map(SweptThread::outcome).equals(Optional.of(SweptThread.Outcome.BUDGET))) {
        throw new SweepEndedException(
            SweepRun.Outcome.BUDGET, "the conversation has used up its budget of today");
      }
      return;
    }
    int swept = 0;
    String place = "";
    do {
      List<ChatThreads.ThreadRow> page =
          store.chatThreads().list(ThreadReader.OPERATOR, place, THREADS_PER_PAGE);
      for (ChatThreads.ThreadRow row : page) {
        model.awaitQuiet();
        Optional<SweptThread> done = threads.sweep(run, row.threadId(), config.get().messagesMin());
        count(run, done);
        swept += done.isPresent() ? 1 : 0;
        if (swept == THREADS_MAX) {
          return;
        }
      }
      place = page.size() < THREADS_PER_PAGE ? "" : page.getLast().place();
    } while (!place.isEmpty());
  }

  private void count(SweepRun run, Optional<SweptThread> swept) {
    if (!run.dry()) {
      swept.ifPresent(metrics::swept);
    }
  }

  /**
   * No sweep begins from now on; the running one ends at its next step. Blocks until it has, for at
   * most {@code limit}. What is cut off then changes nothing: its file was replaced or it was not.
   *
   * @return whether nothing runs any more
   */
  public boolean stop(Duration limit) throws InterruptedException {
    stopping = true;
    return turn.tryAcquire(limit.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Whether sweeps are made, when, and what the newest one came to. */
  public JsonObject status() {
    SweepConfig now = config.get();
    @Nullable SweepRun at = running;
    JsonObject counts = new JsonObject();
    for (Proposal.State state : Proposal.State.values()) {
      counts.put(state.label(), 0);
    }
    ledger
        .proposals()
        .forEach(
            proposal ->
                counts.put(
                    proposal.state().label(), counts.getInteger(proposal.state().label()) + 1));
    return new JsonObject()
        .put("enabled", now.enabled())
        .put("model", models.isNamed(SweepModel.LEVEL))
        .put("global_promote", now.globalPromote().name().toLowerCase(Locale.ROOT))
        .put("running", at == null ? null : at.id())
        .put("next_at", now.enabled() ? next(now).toString() : null)
        .put("waits_for_mode", isTime(now) && !calm.mayWork())
        .put("proposals", counts);
  }

  private Instant next(SweepConfig now) {
    return ledger.lastScheduled().map(last -> last.plus(now.every())).orElse(time.now());
  }

  /** Whether there is such a chat thread. */
  public boolean isKnown(String threadId) {
    return store.chatThreads().find(threadId).isPresent();
  }

  /** The newest sweeps, with what they came to. */
  public JsonArray runs(int limit) {
    JsonArray all = new JsonArray();
    Map<String, SweepRun> ended = Map.copyOf(unrecorded); // first: it may be recorded meanwhile
    ledger.runs(limit).forEach(run -> all.add(headline(ended.getOrDefault(run.id(), run))));
    return all;
  }

  private JsonObject headline(SweepRun run) {
    int kept = 0;
    int merged = 0;
    int dropped = 0;
    int updated = 0;
    int proposed = 0;
    List<SweptThread> swept = ledger.threads(run.id());
    for (SweptThread thread : swept) {
      kept += thread.kept();
      merged += thread.merged();
      dropped += thread.dropped();
      updated += thread.updated();
      proposed += thread.proposed();
    }
    return run.toJson()
        .put("threads", swept.size())
        .put("kept", kept)
        .put("merged", merged)
        .put("dropped", dropped)
        .put("updated", updated)
        .put("proposed", proposed);
  }

  /** The story of one sweep, thread by thread. */
  public Optional<JsonObject> find(String id) {
    Map<String, SweepRun> ended = Map.copyOf(unrecorded); // first, as above
    return ledger
        .run(id)
        .map(
            run -> {
              JsonArray stories = new JsonArray();
              ledger.threads(id).forEach(thread -> stories.add(thread.toJson()));
              return headline(ended.getOrDefault(id, run)).put("stories", stories);
            });
  }

  /** All that was ever proposed and is remembered, oldest first. */
  public List<Proposal> proposals() {
    return ledger.proposals();
  }

  /** What became of a word of an operator's, or of a wish to restore. */
  public sealed interface Answer {
    record Done(JsonObject told) implements Answer {}

    record Unknown() implements Answer {}

    /** Nothing was changed. */
    record Refused(String why) implements Answer {}
  }

  public Answer approve(String id, String by) throws StoreException {
    return answer(promotions.approve(id, by));
  }

  public Answer reject(String id, String by) throws StoreException {
    return answer(promotions.reject(id, by));
  }

  private static Answer answer(Promotions.Decision decision) {
    return switch (decision) {
      case Promotions.Decision.Done(Proposal proposal) -> new Answer.Done(proposal.toJson());
      case Promotions.Decision.Unknown _ -> new Answer.Unknown();
      case Promotions.Decision.Refused(String why) -> new Answer.Refused(why);
    };
  }

  /**
   * Earlier contents of a memory, oldest first.
   *
   * @param threadId empty for that of all threads
   */
  public List<MemoryVersion> history(String threadId) throws IOException {
    return memory.history(scope(threadId));
  }

  /** Brings an earlier content back, byte for byte; the one of now is kept as a version. */
  public synchronized Answer restore(String threadId, int version, String by)
      throws StoreException, IOException {
    if (memory.history(scope(threadId)).stream()
        .anyMatch(old -> old.number() == version && old.bytes() > Memory.RAW_BYTES_MAX)) {
      return new Answer.Refused(
          "version %d has more than %d bytes: copy its file from memory-versions"
              .formatted(version, Memory.RAW_BYTES_MAX));
    }
    Optional<byte[]> content = memory.version(scope(threadId), version);
    if (content.isEmpty()) {
      return new Answer.Unknown();
    }
    SweepLedger.Restore restore =
        new SweepLedger.Restore(threadId, version, by, Sha256.of(content.get()));
    ledger.plan(restore);
    boolean isDone = false;
    try {
      memory.restore(scope(threadId), content.get(), time.now());
      isDone = true;
    } finally {
      isSettled = false; // a line that all threads knew may be gone, or this entry be refused
      ledger.restored(restore, isDone);
    }
    return new Answer.Done(
        new JsonObject()
            .put("thread_id", threadId)
            .put("version", version)
            .put("bytes", content.get().length));
  }

  private static Memory.Scope scope(String threadId) {
    return threadId.isEmpty() ? new Memory.Scope.Global() : new Memory.Scope.OfThread(threadId);
  }
}
