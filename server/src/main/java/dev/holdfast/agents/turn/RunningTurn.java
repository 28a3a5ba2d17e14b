package dev.holdfast.agents.turn;

import dev.holdfast.agents.context.Epoch;
import dev.holdfast.agents.context.Incoming;
import dev.holdfast.time.SecondLook;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A turn that can be ended from outside. Thread-safe. */
public final class RunningTurn {
  /** How soon a thread must react to its interrupt. With /stop a person waits for it. */
  public static final Duration REACTION = Duration.ofMillis(700);

  /** Who ends a turn. The first one counts. */
  public enum Cancel {
    STOP,
    TIMEOUT,
    /** Its message has waited for a model for as long as it may. */
    WAITED,
    /** It gave no sign of progress any more. */
    STUCK,
    /** No turn may run for now. */
    HELD,
    SHUTDOWN
  }

  private final Thread thread = Thread.currentThread();
  private final Epoch epoch;
  private final Time time;
  private final Consumer<RunningTurn> onDeaf;
  private Optional<Cancel> cancel = Optional.empty();
  private long stoppedUpTo;
  private final List<Incoming> messages;
  private final SecondLook silence = new SecondLook();
  private final boolean probe;
  private @Nullable TurnPermits permits;
  private TurnMemory.@Nullable Share share;
  private boolean over;

  /**
   * @param probe whether it only finds out if a model is back
   * @param onDeaf hears when the thread has not reacted within {@link #REACTION}
   */
  public RunningTurn(
      List<Incoming> opening, boolean probe, Epoch epoch, Time time, Consumer<RunningTurn> onDeaf) {
    this.messages = new ArrayList<>(opening);
    this.probe = probe;
    this.epoch = epoch;
    epoch.works();
    this.time = time;
    this.onDeaf = onDeaf;
  }

  public Thread thread() {
    return thread;
  }

  public boolean isProbe() {
    return probe;
  }

  /** More messages become a part of it. False when it is over or cancelled: they do not. */
  public synchronized boolean joins(List<Incoming> more) {
    return !over && cancel.isEmpty() && messages.addAll(more);
  }

  /** The events that end with it. */
  public synchronized List<Incoming> events() {
    return List.copyOf(messages);
  }

  /** For how long it has given no sign although it should have. */
  public Duration overdue() {
    return epoch.overdue();
  }

  /** Whether it was silent for too long at the look before too; {@code now}: at this one. */
  public boolean isSilentAgain(boolean now) {
    return silence.confirms(now);
  }

  /** Interrupts the turn, once; false when it is over already or was cancelled before. */
  public synchronized boolean cancel(Cancel why) {
    if (over || cancel.isPresent()) {
      return false;
    }
    cancel = Optional.of(why);
    thread.interrupt();
    if (why != Cancel.SHUTDOWN) {
      time.after(REACTION, this::listen);
    }
    return true;
  }

  /**
   * A person has said stop: it ends what was accepted up to {@code place}, and a later stop may
   * move the place on. False when the turn is over already or something else ends it.
   */
  public synchronized boolean stop(long place) {
    if (over || cancel.orElse(Cancel.STOP) != Cancel.STOP) {
      return false;
    }
    stoppedUpTo = Math.max(stoppedUpTo, place);
    return cancel.isPresent() || cancel(Cancel.STOP);
  }

  /** Where the last stop stands that ended it: events up to this number end with it. */
  public synchronized long stoppedUpTo() {
    return stoppedUpTo;
  }

  private void listen() {
    if (!isOver()) {
      onDeaf.accept(this);
    }
  }

  synchronized Optional<Cancel> cancelled() {
    return cancel;
  }

  public synchronized boolean isOver() {
    return over;
  }

  /** From here on no interrupt comes; clears one that has come. Empty when nobody cancelled. */
  public synchronized Optional<Cancel> close() {
    over = true;
    if (Thread.currentThread() == thread) {
      Thread.interrupted();
    }
    return cancel;
  }

  /**
   * Waits for room in memory and then for one of the turns that may run at the same time: whoever
   * waits for room keeps nobody else from running.
   *
   * @param bytes what it will hold
   * @param suspect whether it may be what takes the process down
   */
  public void acquire(
      TurnMemory memory, long bytes, boolean suspect, TurnPermits from, boolean isFresh)
      throws InterruptedException {
    TurnMemory.Share taken = memory.take(bytes, suspect);
    synchronized (this) {
      share = taken;
    }
    from.acquire(events().getFirst().flow(), isFresh);
    synchronized (this) {
      permits = from;
    }
  }

  /** Gives both back, if it was not given back already: a given-up turn must not keep it. */
  public synchronized void release() {
    TurnPermits held = permits;
    permits = null;
    if (held != null) {
      held.release();
    }
    TurnMemory.Share taken = share;
    share = null;
    if (taken != null) {
      taken.giveBack();
    }
  }
}
