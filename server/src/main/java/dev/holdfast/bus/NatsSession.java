package dev.holdfast.bus;

import static dev.holdfast.natskit.NatsAddresses.said;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.natskit.ConnectErrors;
import dev.holdfast.natskit.NatsAddresses;
import dev.holdfast.natskit.NatsSubjects;
import dev.holdfast.natskit.TrustedAuthorities;
import dev.holdfast.natskit.UserCredentials;
import dev.holdfast.natskit.VerifiedDataPort;
import io.nats.client.Connection;
import io.nats.client.ConnectionListener;
import io.nats.client.JetStream;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.JetStreamOptions;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.DiscardPolicy;
import io.nats.client.api.MessageInfo;
import io.nats.client.api.PublishAck;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamInfo;
import io.nats.client.impl.Headers;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to NATS, from when the stream was found to be right until it is lost. It is never
 * taken up again: the library's own reconnecting would send what came later before what was lost.
 * Thread-safe.
 */
final class NatsSession implements Broker.Session {
  private static final Logger LOG = LoggerFactory.getLogger(NatsSession.class);

  private static final Duration CONNECT_MAX = Duration.ofSeconds(3);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(5);
  private static final Duration PING_PERIOD = Duration.ofSeconds(3);
  private static final int PINGS_MAX = 2;
  private static final Duration DUPLICATES = Duration.ofMinutes(10);
  private static final Duration KEPT = Duration.ofDays(7);
  private static final String MSG_ID = "Nats-Msg-Id";
  private static final String EXPECTED_STREAM = "Nats-Expected-Stream";
  private static final String EXPECTED_LAST_MSG_ID = "Nats-Expected-Last-Msg-Id";
  private static final int NOT_FOUND = 404;
  static final String HELP = "docs/bus.md";

  // Source: nats-server, server/errors.json.
  private static final int EVENT_TOO_LARGE = 10_054;
  private static final int HEADERS_TOO_LARGE = 10_097;
  private static final int WRONG_LAST_MSG_ID = 10_070;
  private static final int WRONG_STREAM = 10_060;
  private static final int SUBJECTS_OVERLAP = 10_065;

  private final Connection connection;
  private final JetStream stream;
  private final BrokerConfig.Nats config;

  private NatsSession(Connection connection, JetStream stream, BrokerConfig.Nats config) {
    this.connection = connection;
    this.stream = stream;
    this.config = config;
  }

  /** As {@link Broker#connect}; makes the stream when there is none. */
  static NatsSession open(BrokerConfig.Nats config, Consumer<String> lost)
      throws CallFailedException, InterruptedException {
    NatsSession session = look(config, lost);
    try {
      Optional<StreamInfo> found = session.stream();
      if (found.isEmpty()) {
        session.makeStream();
      } else {
        session.checkStream(found.get().getConfiguration());
      }
      return session;
    } catch (CallFailedException | RuntimeException e) {
      session.close();
      throw e;
    }
  }

  /** Connects, and leaves the stream as it is. */
  static NatsSession look(BrokerConfig.Nats config, Consumer<String> lost)
      throws CallFailedException, InterruptedException {
    Connection connection = connect(config, options(config, lost), new Errors(config, lost));
    try {
      return new NatsSession(
          connection,
          connection.jetStream(JetStreamOptions.builder().requestTimeout(ANSWER_MAX).build()),
          config);
    } catch (IOException | RuntimeException e) {
      close(connection);
      throw notAnswering(config, e);
    }
  }

  /** Opens a connection. What fails then is told to those who listen. */
  static Connection connect(BrokerConfig.Nats config, Options.Builder options, ConnectErrors errors)
      throws CallFailedException, InterruptedException {
    try {
      return Nats.connect(options.errorListener(errors).build());
    } catch (IOException e) {
      String why = errors.why(e);
      throw unavailable(errors.refusal().isEmpty() ? why : refused(config, errors.refusal()));
    }
  }

  /** What the server says, in words that say what to do. */
  static String told(BrokerConfig.Nats config, String error) {
    String shown = NatsAddresses.shown(error);
    return NatsAddresses.isRefusal(shown) ? refused(config, shown) : "NATS says: " + shown;
  }

  private static String refused(BrokerConfig.Nats config, String why) {
    return "NATS at %s does not let Holdfast in (%s): check %s"
        .formatted(
            config.shown(),
            why,
            config.creds().isEmpty()
                ? "the user and password in broker.nats.servers, or set broker.nats.creds"
                : "broker.nats.creds (%s); its JWT may have expired or been revoked"
                    .formatted(Path.of(config.creds()).toAbsolutePath()));
  }

  /** Of a connection that is not taken up again. */
  static Options.Builder options(BrokerConfig.Nats config, Consumer<String> lost)
      throws CallFailedException {
    Options.Builder options =
        new Options.Builder()
            .servers(config.servers().toArray(String[]::new))
            .connectionName("holdfast")
            .inboxPrefix(NatsSubjects.OWN_INBOX)
            .connectionTimeout(CONNECT_MAX)
            .socketWriteTimeout(ANSWER_MAX)
            .dataPortType(VerifiedDataPort.class.getName())
            .hostnameResolveMode(Options.HostnameResolveMode.HappyEyeballs) // keeps the name
            .pingInterval(PING_PERIOD)
            .maxPingsOut(PINGS_MAX)
            .noReconnect()
            .connectionListener(
                (_, event) -> {
                  if (event == ConnectionListener.Events.CLOSED
                      || event == ConnectionListener.Events.DISCONNECTED) {
                    lost.accept("the connection was lost");
                  }
                });
    if (!config.caFile().isEmpty()) {
      try {
        options.sslContext(TrustedAuthorities.of(Path.of(config.caFile())));
      } catch (IOException e) {
        throw unavailable("the file that broker.nats.ca_file names cannot be used: " + said(e));
      }
    }
    if (!config.creds().isEmpty()) {
      try {
        options.authHandler(UserCredentials.read(Path.of(config.creds())));
      } catch (IOException e) {
        throw unavailable("the file that broker.nats.creds names cannot be used: " + said(e));
      }
    }
    return options;
  }

  private JetStreamManagement management() throws IOException {
    return connection.jetStreamManagement(
        JetStreamOptions.builder().requestTimeout(ANSWER_MAX).build());
  }

  /** As it is now; empty when there is none. */
  Optional<StreamInfo> stream() throws CallFailedException {
    try {
      return Optional.of(management().getStreamInfo(config.stream()));
    } catch (JetStreamApiException e) {
      if (e.getErrorCode() == NOT_FOUND) {
        return Optional.empty();
      }
      throw unavailable("NATS refuses stream " + config.stream() + ": " + said(e));
    } catch (IOException | RuntimeException e) {
      throw notAnswering(config, e);
    }
  }

  /**
   * @throws CallFailedException when it cannot take events, with what to do
   */
  void checkStream(StreamConfiguration found) throws CallFailedException {
    List<String> missing = new ArrayList<>(Subjects.STREAMED);
    missing.removeIf(
        subject ->
            found.getSubjects().stream().anyMatch(each -> NatsSubjects.covers(each, subject)));
    if (found.getMirror() != null) {
      throw unusable("is a mirror, which takes no events");
    }
    if (!missing.isEmpty()) {
      throw unusable("does not take %s; add them to it".formatted(String.join(", ", missing)));
    }
    if (found.getNoAck()) {
      throw unusable("acknowledges nothing; set its no_ack to false");
    }
    if (found.getSealed()) {
      throw unusable("is sealed and takes no more; delete it");
    }
  }

  private CallFailedException unusable(String why) {
    return unavailable(
        "stream %s of NATS %s, or set broker.nats.stream".formatted(config.stream(), why));
  }

  private static CallFailedException notAnswering(BrokerConfig.Nats config, Exception e) {
    return unavailable("NATS at " + config.shown() + " does not answer: " + said(e));
  }

  private void makeStream() throws CallFailedException {
    try {
      var _ =
          management()
              .addStream(
                  StreamConfiguration.builder()
                      .name(config.stream())
                      .subjects(Subjects.STREAMED)
                      .storageType(StorageType.File)
                      .replicas(config.replicas())
                      .discardPolicy(DiscardPolicy.Old)
                      .maxAge(KEPT)
                      .duplicateWindow(DUPLICATES)
                      .build());
      LOG.info("bus: made stream {} of NATS", config.stream());
    } catch (JetStreamApiException e) {
      throw unavailable(
          "NATS does not make stream %s: %s%s"
              .formatted(config.stream(), said(e), overlapping(e.getApiErrorCode())));
    } catch (IOException | RuntimeException e) {
      throw notAnswering(config, e);
    }
  }

  /** What else the server does not say. */
  private String overlapping(int error) {
    return error == SUBJECTS_OVERLAP ? ". " + others().orElse("") : "";
  }

  /** Which streams have the subjects, as a sentence; empty when none is known. */
  Optional<String> others() {
    Set<String> names = new TreeSet<>();
    try {
      for (String subject : Subjects.STREAMED) {
        names.addAll(management().getStreamNames(subject));
      }
    } catch (IOException | JetStreamApiException | RuntimeException e) {
      LOG.debug("bus: the other streams are not known", e);
    }
    return names.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "The subjects are those of stream %s: give it others, or set broker.nats.stream to it"
                .formatted(String.join(", ", names)));
  }

  @Override
  public CompletableFuture<PublishAck> publish(QueuedEvent event, String after) {
    Headers headers = new Headers().put(MSG_ID, event.id()).put(EXPECTED_STREAM, config.stream());
    if (!after.isEmpty()) {
      headers.put(EXPECTED_LAST_MSG_ID, after);
    }
    byte[] payload = event.payload().getBytes(StandardCharsets.UTF_8);
    int bytes = headers.serializedLength() + payload.length;
    long max = connection.getMaxPayload();
    if (max > 0 && bytes > max) {
      return CompletableFuture.failedFuture(
          new Broker.Refusal(
              Broker.Refusal.Scope.EVENT,
              "it has %d bytes with its headers, and max_payload of the server is %d"
                  .formatted(bytes, max)));
    }
    CompletableFuture<PublishAck> answer = new CompletableFuture<>();
    var _ =
        stream
            .publishAsync(event.subject(), headers, payload)
            .whenComplete(
                (ack, failure) -> {
                  if (failure != null) {
                    answer.completeExceptionally(refusal(failure));
                  } else if (!ack.getStream().equals(config.stream())) {
                    answer.completeExceptionally(
                        new IOException("stream %s took it".formatted(ack.getStream())));
                  } else if (ack.isDuplicate()) {
                    confirm(event.subject(), payload, ack, answer);
                  } else {
                    answer.complete(ack);
                  }
                });
    return answer;
  }

  /**
   * That a message of this id was stored before says nothing of what it was: whoever else may
   * publish to the stream may have taken the id.
   */
  private void confirm(
      String subject, byte[] payload, PublishAck ack, CompletableFuture<PublishAck> answer) {
    JsonObject place = new JsonObject().put("seq", ack.getSeqno());
    var _ =
        connection
            .requestWithTimeout(
                "$JS.API.STREAM.MSG.GET." + config.stream(),
                place.encode().getBytes(StandardCharsets.UTF_8),
                ANSWER_MAX)
            .thenAccept(
                message -> {
                  MessageInfo stored = new MessageInfo(message, config.stream(), false);
                  boolean isGone = stored.getErrorCode() == NOT_FOUND; // it has been there
                  if (stored.hasError() && !isGone) {
                    throw new IllegalStateException(stored.getDescription());
                  }
                  if (isGone
                      || (subject.equals(stored.getSubject())
                          && Arrays.equals(payload, stored.getData()))) {
                    answer.complete(ack);
                  } else {
                    answer.completeExceptionally(
                        new Broker.Refusal(
                            Broker.Refusal.Scope.EVENT,
                            "another program has published its id, as message %d of the stream"
                                .formatted(ack.getSeqno())));
                  }
                })
            .exceptionally(
                failure -> {
                  answer.completeExceptionally(
                      new IOException(
                          "what the stream holds of it is not known: " + said(failure)));
                  return null;
                });
  }

  /** What failed, as a refusal where the server has said so: the library wraps that, and twice. */
  private static Throwable refusal(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null && !(cause instanceof JetStreamApiException)) {
      cause = cause.getCause();
    }
    return cause instanceof JetStreamApiException refusal
            && refusal.getApiErrorCode() != WRONG_STREAM // the next connection says what is wrong
        ? new Broker.Refusal(scope(refusal.getApiErrorCode()), said(refusal))
        : cause;
  }

  private static Broker.Refusal.Scope scope(int error) {
    return switch (error) {
      case EVENT_TOO_LARGE, HEADERS_TOO_LARGE -> Broker.Refusal.Scope.EVENT;
      case WRONG_LAST_MSG_ID -> Broker.Refusal.Scope.PLACE;
      default -> Broker.Refusal.Scope.ALL;
    };
  }

  @Override
  public void probe() throws CallFailedException {
    try {
      var _ = management().getStreamInfo(config.stream());
    } catch (IOException | JetStreamApiException | IllegalStateException e) {
      throw unavailable("NATS does not answer: " + said(e));
    }
  }

  @Override
  public String server() {
    return "NATS " + version() + " at " + config.shown();
  }

  String version() {
    return connection.getServerInfo().getVersion();
  }

  private static CallFailedException unavailable(String why) {
    return new CallFailedException(Failure.of(FailureCode.NETWORK, why));
  }

  @Override
  public void close() {
    close(connection);
  }

  static void close(Connection connection) {
    try {
      connection.close();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** What it would print, the publisher hears and says in its own words. */
  private static final class Errors extends ConnectErrors {
    private final BrokerConfig.Nats config;
    private final Consumer<String> lost;

    Errors(BrokerConfig.Nats config, Consumer<String> lost) {
      super(config.shown(), BrokerConfig.Nats.SECTION, HELP);
      this.config = config;
      this.lost = lost;
    }

    @Override
    public void errorOccurred(Connection connection, String error) {
      super.errorOccurred(connection, error);
      // Of what it does not permit it says nothing else: no acknowledgement would come.
      lost.accept(told(config, error));
    }
  }
}
