package dev.holdfast.kit;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PluginContext;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

/**
 * The messages that are drafts, by the event that they answer. They are on disk, so that no half
 * answer stays for ever: the reply takes the place of its draft, also after a restart, and a draft
 * without a reply is found again. At most 1,000; the oldest are left to themselves. Thread-safe.
 */
public final class DraftMessages {
  private static final int DRAFTS_MAX = 1000;

  /** A turn that works shows its draft again every few seconds. */
  public static final Duration DRAFT_KEPT = Duration.ofMinutes(5);

  /** By then its reply was posted again, or will not be. */
  public static final Duration FINAL_KEPT = Duration.ofHours(24);

  private static final String ACCOUNT = "account";
  private static final String FINAL = "final";
  private static final int LOCKS = 256;

  private final PluginContext context;
  private final StateFile file;

  /** When a draft was shown last; of those that an earlier run has shown, when this one began. */
  private final Map<String, Long> touched = new HashMap<>();

  /** Events that get no draft any more. */
  private final RecentMap<Boolean> finished = new RecentMap<>();

  /** By event: a reply is not posted while a draft of it is on its way. */
  private final ReentrantLock[] locks =
      IntStream.range(0, LOCKS).mapToObj(_ -> new ReentrantLock()).toArray(ReentrantLock[]::new);

  /**
   * A draft.
   *
   * @param place what its platform finds it by: texts and flags, none named {@code account} or
   *     {@code final}
   * @param isFinal whether the reply may stand in it already
   */
  public record Shown(String eventId, String account, Map<String, Object> place, boolean isFinal) {
    public Shown {
      place = Map.copyOf(place);
    }

    /** One that was posted just now. */
    public static Shown of(String eventId, String account, Map<String, Object> place) {
      return new Shown(eventId, account, place, false);
    }

    private static Shown read(String eventId, Map<String, Object> entry) {
      Map<String, Object> place = new LinkedHashMap<>(entry);
      place.remove(ACCOUNT);
      place.remove(FINAL);
      return new Shown(eventId, JsonText.text(entry, ACCOUNT), place, JsonText.flag(entry, FINAL));
    }

    private Map<String, Object> entry() {
      Map<String, Object> entry = new LinkedHashMap<>(place);
      entry.put(ACCOUNT, account);
      entry.put(FINAL, isFinal);
      return entry;
    }

    /** Empty when the place has no such text. */
    public String text(String key) {
      return JsonText.text(place, key);
    }

    private Shown asFinal(boolean mayHoldReply) {
      return new Shown(eventId, account, place, mayHoldReply);
    }
  }

  /** Shows a draft: a call to the platform. */
  @FunctionalInterface
  public interface Showing {
    /**
     * @param before what is shown of the event so far
     */
    void show(Optional<Shown> before) throws CallFailedException, InterruptedException;
  }

  /** Deletes the message of a draft. */
  @FunctionalInterface
  public interface Deleting {
    /** Returns false when another try may succeed. */
    boolean delete(Shown draft) throws InterruptedException;
  }

  private DraftMessages(PluginContext context, StateFile file) {
    this.context = context;
    this.file = file;
    file.all().keySet().forEach(eventId -> touched.put(eventId, context.nanos()));
  }

  /** Reads what an earlier run has left in {@code drafts.json} of the plugin's folder. */
  public static DraftMessages open(PluginContext context) throws IOException {
    return new DraftMessages(
        context, StateFile.open(context.stateFolder().resolve("drafts.json"), DRAFTS_MAX));
  }

  private ReentrantLock lock(String eventId) {
    return locks[Math.floorMod(eventId.hashCode(), LOCKS)];
  }

  /**
   * Lets a draft of an event be shown, unless its reply is posted or another draft of it is on its
   * way.
   */
  public void show(String eventId, Showing showing)
      throws CallFailedException, InterruptedException {
    ReentrantLock lock = lock(eventId);
    if (!lock.tryLock()) {
      return;
    }
    try {
      if (!isFinished(eventId)) {
        touch(eventId);
        showing.show(find(eventId));
      }
    } finally {
      lock.unlock();
    }
  }

  private synchronized boolean isFinished(String eventId) {
    return finished.has(eventId);
  }

  private synchronized void touch(String eventId) {
    touched.computeIfPresent(eventId, (_, _) -> context.nanos());
  }

  /** It gets no draft any more: whether there is one is not known, and there are to be no two. */
  public synchronized void giveUp(String eventId) {
    finished.put(eventId, true);
  }

  private synchronized Optional<Shown> find(String eventId) {
    return file.find(eventId).map(entry -> Shown.read(eventId, entry));
  }

  /** Keeps a draft that was posted, or that is to be found at another place from now on. */
  public synchronized void shown(Shown draft) {
    touched.put(draft.eventId(), context.nanos());
    if (!find(draft.eventId()).equals(Optional.of(draft))) {
      put(draft);
    }
  }

  /**
   * The draft that a reply is to take the place of. The reply is about to be posted: no draft of it
   * is shown any more, and its message is never taken away. Before the request goes out, because
   * whether it arrives may never be known. Waits for a draft that is on its way.
   */
  public Optional<Shown> finish(String eventId) throws InterruptedException {
    ReentrantLock lock = lock(eventId);
    lock.lockInterruptibly();
    try {
      return asFinal(eventId);
    } finally {
      lock.unlock();
    }
  }

  private synchronized Optional<Shown> asFinal(String eventId) {
    finished.put(eventId, true);
    Optional<Shown> draft = find(eventId);
    draft.filter(shown -> !shown.isFinal()).ifPresent(shown -> put(shown.asFinal(true)));
    return draft;
  }

  /** The reply surely does not stand there: it is a draft again. */
  public synchronized void release(Shown draft) {
    touched.put(draft.eventId(), context.nanos());
    put(draft.asFinal(false));
  }

  /**
   * The reply was refused: it is a draft again, unless an earlier try of the reply stands there.
   */
  public void refused(Shown draft, OutboundReply reply) {
    if (!reply.resend()) {
      release(draft);
    }
  }

  public synchronized void forget(String eventId) {
    touched.remove(eventId);
    try {
      file.remove(eventId);
    } catch (IOException e) {
      notWritten(e);
    }
  }

  /**
   * Takes drafts away that got no reply: their turns were stopped, or wait. One that may be a reply
   * stays.
   */
  public void takeAwayLeftOver(Deleting deleting) throws InterruptedException {
    for (Shown draft : leftOver()) {
      ReentrantLock lock = lock(draft.eventId());
      if (lock.tryLock()) { // else its reply is on the way
        try {
          takeAway(draft, deleting);
        } finally {
          lock.unlock();
        }
      }
    }
  }

  /**
   * Takes the draft of an event away, unless its reply is on the way or may stand there. When that
   * fails, {@link #takeAwayLeftOver} tries again.
   */
  public void takeAway(String eventId, Deleting deleting) throws InterruptedException {
    ReentrantLock lock = lock(eventId);
    if (lock.tryLock()) {
      try {
        Optional<Shown> draft = find(eventId).filter(shown -> !shown.isFinal());
        if (draft.isPresent() && deleting.delete(draft.get())) {
          forget(eventId);
        }
      } finally {
        lock.unlock();
      }
    }
  }

  /** Unless it has become a reply since it was found. */
  private void takeAway(Shown draft, Deleting deleting) throws InterruptedException {
    if (find(draft.eventId()).equals(Optional.of(draft))
        && (draft.isFinal() || deleting.delete(draft))) {
      forget(draft.eventId());
    }
  }

  /** Drafts that nobody has touched for so long that no reply will take their place. */
  private synchronized List<Shown> leftOver() {
    long now = context.nanos();
    List<Shown> all = new ArrayList<>();
    for (String eventId : file.all().keySet()) {
      Shown draft = find(eventId).orElseThrow();
      Duration since = Duration.ofNanos(now - touched.getOrDefault(eventId, now));
      if (since.compareTo(draft.isFinal() ? FINAL_KEPT : DRAFT_KEPT) >= 0) {
        all.add(draft);
      }
    }
    return all;
  }

  private void put(Shown draft) {
    try {
      file.put(draft.eventId(), draft.entry());
    } catch (IOException e) {
      notWritten(e);
    }
    touched.keySet().removeIf(eventId -> file.find(eventId).isEmpty());
  }

  private void notWritten(IOException e) {
    context
        .logger()
        .log(Level.WARNING, "the list of drafts could not be written: {0}", e.toString());
  }
}
