package dev.holdfast.nats;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelCheck;
import dev.holdfast.natskit.NatsAddresses;
import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.api.ConsumerInfo;
import io.nats.client.api.StreamInfo;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Whether an account has what it needs. Blocks the calling thread. */
final class NatsChecks {
  private NatsChecks() {}

  static List<ChannelCheck> of(NatsAccount account, NatsLink link) throws InterruptedException {
    List<ChannelCheck> checks = new ArrayList<>();
    allowed(account).ifPresent(checks::add);
    String reached = "NATS can be reached at " + account.shownServers();
    Connection connection;
    try {
      connection = link.open();
      checks.add(
          ChannelCheck.met(
              "%s (nats-server %s)".formatted(reached, connection.getServerInfo().getVersion())));
    } catch (CallFailedException e) {
      checks.add(ChannelCheck.missing(reached, e.failure().message()));
      return checks;
    }
    try {
      look(account, NatsLink.management(connection), checks);
    } catch (IOException | JetStreamApiException | IllegalStateException e) {
      checks.add(
          ChannelCheck.missing(
              "JetStream answers",
              remedy(connection.getServerInfo().isJetStreamAvailable(), e)
                  + ": "
                  + NatsAddresses.said(e)));
    }
    return checks;
  }

  /** Whether each of {@code allow.users} can be a sender; empty if that cannot be known. */
  private static Optional<ChannelCheck> allowed(NatsAccount account) {
    List<String> users =
        account.access().users().stream().filter(user -> !user.equals("*")).sorted().toList();
    if (account.trustsHeaders() || users.isEmpty()) {
      return Optional.empty();
    }
    String what = "allow.users names subjects below " + account.subject();
    return Optional.of(
        users.stream()
            .filter(user -> !isBelow(account, user))
            .findFirst()
            .map(
                user ->
                    ChannelCheck.missing(
                        what,
                        user
                            + " is none, so it allows nobody: the sender is the subject, unless"
                            + " trust_headers is set. Name subjects without wildcards"))
            .orElseGet(() -> ChannelCheck.met(what)));
  }

  private static boolean isBelow(NatsAccount account, String user) {
    return SubjectRules.isLiteral(user) && SubjectRules.covers(account.subject(), user);
  }

  private static String remedy(boolean isAvailable, Exception failure) {
    if (!isAvailable) {
      return "Enable JetStream in nats-server";
    }
    return failure instanceof JetStreamApiException
        ? "Enable JetStream for the account"
        : "Let the account publish to $JS.API.> and subscribe to _INBOX.>; if it may, nats-server"
            + " is too busy to answer";
  }

  private static void look(
      NatsAccount account, JetStreamManagement management, List<ChannelCheck> checks)
      throws IOException, JetStreamApiException {
    Optional<StreamInfo> stream = DurableConsumer.stream(account, management);
    String holds = "the stream %s holds %s".formatted(account.stream(), account.subject());
    checks.add(
        stream.isPresent() && DurableConsumer.holds(account, stream.get())
            ? ChannelCheck.met(holds)
            : ChannelCheck.missing(
                holds,
                stream.isPresent()
                    ? "Add the subject to the stream"
                    : "It is made when the channel connects, if the account may do that"));
    Optional<ConsumerInfo> consumer =
        stream.isPresent() ? DurableConsumer.consumer(account, management) : Optional.empty();
    String there = "the consumer " + account.durable() + " is there";
    checks.add(
        consumer.isPresent()
            ? ChannelCheck.met("%s (%d waiting)".formatted(there, consumer.get().getNumPending()))
            : ChannelCheck.missing(
                there, "It is made when the channel connects, if the account may do that"));
    if (!account.replySubject().isEmpty()) {
      List<String> streams = management.getStreamNames(account.replySubject());
      checks.add(
          ChannelCheck.met(
              streams.isEmpty()
                  ? "answers go to %s, which is in no stream: whoever does not listen misses them"
                      .formatted(account.replySubject())
                  : "answers go to %s, in the stream %s"
                      .formatted(account.replySubject(), streams.getFirst())));
    }
  }
}
