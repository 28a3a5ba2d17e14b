package dev.holdfast.nats;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.natskit.NatsAddresses;
import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.JetStreamSubscription;
import io.nats.client.Message;
import io.nats.client.PullSubscribeOptions;
import io.nats.client.api.AckPolicy;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.ConsumerInfo;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamInfo;
import io.nats.client.impl.Headers;
import io.nats.client.impl.NatsJetStreamMetaData;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The durable pull consumer of one account, over one connection. For one thread. */
final class DurableConsumer implements DeliverySource {
  /** After that NATS takes a delivery for lost; kept alive more often. */
  static final Duration ACK_WAIT = Duration.ofSeconds(10);

  private static final Duration FETCH_MAX = Duration.ofSeconds(5);
  private static final Duration KEPT = Duration.ofDays(7);
  private static final Duration DUPLICATES = Duration.ofMinutes(10);
  private static final int NOT_FOUND = 404;

  private final NatsAccount account;
  private final Connection connection;
  private final JetStreamManagement management;
  private final JetStreamSubscription subscription;

  private DurableConsumer(
      NatsAccount account,
      Connection connection,
      JetStreamManagement management,
      JetStreamSubscription subscription) {
    this.account = account;
    this.connection = connection;
    this.management = management;
    this.subscription = subscription;
  }

  /** Makes the stream and the consumer where there are none. */
  static DurableConsumer open(NatsAccount account, Connection connection)
      throws CallFailedException, InterruptedException {
    try {
      JetStreamManagement management = NatsLink.management(connection);
      prepareStream(account, management);
      prepareConsumer(account, management);
      return new DurableConsumer(
          account,
          connection,
          management,
          connection
              .jetStream()
              .subscribe(
                  account.subject(),
                  PullSubscribeOptions.bind(account.stream(), account.durable())));
    } catch (IOException | JetStreamApiException | IllegalStateException e) {
      throw failed(e);
    }
  }

  private static void prepareStream(NatsAccount account, JetStreamManagement management)
      throws IOException, JetStreamApiException, CallFailedException {
    Optional<StreamInfo> found = stream(account, management);
    if (found.isEmpty()) {
      StreamInfo _ =
          management.addStream(
              StreamConfiguration.builder()
                  .name(account.stream())
                  .subjects(account.subject())
                  .storageType(StorageType.File)
                  .maxAge(KEPT)
                  .duplicateWindow(DUPLICATES)
                  .build());
    } else if (!holds(account, found.get())) {
      throw invalid(
          "the stream %s does not hold %s: add it to its subjects"
              .formatted(account.stream(), account.subject()));
    }
  }

  /** Empty when there is none. */
  static Optional<StreamInfo> stream(NatsAccount account, JetStreamManagement management)
      throws IOException, JetStreamApiException {
    try {
      return Optional.of(management.getStreamInfo(account.stream()));
    } catch (JetStreamApiException e) {
      return absentOr(e);
    }
  }

  static boolean holds(NatsAccount account, StreamInfo stream) {
    return stream.getConfiguration().getSubjects().stream()
        .anyMatch(each -> SubjectRules.covers(each, account.subject()));
  }

  /** Empty when there is none. */
  static Optional<ConsumerInfo> consumer(NatsAccount account, JetStreamManagement management)
      throws IOException, JetStreamApiException {
    try {
      return Optional.of(management.getConsumerInfo(account.stream(), account.durable()));
    } catch (JetStreamApiException e) {
      return absentOr(e);
    }
  }

  private static <T> Optional<T> absentOr(JetStreamApiException refusal)
      throws JetStreamApiException {
    if (refusal.getErrorCode() == NOT_FOUND) {
      return Optional.empty();
    }
    throw refusal;
  }

  private static void prepareConsumer(NatsAccount account, JetStreamManagement management)
      throws IOException, JetStreamApiException, CallFailedException {
    Optional<ConsumerConfiguration> found =
        consumer(account, management).map(ConsumerInfo::getConsumerConfiguration);
    if (found.isEmpty()) {
      ConsumerInfo _ =
          management.addOrUpdateConsumer(
              account.stream(), asNeeded(ConsumerConfiguration.builder(), account));
      return;
    }
    ConsumerConfiguration now = found.get();
    if (now.getDeliverSubject() != null || now.getAckPolicy() != AckPolicy.Explicit) {
      throw invalid(
          "the consumer %s of the stream %s must pull and acknowledge each message: name another"
                  .formatted(account.durable(), account.stream())
              + " one by durable, or delete it");
    }
    if (now.getMaxAckPending() != 1
        || now.getMaxDeliver() > 0
        || !ACK_WAIT.equals(now.getAckWait())
        || !account.subject().equals(now.getFilterSubject())) {
      ConsumerInfo _ =
          management.addOrUpdateConsumer(
              account.stream(), asNeeded(ConsumerConfiguration.builder(now), account));
    }
  }

  /** One message outside at a time keeps the order; each is delivered until it is acknowledged. */
  private static ConsumerConfiguration asNeeded(
      ConsumerConfiguration.Builder builder, NatsAccount account) {
    return builder
        .durable(account.durable())
        .filterSubject(account.subject())
        .ackPolicy(AckPolicy.Explicit)
        .ackWait(ACK_WAIT)
        .maxAckPending(1)
        .maxDeliver(-1)
        .build();
  }

  private static CallFailedException invalid(String sentence) {
    return new CallFailedException(Failure.of(FailureCode.INVALID_REQUEST, sentence));
  }

  @Override
  public Optional<StreamDelivery> next() throws CallFailedException, InterruptedException {
    try {
      List<Message> messages = subscription.fetch(1, FETCH_MAX);
      if (Thread.interrupted()) {
        throw new InterruptedException(); // the library has kept it for us
      }
      if (!messages.isEmpty()) {
        return Optional.of(new Delivered(messages.getFirst()));
      }
      if (connection.getStatus() != Connection.Status.CONNECTED) {
        throw failed(new IOException("the connection was lost"));
      }
      // The silence may be that of a server that hangs, or that has lost the consumer.
      ConsumerInfo _ = management.getConsumerInfo(account.stream(), account.durable());
      return Optional.empty();
    } catch (IOException | JetStreamApiException | IllegalStateException e) {
      throw failed(e);
    }
  }

  private static CallFailedException failed(Exception e) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    return NatsLink.failed("NATS does not deliver: " + NatsAddresses.said(e), e);
  }

  @Override
  public void close() {
    try {
      subscription.unsubscribe();
    } catch (IllegalStateException _) {
      // The connection is gone, and the subscription with it.
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
      tell(() -> message.nakWithDelay(delay));
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
