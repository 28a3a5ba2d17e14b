package dev.holdfast.models;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import java.util.List;

/**
 * No model of the wanted level could be reached. The failure is the last one; the event is to be
 * parked.
 */
public final class ModelsAwayException extends CallFailedException {
  private static final long serialVersionUID = 1L;

  private final transient List<String> guards;
  private final Suspect suspect;

  /** {@code guards}: the names of the guards to wait for, in the order of the level. */
  public ModelsAwayException(Failure failure, List<String> guards, Suspect suspect) {
    super(failure);
    this.guards = List.copyOf(guards);
    this.suspect = suspect;
  }

  /** What may be the cause of the failures of all models that were asked. */
  public Suspect suspect() {
    return suspect;
  }

  public List<String> guards() {
    return guards;
  }
}
