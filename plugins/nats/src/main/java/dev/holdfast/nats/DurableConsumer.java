package dev.holdfast.nats;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.Message;
import io.nats.client.Subscription;
import io.nats.client.api.ConsumerInfo;
import io.nats.client.impl.Headers;
import io.nats.client.impl.NatsJetStreamMetaData;
import io.nats.client.support.Status;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The durable pull consumer of one account, over one connection. It asks for one message at a time,
 * to be delivered to an inbox. Whoever may publish to that can put anything there: what is not from
 * the consumer is ignored. For one thread.
 */
final class DurableConsumer implements DeliverySource {
  /** After that NATS takes a delivery for lost; kept alive more often. */
  static final Duration ACK_WAIT = Duration.ofSeconds(10);

  /** Whoever stops waits for the end of a request, so it is short. */
  private static final Duration REQUEST_MAX = Duration.ofSeconds(1);

  /** After that long the end of a request is not waited for any more. */
  private static final Duration LATE_MAX = Duration.ofSeconds(2);

  private static final byte[] REQUEST =
      "{\"batch\":1,\"expires\":%d}"
          .formatted(REQUEST_MAX.toNanos())
          .getBytes(StandardCharsets.UTF_8);

  /** Empty requests in a row, after which the consumer is looked for. */
  private static final int EMPTY_MAX = 5;

  private final NatsAccount account;
  private final NatsLink link;
  private final Connection connection;
  private final JetStreamManagement management;
  private final String inbox;
  private final Subscription subscription;
  private int requests;
  private int empty;

  /** Where the request that has not ended is answered; empty for none. */
  private String open = "";

  private DurableConsumer(
      NatsAccount account, NatsLink link, Connection connection, JetStreamManagement management) {
    this.account = account;
    this.link = link;
    this.connection = connection;
    this.management = management;
    this.inbox = connection.createInbox();
    this.subscription = connection.subscribe(inbox + ".*");
  }

  /**
   * Makes the stream and the consumer where there are none.
   *
   * @throws CallFailedException AUTH for a missing permission, INVALID_REQUEST when nats-server,
   *     the stream or the consumer cannot be used as it is, else NETWORK
   */
  static DurableConsumer open(NatsAccount account, NatsLink link)
      throws CallFailedException, InterruptedException {
    Connection connection = link.open();
    Optional<String> tooLittle = NatsLink.tooLittlePayload(connection);
    if (tooLittle.isPresent()) {
      throw new CallFailedException(Failure.of(FailureCode.INVALID_REQUEST, tooLittle.get()));
    }
    try {
      JetStreamManagement management = NatsLink.management(connection);
      StreamSetup.prepare(account, management);
      link.requirePermissions(connection, management);
      return new DurableConsumer(account, link, connection, management);
    } catch (IOException | JetStreamApiException | RuntimeException e) {
      throw failed(link, e);
    }
  }

  @Override
  public Optional<StreamDelivery> next() throws CallFailedException, InterruptedException {
    try {
      if (open.isEmpty()) {
        requests++;
        open = inbox + "." + requests;
        connection.publish(
            "$JS.API.CONSUMER.MSG.NEXT." + account.stream() + "." + account.durable(),
            open,
            REQUEST);
      }
      Optional<StreamDelivery> delivery = read();
      empty = delivery.isPresent() ? 0 : empty + 1;
      if (delivery.isEmpty()) {
        lookAround();
      }
      return delivery;
    } catch (IOException | JetStreamApiException | RuntimeException e) {
      throw failed(link, e);
    }
  }

  /** Until the open request has ended; empty when it ended without a message. */
  private Optional<StreamDelivery> read() throws InterruptedException, IOException {
    long until = System.nanoTime() + REQUEST_MAX.plus(LATE_MAX).toNanos();
    while (true) {
      long left = until - System.nanoTime();
      @Nullable Message message =
          left > 0 ? subscription.nextMessage(Duration.ofNanos(left)) : null;
      if (message == null) {
        open = "";
        empty = EMPTY_MAX; // the silence may be that of a server that hangs
        return Optional.empty();
      }
      if (isDelivery(message)) {
        open = "";
        return Optional.of(new Delivered(message));
      }
      if (message.isStatusMessage() && open.equals(message.getSubject())) {
        Status status = message.getStatus();
        switch (status.getCode()) {
          case Status.FLOW_OR_HEARTBEAT_STATUS_CODE -> {}
          case Status.NOT_FOUND_CODE, Status.REQUEST_TIMEOUT_CODE -> {
            open = "";
            return Optional.empty();
          }
          default -> {
            open = "";
            throw new IOException(status.getMessageWithCode());
          }
        }
      }
    }
  }

  /** The subject of a delivery is that of the stream; what others publish has that of the inbox. */
  private boolean isDelivery(Message message) {
    if (!message.isJetStream() || SubjectRules.isOwnInbox(message.getSubject())) {
      return false;
    }
    try {
      NatsJetStreamMetaData facts = message.metaData();
      return account.stream().equals(facts.getStream())
          && account.durable().equals(facts.getConsumer());
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  private void lookAround() throws IOException, JetStreamApiException, CallFailedException {
    link.requireNothingDenied();
    if (connection.getStatus() != Connection.Status.CONNECTED) {
      throw new IOException("the connection was lost");
    }
    if (empty >= EMPTY_MAX) {
      ConsumerInfo _ = management.getConsumerInfo(account.stream(), account.durable());
      empty = 0;
    }
  }

  private static CallFailedException failed(NatsLink link, Exception e)
      throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    return link.failed("NATS does not deliver: ", e);
  }

  /**
   * Waits for the end of the open request, one second at most while NATS answers, and returns what
   * it brings: as long as anybody listens to all subjects, NATS would still deliver to the inbox.
   */
  @Override
  public void close() {
    try {
      if (!open.isEmpty() && connection.getStatus() == Connection.Status.CONNECTED) {
        read().ifPresent(each -> each.nak(Duration.ZERO));
      }
      subscription.unsubscribe();
      connection.flush(REQUEST_MAX);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (IOException | TimeoutException | IllegalStateException _) {
      // The connection is gone, and the request with it.
    }
  }

  /** What a connection has brought. An acknowledgement that is lost brings it again. */
  private static final class Delivered implements StreamDelivery {
    private final Message message;

    Delivered(Message message) {
      this.message = message;
    }

    @Override
    public StreamMessage message() {
      NatsJetStreamMetaData facts = message.metaData();
      Map<String, String> headers = new HashMap<>();
      @Nullable Headers all = message.getHeaders();
      if (all != null) {
        all.forEach((name, values) -> headers.put(name, values.getFirst()));
      }
      byte @Nullable [] body = message.getData();
      return new StreamMessage(
          facts.getStream(),
          facts.streamSequence(),
          facts.timestamp().toInstant(),
          message.getSubject(),
          headers,
          body == null ? new byte[0] : body);
    }

    private static void tell(Runnable word) {
      try {
        word.run();
      } catch (IllegalStateException _) {
        // The connection is gone: NATS delivers the message again.
      }
    }

    @Override
    public void ack() {
      tell(message::ack);
    }

    @Override
    public void nak(Duration delay) {
      tell(delay.isZero() ? message::nak : () -> message.nakWithDelay(delay));
    }

    @Override
    public void term() {
      tell(message::term);
    }

    @Override
    public void inProgress() {
      tell(message::inProgress);
    }
  }
}
