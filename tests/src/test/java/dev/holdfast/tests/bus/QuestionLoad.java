package dev.holdfast.tests.bus;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.NatsServer;
import io.nats.client.Connection;
import io.nats.client.ErrorListener;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.MessageInfo;
import io.nats.client.api.PublishAck;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamInfo;
import io.nats.client.impl.Headers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A service that asks over the channel {@code nats}, one question after the other over some chat
 * threads. It publishes each until the stream has confirmed it, and takes its answers from a stream
 * of its own.
 */
final class QuestionLoad implements AutoCloseable {
  static final String ANSWERS = "answers.load";

  private static final String SUBJECT = "ask.load";
  private static final String STREAM = "ANSWERS";
  private static final Duration RETRY = Duration.ofMillis(200);

  private final NatsServer nats;
  private final int threads;
  private final Duration period;
  private final AtomicInteger asked = new AtomicInteger();
  private final Thread sender;
  private @Nullable Connection connection;
  private volatile boolean stopped;

  /** NATS must run, for the stream of answers to be made. */
  QuestionLoad(NatsServer nats, int threads, Duration period) throws Exception {
    this.nats = nats;
    this.threads = threads;
    this.period = period;
    Connection first = connect();
    try {
      StreamInfo _ =
          first
              .jetStreamManagement()
              .addStream(StreamConfiguration.builder().name(STREAM).subjects(ANSWERS).build());
    } finally {
      first.close();
    }
    sender = Thread.ofVirtual().start(this::run);
  }

  private Connection connect() throws IOException, InterruptedException {
    return Nats.connect(
        new Options.Builder()
            .server(nats.url())
            .noReconnect()
            .errorListener(new ErrorListener() {}) // its outages are no news here
            .build());
  }

  private static String id(int number) {
    return "q" + number;
  }

  /** By which the server knows it: among those of its subject. */
  static String key(int number) {
    return SUBJECT + " " + id(number);
  }

  /** How many the stream has confirmed: those with numbers below. */
  int asked() {
    return asked.get();
  }

  private void run() {
    try {
      while (!stopped) {
        if (ask(asked.get())) {
          asked.incrementAndGet();
          Await.pause(period);
        } else {
          disconnect();
          Await.pause(RETRY);
        }
      }
      disconnect();
    } catch (InterruptedException _) {
      // The test is over.
    }
  }

  private boolean ask(int number) throws InterruptedException {
    try {
      Connection now = connection == null ? connect() : connection;
      connection = now;
      PublishAck _ =
          now.jetStream()
              .publish(
                  SUBJECT,
                  new Headers()
                      .put("Nats-Msg-Id", id(number))
                      .put("Holdfast-Thread", "q-t" + number % threads)
                      .put("Holdfast-Reply", ANSWERS),
                  ("question " + number).getBytes(StandardCharsets.UTF_8));
      return true;
    } catch (IOException | JetStreamApiException | IllegalStateException _) {
      return false;
    }
  }

  private void disconnect() throws InterruptedException {
    if (connection != null) {
      connection.close();
      connection = null;
    }
  }

  /** No new questions; the one on its way is sent until it is confirmed. */
  void stop() throws InterruptedException {
    stopped = true;
    sender.join();
  }

  /** A line for each answer that is missing, twice there or out of order; after {@link #stop}. */
  List<String> violations() throws Exception {
    List<String> violations = new ArrayList<>();
    Map<String, List<Integer>> found = answers();
    for (int thread = 0; thread < threads; thread++) {
      List<Integer> expected = new ArrayList<>();
      for (int i = thread; i < asked(); i += threads) {
        expected.add(i);
      }
      List<Integer> answered = found.getOrDefault("q-t" + thread, List.of());
      if (!answered.equals(expected)) {
        violations.add("q-t" + thread + ": " + answered + " answered of " + expected);
      }
    }
    return violations;
  }

  /** Numbers by thread, in the order of the stream. */
  private Map<String, List<Integer>> answers() throws Exception {
    Map<String, List<Integer>> found = new HashMap<>();
    Connection reader = connect();
    try {
      JetStreamManagement management = reader.jetStreamManagement();
      long last = management.getStreamInfo(STREAM).getStreamState().getLastSequence();
      for (long at = 1; at <= last; at++) {
        MessageInfo answer = management.getMessage(STREAM, at);
        String text = new String(answer.getData(), StandardCharsets.UTF_8);
        found
            .computeIfAbsent(
                answer.getHeaders().getFirst("Holdfast-Thread"), _ -> new ArrayList<>())
            .add(Integer.parseInt(text.replace("echo: question ", "")));
      }
    } finally {
      reader.close();
    }
    return found;
  }

  /** Whether there are as many answers as questions. */
  boolean areAllAnswered() throws Exception {
    return answers().values().stream().mapToInt(List::size).sum() >= asked();
  }

  @Override
  public void close() {
    stopped = true;
    sender.interrupt();
  }
}
