package dev.holdfast.conversations;

import dev.holdfast.config.Section;

/** The {@code conversations} section of holdfast.yaml. */
public record ConversationsConfig(Titles titles) {
  /** Where the title of a conversation comes from until a person renames it. */
  public enum Titles {
    /** The beginning of its first message. */
    MESSAGE,
    /** As {@link #MESSAGE}, and after the first answer from a model, once. */
    MODEL
  }

  public static ConversationsConfig from(Section conversations) {
    return new ConversationsConfig(conversations.choice("titles", Titles.class, Titles.MESSAGE));
  }
}
