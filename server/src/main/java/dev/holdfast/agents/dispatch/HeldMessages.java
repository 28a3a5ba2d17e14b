package dev.holdfast.agents.dispatch;

import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.turn.TurnEndings;
import dev.holdfast.agents.turn.TurnEndings.Say;
import dev.holdfast.modes.ModeNow;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.ReplyVoice;
import dev.holdfast.time.Time;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The messages that wait on disk while no turn may run: finds them all, and tells each chat thread
 * once that they are kept. What was said is known from the outbox, so a restart says it to nobody
 * again. Belongs to the dispatching loop.
 */
final class HeldMessages {
  private static final Logger LOG = LoggerFactory.getLogger(HeldMessages.class);

  private static final int PAGE = 500;
  private static final Duration AFTER_REFUSAL = Duration.ofSeconds(5);

  private final Store store;
  private final TurnEndings endings;
  private final Time time;
  private final Predicate<String> isOurs;
  private final Consumer<Incoming> commands;

  /** The change of the mode that the messages are held by; 0 when they are not. */
  private long number;

  private long scanned;
  private boolean isWhole;
  private long notBeforeNanos;

  /**
   * @param isOurs by the id of a chat thread
   * @param commands gets what does not wait its turn
   */
  HeldMessages(
      Store store,
      TurnEndings endings,
      Time time,
      Predicate<String> isOurs,
      Consumer<Incoming> commands) {
    this.store = store;
    this.endings = endings;
    this.time = time;
    this.isOurs = isOurs;
    this.commands = commands;
    this.notBeforeNanos = time.nanos();
  }

  boolean isHolding() {
    return number != 0;
  }

  /** They are let go: their threads' agents find them on disk. */
  void end() {
    number = 0;
  }

  /** More may be on disk than was seen. */
  void lookAgain() {
    scanned = 0;
    isWhole = false;
  }

  /** Looks through the disk, a page at a time. Whether there is more to see at once. */
  boolean look(ModeNow mode) {
    if (number != mode.number()) {
      number = mode.number();
      lookAgain();
    }
    if (isWhole || time.nanos() < notBeforeNanos) {
      return false;
    }
    List<Event> page = store.inbox().open(scanned, PAGE);
    for (Event event : page) {
      if (!take(Incoming.of(event), mode)) {
        return false;
      }
      scanned = event.seq();
    }
    isWhole = page.isEmpty();
    return !isWhole;
  }

  /** A message that has just come, or was found. False when its person could not be told. */
  boolean take(Incoming incoming, ModeNow mode) {
    if (!isOurs.test(incoming.event().threadId())) {
      return true;
    }
    if (incoming.overtakes()) {
      commands.accept(incoming);
      return true;
    }
    try {
      tell(incoming, mode);
      return true;
    } catch (StoreException e) {
      LOG.warn(
          "event {}: kept, its person is told later: {}", incoming.id(), e.failure().message());
      notBeforeNanos = time.nanos() + AFTER_REFUSAL.toNanos();
      lookAgain();
      return false;
    }
  }

  private void tell(Incoming incoming, ModeNow mode) throws StoreException {
    String about = "mode-" + mode.number() + "-" + shortened(incoming.event().threadId());
    boolean isDumb = incoming.isOurs() || !incoming.isReadable();
    if (!isDumb && !mode.sentence().isEmpty() && !endings.isTold(ReplyVoice.NOTICE, about)) {
      endings.tell(incoming, new Say(ReplyVoice.NOTICE, mode.sentence()), about);
    }
  }

  /** A thread's id may be long, and hold anything. */
  private static String shortened(String threadId) {
    return UUID.nameUUIDFromBytes(threadId.getBytes(StandardCharsets.UTF_8)).toString();
  }
}
