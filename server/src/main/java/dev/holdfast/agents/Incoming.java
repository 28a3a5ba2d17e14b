package dev.holdfast.agents;

import dev.holdfast.api.InboundMessage;
import dev.holdfast.channels.Inbounds;
import dev.holdfast.store.Event;
import java.util.List;
import java.util.Optional;

/** An event with its message. */
record Incoming(Event event, InboundMessage message, Optional<Command> command) {
  static Incoming of(Event event) {
    InboundMessage message;
    try {
      message = Inbounds.read(event.payload());
    } catch (IllegalArgumentException e) {
      message = new InboundMessage("", "", "", "", List.of(), event.dedupeKey());
    }
    return new Incoming(event, message, Command.of(message.text()));
  }

  /** False when the payload is not a message any more. */
  boolean isReadable() {
    return !message.account().isEmpty();
  }

  /** Whether it may be one of several messages of one turn. */
  boolean canJoin() {
    return command.isEmpty() && isReadable();
  }

  /** Whether it is a wake-up that this thread has set, not a message of a person. */
  boolean isWakeup() {
    return event.dedupeKey().startsWith(Wakeups.KEY);
  }

  long seq() {
    return event.seq();
  }

  /** What it costs to hold: the payload and the message that was read from it. */
  long units() {
    return 2L * event.payload().length() + 500;
  }

  String id() {
    return event.id();
  }

  boolean overtakes() {
    return command.map(Command::overtakes).orElse(false);
  }
}
