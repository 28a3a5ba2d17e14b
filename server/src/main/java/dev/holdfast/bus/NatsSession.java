package dev.holdfast.bus;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import io.nats.client.Connection;
import io.nats.client.ConnectionListener;
import io.nats.client.ErrorListener;
import io.nats.client.JetStream;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.JetStreamOptions;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.DiscardPolicy;
import io.nats.client.api.PublishAck;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.impl.Headers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.regex.Pattern;
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
  private static final Pattern REFUSED =
      Pattern.compile("(?i)^(?!.*permissions violation).*(authori[sz]ation|authentication)");
  private static final int NOT_FOUND = 404;

  // Source: nats-server, server/errors.json.
  private static final int EVENT_TOO_LARGE = 10_054;
  private static final int HEADERS_TOO_LARGE = 10_097;
  private static final int WRONG_LAST_MSG_ID = 10_070;
  private static final int WRONG_STREAM = 10_060;

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
    Connection connection;
    AtomicReference<String> heard = new AtomicReference<>("");
    Consumer<String> listener =
        why -> {
          String _ = heard.updateAndGet(before -> isRefusal(before) ? before : why);
          lost.accept(why);
        };
    try {
      connection = Nats.connect(options(config, listener).build());
    } catch (IOException e) {
      throw notConnected(config, e, Objects.requireNonNullElse(heard.get(), ""));
    }
    try {
      NatsSession session =
          new NatsSession(
              connection,
              connection.jetStream(JetStreamOptions.builder().requestTimeout(ANSWER_MAX).build()),
              config);
      session.prepareStream();
      return session;
    } catch (IOException | CallFailedException | RuntimeException e) {
      close(connection);
      if (e instanceof CallFailedException known) {
        throw known;
      }
      throw unavailable("NATS at " + config.shown() + " does not answer: " + said(e));
    }
  }

  /**
   * The library throws the same for a user that is refused, often, and tells only its listener why.
   */
  static CallFailedException notConnected(BrokerConfig.Nats config, IOException e, String heard) {
    if (isRefusal(heard)) {
      return unavailable(heard);
    }
    return unavailable(
        isRefusal(said(e))
            ? refused(config, said(e))
            : "NATS at " + config.shown() + " cannot be reached: " + said(e));
  }

  /** Whether a user is not let in, as the server or the library says it. */
  static boolean isRefusal(String why) {
    return REFUSED.matcher(why).find();
  }

  /** What the server says, in words that say what to do. */
  static String told(BrokerConfig.Nats config, String error) {
    String shown = BrokerConfig.Nats.shown(error);
    return isRefusal(shown) ? refused(config, shown) : "NATS says: " + shown;
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
            .connectionTimeout(CONNECT_MAX)
            .socketWriteTimeout(ANSWER_MAX)
            .pingInterval(PING_PERIOD)
            .maxPingsOut(PINGS_MAX)
            .noReconnect()
            .errorListener(new Quiet(config, lost))
            .connectionListener(
                (_, event) -> {
                  if (event == ConnectionListener.Events.CLOSED
                      || event == ConnectionListener.Events.DISCONNECTED) {
                    lost.accept("the connection was lost");
                  }
                });
    if (!config.creds().isEmpty()) {
      try {
        options.authHandler(NatsCredentials.read(Path.of(config.creds())));
      } catch (IOException e) {
        throw unavailable("the file that broker.nats.creds names cannot be used: " + said(e));
      }
    }
    return options;
  }

  private void prepareStream() throws IOException, CallFailedException {
    JetStreamManagement management =
        connection.jetStreamManagement(
            JetStreamOptions.builder().requestTimeout(ANSWER_MAX).build());
    try {
      List<String> subjects =
          management.getStreamInfo(config.stream()).getConfiguration().getSubjects();
      List<String> missing = new ArrayList<>(Subjects.STREAMED);
      missing.removeIf(subject -> subjects.contains(subject) || subjects.contains("holdfast.>"));
      if (!missing.isEmpty()) {
        throw unavailable(
            "stream %s of NATS does not take %s; add them to it, or set broker.nats.stream"
                .formatted(config.stream(), String.join(", ", missing)));
      }
    } catch (JetStreamApiException e) {
      if (e.getErrorCode() != NOT_FOUND) {
        throw unavailable("NATS refuses stream " + config.stream() + ": " + said(e));
      }
      makeStream(management);
    }
  }

  private void makeStream(JetStreamManagement management) throws IOException, CallFailedException {
    try {
      var _ =
          management.addStream(
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
      throw unavailable("NATS does not make stream " + config.stream() + ": " + said(e));
    }
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
                  } else if (ack.getStream().equals(config.stream())) {
                    answer.complete(ack);
                  } else {
                    answer.completeExceptionally(
                        new IOException("stream %s took it".formatted(ack.getStream())));
                  }
                });
    return answer;
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
      var _ =
          connection
              .jetStreamManagement(JetStreamOptions.builder().requestTimeout(ANSWER_MAX).build())
              .getStreamInfo(config.stream());
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

  /** The library's own words; it names servers as they are configured, with their passwords. */
  static String said(Throwable failure) {
    String message = failure.getMessage();
    return message == null || message.isBlank()
        ? failure.getClass().getSimpleName()
        : BrokerConfig.Nats.shown(message);
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
  private record Quiet(BrokerConfig.Nats config, Consumer<String> lost) implements ErrorListener {
    @Override
    public void errorOccurred(Connection connection, String error) {
      // Of what it does not permit it says nothing else: no acknowledgement would come.
      lost.accept(told(config, error));
    }

    @Override
    public void exceptionOccurred(Connection connection, Exception failure) {
      LOG.debug("bus: the connection to NATS failed", failure);
    }
  }
}
