package dev.holdfast.ingress.webhooks;

import dev.holdfast.api.Click;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.replies.OptionalCalls;
import dev.holdfast.replies.OptionalCalls.Ending;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.supervision.Fatal;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides clicks that came by webhook, and tells people what became of them. Each click has a
 * virtual thread of its own, at most 256 at once. Thread-safe; one for all event loops.
 */
public final class WebhookClicks {
  private static final Logger LOG = LoggerFactory.getLogger(WebhookClicks.class);
  private static final int RUNNING_MAX = 256;

  /** By channel; clicks of listeners are answered by their channels. */
  public static final String FAILURES = "holdfast.click.answer.failures";

  private final MessageIntake intake;
  private final OptionalCalls calls;
  private final Semaphore places = new Semaphore(RUNNING_MAX);

  public WebhookClicks(MessageIntake intake, OptionalCalls calls) {
    this.intake = intake;
    this.calls = calls;
  }

  /**
   * Returns at once; completes on another thread, when what the click decides is on disk, with what
   * to tell the person. Fails with a StoreException, and then it decided nothing.
   */
  CompletableFuture<String> decide(String channel, Click click) {
    if (!places.tryAcquire()) {
      return CompletableFuture.failedFuture(
          new StoreException(Failure.of(FailureCode.OVERLOADED, "too many clicks at once")));
    }
    CompletableFuture<String> decided = new CompletableFuture<>();
    Thread.ofVirtual().name("click").start(() -> decide(channel, click, decided));
    return decided;
  }

  private void decide(String channel, Click click, CompletableFuture<String> decided) {
    try {
      decided.complete(intake.clicked(channel, click));
    } catch (Throwable thrown) {
      decided.completeExceptionally(thrown);
      Fatal.check(thrown);
    } finally {
      places.release();
    }
  }

  /** Returns at once. What cannot be told is left out: the post says how the question ended. */
  void tell(String channel, Click click, String text) {
    Thread.ofVirtual()
        .name("click-answer")
        .start(
            () -> {
              Ending ending =
                  calls.make(channel, click.account(), adapter -> adapter.answerClick(click, text));
              LOG.debug("channel {}: a click was answered: {}", channel, ending);
            });
  }
}
