package dev.holdfast.github;

import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;

/** What a comment, an issue or a pull request means to this server. */
sealed interface GithubEvent {
  record Said(InboundMessage message) implements GithubEvent {}

  record Dropped(DropReason reason) implements GithubEvent {}

  /** Nothing that matters. */
  record Ignored() implements GithubEvent {}
}
