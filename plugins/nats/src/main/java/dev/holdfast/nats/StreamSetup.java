package dev.holdfast.nats;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.natskit.NatsAddresses;
import dev.holdfast.natskit.NatsSubjects;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.api.AckPolicy;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.ConsumerInfo;
import io.nats.client.api.DeliverPolicy;
import io.nats.client.api.ReplayPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamInfo;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The stream and the consumer of an account, as the channel needs them. Blocks. */
final class StreamSetup {
  private static final Duration KEPT = Duration.ofDays(7);
  private static final Duration DUPLICATES = Duration.ofMinutes(10);

  /** Tells a stream that the channel has made, and may therefore change, from all others. */
  private static final String OWN = "Made by Holdfast for its channel nats";

  private static final int NOT_FOUND = 404;
  private static final int SERVER_ERRORS = 500;

  private StreamSetup() {}

  /**
   * Makes them where there are none, and changes what does not fit and can be changed.
   *
   * @throws CallFailedException INVALID_REQUEST when it cannot be changed
   */
  static void prepare(NatsAccount account, JetStreamManagement management)
      throws IOException, JetStreamApiException, CallFailedException {
    prepareStream(account, management);
    prepareConsumer(account, management);
  }

  private static void prepareStream(NatsAccount account, JetStreamManagement management)
      throws IOException, JetStreamApiException, CallFailedException {
    Optional<StreamInfo> found = stream(account, management);
    if (found.isPresent() && holds(account, found.get())) {
      return;
    }
    if (found.isPresent() && !OWN.equals(found.get().getConfiguration().getDescription())) {
      throw invalid(
          "the stream %s does not hold %s: %s"
              .formatted(account.stream(), account.subject(), addition(account, found.get())));
    }
    try {
      StreamInfo _ =
          found.isPresent()
              ? management.updateStream(
                  StreamConfiguration.builder(found.get().getConfiguration())
                      .subjects(subjects(account, found.get()))
                      .build())
              : management.addStream(
                  StreamConfiguration.builder()
                      .name(account.stream())
                      .description(OWN)
                      .subjects(account.subject())
                      .storageType(StorageType.File)
                      .maxAge(KEPT)
                      .duplicateWindow(DUPLICATES)
                      .build());
    } catch (JetStreamApiException e) {
      throw refused(
          e,
          "the stream %s cannot hold %s: %s. If another stream has the subject, set stream to it"
              .formatted(account.stream(), account.subject(), NatsAddresses.said(e)));
    }
  }

  /** How to add the subject with the tool of NATS. */
  static String addition(NatsAccount account, StreamInfo stream) {
    return "add it to its subjects, for example by nats stream edit %s --subjects \"%s\""
        .formatted(account.stream(), String.join(",", subjects(account, stream)));
  }

  /** With the account's; NATS wants none twice. */
  private static List<String> subjects(NatsAccount account, StreamInfo stream) {
    List<String> subjects = new ArrayList<>(stream.getConfiguration().getSubjects());
    subjects.removeIf(each -> NatsSubjects.covers(account.subject(), each));
    subjects.add(account.subject());
    return subjects;
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
        .anyMatch(each -> NatsSubjects.covers(each, account.subject()));
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
    Optional<ConsumerInfo> found = consumer(account, management);
    if (found.isEmpty()) {
      make(account, management, ConsumerConfiguration.builder());
      return;
    }
    Optional<String> problem = problem(found.get());
    if (problem.isPresent()) {
      throw unusable(account, problem.get());
    }
    ConsumerConfiguration now = found.get().getConsumerConfiguration();
    if (fits(now, account)) {
      return;
    }
    if (!account.subject().equals(now.getFilterSubject())) {
      remake(account, management, found.get());
      return;
    }
    try {
      ConsumerInfo changed =
          management.addOrUpdateConsumer(
              account.stream(), asNeeded(ConsumerConfiguration.builder(now), account));
      if (!fits(changed.getConsumerConfiguration(), account)) {
        throw unusable(account, "has settings that NATS does not change");
      }
    } catch (JetStreamApiException e) {
      throw refused(
          e,
          unusable(account, "has settings that cannot be changed: " + NatsAddresses.said(e))
              .failure()
              .message());
    }
  }

  private static void make(
      NatsAccount account, JetStreamManagement management, ConsumerConfiguration.Builder builder)
      throws IOException, JetStreamApiException {
    ConsumerInfo _ = management.addOrUpdateConsumer(account.stream(), asNeeded(builder, account));
  }

  /**
   * With another filter, behind what was acknowledged. nats-server 2.9 takes an update of it, too,
   * and passes over all messages then.
   */
  private static void remake(
      NatsAccount account, JetStreamManagement management, ConsumerInfo found)
      throws IOException, JetStreamApiException {
    long next = found.getAckFloor().getStreamSequence() + 1;
    boolean _ = management.deleteConsumer(account.stream(), account.durable());
    make(
        account,
        management,
        ConsumerConfiguration.builder()
            .deliverPolicy(DeliverPolicy.ByStartSequence)
            .startSequence(next));
  }

  /** What no update can change; empty when there is nothing of that kind. */
  static Optional<String> problem(ConsumerInfo consumer) {
    ConsumerConfiguration now = consumer.getConsumerConfiguration();
    if (now.getDeliverSubject() != null || now.getAckPolicy() != AckPolicy.Explicit) {
      return Optional.of("must pull and acknowledge each message");
    }
    if (now.getReplayPolicy() == ReplayPolicy.Original) {
      return Optional.of("delivers messages at the pace at which they were published");
    }
    @Nullable List<String> groups = now.getPriorityGroups();
    if (groups != null && !groups.isEmpty()) {
      return Optional.of("has priority groups");
    }
    return consumer.getPaused() ? Optional.of("is paused") : Optional.empty();
  }

  /** Whether it delivers each message whole and in order, and again until it is acknowledged. */
  private static boolean fits(ConsumerConfiguration now, NatsAccount account) {
    return now.getMaxAckPending() == 1
        && now.getMaxDeliver() <= 0
        && DurableConsumer.ACK_WAIT.equals(now.getAckWait())
        && account.subject().equals(now.getFilterSubject())
        && !now.isHeadersOnly()
        && isUnset(now.getMaxExpires())
        && isUnset(now.getInactiveThreshold())
        && now.getMaxBytes() <= 0
        && now.getBackoff().isEmpty();
  }

  private static boolean isUnset(@Nullable Duration duration) {
    return duration == null || duration.isZero();
  }

  /** One message outside at a time keeps the order; each is delivered until it is acknowledged. */
  private static ConsumerConfiguration asNeeded(
      ConsumerConfiguration.Builder builder, NatsAccount account) {
    return builder
        .durable(account.durable())
        .filterSubject(account.subject())
        .ackPolicy(AckPolicy.Explicit)
        .ackWait(DurableConsumer.ACK_WAIT)
        .maxAckPending(1)
        .maxDeliver(-1)
        .headersOnly(false)
        .maxExpires(0)
        .inactiveThreshold(0)
        .maxBytes(-1)
        .backoff(new Duration[0])
        .build();
  }

  static CallFailedException unusable(NatsAccount account, String problem) {
    return invalid(
        "the consumer %s of the stream %s %s: set durable to another name, or delete the consumer"
            .formatted(account.durable(), account.stream(), problem));
  }

  private static CallFailedException invalid(String sentence) {
    return new CallFailedException(Failure.of(FailureCode.INVALID_REQUEST, sentence));
  }

  /** The sentence, when it is not the server that has trouble. */
  private static CallFailedException refused(JetStreamApiException refusal, String sentence)
      throws JetStreamApiException {
    if (refusal.getErrorCode() >= SERVER_ERRORS) {
      throw refusal;
    }
    return invalid(sentence);
  }
}
