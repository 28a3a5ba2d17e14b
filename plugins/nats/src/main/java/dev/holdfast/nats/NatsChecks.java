package dev.holdfast.nats;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelCheck;
import dev.holdfast.api.FailureCode;
import dev.holdfast.natskit.NatsAddresses;
import dev.holdfast.natskit.NatsSubjects;
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
  private static final String MADE =
      "It is made when the channel connects, if the account may do that";
  private static final String ALLOWED = "NATS allows the account what this server needs";

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
    NatsLink.tooLittlePayload(connection)
        .ifPresent(
            sentence -> checks.add(ChannelCheck.missing("answers fit into max_payload", sentence)));
    try {
      look(account, link, connection, checks);
    } catch (CallFailedException e) {
      checks.add(ChannelCheck.missing(ALLOWED, e.failure().message()));
    } catch (IOException | JetStreamApiException | RuntimeException e) {
      CallFailedException failure = link.failed("", e);
      checks.add(
          failure.failure().code() == FailureCode.AUTH
              ? ChannelCheck.missing(ALLOWED, failure.failure().message())
              : ChannelCheck.missing(
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
    return SubjectRules.isLiteral(user) && NatsSubjects.covers(account.subject(), user);
  }

  private static String remedy(boolean isAvailable, Exception failure) {
    if (!isAvailable) {
      return "Enable JetStream in nats-server";
    }
    return failure instanceof JetStreamApiException
        ? "Enable JetStream for the account"
        : "See whether nats-server is too busy to answer";
  }

  private static void look(
      NatsAccount account, NatsLink link, Connection connection, List<ChannelCheck> checks)
      throws IOException, JetStreamApiException, CallFailedException, InterruptedException {
    JetStreamManagement management = NatsLink.management(connection);
    link.requirePermissions(connection, management);
    checks.add(ChannelCheck.met(ALLOWED));
    Optional<StreamInfo> stream = StreamSetup.stream(account, management);
    String holds = "the stream %s holds %s".formatted(account.stream(), account.subject());
    checks.add(
        stream.isPresent() && StreamSetup.holds(account, stream.get())
            ? ChannelCheck.met(holds)
            : ChannelCheck.missing(
                holds, stream.map(found -> StreamSetup.addition(account, found)).orElse(MADE)));
    Optional<ConsumerInfo> consumer =
        stream.isPresent() ? StreamSetup.consumer(account, management) : Optional.empty();
    Optional<String> problem = consumer.flatMap(StreamSetup::problem);
    String there = "the consumer " + account.durable() + " is there";
    if (problem.isPresent()) {
      checks.add(
          ChannelCheck.missing(
              "the consumer " + account.durable() + " can be used",
              StreamSetup.unusable(account, problem.get()).failure().message()));
    } else {
      checks.add(
          consumer.isPresent()
              ? ChannelCheck.met("%s (%d waiting)".formatted(there, consumer.get().getNumPending()))
              : ChannelCheck.missing(there, MADE));
    }
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
