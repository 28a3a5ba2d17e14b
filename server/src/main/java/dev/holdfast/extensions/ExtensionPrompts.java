package dev.holdfast.extensions;

import dev.holdfast.tools.prompts.CalledPrompt;
import dev.holdfast.tools.prompts.PromptEntry;
import dev.holdfast.tools.prompts.Prompts;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The prompts of all extensions. */
record ExtensionPrompts(Supplier<List<McpPrompts>> all, Function<String, Optional<McpPrompts>> byId)
    implements Prompts {
  private static final Pattern CALL =
      Pattern.compile("\\s*/([a-z][a-z0-9-]{0,31}):(\\S{1,128})(?:\\s+(.*))?", Pattern.DOTALL);

  @Override
  public List<PromptEntry> list() {
    return all.get().stream().flatMap(prompts -> prompts.list().stream()).toList();
  }

  @Override
  public Optional<CalledPrompt> find(String text) {
    if (!text.stripLeading().startsWith("/")) {
      return Optional.empty();
    }
    Matcher call = CALL.matcher(text);
    return call.matches()
        ? byId.apply(call.group(1))
            .flatMap(
                prompts ->
                    prompts.find(
                        text, call.group(2), Optional.ofNullable(call.group(3)).orElse("")))
        : Optional.empty();
  }
}
