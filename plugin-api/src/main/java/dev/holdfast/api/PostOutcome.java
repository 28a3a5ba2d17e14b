package dev.holdfast.api;

/** How a try to post a reply ended. */
public sealed interface PostOutcome {
  /** The platform has it. {@code platformId} is its id of the post; empty when it named none. */
  record Sent(String platformId) implements PostOutcome {}

  /** It surely was not delivered: refused connection, DNS, TLS, 4xx, 429, 503. */
  record NotDelivered(Failure failure) implements PostOutcome {}

  /** It may have been delivered: a timeout or reset after the first byte of the body, 502, 504. */
  record Unknown(Failure failure) implements PostOutcome {}
}
