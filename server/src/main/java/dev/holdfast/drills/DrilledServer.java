package dev.holdfast.drills;

import dev.holdfast.health.Condition;
import dev.holdfast.store.messages.EventFates;
import dev.holdfast.store.messages.MessageMark;
import java.util.List;

/** The server as a drill looks at it. Thread-safe. */
public interface DrilledServer {
  /** Whether it says that it is ready. */
  boolean isReady();

  /** All that is not well now. */
  List<Condition> conditions();

  /** How far messages have come. */
  MessageMark mark();

  /** What has become by now of the events that were accepted between the two. Blocks. */
  EventFates fates(MessageMark after, MessageMark upTo);
}
