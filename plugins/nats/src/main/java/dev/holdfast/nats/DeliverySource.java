package dev.holdfast.nats;

import dev.holdfast.api.CallFailedException;
import java.util.Optional;

/** Where deliveries come from, each after the end of the one before. */
interface DeliverySource extends AutoCloseable {
  /**
   * Waits some seconds for one; empty when NATS is there and has none.
   *
   * @throws CallFailedException when NATS, the stream or the consumer is not there
   */
  Optional<StreamDelivery> next() throws CallFailedException, InterruptedException;

  @Override
  void close();
}
