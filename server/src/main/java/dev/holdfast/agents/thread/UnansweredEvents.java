package dev.holdfast.agents.thread;

import dev.holdfast.agents.context.Entries;
import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.turn.AgentConfig;
import dev.holdfast.agents.turn.ChatSentences;
import dev.holdfast.agents.turn.RunningTurn.Cancel;
import dev.holdfast.agents.turn.ThreadsConfig.WhileBusy;
import dev.holdfast.agents.turn.TurnEnd;
import dev.holdfast.agents.turn.TurnEndings;
import dev.holdfast.agents.turn.TurnEndings.Say;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.ReplyVoice;
import dev.holdfast.store.messages.Stories;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What becomes of events whose turn brings no answer. Thread-safe. */
public final class UnansweredEvents {
  private static final Logger LOG = LoggerFactory.getLogger(UnansweredEvents.class);
  private static final int OPEN_AT_ONCE = 1000;

  /** In UTF-16 units. */
  private static final int LOGGED_MAX = 65_536;

  private static final TurnEnd STOPPED =
      new TurnEnd(EventState.CANCELLED, FailureCode.CANCELLED, "stopped by a person");

  private final String threadId;
  private final Store store;
  private final Supplier<AgentConfig> configs;
  private final TurnEndings endings;

  public UnansweredEvents(
      String threadId, Store store, Supplier<AgentConfig> configs, TurnEndings endings) {
    this.threadId = threadId;
    this.store = store;
    this.configs = configs;
    this.endings = endings;
  }

  /**
   * Ends events that will not run. Returns how many of them were stopped, here or by their turn.
   */
  public int cancel(List<Incoming> events) {
    Set<String> logged = endings.logged(threadId);
    return events.stream() // one after the other: together they may be large
        .flatMap(incoming -> store.inbox().find(incoming.id()).stream())
        .mapToInt(event -> cancelAsRead(List.of(Incoming.of(event)), logged))
        .sum();
  }

  /** {@code events}: as disk has them just now. */
  private int cancelAsRead(List<Incoming> events, Set<String> logged) {
    Set<String> unlogged = unlogged(events, logged);
    int cancelled = 0;
    for (Incoming incoming : events) {
      if (unlogged.contains(incoming.id())) {
        endings.logMessage(incoming, beginning(incoming.message().text()), List.of());
      }
      int ended = endQuietly(List.of(incoming), STOPPED, Say.NOTHING);
      cancelled += ended > 0 || isCancelled(incoming) ? 1 : 0;
    }
    return cancelled;
  }

  /**
   * Those that are not in the log yet. A turn logs what it is about with its files, unless it is
   * cut off before. What ran before a replay stands far back in the log.
   */
  private Set<String> unlogged(List<Incoming> events, Set<String> logged) {
    List<Event> open =
        events.stream().map(Incoming::event).filter(event -> event.state().isOpen()).toList();
    List<String> replayed =
        open.stream().filter(event -> event.replays() > 0).map(Event::id).toList();
    Set<String> ranBefore = store.stories().count(TurnEndings.STARTED, replayed).keySet();
    return open.stream()
        .map(Event::id)
        .filter(id -> !ranBefore.contains(id) && !logged.contains(id))
        .collect(Collectors.toSet());
  }

  /** Who stops hundreds of them does not wait until all that was never read is copied. */
  private static String beginning(String text) {
    return text.length() <= LOGGED_MAX
        ? text
        : "%s\n(%,d more characters)"
            .formatted(text.substring(0, LOGGED_MAX), text.length() - LOGGED_MAX);
  }

  private boolean isCancelled(Incoming incoming) {
    return store.inbox().find(incoming.id()).stream()
        .anyMatch(event -> event.state() == EventState.CANCELLED);
  }

  /**
   * Ends what the next turn would be about, as far as it came up to {@code place}, but commands.
   * Returns how many events that were.
   */
  public int cancelNext(long place) {
    List<Incoming> next =
        Backlog.read(store.inbox(), threadId, configs.get().threads().mailbox()).events().stream()
            .filter(incoming -> incoming.seq() <= place && !incoming.overtakes())
            .dropWhile(incoming -> incoming.command().isPresent())
            .toList();
    boolean collects = configs.get().threads().whileBusy() == WhileBusy.COLLECT;
    List<Incoming> together =
        collects ? next.stream().takeWhile(Incoming::canJoin).toList() : List.of();
    return cancel(together.isEmpty() ? next.stream().limit(1).toList() : together);
  }

  /** Ends all that is open up to {@code place}, but commands. Returns how many events that were. */
  public int cancelOpen(long place) {
    int cancelled = 0;
    Set<String> logged = endings.logged(threadId);
    List<Event> page = store.inbox().openOf(threadId, 0, OPEN_AT_ONCE);
    while (!page.isEmpty() && page.getFirst().seq() <= place) {
      cancelled +=
          cancelAsRead(
              page.stream()
                  .filter(event -> event.seq() <= place)
                  .map(Incoming::of)
                  .filter(incoming -> incoming.command().isEmpty())
                  .toList(),
              logged);
      page = store.inbox().openOf(threadId, page.getLast().seq(), OPEN_AT_ONCE);
    }
    return cancelled;
  }

  /**
   * Ends the events of a turn that was cut off, or leaves them for the next turn or start. A turn
   * may have taken in messages on both sides of a stop: those that came after it are left.
   */
  TurnOutcome cutOff(List<Incoming> batch, Cancel why, long stoppedUpTo) {
    switch (why) {
      case STOP -> {
        cancel(batch.stream().filter(incoming -> incoming.seq() <= stoppedUpTo).toList());
        List<Incoming> later =
            batch.stream().filter(incoming -> incoming.seq() > stoppedUpTo).toList();
        release(later);
        return later.isEmpty() ? TurnOutcome.DONE : TurnOutcome.LEFT;
      }
      case TIMEOUT ->
          giveUp(batch, FailureCode.TIMEOUT, "turn.timeout_secs reached", ChatSentences.TIMED_OUT);
      case WAITED ->
          giveUp(
              batch,
              FailureCode.AGENT_UNAVAILABLE,
              "parked longer than turn.park_ttl_secs: a model was asked and said nothing",
              ChatSentences.PARKED_TOO_LONG);
      case STUCK -> giveUp(batch, FailureCode.TIMEOUT, "no sign of progress", ChatSentences.STUCK);
      case SHUTDOWN -> {
        batch.forEach(
            incoming ->
                endings.story(incoming, Stories.CUT_OFF, Entries.object().put("by", "stop")));
        release(batch);
        return TurnOutcome.LEFT;
      }
      case HELD -> {
        release(batch);
        return TurnOutcome.LEFT;
      }
    }
    return TurnOutcome.DONE;
  }

  private void giveUp(List<Incoming> batch, FailureCode code, String reason, String sentence) {
    endQuietly(batch, TurnEnd.deadLettered(code, reason), error(sentence));
  }

  /** Its run does not count. */
  void release(List<Incoming> batch) {
    for (Incoming incoming : batch) {
      try {
        endings.epoch().change(() -> store.inbox().release(incoming.seq()));
      } catch (StoreException e) {
        LOG.warn(
            "event {}: its run counts as a crash, the store refused: {}",
            incoming.id(),
            e.failure().message());
      }
    }
  }

  /** {@code why}: what kept the model from answering. */
  void giveUpWaiting(List<Incoming> batch, FailureCode code, String why)
      throws InterruptedException {
    String reason = "parked longer than turn.park_ttl_secs: " + why;
    endings.end(batch, TurnEnd.deadLettered(code, reason), error(ChatSentences.PARKED_TOO_LONG));
  }

  /** What a provider breaks on, again and again, while it answers others. */
  void giveUpAlone(List<Incoming> batch, Failure failure, int runs) throws InterruptedException {
    String reason =
        "failed in each of " + runs + " runs while models answered others: " + failure.summary();
    endings.end(
        batch, TurnEnd.deadLettered(failure.code(), reason), error(ChatSentences.MODEL_FAILED));
  }

  /** What is said about a failure, if anything is. */
  Say error(String sentence) {
    return configs.get().turn().errorReplies() ? new Say(ReplyVoice.ERROR, sentence) : Say.NOTHING;
  }

  private int endQuietly(List<Incoming> batch, TurnEnd end, Say say) {
    try {
      return endings.end(batch, end, say);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    }
  }
}
