package dev.holdfast.ingress.openai;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.ingress.api.WebMessages;
import dev.holdfast.models.AnswerListener;
import dev.holdfast.models.Asker;
import dev.holdfast.models.ModelCall;
import dev.holdfast.models.ModelQuestion;
import dev.holdfast.models.Models;
import dev.holdfast.models.RemoteUse;
import dev.holdfast.resilience.FlowKey;
import dev.holdfast.store.ledgers.Usage;
import java.time.Duration;
import java.util.List;

/**
 * Asks models what the agent has no part in: the messages given are the context, and nothing but
 * what it cost is kept. Thread-safe; blocks.
 */
public final class ModelAnswers {
  private static final String FLOW = "openai";

  private final Models models;
  private final Budget budget;
  private final Usage usage;

  /** What may be spent. */
  @FunctionalInterface
  public interface Budget {
    /**
     * @param person whom it is counted for
     * @throws CallFailedException BUDGET_EXHAUSTED
     */
    RemoteUse check(String person) throws CallFailedException;
  }

  ModelAnswers(Models models, Budget budget, Usage usage) {
    this.models = models;
    this.budget = budget;
    this.usage = usage;
  }

  /**
   * @param sender for whom the client asks
   * @throws CallFailedException also when no model could be reached
   */
  CompletedAnswer ask(String level, String sender, ModelQuestion question, AnswerProgress progress)
      throws CallFailedException, InterruptedException {
    String person = WebMessages.SOURCE + ":" + sender;
    Asker asker =
        new Asker(
            FLOW + ":" + sender, new FlowKey(List.of(FLOW, sender)), false, budget.check(person));
    ModelAnswer answer =
        models.ask(level, question, asker, new Listening(progress, person)).answer();
    return new CompletedAnswer(
        answer.message().text(), answer.message().toolCalls(), answer.stop(), answer.usage());
  }

  /** Tells the client, and counts what is to be paid. */
  private final class Listening implements AnswerListener {
    private final AnswerProgress progress;
    private final String person;

    Listening(AnswerProgress progress, String person) {
      this.progress = progress;
      this.person = person;
    }

    @Override
    public void onText(String delta) {
      try {
        progress.onText(delta);
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt(); // the call ends at its next wait
      }
    }

    @Override
    public void onWait(Duration silentAtMost) {
      // The call has limits of its own.
    }

    @Override
    public void onRestart() {
      try {
        progress.onRestart();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void onSlow() {
      // The client has limits of its own.
    }

    @Override
    public void onCall(ModelCall call) {
      usage.add(call.row("", ""), person);
    }
  }
}
