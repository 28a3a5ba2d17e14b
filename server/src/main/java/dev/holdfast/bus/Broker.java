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
     * Publishes one event. Returns at once; the future completes when the broker has stored it, now
     * or before, and fails with a {@link Refusal} when it has surely not. Any other failure leaves
     * that open.
     *
     * @param after the id of the event that must be the last of the stream, else this one is
     *     refused; empty when any may be
     */
    CompletableFuture<?> publish(QueuedEvent event, String after);

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

    private final Scope scope;

    /** What else it would refuse. */
    enum Scope {
      /** Nothing else: it is the event that is wrong. */
      EVENT,
      /** Whatever is to follow an event that is not the last of the stream. */
      PLACE,
      /** Any other event, too. */
      ALL
    }

    Refusal(Scope scope, String why) {
      super(why);
      this.scope = scope;
    }

    Scope scope() {
      return scope;
    }

    /** For people. */
    String why() {
      String why = getMessage();
      return why == null ? "no reason was given" : why;
    }
  }
}
