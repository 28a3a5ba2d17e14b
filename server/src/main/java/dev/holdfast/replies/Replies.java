package dev.holdfast.replies;

import dev.holdfast.bus.News;
import dev.holdfast.channels.ChannelFacts;
import dev.holdfast.channels.Channels;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.resilience.Guards;
import dev.holdfast.store.Store;
import dev.holdfast.store.messages.Reply;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Posts what the outbox holds: the replies of one chat thread strictly in their order, threads at
 * the same time. What it remembers is bounded; the outbox is the truth. Thread-safe; posting runs
 * on virtual threads of its own.
 */
public final class Replies {
  private static final Logger LOG = LoggerFactory.getLogger(Replies.class);

  private static final int THREADS_MAX = 10_000;
  private static final int SCAN_PAGE = 200;

  /** More than the first one, because the store leaves out rows that it found damaged. */
  private static final int THREAD_PAGE = 4;

  private static final Duration AFTER_BUG = Duration.ofSeconds(15);
  private static final Duration STOP_MAX = Duration.ofSeconds(5);

  private final PostingOutbox book;
  private final ReplyPoster poster;
  private final Time time;
  private final int threadsMax;
  private final Map<String, AccountQueue> routes = new ConcurrentHashMap<>();
  private final Set<StopInterrupt> running = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean scanning = new AtomicBoolean();
  private final AtomicBoolean scanAgain = new AtomicBoolean();
  private final Object changed = new Object();
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
    store.outbox().onPlanned(this::wake);
    channels.onAdded(this::isBack);
    channels.onGone(channel -> forget(channel, guards));
  }

  Replies(
      ReplyPoster.Connections connections,
      RepliesConfig config,
      ReplyEvents events,
      Time time,
      int threadsMax) {
    this.book = connections.book();
    this.poster = new ReplyPoster(connections, config, events, time);
    this.time = time;
    this.threadsMax = threadsMax;
  }

  /** Takes up what an earlier run left, in the background. */
  public void start() {
    rescan();
  }

  /** Something may be there to post for this thread. Returns at once. */
  public void wake(String threadId) {
    AccountQueue route =
        routes.computeIfAbsent(source(threadId), _ -> new AccountQueue(threadsMax));
    route.wake(threadId);
    work(route);
  }

  /** The channel is there again: what waits for it goes on. Returns at once. */
  void isBack(String channel) {
    routes.forEach(
        (source, route) -> {
          if (source.startsWith(channel + ":")) {
            route.resume();
            work(route);
          }
        });
  }

  private static void forget(ChannelFacts channel, Guards guards) {
    channel.accounts().forEach(account -> guards.remove(guardName(channel.name() + ":" + account)));
  }

  private static String guardName(String source) {
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
    Deadline deadline = Deadline.in(time, STOP_MAX);
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

  private boolean isIdle() {
    return !scanning.get() && routes.values().stream().allMatch(AccountQueue::isIdle);
  }

  private void scan() {
    try {
      while (scanAgain.getAndSet(false) && !stopped) {
        scanOnce();
      }
    } catch (RuntimeException e) {
      LOG.error("replies: could not look through the outbox, next try in 15 s", e);
      time.after(AFTER_BUG, this::rescan);
    } finally {
      scanning.set(false);
      tellChange();
    }
    if (scanAgain.get()) {
      rescan();
    }
  }

  private void scanOnce() {
    long afterSeq = 0;
    List<Reply> page = book.open(afterSeq, SCAN_PAGE);
    while (!page.isEmpty() && !stopped) {
      page.forEach(reply -> wake(reply.reply().threadId()));
      afterSeq = page.getLast().seq();
      page = book.open(afterSeq, SCAN_PAGE);
    }
  }

  private void work(AccountQueue route) {
    for (AccountQueue.@Nullable Turn turn = next(route); turn != null; turn = next(route)) {
      AccountQueue.Turn mine = turn;
      StopInterrupt halt = new StopInterrupt();
      running.add(halt);
      if (stopped) {
        halt.stop();
      }
      Thread.ofVirtual().name("replies-" + mine.threadId()).start(() -> run(route, mine, halt));
    }
  }

  private AccountQueue.@Nullable Turn next(AccountQueue route) {
    return stopped ? null : route.take();
  }

  /** One worker: posts the replies of one thread until there are none, or until it must wait. */
  private void run(AccountQueue route, AccountQueue.Turn turn, StopInterrupt halt) {
    try {
      switch (postAll(turn, halt)) {
        case PostStep.Wait(Duration wait) -> waitOn(route, turn.threadId(), wait);
        case PostStep.Pause(Duration wait) -> pause(route, turn, wait);
        case PostStep.Done _, PostStep.Next _ -> route.done(turn.threadId());
      }
    } catch (InterruptedException _) {
      waitOn(route, turn.threadId(), Duration.ofSeconds(1));
    } catch (RuntimeException e) {
      LOG.error(
          "thread {}: posting failed in an unforeseen way, next try in 15 s", turn.threadId(), e);
      waitOn(route, turn.threadId(), AFTER_BUG);
    } finally {
      running.remove(halt);
      tellChange();
    }
    work(route);
    if (route.takeForgotten()) {
      rescan();
    }
  }

  private PostStep postAll(AccountQueue.Turn turn, StopInterrupt halt) throws InterruptedException {
    boolean due = turn.due();
    while (!halt.isStopped()) {
      List<Reply> open = book.openOf(turn.threadId(), THREAD_PAGE);
      if (open.isEmpty()) {
        return new PostStep.Done();
      }
      PostStep step = poster.advance(open.getFirst(), due, halt);
      if (!(step instanceof PostStep.Next)) {
        return step;
      }
      due = false;
    }
    throw new InterruptedException("stopped");
  }

  private void waitOn(AccountQueue route, String threadId, Duration wait) {
    route.waits(threadId);
    after(
        wait,
        () -> {
          route.due(threadId);
          work(route);
        });
  }

  private void pause(AccountQueue route, AccountQueue.Turn turn, Duration wait) {
    if (route.pause(turn.threadId(), turn.due())) {
      LOG.info(
          "thread {}: its platform is away, next look in {} ms", turn.threadId(), wait.toMillis());
      after(
          wait,
          () -> {
            route.resume();
            work(route);
          });
    }
  }

  /** Up to a fifth more, so that what failed together does not come back together. */
  private void after(Duration wait, Runnable task) {
    if (!stopped) {
      long extra = ThreadLocalRandom.current().nextLong(wait.toNanos() / 5 + 1);
      time.after(wait.plusNanos(extra), task);
    }
  }

  private void tellChange() {
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
