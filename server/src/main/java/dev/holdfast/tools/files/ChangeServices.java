package dev.holdfast.tools.files;

import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.time.Time;
import java.util.function.Predicate;

/**
 * What changes of files need besides files.
 *
 * @param unfinished whether an event, by its id, may still run again
 */
public record ChangeServices(Time time, Trail trail, Fatal fatal, Predicate<String> unfinished) {
  /** Where changes are told. */
  @FunctionalInterface
  public interface Trail {
    /** Durable on return. */
    void append(AuditEntry entry) throws StoreException;
  }

  /** Ends the process: the disk of the data folder can no longer be trusted. */
  @FunctionalInterface
  public interface Fatal {
    void end(String text);
  }
}
