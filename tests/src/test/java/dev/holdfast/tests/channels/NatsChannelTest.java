package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.NatsServer;
import dev.holdfast.tests.harness.ServerRig;
import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.Subscription;
import io.nats.client.api.ConsumerInfo;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The bundled plugin in the real server, with a real nats-server and NATS's own Java client. */
@Timeout(420)
@SuppressWarnings("try") // an interrupt while a client closes fails the test, as it should
class NatsChannelTest {
  /** The server connects again after a minute at most. */
  private static final Duration LIMIT = Duration.ofSeconds(150);

  private static final int MESSAGES = 200;
  private static final int THREADS = 4;

  private static NatsServer nats;
  private static ServerRig rig;

  @BeforeAll
  static void open() throws Exception {
    nats = new NatsServer().start();
    rig = new ServerRig();
    rig.setup()
        .plugin("nats")
        .setNamed(
            "channels.nats.accounts",
            "main",
            Map.of(
                "servers",
                List.of(nats.url()),
                "reply_subject",
                "answers.all",
                "reply_allow",
                List.of("_INBOX.>", "answers.>"),
                "allow",
                Map.of("users", List.of("*")),
                "person_per_minute",
                10_000));
    rig.start();
    awaitConsumer();
  }

  @AfterAll
  static void close() {
    if (rig != null) {
      rig.close();
    }
    if (nats != null) {
      nats.close();
    }
  }

  /** A client that comes and goes, as services do; sees to it that there is a stream of answers. */
  private static Connection client() throws IOException, InterruptedException {
    Connection client =
        Nats.connect(new Options.Builder().server(nats.url()).noReconnect().build());
    try {
      JetStreamManagement management = client.jetStreamManagement();
      if (!management.getStreamNames().contains("ANSWERS")) {
        StreamInfo _ =
            management.addStream(
                StreamConfiguration.builder().name("ANSWERS").subjects("answers.>").build());
      }
      return client;
    } catch (JetStreamApiException e) {
      client.close();
      throw new IOException(e);
    }
  }

  private static void awaitConsumer() {
    Await.until(
        "the consumer is there",
        LIMIT,
        () -> {
          try (Connection client = client()) {
            return client.jetStreamManagement().getConsumerNames("ASK").contains("holdfast");
          } catch (IOException | JetStreamApiException _) {
            return false;
          }
        });
  }

  private static void ask(Connection client, String subject, Headers headers, String text)
      throws Exception {
    PublishAck _ =
        client.jetStream().publish(subject, headers, text.getBytes(StandardCharsets.UTF_8));
  }

  /** What the stream of answers holds on a subject, oldest first. */
  private static List<MessageInfo> answers(Connection client, String subject) throws Exception {
    JetStreamManagement management = client.jetStreamManagement();
    long last = management.getStreamInfo("ANSWERS").getStreamState().getLastSequence();
    List<MessageInfo> found = new ArrayList<>();
    for (long at = 1; at <= last; at++) {
      MessageInfo message = management.getMessage("ANSWERS", at);
      if (subject.equals(message.getSubject())) {
        found.add(message);
      }
    }
    return found;
  }

  private static String text(byte[] body) {
    return new String(body, StandardCharsets.UTF_8);
  }

  @Test
  void servicesAreAnsweredWhereTheyAskForIt() throws Exception {
    try (Connection client = client()) {
      String inbox = client.createInbox();
      Subscription answers = client.subscribe(inbox);
      client.flush(Duration.ofSeconds(5));
      Headers headers =
          new Headers()
              .put("Nats-Msg-Id", "order-7")
              .put("Holdfast-Thread", "orders")
              .put("Holdfast-Sender", "billing")
              .put("Holdfast-Reply", inbox);
      ask(client, "ask.billing", headers, "how much?");
      Message answer = answers.nextMessage(LIMIT);
      assertThat(text(answer.getData())).isEqualTo("echo: how much?");
      assertThat(answer.getHeaders().getFirst("Holdfast-In-Reply-To")).isEqualTo("order-7");
      assertThat(answer.getHeaders().getFirst("Holdfast-Thread")).isEqualTo("orders");
      assertThat(answer.getHeaders().getFirst("Nats-Msg-Id")).isNotEmpty();

      ask(
          client,
          "ask.events",
          new Headers().put("Holdfast-Reply", "answers.events"),
          """
          {"specversion": "1.0", "id": "1", "source": "/shop", "type": "shop.question",
           "data": {"text": "in stock?"}}
          """);
      ask(client, "ask.plain", new Headers(), "no headers at all");
      Await.until("both are answered", LIMIT, () -> answers(client, "answers.all").size() == 1);
      assertThat(text(answers(client, "answers.all").getFirst().getData()))
          .isEqualTo("echo: no headers at all");
      Await.until(
          "the event is answered", LIMIT, () -> answers(client, "answers.events").size() == 1);
      assertThat(text(answers(client, "answers.events").getFirst().getData()))
          .isEqualTo("echo: in stock?");
    }
  }

  @Test
  void whatCanNeverBeAnsweredIsTakenOutOfTheWay() throws Exception {
    try (Connection client = client()) {
      PublishAck _ = client.jetStream().publish("ask.bad", new byte[] {(byte) 0xff, 'x'});
      PublishAck _ = client.jetStream().publish("ask.bad", new byte[0]);
      PublishAck _ = client.jetStream().publish("ask.bad", new byte[2 * 1024 * 1024]);
      ask(
          client,
          "ask.bad",
          new Headers().put("Holdfast-Reply", "$JS.ACK.ASK.holdfast.1.1.1.1.1"),
          "answer here");
      ask(client, "ask.bad", new Headers().put("Holdfast-Reply", "answers.bad"), "still there?");
      Await.until(
          "what comes after is answered", LIMIT, () -> answers(client, "answers.bad").size() == 1);
      Await.until(
          "none of them is delivered again", LIMIT, () -> consumer(client).getNumAckPending() == 0);
      assertThat(consumer(client).getRedelivered()).isZero();
      assertThat(rig.server().output())
          .contains("it is not UTF-8", "it has no text", "it has more than 1 MiB", "reply_allow");
    }
  }

  private static ConsumerInfo consumer(Connection client) throws Exception {
    return client.jetStreamManagement().getConsumerInfo("ASK", "holdfast");
  }

  @Test
  void eachMessageIsAnsweredOnceAndInOrderThroughKillsOfBoth() throws Exception {
    try (Connection client = client()) {
      for (int i = 0; i < MESSAGES; i++) {
        ask(
            client,
            "ask.many",
            new Headers()
                .put("Nats-Msg-Id", "many-" + i)
                .put("Holdfast-Thread", "thread-" + i % THREADS)
                .put("Holdfast-Reply", "answers.many"),
            "message " + i);
      }
    }
    awaitAnswers(MESSAGES / 10);
    rig.restart();
    awaitAnswers(MESSAGES * 3 / 10);
    nats.kill9();
    nats.start();
    awaitAnswers(MESSAGES * 5 / 10);
    nats.suspend();
    rig.restart(); // it finds a server that takes connections and says nothing
    nats.resume();
    awaitAnswers(MESSAGES);
    rig.api().awaitQuiet(LIMIT);
    try (Connection client = client()) {
      Map<String, List<Integer>> byThread = new HashMap<>();
      for (MessageInfo answer : answers(client, "answers.many")) {
        int number = Integer.parseInt(text(answer.getData()).replace("echo: message ", ""));
        byThread
            .computeIfAbsent(
                answer.getHeaders().getFirst("Holdfast-Thread"), _ -> new ArrayList<>())
            .add(number);
      }
      for (int thread = 0; thread < THREADS; thread++) {
        List<Integer> expected = new ArrayList<>();
        for (int i = thread; i < MESSAGES; i += THREADS) {
          expected.add(i);
        }
        assertThat(byThread.get("thread-" + thread)).isEqualTo(expected);
      }
    }
  }

  private static void awaitAnswers(int least) {
    Await.until(
        least + " answers",
        LIMIT,
        () -> {
          try (Connection client = client()) {
            return answers(client, "answers.many").size() >= least;
          } catch (IOException _) {
            return false;
          }
        });
  }

  @Test
  void theServerStartsWithoutNatsAndSaysSoUntilItIsThere() throws Exception {
    nats.kill9();
    try {
      rig.restart();
      Await.until(
          "the condition says so",
          LIMIT,
          () -> rig.api().get("/ready").body().contains("listener/nats:main"));
      assertThat(rig.api().get("/api/v1/conditions").body()).contains("(NETWORK)");
      assertThat(rig.server().output()).contains("cannot be reached");
      nats.emptyStore();
    } finally {
      nats.start();
    }
    awaitConsumer(); // made anew, and its messages are counted from 1 again
    try (Connection client = client()) {
      ask(client, "ask.new", new Headers().put("Holdfast-Reply", "answers.new"), "back again?");
      Await.until("it is answered", LIMIT, () -> answers(client, "answers.new").size() == 1);
    }
    Await.until(
        "the condition is over",
        LIMIT,
        () -> !rig.api().get("/ready").body().contains("listener/nats:main"));
  }
}
