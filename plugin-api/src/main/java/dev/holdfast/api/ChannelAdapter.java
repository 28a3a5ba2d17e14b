package dev.holdfast.api;

import java.util.Set;

/** One chat platform. Both directions; one instance serves all its accounts. */
public interface ChannelAdapter {
  /**
   * The channel's name in paths, metrics and thread ids: lower-case letters, digits and hyphens.
   */
  String channel();

  Set<String> accounts();

  /**
   * Verifies and parses. Runs on an event loop: it must not block and must take time linear in the
   * body.
   */
  WebhookVerdict receive(WebhookRequest request);

  /** The longest text that one post may have, in UTF-16 units. */
  int textUnitsMax();

  /** False when readers fetch their replies by themselves: then {@link #post} is never called. */
  default boolean posts() {
    return true;
  }

  /**
   * Whether the platform drops a post that it has already got, by {@link OutboundReply#id()}. Then
   * one whose answer was lost is repeated until an answer comes; else it is repeated once.
   */
  default boolean dropsRepeats() {
    return false;
  }

  /**
   * Posts one part once: no retries, they are the server's. Blocks the calling virtual thread.
   *
   * @throws InterruptedException when the thread is interrupted; the outcome then counts as unknown
   */
  PostOutcome post(OutboundReply reply) throws InterruptedException;
}
