package dev.holdfast.bus;

import static dev.holdfast.natskit.NatsAddresses.said;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.health.ConditionReport;
import dev.holdfast.natskit.ConnectErrors;
import dev.holdfast.natskit.NatsAddresses;
import dev.holdfast.resilience.Backoff;
import dev.holdfast.time.Time;
import io.nats.client.Connection;
import io.nats.client.Consumer;
import io.nats.client.Dispatcher;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamOptions;
import io.nats.client.Message;
import io.nats.client.MessageHandler;
import io.nats.client.impl.Headers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears what programs ask of the server over NATS, on a connection of its own: a flood of requests
 * delays no event. Thread-safe.
 */
public final class ControlListener {
  private static final Logger LOG = LoggerFactory.getLogger(ControlListener.class);

  private static final String ALL = Subjects.CONTROL + ">";
  private static final Duration ANSWER_MAX = Duration.ofSeconds(5);

  /** How often it is looked for streams that store what is asked. */
  private static final Duration LOOK_PERIOD = Duration.ofMinutes(1);

  /** A refusal of the subscription comes right after it. */
  private static final Duration SETTLED_AFTER = Duration.ofMillis(250);

  private static final Backoff WAITS = new Backoff(Duration.ofMillis(500), Duration.ofSeconds(10));

  /** A connection that lasted so long was well. */
  private static final Duration STEADY = Duration.ofSeconds(30);

  /** Requests that nobody has looked at yet; the library drops more. */
  private static final int PENDING_MAX = 256;

  private static final long PENDING_BYTES_MAX = 8L * 1024 * 1024;
  private static final int ANSWERS_MAX = 1000;

  private final BrokerConfig.Nats config;
  private final ControlHandler handler;
  private final Time time;
  private volatile String trouble = "";

  public ControlListener(BrokerConfig.Nats config, ControlHandler handler, Time time) {
    this.config = config;
    this.handler = handler;
    this.time = time;
  }

  /**
   * Why control requests cannot be taken; empty when they can. Blocks for some seconds at most.
   *
   * @throws CallFailedException when NATS cannot be reached
   */
  public static Optional<String> problem(BrokerConfig.Nats config)
      throws CallFailedException, InterruptedException {
    try (Line line = new Line(config)) {
      line.listen(_ -> {});
      Optional<String> storing = line.storing();
      return storing.isPresent() ? storing : line.awaitEnd(SETTLED_AFTER);
    }
  }

  /** Hears requests until interrupted. */
  public void run() throws InterruptedException {
    for (int failures = 0; ; failures++) {
      long sinceNanos = time.nanos();
      String why = listen();
      if (time.nanos() - sinceNanos > STEADY.toNanos()) {
        failures = 0;
      }
      if (!why.equals(trouble)) {
        LOG.warn("control: requests over NATS are not taken: {}", why);
      }
      trouble = why;
      time.sleep(WAITS.after(failures + 1));
    }
  }

  /** Returns why it is over. */
  private String listen() throws InterruptedException {
    try (Line line = new Line(config)) {
      Optional<String> end = line.storing();
      if (end.isEmpty()) {
        line.listen(message -> take(line, message));
        end = line.awaitEnd(SETTLED_AFTER);
      }
      if (end.isEmpty()) {
        LOG.info("control: requests over NATS are taken at {}", config.shown());
        trouble = "";
      }
      while (end.isEmpty()) {
        end = line.awaitEnd(LOOK_PERIOD).or(line::storing);
      }
      return end.get();
    } catch (CallFailedException e) {
      return e.failure().message();
    }
  }

  private void take(Line line, Message message) {
    Headers headers = message.getHeaders();
    String replyTo = message.getReplyTo();
    List<String> correlation = values(headers, "X-Correlation-Id");
    ControlRequest request =
        new ControlRequest(
            message.getSubject().substring(Subjects.CONTROL.length()),
            replyTo == null ? "" : replyTo,
            values(headers, "Authorization"),
            correlation.isEmpty() ? "" : correlation.getFirst(),
            message.getData() == null ? new byte[0] : message.getData());
    handler.handle(request, answer -> line.answer(request.replyTo(), answer));
  }

  private static List<String> values(@Nullable Headers headers, String name) {
    List<String> values = headers == null ? null : headers.getIgnoreCase(name);
    return values == null ? List.of() : values;
  }

  /** What is not well. From memory. */
  public List<ConditionReport> reports() {
    String why = trouble;
    return why.isEmpty()
        ? List.of()
        : List.of(
            ConditionReport.degraded(
                    "control_unavailable",
                    "Control requests over NATS are not taken: " + why + ".",
                    "Ends when they are taken again.")
                .about("control"));
  }

  /** One connection, until it is lost. */
  private static final class Line implements AutoCloseable {
    private final Connection connection;

    /** Why requests come no more. */
    private final CompletableFuture<String> over = new CompletableFuture<>();

    Line(BrokerConfig.Nats config) throws CallFailedException, InterruptedException {
      connection =
          NatsSession.connect(
              config,
              NatsSession.options(config, why -> over.complete(why))
                  .connectionName("holdfast control")
                  .maxMessagesInOutgoingQueue(ANSWERS_MAX)
                  .discardMessagesWhenOutgoingQueueFull(),
              new Errors(config, over));
    }

    /** Which streams store requests, as a sentence; empty when none does, as far as is known. */
    Optional<String> storing() {
      List<String> names = new ArrayList<>();
      try {
        names.addAll(
            connection
                .jetStreamManagement(JetStreamOptions.builder().requestTimeout(ANSWER_MAX).build())
                .getStreamNames(ALL));
      } catch (IOException | JetStreamApiException | IllegalStateException e) {
        LOG.debug("control: it is not known which streams there are: {}", said(e));
      }
      return names.isEmpty()
          ? Optional.empty()
          : Optional.of(
              "stream %s of NATS stores %s, and with it the tokens of requests; give it other subjects"
                  .formatted(String.join(", ", names), ALL));
    }

    /** To be called once. */
    void listen(MessageHandler taker) throws CallFailedException, InterruptedException {
      try {
        Dispatcher requests = connection.createDispatcher(taker);
        requests.setPendingLimits(PENDING_MAX, PENDING_BYTES_MAX);
        Dispatcher _ = requests.subscribe(ALL);
        connection.flush(ANSWER_MAX);
      } catch (TimeoutException | IllegalStateException e) {
        throw unavailable("NATS does not answer: " + said(e));
      }
    }

    /** Waits so long for the end. Returns its reason; empty while it has not come. */
    Optional<String> awaitEnd(Duration max) throws InterruptedException {
      try {
        return Optional.of(over.get(max.toMillis(), TimeUnit.MILLISECONDS));
      } catch (TimeoutException _) {
        return Optional.empty();
      } catch (ExecutionException e) {
        throw new IllegalStateException(e); // it never fails
      }
    }

    void answer(String subject, String answer) {
      if (subject.isEmpty()) {
        return;
      }
      try {
        connection.publish(subject, answer.getBytes(StandardCharsets.UTF_8));
      } catch (IllegalStateException e) { // it was closed meanwhile
        LOG.debug("control: an answer was not sent: {}", said(e));
      }
    }

    @Override
    public void close() {
      NatsSession.close(connection);
    }

    private static CallFailedException unavailable(String why) {
      return new CallFailedException(Failure.of(FailureCode.NETWORK, why));
    }
  }

  /** What the library would print, in our own words. */
  private static final class Errors extends ConnectErrors {
    private final BrokerConfig.Nats config;
    private final CompletableFuture<String> over;
    private final AtomicBoolean hasSpoken = new AtomicBoolean();

    Errors(BrokerConfig.Nats config, CompletableFuture<String> over) {
      super(config.shown(), BrokerConfig.Nats.SECTION, NatsSession.HELP);
      this.config = config;
      this.over = over;
    }

    @Override
    public void errorOccurred(Connection connection, String error) {
      super.errorOccurred(connection, error);
      if (error.toLowerCase(Locale.ROOT).contains("permissions violation for subscription")
          && error.contains(ALL)) {
        boolean _ = over.complete("its user of NATS may not subscribe to " + ALL);
      } else if (NatsAddresses.isRefusal(error)) {
        boolean _ = over.complete(NatsSession.told(config, error));
      } else if (!hasSpoken.getAndSet(true)) {
        LOG.warn("control: NATS says: {}", error);
      }
    }

    @Override
    public void slowConsumerDetected(Connection connection, Consumer consumer) {
      if (!hasSpoken.getAndSet(true)) {
        LOG.warn("control: more than {} requests wait, others are dropped", PENDING_MAX);
      }
    }

    @Override
    public void messageDiscarded(Connection connection, Message message) {
      LOG.debug("control: NATS takes no answers");
    }
  }
}
