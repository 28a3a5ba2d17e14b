package dev.holdfast.api;

import java.util.List;

/** What an adapter made of a {@link WebhookRequest}. */
public sealed interface WebhookVerdict {
  /** Verified; each message becomes an event, then the platform gets 200. The list may be empty. */
  record Messages(List<InboundMessage> messages) implements WebhookVerdict {
    public Messages {
      messages = List.copyOf(messages);
    }
  }

  /** Verified and answered at once, for example a platform's handshake. */
  record Answer(int status, String contentType, String body) implements WebhookVerdict {}

  /**
   * Not believed: 401, with no reason given to the sender. The reason is for the log and metrics
   * only.
   */
  record Refused(String reason) implements WebhookVerdict {}

  /** Verified but not understood: 400. */
  record Unparsable(String reason) implements WebhookVerdict {}

  /** No such account: 404. */
  record NoAccount() implements WebhookVerdict {}
}
