package dev.holdfast.extensions;

import dev.holdfast.api.ToolContext;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * For whom an action is run: a model that called a tool, or a plan with a task.
 *
 * @param agent what its program is called in words about what went wrong
 * @param correlationId by which what happens can be followed
 */
record ActionOrigin(
    String agent,
    String key,
    JsonObject context,
    @Nullable String planId,
    @Nullable String taskId,
    String correlationId) {

  static ActionOrigin of(String extension, ToolContext call) {
    JsonObject context = context(call.threadId(), call.eventId(), call.sender(), call.key());
    return new ActionOrigin(extension, call.key(), context, null, null, call.eventId());
  }

  static ActionOrigin of(TaskCall call) {
    JsonObject context =
        context(call.threadId(), call.eventId(), call.person(), call.key())
            .put("attempt", call.attempt());
    if (call.input() != null) {
      context.put("input", call.input());
    }
    String correlationId = call.eventId().isEmpty() ? call.planId() : call.eventId();
    return new ActionOrigin(
        call.agent(), call.key(), context, call.planId(), call.taskId(), correlationId);
  }

  private static JsonObject context(String threadId, String eventId, String sender, String key) {
    return new JsonObject()
        .put("thread_id", threadId)
        .put("event_id", eventId)
        .put("sender", sender)
        .put("idempotency_key", key);
  }
}
