package dev.holdfast.mattermost;

import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;

/** What something that came from Mattermost means to the server. */
sealed interface MattermostEvent {
  /** Somebody wants something. */
  record Said(InboundMessage message) implements MattermostEvent {}

  /** It is counted and left out. */
  record Dropped(DropReason reason) implements MattermostEvent {}

  /** It is none of the server's business, or makes no sense. */
  record Ignored() implements MattermostEvent {}
}
