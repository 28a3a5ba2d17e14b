package dev.holdfast.health;

import dev.holdfast.time.Time;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything that is not well now. Sources come and go while the server runs; they are asked at
 * regular times and outside of any lock, and what they say is remembered with the time since when.
 * Reading answers from memory. Thread-safe.
 */
public final class Conditions {
  /** More than so many of one source are counted and not shown. */
  static final int PER_SOURCE_MAX = 50;

  static final int MESSAGE_MAX = 400;
  private static final int SUBJECT_MAX = 100;

  /** What is remembered is too old when nobody has looked for this long. */
  static final Duration STALE_AFTER = Duration.ofSeconds(10);

  private static final Duration LOOK_EVERY = Duration.ofMillis(500);
  private static final String OWN_FAMILY = "conditions";
  private static final Pattern FAMILY = Pattern.compile("[a-z][a-z_]{0,31}");
  private static final Pattern REASON = Pattern.compile("[a-z][a-z0-9_]{0,63}");
  private static final Logger LOG = LoggerFactory.getLogger(Conditions.class);

  private final Time time;
  private final MeterRegistry meters;
  private final List<Source> sources = new CopyOnWriteArrayList<>();
  private final Set<String> families = ConcurrentHashMap.newKeySet();
  private final List<Consumer<Condition>> listeners = new CopyOnWriteArrayList<>();
  private final AtomicInteger looks = new AtomicInteger();
  private volatile Snapshot snapshot;
  private volatile @Nullable Source asking;

  private record Source(String family, ProbeEffect effect, ConditionSource asked) {}

  private record Found(Condition condition, ProbeEffect effect) {
    boolean breaks(ProbeEffect probe) {
      return effect == probe && condition.status() == ConditionStatus.FAILED;
    }
  }

  private record Snapshot(SortedMap<String, Found> byType, long lookedNanos) {}

  /** Ends what {@link #add} began. */
  public interface Registration extends AutoCloseable {
    /** What the source said last is over with the next look. */
    @Override
    void close();
  }

  public Conditions(Time time, MeterRegistry meters) {
    this.time = time;
    this.meters = meters;
    snapshot = new Snapshot(new TreeMap<>(), time.nanos());
    measure(OWN_FAMILY);
  }

  /**
   * Adds a source; several may share a family.
   *
   * @param family what all its conditions are about, in lower case with underscores; one of few,
   *     for it labels a metric
   */
  public Registration add(String family, ProbeEffect effect, ConditionSource asked) {
    if (!FAMILY.matcher(family).matches()) {
      throw new IllegalArgumentException("no family of conditions: " + family);
    }
    measure(family);
    Source source = new Source(family, effect, asked);
    sources.add(source);
    return () -> sources.remove(source);
  }

  /**
   * Hears each condition that begins, changes its status or reason, or ends, which then has the
   * status {@link ConditionStatus#OK}. Called outside of any lock; must hand over and return.
   */
  public void onChange(Consumer<Condition> listener) {
    listeners.add(listener);
  }

  /** Looks at regular times, until interrupted. */
  public void run() throws InterruptedException {
    while (true) {
      look();
      time.sleep(LOOK_EVERY);
    }
  }

  /**
   * Asks every source now. When another thread is at it, that one looks once more and this call
   * returns at once.
   */
  public void look() {
    if (looks.getAndIncrement() != 0) {
      return;
    }
    try {
      int seen = 1;
      do {
        lookOnce().forEach(this::tell);
        seen = looks.addAndGet(-seen);
      } while (seen != 0);
    } catch (RuntimeException | Error bug) {
      looks.set(0); // or nobody would ever look again
      throw bug;
    }
  }

  /** All that is not well now, sorted by type. */
  public List<Condition> current() {
    List<Condition> all = new ArrayList<>();
    snapshot.byType.values().forEach(found -> all.add(found.condition));
    staleness().ifPresent(all::add);
    return all;
  }

  /** The types that make a probe say no. */
  List<String> breaking(ProbeEffect probe) {
    return snapshot.byType.values().stream()
        .filter(found -> found.breaks(probe))
        .map(found -> found.condition.type())
        .toList();
  }

  /** The families with sources of one of these effects, sorted, each with what is not well. */
  SortedMap<String, List<Condition>> byFamily(Set<ProbeEffect> effects) {
    SortedMap<String, List<Condition>> all = new TreeMap<>();
    sources.stream()
        .filter(source -> effects.contains(source.effect))
        .forEach(source -> all.put(source.family, new ArrayList<>()));
    snapshot.byType.values().stream()
        .filter(found -> effects.contains(found.effect))
        .forEach(
            found ->
                all.computeIfAbsent(found.condition.family(), _ -> new ArrayList<>())
                    .add(found.condition));
    if (effects.contains(ProbeEffect.NONE)) {
      staleness()
          .ifPresent(stale -> all.computeIfAbsent(OWN_FAMILY, _ -> new ArrayList<>()).add(stale));
    }
    return all;
  }

  private List<Condition> lookOnce() {
    Instant now = time.now();
    SortedMap<String, Found> before = snapshot.byType;
    SortedMap<String, Found> after = new TreeMap<>();
    for (Source source : sources) {
      asking = source;
      for (ConditionReport report : ask(source)) {
        Condition fresh = condition(source.family, report, now);
        Found known = before.get(fresh.type());
        Condition dated = known == null ? fresh : dated(fresh, known.condition);
        after.putIfAbsent(fresh.type(), new Found(dated, source.effect));
      }
      asking = null;
    }
    snapshot = new Snapshot(after, time.nanos());
    return changes(before, after, now);
  }

  /** A source that throws again and again is logged once: it is asked twice a second. */
  private List<ConditionReport> ask(Source source) {
    try {
      List<ConditionReport> said = List.copyOf(source.asked.report());
      return said.size() <= PER_SOURCE_MAX ? said : shortened(said);
    } catch (RuntimeException | LinkageError | StackOverflowError e) {
      String type = e.getClass().getSimpleName();
      Found known = snapshot.byType.get(source.family);
      if (known == null || !known.condition.message().contains(type)) {
        LOG.error("conditions: the source of {} failed with {}", source.family, type);
      }
      return List.of(
          ConditionReport.failed(
              "source_failed",
              "The state of this is unknown: its check failed with "
                  + type
                  + ". This is a bug; please report it.",
              "Ends when the check works again."));
    }
  }

  private static List<ConditionReport> shortened(List<ConditionReport> said) {
    List<ConditionReport> kept = new ArrayList<>(said.subList(0, PER_SOURCE_MAX));
    kept.add(
        ConditionReport.degraded(
                "too_many",
                said.size() - PER_SOURCE_MAX + " more of these are not shown.",
                "Ends when there are fewer.")
            .about("more"));
    return kept;
  }

  private static Condition condition(String family, ConditionReport report, Instant now) {
    String subject = line(report.subject(), SUBJECT_MAX);
    return new Condition(
        subject.isEmpty() ? family : family + "/" + subject,
        report.status(),
        REASON.matcher(report.reason()).matches() ? report.reason() : "unspecified",
        line(report.message(), MESSAGE_MAX),
        now,
        report.nextAttemptAt(),
        line(report.exitRule(), MESSAGE_MAX));
  }

  private static String line(String text, int lengthMax) {
    String line = text.replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
    return line.length() <= lengthMax ? line : line.substring(0, lengthMax - 1) + "…";
  }

  private static Condition dated(Condition fresh, Condition known) {
    return fresh.isSameAs(known)
        ? new Condition(
            fresh.type(),
            fresh.status(),
            fresh.reason(),
            fresh.message(),
            known.since(),
            steady(known.nextAttemptAt(), fresh.nextAttemptAt()),
            fresh.exitRule())
        : fresh;
  }

  /** A time that is measured anew at each look differs by a little, which tells nobody anything. */
  private static @Nullable Instant steady(@Nullable Instant known, @Nullable Instant fresh) {
    boolean isSame =
        known != null
            && fresh != null
            && Duration.between(known, fresh).abs().compareTo(Duration.ofSeconds(1)) < 0;
    return isSame ? known : fresh;
  }

  private static List<Condition> changes(
      Map<String, Found> before, Map<String, Found> after, Instant now) {
    List<Condition> changes = new ArrayList<>();
    before.forEach(
        (type, found) -> {
          if (!after.containsKey(type)) {
            changes.add(found.condition.ended(now));
          }
        });
    after.forEach(
        (type, found) -> {
          Found known = before.get(type);
          if (known == null || !found.condition.isSameAs(known.condition)) {
            changes.add(found.condition);
          }
        });
    return changes;
  }

  private void tell(Condition change) {
    for (Consumer<Condition> listener : listeners) {
      try {
        listener.accept(change);
      } catch (RuntimeException e) {
        LOG.error("conditions: a listener failed with {}", e.getClass().getName());
      }
    }
  }

  /** A source that blocks keeps all others from being heard, which must not look like health. */
  private Optional<Condition> staleness() {
    Duration age = Duration.ofNanos(time.nanos() - snapshot.lookedNanos);
    if (age.compareTo(STALE_AFTER) <= 0) {
      return Optional.empty();
    }
    Source slow = asking;
    return Optional.of(
        new Condition(
            OWN_FAMILY,
            ConditionStatus.DEGRADED,
            "stale",
            "What is shown here is out of date"
                + (slow == null ? "." : ": the check of " + slow.family + " does not return.")
                + " If this lasts, restart the server.",
            time.now().minus(age),
            null,
            "Ends when all checks have answered again."));
  }

  private void measure(String family) {
    if (!families.add(family)) {
      return;
    }
    for (ConditionStatus status : List.of(ConditionStatus.DEGRADED, ConditionStatus.FAILED)) {
      Gauge.builder("holdfast.conditions", this, all -> all.holds(family, status) ? 1 : 0)
          .description("1 while something of the type is degraded or failed")
          .tag("type", family)
          .tag("status", status.label())
          .register(meters);
    }
  }

  private boolean holds(String family, ConditionStatus status) {
    return current().stream()
        .anyMatch(condition -> condition.family().equals(family) && condition.status() == status);
  }
}
