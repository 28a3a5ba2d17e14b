package dev.holdfast.access;

import dev.holdfast.api.Access;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.channels.Channels;
import dev.holdfast.time.Time;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Decides which messages of channels are taken in, by what each account says of itself. Messages of
 * an account that says nothing all are. Thread-safe.
 */
public final class AccessJudge {
  static final int THREADS_MAX = 10_000;

  private static final String TOO_FAST =
      "You are writing faster than I may answer; I did not read the last message.";

  private final Channels channels;
  private final Pairings pairings;
  private final PairingFlow flow;
  private final PersonNotices notices;
  private final KnownMessages known;
  private final RateWindows people;
  private final RateWindows bots;

  /** Chat threads that something was let into; those of the last messages. */
  private final Map<String, Boolean> threads = new LinkedHashMap<>(16, 0.75f, true);

  public AccessJudge(
      Channels channels,
      Pairings pairings,
      PairingFlow flow,
      PersonNotices notices,
      KnownMessages known,
      Time time) {
    this.channels = channels;
    this.pairings = pairings;
    this.flow = flow;
    this.notices = notices;
    this.known = known;
    this.people = new RateWindows(time);
    this.bots = new RateWindows(time);
  }

  /**
   * Why the message is dropped; empty when it is let in. One that is redelivered gets the same
   * answer, unless what was allowed has changed. May block for a read of the store, so it is not
   * for event loops unless the account says nothing of its access.
   *
   * @param message within the limits of {@link InboundMessage}
   */
  public Optional<DropReason> judge(String channel, InboundMessage message) {
    return channels
        .facts(channel)
        .map(facts -> facts.access().get(message.account()))
        .flatMap(access -> judge(access, channel, message));
  }

  /**
   * Whether a message that was let in would be now, by who and where is allowed; whether it is
   * meant for the account, and how many there are, is not asked again. As {@link #judge} else.
   */
  public boolean stillLetsIn(String channel, InboundMessage message) {
    ChannelPerson person = new ChannelPerson(channel, message.account(), message.sender());
    return channels
        .facts(channel)
        .map(facts -> facts.access().get(message.account()))
        .map(access -> AccessRules.judge(access, message, pairings.isPaired(person), () -> true))
        .map(
            verdict ->
                switch (verdict) {
                  case LET_IN, NOT_ADDRESSED -> true;
                  case STRANGER, NOT_ALLOWED -> false;
                })
        .orElse(true);
  }

  private Optional<DropReason> judge(Access access, String channel, InboundMessage message) {
    ChannelPerson person = new ChannelPerson(channel, message.account(), message.sender());
    String threadId = person.source() + ":" + message.thread();
    AccessVerdict verdict =
        AccessRules.judge(access, message, pairings.isPaired(person), () -> isKnown(threadId));
    return switch (verdict) {
      case LET_IN -> paced(access, person, threadId, message);
      case STRANGER -> {
        flow.offer(person, message);
        yield Optional.of(DropReason.NOT_ALLOWED);
      }
      case NOT_ALLOWED -> Optional.of(DropReason.NOT_ALLOWED);
      case NOT_ADDRESSED -> Optional.of(DropReason.NOT_ADDRESSED);
    };
  }

  private Optional<DropReason> paced(
      Access access, ChannelPerson person, String threadId, InboundMessage message) {
    boolean fromBot = message.origin().fromBot();
    long id = KeyHash.of(person.source(), message.dedupeKey());
    long written = message.origin().writtenAtMillis();
    boolean isWithin =
        fromBot
            ? bots.admits(KeyHash.of(threadId), id, written, access.botsPerMinute())
            : people.admits(
                KeyHash.of(person.source(), person.sender()),
                id,
                written,
                access.personPerMinute());
    if (isWithin || known.hasEvent(person.source(), message.dedupeKey())) {
      remember(threadId);
      return Optional.empty();
    }
    if (!fromBot && notices.mayTell(person)) {
      notices.begin(
          () -> {
            boolean _ = notices.tell(person, message.thread(), message.dedupeKey(), TOO_FAST);
          });
    }
    return Optional.of(fromBot ? DropReason.LOOP : DropReason.TOO_MANY);
  }

  /** Also before the commit of its first message, which may come in one batch with the second. */
  private boolean isKnown(String threadId) {
    synchronized (threads) {
      if (threads.get(threadId) != null) {
        return true;
      }
    }
    return known.hasThread(threadId);
  }

  private void remember(String threadId) {
    synchronized (threads) {
      threads.put(threadId, true);
      if (threads.size() > THREADS_MAX) {
        var eldest = threads.keySet().iterator();
        eldest.next();
        eldest.remove();
      }
    }
  }

  /** How many chat threads are in memory. */
  int threads() {
    synchronized (threads) {
      return threads.size();
    }
  }
}
