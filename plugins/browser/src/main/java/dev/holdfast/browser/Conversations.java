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

  private final Browser browser;
  private final PluginContext context;
  private final Map<String, Conversation> all = new LinkedHashMap<>(16, 0.75f, true);

  /** What the pages are opened in. */
  interface Browser {
    /** One that runs. Blocks while it starts. */
    DevTools tools() throws CallFailedException, InterruptedException;

    /** For when a command has timed out: ends the browser if it answers nothing at all. Blocks. */
    void checkAnswers() throws InterruptedException;
  }

  /** What a tool does with the page. */
  @FunctionalInterface
  interface Use<T> {
    T of(Page page) throws CallFailedException, InterruptedException;
  }

  private static final class Conversation {
    private final ReentrantLock turn = new ReentrantLock();
    private final Breaker breaker = new Breaker();
    private volatile @Nullable Page page;
    // Both guarded by the conversations.
    private long usedNanos;
    private int users;
  }

  Conversations(Browser browser, PluginContext context) {
    this.browser = browser;
    this.context = context;
  }

  /**
   * Uses the page of a conversation; nobody else does meanwhile.
   *
   * @param opens whether a page is made when there is none
   */
  <T> T use(String thread, boolean opens, Use<T> use)
      throws CallFailedException, InterruptedException {
    Conversation conversation = entered(thread, opens);
    try {
      conversation.turn.lockInterruptibly();
      try {
        return use(conversation, opens, use);
      } finally {
        conversation.turn.unlock();
      }
    } finally {
      left(conversation);
    }
  }

  private <T> T use(Conversation conversation, boolean opens, Use<T> use)
      throws CallFailedException, InterruptedException {
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
      if (e.failure().code() == FailureCode.TIMEOUT) {
        browser.checkAnswers();
      }
      throw e;
    }
  }

  private Page page(Conversation conversation, boolean opens)
      throws CallFailedException, InterruptedException {
    Page known = conversation.page;
    if (known != null && known.isOpen()) {
      return known;
    }
    if (!opens) {
      throw noPage();
    }
    drop(conversation);
    Page made = Page.open(browser.tools(), context);
    conversation.page = made;
    return made;
  }

  /** One that is in use stays: its page would be lost, or never closed. */
  private synchronized Conversation entered(String thread, boolean opens)
      throws CallFailedException {
    if (!opens && !all.containsKey(thread)) {
      throw noPage();
    }
    if (!all.containsKey(thread) && all.size() == PAGES_MAX) {
      String oldest =
          all.entrySet().stream()
              .filter(each -> each.getValue().users == 0)
              .map(Map.Entry::getKey)
              .findFirst()
              .orElseThrow(
                  () ->
                      new CallFailedException(
                          Failure.of(
                              FailureCode.OVERLOADED,
                              "all "
                                  + PAGES_MAX
                                  + " pages of the browser are in use: try again later")));
      leave(oldest);
    }
    Conversation conversation = all.computeIfAbsent(thread, _ -> new Conversation());
    conversation.users++;
    return conversation;
  }

  private synchronized void left(Conversation conversation) {
    conversation.users--;
    conversation.usedNanos = context.nanos();
  }

  /** Closes those that nobody has used for a long time. */
  synchronized void sweep() {
    all.entrySet().stream()
        .filter(each -> each.getValue().users == 0)
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

  private static CallFailedException noPage() {
    return new CallFailedException(
        Failure.of(FailureCode.INVALID_REQUEST, "no page is open: navigate to one first"));
  }
}
