package dev.holdfast.browser;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.PluginContext;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A page for each conversation that uses one, with a breaker of its own. The one that was used
 * longest ago makes room for another. Thread-safe.
 */
final class Conversations {
  private static final int PAGES_MAX = 8;
  private static final Duration IDLE_MAX = Duration.ofMinutes(10);

  private final Chromium chromium;
  private final PluginContext context;
  private final Map<String, Conversation> all = new LinkedHashMap<>(16, 0.75f, true);

  /** What a tool does with the page. */
  @FunctionalInterface
  interface Use<T> {
    T of(Page page) throws CallFailedException, InterruptedException;
  }

  private static final class Conversation {
    private final ReentrantLock turn = new ReentrantLock();
    private final Breaker breaker = new Breaker();
    private volatile @Nullable Page page;
    private volatile long usedNanos;
  }

  Conversations(Chromium chromium, PluginContext context) {
    this.chromium = chromium;
    this.context = context;
  }

  /**
   * Uses the page of a conversation; nobody else does meanwhile.
   *
   * @param opens whether a page is made when there is none
   */
  <T> T use(String thread, boolean opens, Use<T> use)
      throws CallFailedException, InterruptedException {
    Conversation conversation = of(thread);
    conversation.turn.lockInterruptibly();
    try {
      Duration rest = conversation.breaker.rest(context.nanos());
      if (!rest.isZero()) {
        throw new CallFailedException(
            Failure.of(
                    FailureCode.CIRCUIT_OPEN,
                    "the page has failed too often; it can be used again in "
                        + (rest.toSeconds() + 1)
                        + " s")
                .withRetryAfter(rest));
      }
      T result = use.of(page(conversation, opens));
      conversation.breaker.worked();
      return result;
    } catch (CallFailedException e) {
      if (e.failure().kind() == FailureKind.TRANSIENT
          && e.failure().code() != FailureCode.CIRCUIT_OPEN
          && conversation.breaker.failed(context.nanos())) {
        drop(conversation);
      }
      throw e;
    } finally {
      conversation.usedNanos = context.nanos();
      conversation.turn.unlock();
    }
  }

  private Page page(Conversation conversation, boolean opens)
      throws CallFailedException, InterruptedException {
    Page known = conversation.page;
    if (known != null && known.isOpen()) {
      return known;
    }
    if (!opens) {
      throw new CallFailedException(
          Failure.of(FailureCode.INVALID_REQUEST, "no page is open: navigate to one first"));
    }
    drop(conversation);
    Page made = Page.open(chromium.tools(), context);
    conversation.page = made;
    return made;
  }

  private synchronized Conversation of(String thread) {
    Conversation conversation = all.computeIfAbsent(thread, _ -> new Conversation());
    conversation.usedNanos = context.nanos();
    if (all.size() > PAGES_MAX) {
      leave(all.keySet().iterator().next());
    }
    return conversation;
  }

  /** Closes those that nobody has used for a long time. */
  synchronized void sweep() {
    all.entrySet().stream()
        .filter(each -> context.nanos() - each.getValue().usedNanos > IDLE_MAX.toNanos())
        .map(Map.Entry::getKey)
        .toList()
        .forEach(this::leave);
  }

  private void leave(String thread) {
    Conversation left = all.remove(thread);
    if (left != null) {
      drop(left);
    }
  }

  private static void drop(Conversation conversation) {
    Page page = conversation.page;
    conversation.page = null;
    if (page != null) {
      page.close();
    }
  }
}
