package dev.holdfast.tasks.ledger;

import java.util.List;
import java.util.Optional;

/**
 * A task with all that is kept of it, as of one moment.
 *
 * @param attempts oldest first
 * @param open what it waits for
 * @param closed as {@link TaskInputs#closed}
 * @param isLetter whether it is a dead letter that can be tried again
 */
public record TaskSnapshot(
    Task task,
    List<TaskAttempt> attempts,
    Optional<TaskInput> open,
    List<TaskInput> closed,
    boolean isLetter) {}
