package dev.holdfast.models;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ModelAnswer;
import java.time.Duration;
import java.util.List;

/** The models by level, each behind its provider's guard. Thread-safe; blocks the calling virtual thread. */
public final class Models {
  Models() {}

  /** An answer and who gave it, {@code provider/name}. */
  public record Answered(ModelAnswer answer, String model) {}

  /**
   * Asks the models of {@code level} in order, then of the lower levels, until one answers.
   *
   * @param probe true: one try a provider, no retry, for the turn that finds out whether a model is back
   * @throws ModelsAwayException when none could be reached: park the event
   * @throws CallFailedException INVALID ones, CONTEXT_OVERFLOW among them: another model would not help
   */
  public Answered ask(String level, Question question, boolean probe, AskListener listener)
      throws CallFailedException, InterruptedException {
    throw new UnsupportedOperationException(level + question + probe + listener);
  }

  /** How long until a call to some model of the level would be let through; zero when it would be now. */
  public Duration opensIn(String level) {
    throw new UnsupportedOperationException(level);
  }

  /** The smallest context window among the models of the level, in tokens. */
  public int windowTokens(String level) {
    throw new UnsupportedOperationException(level);
  }

  /** {@code provider/name} of each model of the level, in order. */
  public List<String> modelsOf(String level) {
    throw new UnsupportedOperationException(level);
  }

  public String defaultLevel() {
    throw new UnsupportedOperationException();
  }
}
