package dev.holdfast.memory;

import dev.holdfast.tools.memory.Memory;
import dev.holdfast.tools.memory.MemoryPage.Fact;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What people have written in a chat thread since it was swept last, oldest first.
 *
 * @param count of all of them; those beyond the list wait for the next sweep
 * @param last the id of the newest line of the log that is read with these; empty when there is
 *     none
 * @param senders of all of them
 * @param notes what was not read, in sentences
 * @param remembered the marks of lines that were added since the oldest of the list, and when
 */
record NewTalk(
    List<Said> messages,
    int count,
    String last,
    Set<String> senders,
    List<String> notes,
    Map<String, Instant> remembered) {
  NewTalk {
    messages = List.copyOf(messages);
    senders = Set.copyOf(senders);
    notes = List.copyOf(notes);
    remembered = Map.copyOf(remembered);
  }

  /**
   * A person's message.
   *
   * @param label what a model calls it, {@code m1} for example
   */
  record Said(String label, String eventId, Instant at, LocalDate day, String sender, String text) {
    /** A line of a memory that says some of it. */
    String line(String said) {
      return Memory.folded(sender.isEmpty() ? said : sender + ": " + said);
    }
  }

  Optional<Said> find(String label) {
    return messages.stream().filter(said -> said.label().equals(label)).findFirst();
  }

  /** Whether a message was written before something was remembered. */
  boolean isOlder(Said said, Fact fact) {
    int days = said.day().compareTo(fact.day());
    return days < 0
        || (days == 0
            && remembered.entrySet().stream()
                .anyMatch(
                    call ->
                        fact.marks().contains(call.getKey())
                            && !call.getValue().isBefore(said.at())));
  }
}
