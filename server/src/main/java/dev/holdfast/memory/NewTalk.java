package dev.holdfast.memory;

import java.time.LocalDate;
import java.util.List;
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
 */
record NewTalk(
    List<Said> messages, int count, String last, Set<String> senders, List<String> notes) {
  NewTalk {
    messages = List.copyOf(messages);
    senders = Set.copyOf(senders);
    notes = List.copyOf(notes);
  }

  /**
   * A person's message.
   *
   * @param label what a model calls it, {@code m1} for example
   */
  record Said(String label, String eventId, LocalDate day, String sender, String text) {}

  Optional<Said> find(String label) {
    return messages.stream().filter(said -> said.label().equals(label)).findFirst();
  }
}
