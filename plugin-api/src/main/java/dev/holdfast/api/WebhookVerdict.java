package dev.holdfast.api;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/** What an adapter made of a {@link WebhookRequest}. */
public sealed interface WebhookVerdict {
  /**
   * Verified; each message becomes an event, then the platform gets 200.
   *
   * @param messages none to 1,000, each of an account of the channel
   * @param dropped of each message that the filter of the channel has dropped, why; they are
   *     counted; none to 1,000
   * @param answer what the platform gets once they are on disk; empty for a plain 200
   */
  record Messages(List<InboundMessage> messages, List<DropReason> dropped, Optional<Answer> answer)
      implements WebhookVerdict {
    private static final int MAX = 1000;

    public Messages {
      messages = Bounds.list("messages", messages, MAX);
      dropped = Bounds.list("dropped", dropped, MAX);
      Objects.requireNonNull(answer, "answer");
    }

    /** Answered by a plain 200. */
    public Messages(List<InboundMessage> messages, List<DropReason> dropped) {
      this(messages, dropped, Optional.empty());
    }

    /** None was dropped. */
    public Messages(List<InboundMessage> messages) {
      this(messages, List.of());
    }
  }

  /**
   * Verified: a person used a {@link Choice}. When what it decides is on disk, the platform gets
   * the answer, and {@link ChannelAdapter#answerClick} is called with what to tell the person.
   *
   * @param answer empty for a plain 200
   */
  record Clicked(Click click, Optional<Answer> answer) implements WebhookVerdict {
    public Clicked {
      Objects.requireNonNull(click, "click");
      Objects.requireNonNull(answer, "answer");
    }
  }

  /**
   * Verified and answered at once, for example a platform's handshake.
   *
   * @param status from 200 to 599
   * @param contentType a media type, with or without parameters
   * @param body at most 1,048,576 UTF-16 units; empty with 204 and 304
   */
  record Answer(int status, String contentType, String body) implements WebhookVerdict {
    private static final int BODY_MAX = 1_048_576;
    private static final Pattern MEDIA_TYPE =
        Pattern.compile(
            "[A-Za-z0-9!#$&^_.+-]{1,100}/[A-Za-z0-9!#$&^_.+-]{1,100}( *;[ -~]{0,200})?");

    public Answer {
      body = Bounds.text("body", body, BODY_MAX);
      if (status < 200 || status > 599) {
        throw new IllegalArgumentException("status must be from 200 to 599, got " + status);
      }
      if ((status == 204 || status == 304) && !body.isEmpty()) {
        throw new IllegalArgumentException(
            "an answer with status %d has no body".formatted(status));
      }
      if (!MEDIA_TYPE.matcher(contentType).matches()) {
        throw new IllegalArgumentException("contentType is no media type");
      }
    }
  }

  /**
   * Not believed: 401, with no reason given to the sender. The reason is for the log and metrics
   * only.
   */
  record Refused(String reason) implements WebhookVerdict {
    public Refused {
      Objects.requireNonNull(reason, "reason");
    }
  }

  /** Verified but not understood: 400. */
  record Unparsable(String reason) implements WebhookVerdict {
    public Unparsable {
      Objects.requireNonNull(reason, "reason");
    }
  }

  /**
   * Verified, but of a type that the channel does not know: 422, and the sender is told both.
   *
   * @param received as it may be shown: short, without control characters
   */
  record UnknownType(String received, List<String> supported) implements WebhookVerdict {
    private static final int RECEIVED_MAX = 1000;
    private static final int SUPPORTED_MAX = 100;

    public UnknownType {
      received = Bounds.text("received", received, RECEIVED_MAX);
      supported = Bounds.list("supported", supported, SUPPORTED_MAX);
    }
  }

  /** No such account: 401, so that nobody learns which accounts there are. */
  record NoAccount() implements WebhookVerdict {}
}
