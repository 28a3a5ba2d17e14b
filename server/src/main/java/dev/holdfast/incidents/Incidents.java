package dev.holdfast.incidents;

import dev.holdfast.config.Secrets;
import dev.holdfast.resilience.Backoff;
import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.store.ledgers.Audit;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.store.messages.Ids;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * What went wrong, on disk. What is reported is written by the thread of {@link #run}, and for each
 * incident a page for people after it. Thread-safe.
 */
public final class Incidents implements IncidentReports {
  private static final Logger LOG = LoggerFactory.getLogger(Incidents.class);

  /** Who has resolved what ended without a person. */
  public static final String RECOVERED = "recovered";

  /** How many are kept; the oldest resolved ones go first. */
  static final int KEPT_MAX = 1000;

  /** What happens again so soon is the same incident. */
  static final Duration SAME_WITHIN = Duration.ofHours(1);

  private static final int WAITING_MAX = 256;
  private static final int TRIES_MAX = 30;
  private static final Backoff RETRY = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(60));

  private final Engine engine;
  private final Audit audit;
  private final Secrets secrets;
  private final Time time;
  private final MeterRegistry meters;
  private final Ids ids;
  private final IncidentFiles files;
  private final UnrecordedIncident unrecorded;
  private final BlockingQueue<Task> waiting = new LinkedBlockingQueue<>(WAITING_MAX);
  private final Map<String, Open> open = new ConcurrentHashMap<>();
  private volatile Consumer<IncidentChange> listener = _ -> {};

  /** Work for {@link #run}. */
  private sealed interface Task {
    /** It may have to wait for the store: when it happened is known all the same. */
    record Report(NewIncident incident, Instant at) implements Task {}

    record Recovery(IncidentKind kind, String part) implements Task {}

    /** The row has changed: its page is written anew. */
    record Page(Incident incident) implements Task {}
  }

  /** What is asked of open ones without the disk. */
  private record Open(IncidentKind kind, IncidentSeverity severity, String part) {
    static Open of(Incident incident) {
      return new Open(incident.kind(), incident.severity(), incident.part());
    }
  }

  /**
   * What a report has become.
   *
   * @param fresh false when it was counted on one that was open
   * @param purged the ids of those that had to go for it
   */
  private record Taken(Incident incident, boolean fresh, List<String> purged) {}

  private Incidents(
      Engine engine, Audit audit, Path dataDir, Secrets secrets, Time time, MeterRegistry meters) {
    this.engine = engine;
    this.audit = audit;
    this.secrets = secrets;
    this.time = time;
    this.meters = meters;
    this.ids = new Ids(time);
    this.files = new IncidentFiles(dataDir, engine.failStop());
    this.unrecorded = new UnrecordedIncident(dataDir);
  }

  /** Nothing is written before {@link #run}. Blocks. */
  public static Incidents open(
      Engine engine, Audit audit, Path dataDir, Secrets secrets, Time time, MeterRegistry meters)
      throws StoreException, StartRefusedException {
    engine.bring(IncidentRows.TABLES);
    Incidents incidents = new Incidents(engine, audit, dataDir, secrets, time, meters);
    incidents
        .list(true, "", KEPT_MAX)
        .forEach(each -> incidents.open.put(each.id(), Open.of(each)));
    incidents.measure();
    // Now, and not in run: from here on a part that is given up may write one of this process
    // there.
    incidents
        .unrecorded
        .read()
        .ifPresent(left -> incidents.enqueue(new Task.Report(left.incident(), left.at())));
    return incidents;
  }

  private void measure() {
    for (IncidentKind kind : IncidentKind.values()) {
      count(kind, 0);
    }
    for (IncidentSeverity severity : IncidentSeverity.values()) {
      Gauge.builder("holdfast.incidents.open", open, _ -> countOpen(severity))
          .description("Incidents that nobody has resolved.")
          .tag("severity", severity.label())
          .register(meters);
    }
  }

  private void count(IncidentKind kind, int by) {
    meters.counter("holdfast.incidents", "kind", kind.label()).increment(by);
  }

  /** How many of that severity are open; from memory. */
  public long countOpen(IncidentSeverity severity) {
    return open.values().stream().filter(each -> each.severity() == severity).count();
  }

  /** Hears of each that is opened or resolved, after the commit; hand over and return. */
  public void onChange(Consumer<IncidentChange> hear) {
    listener = hear;
  }

  @Override
  public void report(NewIncident incident) {
    enqueue(new Task.Report(incident, time.now()));
  }

  @Override
  public void recovered(IncidentKind kind, String part) {
    enqueue(new Task.Recovery(kind, part));
  }

  private void enqueue(Task task) {
    if (!waiting.offer(task)) {
      LOG.error(
          "incidents: more than {} wait to be written, this one is lost: {}", WAITING_MAX, task);
    }
  }

  /**
   * Brings the pages up to date and then writes what is reported, until it is interrupted. To be
   * called when the server serves: no start waits for it.
   */
  public void run() throws InterruptedException {
    begin();
    while (true) {
      handle(waiting.take());
    }
  }

  /** Brings up to date what the last run left. */
  void begin() {
    files.reconcile(list(false, "", KEPT_MAX));
  }

  /** Does what waits now, on the calling thread. */
  void drain() throws InterruptedException {
    for (Task task = waiting.poll(); task != null; task = waiting.poll()) {
      handle(task);
    }
  }

  private void handle(Task task) throws InterruptedException {
    for (int failures = 1; failures <= TRIES_MAX; failures++) {
      try {
        write(task);
        return;
      } catch (StoreException e) {
        LOG.warn("incidents: the store refuses one, which is kept in memory: {}", e.getMessage());
        time.sleep(RETRY.after(failures));
      }
    }
    LOG.error("incidents: the store has refused this one for too long: {}", task);
  }

  private void write(Task task) throws StoreException {
    switch (task) {
      case Task.Report(NewIncident incident, Instant at) -> record(incident, at);
      case Task.Recovery(IncidentKind kind, String part) -> {
        for (Map.Entry<String, Open> each : open.entrySet()) {
          if (each.getValue().kind() == kind && each.getValue().part().equals(part)) {
            resolve(each.getKey(), RECOVERED).ifPresent(files::write);
          }
        }
      }
      case Task.Page(Incident incident) -> files.write(incident);
    }
  }

  /** Durable on return, with its page. */
  private void record(NewIncident incident, Instant at) throws StoreException {
    NewIncident safe = redacted(incident);
    Taken taken = engine.call(tx -> take(tx, safe, at));
    unrecorded.delete();
    files.write(taken.incident());
    files.delete(taken.purged());
  }

  /**
   * For a process that is about to end: the incident is in the database, or else in a file that the
   * next start reads. Blocks, at most for {@code limit}.
   */
  public void recordLast(NewIncident incident, Duration limit) {
    NewIncident safe = redacted(incident);
    unrecorded.write(safe);
    try {
      Instant at = time.now();
      Taken _ = engine.offer(tx -> take(tx, safe, at)).get(limit.toMillis(), TimeUnit.MILLISECONDS);
      unrecorded.delete();
    } catch (ExecutionException | TimeoutException e) {
      LOG.error("incidents: the last one is written at the next start: {}", e.getMessage());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** As {@link #report}, and durable on return; the page follows. */
  Incident recordNow(NewIncident incident) throws StoreException {
    NewIncident safe = redacted(incident);
    Taken taken = engine.call(tx -> take(tx, safe, time.now()));
    enqueue(new Task.Page(taken.incident()));
    return taken.incident();
  }

  /** More is known of it by now. Durable on return; the page follows. */
  void update(String id, IncidentDetails details) throws StoreException {
    IncidentDetails safe = details.with(secrets::redact);
    Optional<Incident> changed =
        change(id, incident -> incident.with(incident.details().updated(safe)));
    changed.ifPresent(incident -> enqueue(new Task.Page(incident)));
  }

  private Optional<Incident> change(String id, UnaryOperator<Incident> change)
      throws StoreException {
    return engine.call(
        tx -> {
          Optional<Incident> changed = IncidentRows.find(tx.sql(), id).map(change);
          if (changed.isPresent()) {
            IncidentRows.put(tx.sql(), changed.get());
          }
          return changed;
        });
  }

  private NewIncident redacted(NewIncident incident) {
    return new NewIncident(
        incident.kind(),
        incident.severity(),
        secrets.redact(incident.part()),
        secrets.redact(incident.summary()),
        incident.details().with(secrets::redact));
  }

  private Taken take(Transaction tx, NewIncident reported, Instant at) throws SQLException {
    Optional<Incident> before =
        IncidentRows.open(tx.sql(), reported.kind(), reported.part())
            .filter(incident -> incident.lastAt().plus(SAME_WITHIN).isAfter(at));
    Incident incident =
        before
            .map(known -> known.again(at, reported))
            .orElseGet(
                () ->
                    new Incident(
                        ids.next(),
                        at,
                        at,
                        1,
                        reported.kind(),
                        reported.severity(),
                        reported.part(),
                        reported.summary(),
                        reported.details(),
                        null,
                        ""));
    IncidentRows.put(tx.sql(), incident);
    List<String> purged = IncidentRows.purge(tx.sql(), KEPT_MAX);
    tx.afterCommit(() -> opened(incident, before.isEmpty(), purged));
    return new Taken(incident, before.isEmpty(), purged);
  }

  private static Level level(IncidentSeverity severity) {
    return switch (severity) {
      case INFO -> Level.INFO;
      case WARNING -> Level.WARN;
      case CRITICAL -> Level.ERROR;
    };
  }

  private void opened(Incident incident, boolean fresh, List<String> purged) {
    open.put(incident.id(), Open.of(incident));
    purged.forEach(open::remove);
    count(incident.kind(), 1);
    LOG.atLevel(level(incident.severity()))
        .log(
            "incident {}: {}{} Read it with: holdfast incidents show {}",
            incident.id(),
            incident.summary(),
            fresh ? "" : " (" + incident.times() + " times)",
            incident.id());
    listener.accept(new IncidentChange(IncidentChange.OPENED, incident));
  }

  /**
   * Newest first.
   *
   * @param before only older ones than that with this id; empty for all
   */
  public List<Incident> list(boolean openOnly, String before, int most) {
    return engine.read(sql -> IncidentRows.list(sql, openOnly, before, most));
  }

  public Optional<Incident> find(String id) {
    return engine.read(sql -> IncidentRows.find(sql, id));
  }

  /**
   * Resolves it, with an entry in the audit; durable on return. One that is resolved stays as it
   * is.
   *
   * @param by as in {@link AuditEntry#actor}
   * @return what it is now; empty when there is none
   */
  public Optional<Incident> resolveBy(String id, String by) throws StoreException {
    Optional<Incident> resolved = resolve(id, by);
    resolved.ifPresent(incident -> enqueue(new Task.Page(incident)));
    return resolved;
  }

  private Optional<Incident> resolve(String id, String by) throws StoreException {
    return engine.call(tx -> resolve(tx, id, by));
  }

  private Optional<Incident> resolve(Transaction tx, String id, String by) throws SQLException {
    Optional<Incident> found = IncidentRows.find(tx.sql(), id);
    if (found.isEmpty() || !found.get().isOpen()) {
      return found;
    }
    Incident resolved = found.get().resolved(time.now(), by);
    IncidentRows.put(tx.sql(), resolved);
    if (!by.equals(RECOVERED)) {
      String details = new JsonObject().put("id", id).encode();
      audit.insert(tx, new AuditEntry("operator.incident_resolved", "", "", "", by, details));
    }
    tx.afterCommit(
        () -> {
          open.remove(id);
          LOG.info("incident {}: resolved by {}", id, by);
          listener.accept(new IncidentChange(IncidentChange.RESOLVED, resolved));
        });
    return Optional.of(resolved);
  }
}
