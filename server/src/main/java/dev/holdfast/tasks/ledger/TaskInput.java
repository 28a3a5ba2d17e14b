package dev.holdfast.tasks.ledger;

import dev.holdfast.tasks.rules.InputQuestion;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Something that an agent has asked a person for.
 *
 * @param question its patience counts from {@code askedAt}
 * @param deadline until when it waits
 * @param answer empty before it is answered, and of a credential once it was used
 * @param answeredBy empty before it is answered, and when nobody did
 * @param answeredAt null while it waits
 */
public record TaskInput(
    String id,
    String taskId,
    String planId,
    InputQuestion question,
    Instant askedAt,
    Instant deadline,
    String answer,
    String answeredBy,
    @Nullable Instant answeredAt) {
  /** Who has answered when the deadline did. */
  public static final String BY_DEADLINE = "deadline";

  private static final int CODE_LENGTH = 8;

  /** By which people answer in a chat. */
  public String code() {
    return id.substring(id.length() - CODE_LENGTH);
  }

  /** For who may not read what was secret. */
  TaskInput withoutAnswer() {
    return new TaskInput(
        id, taskId, planId, question, askedAt, deadline, "", answeredBy, answeredAt);
  }

  public boolean isOpen() {
    return answeredAt == null;
  }
}
