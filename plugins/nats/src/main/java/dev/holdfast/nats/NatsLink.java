package dev.holdfast.nats;

import static dev.holdfast.natskit.NatsAddresses.said;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.natskit.ConnectErrors;
import dev.holdfast.natskit.NatsSubjects;
import dev.holdfast.natskit.TrustedAuthorities;
import dev.holdfast.natskit.UserCredentials;
import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.JetStreamOptions;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.impl.Headers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The connection of one account, opened when it is needed. A lost one is never taken up again: what
 * needs one opens the next, at the pace of whoever asks. Thread-safe.
 */
final class NatsLink implements ReplyPublisher, AutoCloseable {
  private static final Duration CONNECT_MAX = Duration.ofSeconds(3);
  static final Duration ANSWER_MAX = Duration.ofSeconds(5);
  private static final Duration PING_EVERY = Duration.ofSeconds(3);
  private static final int PINGS_MAX = 2;
  private static final Duration LISTENING_MAX = Duration.ofSeconds(3);
  private static final int SERVER_ERRORS = 500;

  /** A subject of a stream has up to 65,535 bytes; a longer line ends the connection. */
  private static final int LINE_MAX = 128 * 1024;

  /** What the server counts besides the body. */
  private static final int HEADERS_MAX = 4096;

  /** Of {@code max_payload}: with less, not each part of an answer could be published. */
  static final int PAYLOAD_LEAST = 64 * 1024;

  private final NatsAccount account;
  private final ReentrantLock opening = new ReentrantLock();

  /** One at a time: what NATS refuses is told by the connection, not by the call. */
  private final ReentrantLock publishing = new ReentrantLock();

  /** Held by the one that takes messages, until it has returned what it has not stored. */
  private final ReentrantLock listening = new ReentrantLock();

  private final DeniedSubjects denied = new DeniedSubjects();

  private volatile @Nullable Connection connection;

  NatsLink(NatsAccount account) {
    this.account = account;
  }

  /**
   * The connection that there is, or a new one.
   *
   * @throws CallFailedException AUTH when NATS does not let the account in, else NETWORK
   */
  Connection open() throws CallFailedException, InterruptedException {
    opening.lockInterruptibly();
    try {
      @Nullable Connection now = connection;
      if (now != null && now.getStatus() == Connection.Status.CONNECTED) {
        return now;
      }
      close();
      return connect();
    } finally {
      opening.unlock();
    }
  }

  private Connection connect() throws CallFailedException, InterruptedException {
    ConnectErrors errors =
        new ConnectErrors(account.shownServers(), "", "docs/channels/nats.md") {
          @Override
          public void errorOccurred(Connection from, String error) {
            denied.hear(error);
            super.errorOccurred(from, error);
          }
        };
    denied.clear();
    try {
      Connection opened = Nats.connect(options().errorListener(errors).build());
      connection = opened;
      return opened;
    } catch (IOException e) {
      String why = errors.why(e);
      throw errors.refusal().isEmpty() ? network(why, e) : notLetIn(errors.refusal(), e);
    }
  }

  private CallFailedException notLetIn(String refusal, Exception cause) {
    return auth(
        "NATS at %s does not let the account in (%s): check %s"
            .formatted(
                account.shownServers(),
                refusal,
                account.creds().isEmpty()
                    ? "the user and password in servers, or set creds"
                    : "creds (%s); its JWT may have expired or been revoked"
                        .formatted(Path.of(account.creds()).toAbsolutePath())),
        cause);
  }

  private static CallFailedException auth(String sentence, Exception cause) {
    return new CallFailedException(Failure.of(FailureCode.AUTH, sentence), cause);
  }

  private Options.Builder options() throws CallFailedException {
    Options.Builder options =
        new Options.Builder()
            .servers(account.servers().toArray(String[]::new))
            .connectionName("holdfast-channel-" + account.name())
            .inboxPrefix(NatsSubjects.OWN_INBOX)
            .connectionTimeout(CONNECT_MAX)
            .socketWriteTimeout(ANSWER_MAX)
            .dataPortType(FilteredDataPort.class.getName())
            .hostnameResolveMode(Options.HostnameResolveMode.HappyEyeballs) // keeps the name
            .maxControlLine(LINE_MAX)
            .pingInterval(PING_EVERY)
            .maxPingsOut(PINGS_MAX)
            .noReconnect();
    if (!account.caFile().isEmpty()) {
      try {
        options.sslContext(TrustedAuthorities.of(Path.of(account.caFile())));
      } catch (IOException e) {
        throw network("the file that ca_file names cannot be used: " + said(e), e);
      }
    }
    if (!account.creds().isEmpty()) {
      try {
        options.authHandler(UserCredentials.read(Path.of(account.creds())));
      } catch (IOException e) {
        throw auth("the file that creds names cannot be used: " + said(e), e);
      }
    }
    return options;
  }

  /** Of streams and consumers; each of its calls waits for an answer for 5 s at most. */
  static JetStreamManagement management(Connection connection) throws IOException {
    return connection.jetStreamManagement(
        JetStreamOptions.builder().requestTimeout(ANSWER_MAX).build());
  }

  /** A sentence, when nats-server takes no messages of the length that a part may have. */
  static Optional<String> tooLittlePayload(Connection now) {
    return now.getMaxPayload() >= PAYLOAD_LEAST
        ? Optional.empty()
        : Optional.of(
            "max_payload of nats-server is %d, too little for answers: set it to %d or more"
                .formatted(now.getMaxPayload(), PAYLOAD_LEAST));
  }

  /**
   * Asks nats-server for whatever this server needs to be allowed; changes nothing there.
   *
   * @throws CallFailedException AUTH with the permission that is missing
   */
  void requirePermissions(Connection now, JetStreamManagement management)
      throws CallFailedException, IOException, JetStreamApiException, InterruptedException {
    List<String> _ = management.getStreamNames(account.subject());
    // An acknowledgement of no message: who is at work on message 0.
    now.publish(account.acks() + "0.0.0.0.0", "+WPI".getBytes(StandardCharsets.US_ASCII));
    try {
      now.flush(ANSWER_MAX);
    } catch (TimeoutException e) {
      throw new IOException("no answer", e);
    }
    requireNothingDenied();
  }

  /**
   * @throws CallFailedException AUTH when NATS has denied something that this server needs
   */
  void requireNothingDenied() throws CallFailedException {
    Optional<String> sentence = denial();
    if (sentence.isPresent()) {
      throw new CallFailedException(Failure.of(FailureCode.AUTH, sentence.get()));
    }
  }

  /** What NATS has denied of what this server needs; empty for nothing. */
  private Optional<String> denial() {
    hear();
    return denied.takeOwn(account);
  }

  /** The listener hears the same, a moment later. */
  private void hear() {
    @Nullable Connection now = connection;
    if (now != null) {
      denied.hear(now.getLastError());
      now.clearLastError();
    }
  }

  /** Why a call failed: AUTH when it was for a missing permission, else NETWORK. */
  CallFailedException failed(String begin, Exception cause) {
    Optional<String> sentence = denial();
    return sentence.isPresent() ? auth(sentence.get(), cause) : network(begin + said(cause), cause);
  }

  private static CallFailedException network(String sentence, Exception cause) {
    return new CallFailedException(Failure.of(FailureCode.NETWORK, sentence), cause);
  }

  @Override
  public PostOutcome publish(String subject, Map<String, String> headers, byte[] body)
      throws InterruptedException {
    Headers all = new Headers();
    try {
      headers.forEach(all::put);
    } catch (IllegalArgumentException e) {
      return refused(
          FailureCode.INVALID_REQUEST, "no header can hold the name of the thread: " + said(e));
    }
    Connection now;
    try {
      now = open();
    } catch (CallFailedException e) {
      // Also when the account is not let in: that says nothing of this answer, which waits.
      return new PostOutcome.NotDelivered(
          Failure.of(FailureCode.NETWORK, e.failure().message()).unsent());
    }
    if (body.length + HEADERS_MAX > now.getMaxPayload()) {
      Optional<String> tooLittle = tooLittlePayload(now);
      return tooLittle.isPresent()
          ? new PostOutcome.NotDelivered(
              Failure.of(FailureCode.NETWORK, tooLittle.get()).unsent()) // waits until it is raised
          : refused(
              FailureCode.INVALID_REQUEST,
              "the answer has %d bytes, with up to %d for headers, and max_payload of NATS is %d"
                  .formatted(body.length, HEADERS_MAX, now.getMaxPayload()));
    }
    publishing.lockInterruptibly();
    try {
      boolean _ = denied.takePublish(subject); // of an earlier answer
      return isStreamed(now, subject)
          ? publishToStream(now, subject, all, body)
          : publishPlainly(now, subject, all, body);
    } catch (IOException | RuntimeException e) {
      // The question about streams: nothing was published.
      String why = failed("NATS does not answer: ", e).failure().message();
      return refused(FailureCode.NETWORK, why);
    } finally {
      publishing.unlock();
    }
  }

  private static PostOutcome refused(FailureCode code, String sentence) {
    return new PostOutcome.NotDelivered(Failure.of(code, sentence));
  }

  private static boolean isStreamed(Connection now, String subject) throws IOException {
    try {
      List<String> streams = management(now).getStreamNames(subject);
      return !streams.isEmpty();
    } catch (JetStreamApiException _) {
      return false; // no JetStream, no streams
    }
  }

  private PostOutcome publishToStream(
      Connection now, String subject, Headers headers, byte[] body) {
    try {
      var ack =
          now.jetStream(JetStreamOptions.builder().requestTimeout(ANSWER_MAX).build())
              .publish(subject, headers, body);
      return new PostOutcome.Sent(ack.getStream() + ":" + ack.getSeqno());
    } catch (JetStreamApiException e) {
      return refused(
          e.getErrorCode() >= SERVER_ERRORS ? FailureCode.OVERLOADED : FailureCode.INVALID_REQUEST,
          "the stream does not take the answer: " + said(e));
    } catch (IOException | RuntimeException e) {
      return isForbidden(subject) ? forbidden(subject) : unconfirmed(e);
    }
  }

  private PostOutcome publishPlainly(Connection now, String subject, Headers headers, byte[] body)
      throws InterruptedException {
    try {
      now.publish(subject, headers, body);
      now.flush(ANSWER_MAX);
      return isForbidden(subject) ? forbidden(subject) : new PostOutcome.Sent("");
    } catch (TimeoutException | IllegalStateException e) {
      return unconfirmed(e);
    }
  }

  private PostOutcome unconfirmed(Exception e) {
    return new PostOutcome.Unknown(
        Failure.of(
            FailureCode.NETWORK,
            failed("NATS did not confirm the answer: ", e).failure().message()));
  }

  private boolean isForbidden(String subject) {
    hear();
    return denied.takePublish(subject);
  }

  private static PostOutcome forbidden(String subject) {
    return refused(FailureCode.AUTH, "NATS does not let the account publish to " + subject);
  }

  /** What takes messages over this connection; {@link #stop} waits for its end. */
  @FunctionalInterface
  interface Listening {
    void run() throws CallFailedException, InterruptedException;
  }

  void whileListening(Listening code) throws CallFailedException, InterruptedException {
    listening.lockInterruptibly();
    try {
      code.run();
    } finally {
      listening.unlock();
    }
  }

  /** Closes it for good, once whoever takes messages has ended, or after 3 s. */
  void stop() throws InterruptedException {
    boolean isEnded = listening.tryLock(LISTENING_MAX.toNanos(), TimeUnit.NANOSECONDS);
    try {
      close();
    } finally {
      if (isEnded) {
        listening.unlock();
      }
    }
  }

  @Override
  public void close() {
    opening.lock();
    try {
      @Nullable Connection last = connection;
      connection = null;
      if (last != null) {
        last.close();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      opening.unlock();
    }
  }
}
