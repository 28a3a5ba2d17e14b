package dev.holdfast.tools.prompts;

import java.util.List;
import java.util.Optional;

/** The prompts that people may call for now. Thread-safe. */
public interface Prompts {
  /** Where nobody has prepared any. */
  Prompts NONE =
      new Prompts() {
        @Override
        public List<PromptEntry> list() {
          return List.of();
        }

        @Override
        public Optional<CalledPrompt> find(String text) {
          return Optional.empty();
        }
      };

  /** In the order of their names. Answers from memory. */
  List<PromptEntry> list();

  /** What a message calls for; empty when it is a message like any other. Returns at once. */
  Optional<CalledPrompt> find(String text);
}
