package dev.holdfast.bus;

import dev.holdfast.api.CallFailedException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Where events are published. Thread-safe. */
interface Broker {
  /**
   * Connects. Blocks for some seconds at most.
   *
   * @param lost hears why the connection is over, perhaps more than once, on any thread
   * @throws CallFailedException NETWORK when it cannot, with the reason and what to do
   */
  Session connect(Consumer<String> lost) throws CallFailedException, InterruptedException;

  /** One connection, until it is lost. Thread-safe. */
  interface Session extends AutoCloseable {
    /**
     * Publishes one event. Returns at once; the future completes when the broker has stored it, and
     * fails with a {@link Refusal} when it has surely not. Any other failure leaves that open.
     */
    CompletableFuture<?> publish(QueuedEvent event);

    /** Asks for a sign of life. Blocks for some seconds at most. */
    void probe() throws CallFailedException;

    /** For people: what is connected. */
    String server();

    /** What is under way may have arrived or not. */
    @Override
    void close();
  }

  /** The broker did not store an event. */
  final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean ofAll;

    /** {@code ofAll}: whether it would refuse any other event, too. */
    Refusal(boolean ofAll, String why) {
      super(why);
      this.ofAll = ofAll;
    }

    boolean isOfAll() {
      return ofAll;
    }

    /** For people. */
    String why() {
      String why = getMessage();
      return why == null ? "no reason was given" : why;
    }
  }
}
