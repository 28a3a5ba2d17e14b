package dev.holdfast.api;

import java.util.List;

/** What an adapter made of a {@link WebhookRequest}. */
public sealed interface WebhookVerdict {
  /**
   * Verified; each message becomes an event, then the platform gets 200. The list may be empty.
   *
   * @param dropped of each message that the filter of the channel has dropped, why; they are
   *     counted
   */
  record Messages(List<InboundMessage> messages, List<DropReason> dropped)
      implements WebhookVerdict {
    public Messages {
      messages = List.copyOf(messages);
      dropped = List.copyOf(dropped);
    }

    /** None was dropped. */
    public Messages(List<InboundMessage> messages) {
      this(messages, List.of());
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

  /**
   * Verified, but of a type that the channel does not know: 422, and the sender is told both.
   *
   * @param received as it may be shown: short, without control characters
   */
  record UnknownType(String received, List<String> supported) implements WebhookVerdict {
    public UnknownType {
      supported = List.copyOf(supported);
    }
  }

  /** No such account: 401, so that nobody learns which accounts there are. */
  record NoAccount() implements WebhookVerdict {}
}
