package dev.holdfast.ingress.openai;

import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import io.vertx.core.json.JsonObject;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Which chat thread a request is for, and who speaks in it. */
final class AskedThread {
  private static final String OURS = "x-holdfast-thread";
  private static final String OPEN_WEBUI = "x-openwebui-chat-id";

  /** Which task it is, where the connection is set up to tell. */
  private static final String OPEN_WEBUI_TASK = "x-openwebui-task";

  /** How the prompts of its tasks begin, unless they were changed. */
  private static final String TASK_PROMPT = "### Task:";

  /** What Open WebUI calls a chat that it does not keep either. */
  private static final String TEMPORARY = "local:";

  private AskedThread() {}

  /**
   * The chat thread that the client names on purpose; empty when it names none.
   *
   * @param isAgent whether the agent is asked: programs send a header with all that they ask, such
   *     as a title from another model
   * @throws RefusedRequestException 400 when it names one in a form that is none
   */
  static Optional<String> named(OpenAiExchange exchange, boolean isAgent)
      throws RefusedRequestException {
    Object conversation = exchange.request().body().getValue("conversation");
    if (conversation instanceof JsonObject object) {
      conversation = object.getValue("id");
    }
    if (conversation instanceof String id && !id.isBlank()) {
      return Optional.of(ApiRequest.threadId(id));
    }
    if (conversation != null) {
      throw OpenAiErrors.invalid("conversation", "conversation must be an id");
    }
    return isAgent ? of(exchange.header(OURS)) : Optional.empty();
  }

  /**
   * The chat that Open WebUI tells of with every request; empty when there is none, or when it asks
   * for itself.
   *
   * @param said the last message; null when it is not a person's
   */
  static Optional<String> ofPage(OpenAiExchange exchange, @Nullable String said) {
    String chat = exchange.header(OPEN_WEBUI);
    return chat.startsWith(TEMPORARY) || isTask(exchange, said) ? Optional.empty() : of(chat);
  }

  /** Titles, tags, follow-up questions: they bring the id of the chat, and are no part of it. */
  private static boolean isTask(OpenAiExchange exchange, @Nullable String said) {
    boolean isStreamed = Boolean.TRUE.equals(exchange.request().body().getValue("stream"));
    return !exchange.header(OPEN_WEBUI_TASK).isBlank()
        || (!isStreamed && said != null && said.startsWith(TASK_PROMPT));
  }

  private static Optional<String> of(String id) {
    return id.isBlank() ? Optional.empty() : Optional.of(ApiRequest.threadId(id));
  }

  /** For whom the client speaks; empty for itself. Never a chat thread. */
  static String user(OpenAiExchange exchange) {
    String name = exchange.header("x-openwebui-user-name");
    if (!name.isBlank()) {
      return decoded(name);
    }
    JsonObject body = exchange.request().body();
    return body.getValue("safety_identifier") instanceof String id
        ? id
        : body.getValue("user") instanceof String user ? user : "";
  }

  private static String decoded(String name) {
    try {
      return URLDecoder.decode(name.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException _) {
      return name;
    }
  }
}
