package dev.holdfast.api;

import java.util.Objects;

/** How a try to post a reply ended. */
public sealed interface PostOutcome {
  /**
   * The platform has it.
   *
   * @param platformId its id of the post, at most 2,000 UTF-16 units; empty when it named none
   */
  record Sent(String platformId) implements PostOutcome {
    private static final int ID_MAX = 2000;

    public Sent {
      platformId = Bounds.text("platformId", platformId, ID_MAX);
    }
  }

  /** It surely was not delivered: refused connection, DNS, TLS, 4xx, 429, 503. */
  record NotDelivered(Failure failure) implements PostOutcome {
    public NotDelivered {
      Objects.requireNonNull(failure, "failure");
    }
  }

  /** It may have been delivered: a timeout or reset after the first byte of the body, 502, 504. */
  record Unknown(Failure failure) implements PostOutcome {
    public Unknown {
      Objects.requireNonNull(failure, "failure");
    }
  }
}
