package dev.holdfast.tests.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.nats.client.AuthHandler;
import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.MessageInfo;
import io.nats.client.api.PublishAck;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamInfo;
import io.nats.client.impl.Headers;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Services that ask an agent over the channel {@code nats}, numbered messages in some threads, and
 * read the answers out of a stream of their own. A connection for each step: servers come and go.
 */
@SuppressWarnings("try") // an interrupt while a client closes fails the test, as it should
public final class NatsAsker {
  private static final String ANSWERS = "ANSWERS";
  private static final String SUBJECT = "answers.many";
  private static final int THREADS = 4;

  private final String url;
  private final @Nullable AuthHandler user;
  private int asked;

  public NatsAsker(String url) {
    this(url, null);
  }

  /**
   * @param user null where the address says who asks
   */
  public NatsAsker(String url, @Nullable AuthHandler user) {
    this.url = url;
    this.user = user;
  }

  /** What the channel's account is set to: answers go into the stream of answers. */
  public static Map<String, Object> account(String url) {
    return Map.of(
        "servers",
        List.of(url),
        "reply_subject",
        "answers.all",
        "reply_allow",
        List.of("_INBOX.>", "answers.>"),
        "allow",
        Map.of("users", List.of("*")),
        "person_per_minute",
        10_000);
  }

  /** Sees to it that there is a stream of answers. */
  public Connection connect() throws IOException, InterruptedException {
    Connection client =
        Nats.connect(new Options.Builder().server(url).authHandler(user).noReconnect().build());
    try {
      JetStreamManagement management = client.jetStreamManagement();
      if (!management.getStreamNames().contains(ANSWERS)) {
        StreamInfo _ =
            management.addStream(
                StreamConfiguration.builder().name(ANSWERS).subjects("answers.>").build());
      }
      return client;
    } catch (JetStreamApiException e) {
      client.close();
      throw new IOException(e);
    }
  }

  /** Waits until the channel has made its consumer. */
  public void awaitConsumer(Duration limit) {
    Await.until(
        "the consumer is there",
        limit,
        () -> {
          try (Connection client = connect()) {
            return client.jetStreamManagement().getConsumerNames("ASK").contains("holdfast");
          } catch (IOException | JetStreamApiException _) {
            return false;
          }
        });
  }

  /** Asks so many more questions. */
  public void ask(int count) throws Exception {
    try (Connection client = connect()) {
      for (int end = asked + count; asked < end; asked++) {
        Headers headers =
            new Headers()
                .put("Nats-Msg-Id", "many-" + asked)
                .put("Holdfast-Thread", "thread-" + asked % THREADS)
                .put("Holdfast-Reply", SUBJECT);
        byte[] text = ("message " + asked).getBytes(StandardCharsets.UTF_8);
        PublishAck _ = client.jetStream().publish("ask.many", headers, text);
      }
    }
  }

  /**
   * Publishes with headers that no client library would send; returns when nats-server has them.
   *
   * @param headers the whole block, one byte each character
   */
  public void publishRaw(String subject, String headers, String body) throws IOException {
    URI address = URI.create(url);
    try (Socket socket = new Socket(address.getHost(), address.getPort())) {
      socket.setSoTimeout(30_000);
      String message =
          "CONNECT {\"verbose\":false,\"pedantic\":false,\"headers\":true}\r\n"
              + "HPUB %s %d %d\r\n"
                  .formatted(subject, headers.length(), headers.length() + body.length())
              + headers
              + body
              + "\r\nPING\r\n";
      socket.getOutputStream().write(message.getBytes(StandardCharsets.ISO_8859_1));
      BufferedReader answers =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
      String line = answers.readLine();
      while (!"PONG".equals(line)) {
        if (line == null || line.startsWith("-ERR")) {
          throw new IOException("nats-server says " + line);
        }
        line = answers.readLine();
      }
    }
  }

  /** What the stream of answers holds on a subject, oldest first. */
  public static List<MessageInfo> answers(Connection client, String subject) throws Exception {
    JetStreamManagement management = client.jetStreamManagement();
    long last = management.getStreamInfo(ANSWERS).getStreamState().getLastSequence();
    List<MessageInfo> found = new ArrayList<>();
    for (long at = 1; at <= last; at++) {
      MessageInfo message = management.getMessage(ANSWERS, at);
      if (subject.equals(message.getSubject())) {
        found.add(message);
      }
    }
    return found;
  }

  public void awaitAnswers(int least, Duration limit) {
    Await.until(
        least + " answers",
        limit,
        () -> {
          try (Connection client = connect()) {
            return answers(client, SUBJECT).size() >= least;
          } catch (IOException _) {
            return false;
          }
        });
  }

  /** Of each thread every question was answered once, in the order of asking. */
  public void assertAnsweredOnceInOrder() throws Exception {
    Map<String, List<Integer>> byThread = new HashMap<>();
    try (Connection client = connect()) {
      for (MessageInfo answer : answers(client, SUBJECT)) {
        String text = new String(answer.getData(), StandardCharsets.UTF_8);
        byThread
            .computeIfAbsent(
                answer.getHeaders().getFirst("Holdfast-Thread"), _ -> new ArrayList<>())
            .add(Integer.parseInt(text.replace("echo: message ", "")));
      }
    }
    for (int thread = 0; thread < THREADS; thread++) {
      List<Integer> expected = new ArrayList<>();
      for (int i = thread; i < asked; i += THREADS) {
        expected.add(i);
      }
      assertThat(byThread.get("thread-" + thread)).isEqualTo(expected);
    }
  }
}
