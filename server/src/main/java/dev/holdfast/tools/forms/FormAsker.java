package dev.holdfast.tools.forms;

import dev.holdfast.api.ToolContext;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** The progress of a call that can have its person fill in a form. */
public interface FormAsker extends ToolContext.Progress {
  /**
   * Asks the person whose message led to the call, and nobody else. Blocks until they answer,
   * {@code limit} is over or {@code moot} completes.
   *
   * @param moot completes when nobody needs the answer any more
   * @throws InterruptedException when the turn is stopped
   */
  FormReply ask(PersonForm form, Duration limit, CompletableFuture<?> moot)
      throws InterruptedException;
}
