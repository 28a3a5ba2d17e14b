package dev.holdfast.tools.prompts;

/**
 * A prompt, for people.
 *
 * @param usage what is typed, such as {@code /notes:summary topic [length]}
 * @param description what it is for; empty when nobody says
 */
public record PromptEntry(String usage, String description) {}
