package dev.holdfast.tasks.models;

import dev.holdfast.answers.StructuredAnswers;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.models.Asker;
import dev.holdfast.models.ModelCall;
import dev.holdfast.models.ModelQuestion;
import dev.holdfast.models.Models;
import dev.holdfast.models.RemoteUse;
import dev.holdfast.models.UnheardAnswer;
import dev.holdfast.resilience.FlowKey;
import dev.holdfast.store.ledgers.Usage;
import dev.holdfast.tasks.ledger.PlanOrigin;
import java.util.List;
import java.util.function.Supplier;

/**
 * Asks models on behalf of plans; what that costs is counted for the person behind them.
 * Thread-safe.
 */
public final class TaskModels {
  private static final String FLOW = "plans";

  private final Models models;
  private final Usage usage;
  private final Supplier<RemoteUse> remote;

  /**
   * @param remote how remote models may be used now
   */
  public TaskModels(Models models, Usage usage, Supplier<RemoteUse> remote) {
    this.models = models;
    this.usage = usage;
    this.remote = remote;
  }

  /** Whether a model is named for the level, or for one that stands in for it; an echo is none. */
  public boolean isThere(String level) {
    return models.isNamed(level);
  }

  /** Asks on behalf of a plan. */
  StructuredAnswers.Questioned asking(String level, PlanOrigin origin) {
    return question -> ask(level, question, origin);
  }

  /**
   * Blocks for as long as a model may take.
   *
   * @throws CallFailedException also when no model could be reached
   */
  ModelAnswer ask(String level, ModelQuestion question, PlanOrigin origin)
      throws CallFailedException, InterruptedException {
    String thread = origin.threadId().isEmpty() ? FLOW : origin.threadId();
    Asker asker =
        new Asker(thread, new FlowKey(List.of(FLOW, origin.person())), false, remote.get());
    return models.ask(level, question, asker, new Counting(origin)).answer();
  }

  /** Hears what is to be paid. */
  private final class Counting extends UnheardAnswer {
    private final PlanOrigin origin;

    Counting(PlanOrigin origin) {
      this.origin = origin;
    }

    @Override
    public void onCall(ModelCall call) {
      usage.add(call.row(origin.eventId(), origin.threadId()), person());
    }

    /** As turns count people: behind their channel and account. */
    private String person() {
      String[] parts = origin.threadId().split(":", 3);
      return parts.length < 3 ? origin.person() : parts[0] + ":" + parts[1] + ":" + origin.person();
    }
  }
}
