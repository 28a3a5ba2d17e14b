package dev.holdfast.modes;

import dev.holdfast.health.ConditionReport;
import dev.holdfast.modes.ModeEvent.Booted;
import dev.holdfast.modes.ModeEvent.GoOnAsked;
import dev.holdfast.modes.ModeEvent.Looked;
import dev.holdfast.modes.ModeEvent.StopAsked;
import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.Audit;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the mode of the server and changes it: {@link ModeRule} says when, {@link Mode} what it
 * means. What an operator says is on disk before it counts; what the server finds out by itself
 * counts at once, since the disk may be what fails. Thread-safe.
 */
public final class Modes implements Supplier<ModeNow> {
  private static final Logger LOG = LoggerFactory.getLogger(Modes.class);

  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final int SHOWN = 20;
  private static final int UNWRITTEN_MAX = 100;

  private final ModeHistory history;
  private final Time time;
  private final MeterRegistry meters;
  private final ReentrantLock lock = new ReentrantLock();

  /** Newest first. */
  private final Deque<ModeChange> changes = new ArrayDeque<>();

  /** What the disk has not taken yet, oldest first. */
  private final Deque<ModeChange> unwritten = new ArrayDeque<>();

  private volatile Standing standing;
  private volatile ModeNow now = ModeNow.FULL;
  private volatile String reason;

  /** The reason without an operator's words: anybody may read a condition. */
  private volatile String seen;

  private volatile Consumer<ModeChange> listener = _ -> {};

  private Modes(ModeHistory history, Time time, MeterRegistry meters) {
    this.history = history;
    this.time = time;
    this.meters = meters;
    changes.addAll(history.newest(SHOWN));
    ModeRule rule = changes.isEmpty() ? ModeRule.ALL_WELL : changes.getFirst().rule();
    standing = new Standing(rule, time.nanos() - ModeMoves.PAUSE.toNanos()); // a start is no change
    reason = changes.isEmpty() ? rule.entry() : changes.getFirst().reason();
    seen = changes.isEmpty() || changes.getFirst().isByHand() ? rule.entry() : reason;
    become();
    for (Mode mode : Mode.values()) {
      meters.counter("holdfast.mode.changes", "mode", mode.label());
      Gauge.builder("holdfast.mode", this, modes -> modes.now.mode() == mode ? 1 : 0)
          .description("1 for the mode that the server is in")
          .tag("mode", mode.label())
          .register(meters);
    }
  }

  /** In the mode that the last run left. Blocks. */
  public static Modes open(Engine engine, Audit audit, Time time, MeterRegistry meters)
      throws StoreException, StartRefusedException {
    return new Modes(ModeHistory.open(engine, audit), time, meters);
  }

  /** Hears of each change, after it counts; must not block. */
  public void onChange(Consumer<ModeChange> hears) {
    listener = hears;
  }

  @Override
  public ModeNow get() {
    return now;
  }

  /** The rule in force. */
  public ModeRule rule() {
    return standing.rule();
  }

  /** Why the mode is what it is, in words. */
  public String reason() {
    return reason;
  }

  /** The last ones, newest first. */
  public List<ModeChange> changes() {
    lock.lock();
    try {
      return List.copyOf(changes);
    } finally {
      lock.unlock();
    }
  }

  /** The server has started, and its work is about to begin. */
  public void boot(ModeFacts facts) {
    found(new Booted(facts), facts);
    if (rule().isEndedByHand()) {
      LOG.warn("mode: still {}, nothing runs: {}", now.mode().label(), reason);
    }
  }

  /** What was held back at the start is let go: the rules decide anew, at once. */
  public void promoted(ModeFacts facts) {
    found(new Booted(facts), facts);
  }

  /** Looks at the parts once a second until interrupted. */
  public void run(ModeInputs inputs) throws InterruptedException {
    while (true) {
      look(inputs.look());
      time.sleep(PERIOD);
    }
  }

  void look(ModeFacts facts) {
    found(new Looked(facts), facts);
    writeRest();
  }

  private void found(ModeEvent event, ModeFacts facts) {
    lock.lock();
    try {
      Standing next = ModeMoves.next(standing, event, time.nanos());
      String why = next.rule().reason(facts);
      if (next.mode() == standing.mode()) {
        standing = next;
        if (!next.rule().isEndedByHand()) {
          reason = why;
          seen = why;
        }
      } else {
        ModeChange change = change(next, why, ModeChange.SERVER);
        apply(next, change, why);
        unwritten.add(change);
        if (unwritten.size() > UNWRITTEN_MAX) {
          unwritten.removeFirst();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Stops all work until {@link #goOn}. On disk on return.
   *
   * @param why in the operator's words; may be empty
   * @param actor who says so
   * @throws StoreException when it cannot be written; then nothing has changed
   */
  public void stop(String why, String actor) throws StoreException {
    byHand(new StopAsked(), ModeRule::entry, why, actor);
  }

  /** Ends what only an operator can end; the rules decide from then on. As {@link #stop}. */
  public void goOn(ModeFacts facts, String why, String actor) throws StoreException {
    byHand(new GoOnAsked(facts), rule -> rule.reason(facts), why, actor);
  }

  private void byHand(ModeEvent event, Function<ModeRule, String> finds, String why, String actor)
      throws StoreException {
    lock.lock();
    try {
      Standing next = ModeMoves.next(standing, event, time.nanos());
      if (next.rule() == standing.rule()) {
        return;
      }
      ModeChange change = change(next, why.isEmpty() ? next.rule().entry() : why, actor);
      while (!unwritten.isEmpty()) { // in their order: the last one counts at the next start
        history.write(unwritten.getFirst());
        unwritten.pollFirst();
      }
      history.write(change);
      apply(next, change, finds.apply(next.rule()));
    } finally {
      lock.unlock();
    }
  }

  private ModeChange change(Standing next, String why, String actor) {
    long number = changes.isEmpty() ? 1 : changes.getFirst().number() + 1;
    return new ModeChange(number, time.now(), standing.mode(), next.rule(), why, actor);
  }

  private void apply(Standing next, ModeChange change, String found) {
    standing = next;
    reason = change.reason();
    seen = found;
    changes.addFirst(change);
    if (changes.size() > SHOWN) {
      changes.removeLast();
    }
    become();
    LOG.warn(
        "mode: {} after {}, by {}: {}",
        change.to().label(),
        change.from().label(),
        change.actor(),
        change.reason());
    meters.counter("holdfast.mode.changes", "mode", change.to().label()).increment();
    listener.accept(change);
  }

  private void become() {
    long number = changes.isEmpty() ? 0 : changes.getFirst().number();
    now = new ModeNow(standing.mode(), number, standing.rule().sentence());
  }

  /** Without the lock while it blocks: an operator's word must not wait for a slow disk. */
  private void writeRest() {
    for (ModeChange change = unwritten(); change != null; change = unwritten()) {
      try {
        history.write(change);
      } catch (StoreException e) {
        LOG.debug("mode: a change is written later: {}", e.failure().message());
        return;
      }
      lock.lock();
      try {
        unwritten.remove(change);
      } finally {
        lock.unlock();
      }
    }
  }

  private @Nullable ModeChange unwritten() {
    lock.lock();
    try {
      return unwritten.peekFirst();
    } finally {
      lock.unlock();
    }
  }

  /** The mode as a condition, without an operator's words; none while it is full. */
  public List<ConditionReport> reports() {
    Standing is = standing;
    return is.mode() == Mode.FULL
        ? List.of()
        : List.of(ConditionReport.degraded(is.mode().label(), told(is), is.rule().exit()));
  }

  private String told(Standing is) {
    return is.rule() == ModeRule.STOPPED_BY_HAND
        ? is.rule().entry() + " See why with holdfast mode."
        : seen;
  }
}
