package dev.holdfast.extensions;

import dev.holdfast.api.Failure;
import dev.holdfast.tools.prompts.CalledPrompt;
import dev.holdfast.tools.prompts.PreparedMessage;
import dev.holdfast.tools.prompts.PromptEntry;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The prompts of one MCP server, as people call for them. Thread-safe. */
final class McpPrompts {
  private static final int NAMES_SHOWN = 10;

  private final String id;
  private final Duration timeout;
  private final Source source;
  private volatile List<ListedPrompt> prompts = List.of();

  /** Asks the server. */
  interface Source {
    /** What it answers, or why it does not. */
    Answer get(String prompt, JsonObject arguments) throws InterruptedException;
  }

  /** How the server answers. */
  sealed interface Answer {
    record Prepared(JsonObject result) implements Answer {}

    record Refused(Failure failure) implements Answer {}
  }

  /**
   * @param timeout for a whole call
   */
  McpPrompts(String id, Duration timeout, Source source) {
    this.id = id;
    this.timeout = timeout;
    this.source = source;
  }

  void replace(List<ListedPrompt> listed) {
    prompts = listed.stream().sorted(Comparator.comparing(ListedPrompt::name)).toList();
  }

  List<PromptEntry> list() {
    return prompts.stream()
        .map(prompt -> new PromptEntry(prompt.usage(id), prompt.description()))
        .toList();
  }

  /**
   * @param text the message, which begins with {@code /<id>:<name>}
   * @param rest what stands behind the name
   */
  Optional<CalledPrompt> find(String text, String name, String rest) {
    List<ListedPrompt> known = prompts;
    return known.isEmpty() ? Optional.empty() : Optional.of(called(known, text, name, rest));
  }

  private CalledPrompt called(List<ListedPrompt> known, String text, String name, String rest) {
    Optional<ListedPrompt> found =
        known.stream().filter(prompt -> prompt.name().equals(name)).findFirst();
    return new CalledPrompt() {
      @Override
      public Duration timeout() {
        return timeout;
      }

      @Override
      public PreparedMessage prepare() throws InterruptedException {
        return found.isPresent() ? get(found.get(), text, rest) : unknown(known);
      }
    };
  }

  private PreparedMessage get(ListedPrompt prompt, String text, String rest)
      throws InterruptedException {
    Optional<JsonObject> arguments = PromptArguments.read(prompt.arguments(), rest);
    if (arguments.isEmpty()) {
      return new PreparedMessage.Failed(
          "Its arguments do not fit. It is called for with " + prompt.usage(id) + ".");
    }
    return switch (source.get(prompt.name(), arguments.get())) {
      case Answer.Prepared(JsonObject result) -> PromptResult.of(id, text.strip(), result);
      case Answer.Refused(Failure failure) -> new PreparedMessage.Failed(failure.message());
    };
  }

  private PreparedMessage unknown(List<ListedPrompt> known) {
    return new PreparedMessage.Failed(
        "The extension "
            + id
            + " has no such prompt. It has: "
            + known.stream()
                .limit(NAMES_SHOWN)
                .map(ListedPrompt::name)
                .collect(Collectors.joining(", "))
            + (known.size() > NAMES_SHOWN ? " and more; see /help." : "."));
  }
}
