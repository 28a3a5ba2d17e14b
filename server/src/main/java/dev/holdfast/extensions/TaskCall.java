package dev.holdfast.extensions;

import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at a task, as an extension is given it.
 *
 * @param agent whom the task was given to: for words about what went wrong
 * @param key the same for each attempt at the task
 * @param attempt from 1
 * @param payload a JSON object
 * @param threadId the chat thread that it is for; empty when it is for none
 * @param eventId the event that asked for it; empty when none did
 * @param limit how long the attempt may take
 * @param progress hears what is being done for it, in a few words without secrets
 * @param input what a person has answered to the question of an earlier attempt; null without one
 */
public record TaskCall(
    String agent,
    String planId,
    String taskId,
    String key,
    int attempt,
    String action,
    String payload,
    String threadId,
    String eventId,
    String person,
    Duration limit,
    Consumer<String> progress,
    @Nullable JsonObject input) {}
