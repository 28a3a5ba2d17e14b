package dev.holdfast.extensions;

import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.time.Time;
import dev.holdfast.tools.forms.FormAsker;
import dev.holdfast.tools.forms.FormReply;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Puts what a server asks during one call to the person behind it. For one thread. */
final class PersonInputs implements McpInputs {
  /** For all forms of one call together. */
  static final Duration WAIT_MAX = Duration.ofMinutes(5);

  static final int FORMS_MAX = 5;

  private final String source;
  private final ToolContext context;
  private final Time time;
  private final List<String> notes = new ArrayList<>();
  private Duration left = WAIT_MAX;
  private int forms;
  private Runnable before = () -> {};

  PersonInputs(String id, ToolContext context, Time time) {
    this.source = "extension " + id;
    this.context = context;
    this.time = time;
  }

  /** {@code task} is run before a person is asked. */
  PersonInputs beforeAsking(Runnable task) {
    before = task;
    return this;
  }

  @Override
  public Object person() {
    return List.of(context.threadId(), context.sender());
  }

  @Override
  public Optional<JsonObject> elicit(JsonObject asked, CompletableFuture<?> moot)
      throws InterruptedException {
    if (!"form".equals(asked.getValue("mode", "form"))) {
      return Optional.empty();
    }
    FormReply reply =
        switch (ElicitedForm.read(source, asked)) {
          case ElicitedForm.Refused(String reason) -> new FormReply.Declined(reason);
          case ElicitedForm.Askable(var form)
              when context.progress() instanceof FormAsker asker -> {
            forms++;
            if (forms > FORMS_MAX || !left.isPositive()) {
              yield new FormReply.Declined("one call may not ask for more");
            }
            before.run();
            long begun = time.nanos();
            FormReply came = asker.ask(form, left, moot);
            left = left.minusNanos(time.nanos() - begun);
            yield came;
          }
          case ElicitedForm.Askable _ -> new FormReply.Declined("nobody can be asked");
        };
    return Optional.of(
        switch (reply) {
          case FormReply.Accepted(JsonObject content) ->
              new JsonObject().put("action", "accept").put("content", content);
          case FormReply.Declined(String reason) -> {
            notes.add("[The " + source + " asked a person something. Declined: " + reason + ".]");
            yield McpInputs.declined();
          }
        });
  }

  /**
   * The result with what was declined, so that the model knows.
   *
   * @param structured whether it holds one JSON object, to which nothing can be added
   */
  ToolResult noted(ToolResult result, boolean structured) {
    if (notes.isEmpty() || (structured && !result.isError())) {
      return result;
    }
    return result.withText(result.text() + "\n" + String.join("\n", notes));
  }
}
