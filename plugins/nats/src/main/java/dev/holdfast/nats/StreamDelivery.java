package dev.holdfast.nats;

import java.time.Duration;

/** One delivery of a message, which NATS repeats until it hears of it. Thread-safe. */
interface StreamDelivery {
  StreamMessage message();

  /** It is on disk. */
  void ack();

  /** To be delivered again, after a while. */
  void nak(Duration delay);

  /** Never to be delivered again. */
  void term();

  /** Somebody is still at it. */
  void inProgress();
}
