package dev.holdfast.agents.context;

import dev.holdfast.api.InboundMessage;
import dev.holdfast.channels.InboundPayload;
import dev.holdfast.channels.MessageOptions;
import dev.holdfast.resilience.FlowKey;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.NewEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An event with its message.
 *
 * @param units what it costs to hold as a whole: the payload and the message that was read from it
 */
public record Incoming(
    Event event,
    InboundMessage message,
    MessageOptions options,
    Optional<Command> command,
    long units) {
  /** What is held whole wherever it is. */
  private static final long SMALL_UNITS = 32 * 1024;

  /** What the keys of wake-ups begin with: no sender can make such a key. */
  public static final String WAKEUP_KEY = NewEvent.OWN + "wakeup:";

  /** What the keys of messages of the server begin with that people read as they are. */
  public static final String NOTICE_KEY = NewEvent.OWN + "notice:";

  /** What the senders of wake-ups begin with, and no other sender. */
  public static final String WAKEUP_SENDER = "schedule:";

  /** Behind a token's name: for whom it speaks. Stands in no name of a token. */
  public static final String SPEAKS_FOR = "/";

  public static Incoming of(Event event) {
    InboundMessage message;
    try {
      message = InboundPayload.read(event.payload());
    } catch (IllegalArgumentException e) {
      message = new InboundMessage("", "", "", "", List.of(), event.dedupeKey());
    }
    return new Incoming(
        event,
        message,
        InboundPayload.options(event.payload()),
        command(event.dedupeKey(), message),
        2L * event.payload().length() + 500);
  }

  private static Optional<Command> command(String key, InboundMessage message) {
    if (key.startsWith(NOTICE_KEY)) {
      return Optional.of(Command.notice(message.text()));
    }
    // What a program writes, another model may have written: it approves and stops nothing.
    return message.origin().fromBot() ? Optional.empty() : Command.of(message.text());
  }

  /** {@link #withoutText} when that is large: for those who wait. */
  public Incoming light() {
    return units <= SMALL_UNITS ? this : withoutText();
  }

  /**
   * Without what was said, since disk has it. Who it is from, where an answer goes and what it
   * commands stays.
   */
  public Incoming withoutText() {
    return new Incoming(
        new Event(
            event.seq(),
            event.id(),
            event.source(),
            event.threadId(),
            event.dedupeKey(),
            "",
            event.receivedAt(),
            event.state(),
            event.attempts(),
            event.told(),
            event.replays()),
        new InboundMessage(
            message.account(),
            message.thread(),
            message.sender(),
            "",
            List.of(),
            message.dedupeKey(),
            message.origin()),
        options,
        command,
        units);
  }

  /** Whether a text that somebody sends would be a command, and no message to a model. */
  public static boolean isCommand(String text) {
    return Command.of(text).isPresent();
  }

  /** Whether what was said is to be read from disk. */
  public boolean isLight() {
    return event.payload().isEmpty();
  }

  /** False when the payload is not a message any more. */
  public boolean isReadable() {
    return !message.account().isEmpty();
  }

  /** Whether it may be one of several messages of one turn. */
  public boolean canJoin() {
    return command.isEmpty() && isReadable() && !options.replaces();
  }

  /** Whether it is a wake-up that this thread has set, not a message of a person. */
  public boolean isWakeup() {
    return event.dedupeKey().startsWith(WAKEUP_KEY);
  }

  /** Whether the server has made it: no person has said it, and no platform knows it. */
  public boolean isOurs() {
    return event.dedupeKey().startsWith(NewEvent.OWN);
  }

  public Instant sentAt() {
    return sentAt(event, message);
  }

  /**
   * When a message was sent: by its platform's clock, or when it was taken in if that says nothing,
   * or a later time.
   */
  public static Instant sentAt(Event event, InboundMessage message) {
    long written = message.origin().writtenAtMillis();
    return written > 0 && written < event.receivedAt().toEpochMilli()
        ? Instant.ofEpochMilli(written)
        : event.receivedAt();
  }

  /** With whom it shares its turns where messages wait: its account, and its sender. */
  public FlowKey flow() {
    List<String> path = new ArrayList<>(List.of(event.source()));
    path.addAll(List.of(message.sender().split(SPEAKS_FOR, 2)));
    return new FlowKey(path);
  }

  public long seq() {
    return event.seq();
  }

  public String id() {
    return event.id();
  }

  public boolean overtakes() {
    return command.map(Command::overtakes).orElse(false);
  }
}
