package dev.holdfast.memory;

import java.time.LocalDate;
import java.util.List;
import java.util.Optional;

/**
 * What people have written in a chat thread since it was swept last, oldest first.
 *
 * @param count of all of them; only the newest ones are in the list
 * @param last the id of the newest line of the log; empty when there is none
 */
record NewTalk(List<Said> messages, int count, String last) {
  NewTalk {
    messages = List.copyOf(messages);
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
