package dev.holdfast.replies;

import dev.holdfast.bus.News;
import dev.holdfast.channels.ChannelFacts;
import dev.holdfast.channels.Channels;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.resilience.Guards;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.messages.FirstPosts;
import dev.holdfast.store.messages.NewReply;
import dev.holdfast.store.messages.OpenReplies;
import dev.holdfast.store.messages.Reply;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Posts what the outbox holds: the replies of one chat thread strictly in their order, threads at
 * the same time. What it remembers is bounded; the outbox is the truth. Thread-safe; posting runs
 * on virtual threads of its own.
 */
public final class Replies implements FirstPosts {
  private static final Logger LOG = LoggerFactory.getLogger(Replies.class);

  private static final int THREADS_MAX = 10_000;
  private static final int SCAN_PAGE = 200;

  /** More than the first one, because the store leaves out rows that it found damaged. */
  private static final int THREAD_PAGE = 4;

  private static final Duration AFTER_BUG = Duration.ofSeconds(15);
  private static final Duration STOP_MAX = Duration.ofSeconds(5);

  private final PostingOutbox outbox;
  private final ReplyPoster poster;
  private final Time time;
  private final int threadsMax;
  private final Map<String, AccountQueue> queues = new ConcurrentHashMap<>();
  private final Map<String, AbsentAccount> absent = new ConcurrentHashMap<>();
  private final Set<StopInterrupt> running = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean scanning = new AtomicBoolean();
  private final AtomicBoolean scanAgain = new AtomicBoolean();
  private final Object changed = new Object();
  private volatile boolean scanned;
  private volatile boolean stopped;

  public Replies(
      Store store,
      Channels channels,
      Guards guards,
      News news,
      RepliesConfig config,
      Time time,
      MeterRegistry metrics) {
    this(
        new ReplyPoster.Connections(
            new PostingOutbox.OfStore(store.outbox()),
            channels,
            source -> new PostGuard.OfGuard(guards.guard(guardName(source))),
            id -> store.threads().of(id).attachments()),
        config,
        new ReplyEvents(news, store.stories()::add, metrics, time),
        time,
        THREADS_MAX);
    store.outbox().onPlanning(this);
    store.outbox().onPlanned(this::wake);
    channels.onAdded(this::onChannelAdded);
    channels.onGone(channel -> forget(channel, guards));
    guards.onReset(this::onGuardReset);
  }

  Replies(
      ReplyPoster.Connections connections,
      RepliesConfig config,
      ReplyEvents events,
      Time time,
      int threadsMax) {
    this.outbox = connections.outbox();
    this.poster = new ReplyPoster(connections, config, events, time);
    this.time = time;
    this.threadsMax = threadsMax;
  }

  /** Takes up what an earlier run left, in the background. */
  public void start() {
    rescan();
  }

  /** When nothing keeps it waiting: neither its thread nor its account, guard or channel. */
  @Override
  public boolean begin(long seq, NewReply reply) {
    AccountQueue queue = queues.get(source(reply.threadId()));
    return !stopped
        && queue != null
        && poster.mayPost(reply.source())
        && queue.begin(reply.threadId(), seq);
  }

  @Override
  public void forget(long seq) {
    queues.values().forEach(queue -> queue.takeBegun(seq));
  }

  /** Something may be there to post for this thread. Returns at once. */
  public void wake(String threadId) {
    wake(threadId, 0);
  }

  private void wake(String threadId, int failed) {
    AccountQueue queue =
        queues.computeIfAbsent(source(threadId), _ -> new AccountQueue(threadsMax));
    queue.wake(threadId, failed);
    startWorkers(queue);
  }

  /** The channel is there again: what waits for it goes on. Returns at once. */
  void onChannelAdded(String channel) {
    poster.forgetVerdicts(channel);
    queues.forEach(
        (source, queue) -> {
          if (source.startsWith(channel + ":")) {
            queue.resume();
            startWorkers(queue);
          }
        });
  }

  /** An operator has closed the breaker of an account: what waits for it is posted now. */
  void onGuardReset(String guard) {
    queues.forEach(
        (source, queue) -> {
          if (guard.equals(guardName(source))) {
            queue.allDue();
            startWorkers(queue);
          }
        });
  }

  private static void forget(ChannelFacts channel, Guards guards) {
    channel.accounts().forEach(account -> guards.remove(guardName(channel.name() + ":" + account)));
  }

  /**
   * Whether a reply of the thread may have to be posted still: what is begun in its chat now would
   * stand above it. Asks no disk; where it is not known, as before the first look through the
   * outbox, it may.
   */
  public boolean mayHold(String threadId) {
    AccountQueue queue = queues.get(source(threadId));
    return !scanned || scanning.get() || (queue != null && queue.mayHold(threadId));
  }

  /** The accounts with chat threads that have been asked to wait for longer than a minute. */
  public List<PacedAccount> paced() {
    List<PacedAccount> all = new ArrayList<>();
    queues.forEach(
        (source, queue) ->
            queue
                .askedWaits()
                .ifPresent(
                    waits -> all.add(new PacedAccount(source, waits.threads(), waits.until()))));
    return all;
  }

  /** The accounts that are not there while replies wait for them, as of the last try. */
  public List<AbsentAccount> absent() {
    return absent.values().stream().filter(account -> !poster.isThere(account.source())).toList();
  }

  /** The accounts, as {@code channel:account}, whose platform has refused their last post. */
  public List<String> refused() {
    return poster.refused();
  }

  /** One after the other, so that the last one to count is right. */
  private void countWaiting(String source) {
    synchronized (absent) {
      OpenReplies open = outbox.openTo(source);
      if (open.count() == 0) {
        absent.remove(source);
      } else {
        absent.put(source, new AbsentAccount(source, open.count(), open.oldest()));
      }
    }
  }

  /** A count goes over all that is open, so only the last thread of an account makes one. */
  private void noLongerWaits(String source, AccountQueue queue) {
    if (!absent.containsKey(source)) {
      return;
    }
    if (poster.isThere(source)) {
      absent.remove(source);
    } else if (queue.isIdle()) {
      try {
        countWaiting(source);
      } catch (RuntimeException e) { // the thread is done all the same
        LOG.error("channel {}: what waits for it could not be counted", source, e);
      }
    }
  }

  /** The name of the guard of {@code channel:account}. */
  public static String guardName(String source) {
    return "channel:" + source;
  }

  /**
   * Looks through the whole outbox, page by page, in the background; a second call meanwhile looks
   * once more.
   */
  public void rescan() {
    scanAgain.set(true);
    if (!stopped && scanning.compareAndSet(false, true)) {
      Thread.ofVirtual().name("replies-scan").start(this::scan);
    }
  }

  /**
   * Waits until everything that can be posted now is posted; what waits for its time or for its
   * platform stays.
   *
   * @return whether it came to that before the deadline
   */
  public boolean drain(Deadline deadline) throws InterruptedException {
    synchronized (changed) {
      while (!isIdle()) {
        if (deadline.isOver()) {
          return false;
        }
        changed.wait(20);
      }
    }
    return true;
  }

  /**
   * Begins no more posts and interrupts those that run: their outcome counts as unknown. Returns
   * when the store knows, or after 5 s.
   */
  public void stop() throws InterruptedException {
    stopped = true;
    running.forEach(StopInterrupt::stop);
    try {
      awaitPosts(Deadline.in(time, STOP_MAX));
    } finally {
      for (AccountQueue queue : queues.values()) {
        for (long seq : queue.close()) {
          boolean _ = takeBack(seq);
        }
      }
    }
  }

  private void awaitPosts(Deadline deadline) throws InterruptedException {
    synchronized (changed) {
      while (!running.isEmpty() && !deadline.isOver()) {
        changed.wait(20);
      }
    }
    if (!running.isEmpty()) {
      LOG.warn(
          "replies: {} posts did not stop; they count as unknown at the next start",
          running.size());
    }
  }

  /** Whether the store has it as not sent again. */
  private boolean takeBack(long seq) {
    try {
      outbox.retryAt(seq, time.now(), ReplyPoster.NOT_POSTED, false, Duration.ZERO);
      return true;
    } catch (StoreException e) {
      LOG.warn("replies: one that was not sent counts as unknown at the next start", e);
      return false;
    }
  }

  /** What was begun and has to wait now leaves no doubt about it, should the process end. */
  private void takeBackWhatWaits(AccountQueue queue) {
    List<Long> begun = queue.takeBack();
    List<Long> back = List.of();
    try {
      back = begun.stream().filter(this::takeBack).toList();
    } finally {
      queue.tookBack(back);
      startWorkers(queue); // the pause may be over
    }
  }

  private boolean isIdle() {
    return !scanning.get()
        && running.isEmpty() // a worker that begins a wait still has to set its timer
        && queues.values().stream().allMatch(AccountQueue::isIdle);
  }

  private void scan() {
    try {
      while (scanAgain.getAndSet(false) && !stopped) {
        scanOnce();
      }
      scanned = true;
    } catch (RuntimeException e) {
      LOG.error("replies: could not look through the outbox, retrying in 15 s", e);
      time.after(AFTER_BUG, this::rescan);
    } finally {
      scanning.set(false);
      signalChange();
    }
    if (scanAgain.get()) {
      rescan();
    }
  }

  private void scanOnce() {
    long afterSeq = 0;
    List<Reply> page = outbox.open(afterSeq, SCAN_PAGE);
    while (!page.isEmpty() && !stopped) {
      page.forEach(reply -> wake(reply.reply().threadId(), reply.attempts()));
      afterSeq = page.getLast().seq();
      page = outbox.open(afterSeq, SCAN_PAGE);
    }
  }

  private void startWorkers(AccountQueue queue) {
    for (AccountQueue.@Nullable Turn turn = next(queue); turn != null; turn = next(queue)) {
      AccountQueue.Turn mine = turn;
      StopInterrupt stopInterrupt = new StopInterrupt();
      running.add(stopInterrupt);
      if (stopped) {
        stopInterrupt.stop();
      }
      Thread.ofVirtual()
          .name("replies-" + mine.threadId())
          .start(() -> run(queue, mine, stopInterrupt));
    }
  }

  private AccountQueue.@Nullable Turn next(AccountQueue queue) {
    return stopped ? null : queue.take();
  }

  /** One worker: posts the replies of one thread until there are none, or until it must wait. */
  private void run(AccountQueue queue, AccountQueue.Turn turn, StopInterrupt stopInterrupt) {
    try {
      switch (postAll(queue, turn, stopInterrupt)) {
        case PostStep.Wait(Duration wait) -> waitOn(queue, turn.threadId(), wait);
        case PostStep.Pause(Duration wait, boolean trying) -> pause(queue, turn, wait, trying);
        case PostStep.Absent(Duration wait) -> {
          countWaiting(source(turn.threadId()));
          pause(queue, turn, wait, false);
          if (poster.isThere(source(turn.threadId()))) {
            queue.resume(); // it came between the look and the pause
          }
        }
        case PostStep.Done _, PostStep.Arrived _, PostStep.Next _ -> {
          queue.done(turn.threadId());
          noLongerWaits(source(turn.threadId()), queue);
        }
      }
    } catch (InterruptedException _) {
      waitOn(queue, turn.threadId(), Duration.ofSeconds(1));
    } catch (RuntimeException e) {
      LOG.error("thread {}: posting failed unexpectedly, retrying in 15 s", turn.threadId(), e);
      waitOn(queue, turn.threadId(), AFTER_BUG);
    } finally {
      running.remove(stopInterrupt);
      signalChange();
    }
    startWorkers(queue);
    if (queue.takeForgotten()) {
      rescan();
    }
  }

  private PostStep postAll(AccountQueue queue, AccountQueue.Turn turn, StopInterrupt stopInterrupt)
      throws InterruptedException {
    boolean due = turn.due();
    while (!stopInterrupt.isStopped()) {
      List<Reply> open = outbox.openOf(turn.threadId(), THREAD_PAGE);
      if (open.isEmpty()) {
        return new PostStep.Done();
      }
      Reply first = open.getFirst();
      BooleanSupplier takeBegun = () -> queue.takeBegun(first.seq());
      PostStep step =
          poster.advance(
              queue.hasBegun(first.seq()) ? first.untried() : first, due, takeBegun, stopInterrupt);
      if (takeBegun.getAsBoolean()) {
        poster.takeBack(first, stopInterrupt); // a kill during its wait leaves no doubt about it
      }
      if (step instanceof PostStep.Arrived(boolean trying)) {
        queue.arrived(turn.threadId(), trying);
        startWorkers(queue); // a trial that arrived lets the others go on
      } else if (!(step instanceof PostStep.Next)) {
        return step;
      }
      due = false;
    }
    throw new InterruptedException("stopped");
  }

  private void waitOn(AccountQueue queue, String threadId, Duration wait) {
    // Nothing of ours waits for that long.
    boolean asked = wait.compareTo(ReplyRules.BACKOFF_MAX) > 0;
    long number = queue.waits(threadId, asked ? time.now().plus(wait) : null);
    after(
        wait,
        () -> {
          queue.due(threadId, number);
          startWorkers(queue);
        });
  }

  private void pause(AccountQueue queue, AccountQueue.Turn turn, Duration wait, boolean thenTry) {
    if (queue.pause(turn.threadId(), turn.due(), thenTry)) {
      LOG.info(
          "thread {}: its platform is unavailable, next check in {} ms",
          turn.threadId(),
          wait.toMillis());
      after(
          wait,
          () -> {
            queue.resume();
            startWorkers(queue);
          });
      takeBackWhatWaits(queue);
    }
  }

  /** Up to a fifth more, so that what failed together does not come back together. */
  private void after(Duration wait, Runnable task) {
    if (!stopped) {
      long extra = ThreadLocalRandom.current().nextLong(wait.toNanos() / 5 + 1);
      time.after(wait.plusNanos(extra), task);
    }
  }

  private void signalChange() {
    synchronized (changed) {
      changed.notifyAll();
    }
  }

  /** {@code channel:account} of {@code channel:account:conversation}. */
  private static String source(String threadId) {
    int channelEnd = threadId.indexOf(':');
    int accountEnd = channelEnd < 0 ? -1 : threadId.indexOf(':', channelEnd + 1);
    return accountEnd < 0 ? threadId : threadId.substring(0, accountEnd);
  }
}
