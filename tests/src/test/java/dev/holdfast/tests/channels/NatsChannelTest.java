package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.docs.PageCommands;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.NatsAsker;
import dev.holdfast.tests.harness.NatsServer;
import dev.holdfast.tests.harness.Npm;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import io.nats.client.Connection;
import io.nats.client.Message;
import io.nats.client.Subscription;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.ConsumerInfo;
import io.nats.client.api.MessageInfo;
import io.nats.client.api.PublishAck;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamInfo;
import io.nats.client.impl.Headers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The bundled plugin in the real server, with a real nats-server and NATS's own Java client. */
@Outside(
    covers = {"nats-kit/src/main", "plugins/nats/src/main"},
    needs = "nats-server:nats-server")
@Timeout(420)
@SuppressWarnings("try") // an interrupt while a client closes fails the test, as it should
class NatsChannelTest {
  /** The server connects again after a minute at most. */
  private static final Duration LIMIT = Duration.ofSeconds(150);

  private static final int MESSAGES = 200;

  private static final List<String> ODD_HEADERS =
      List.of(
          "NATS/1.0\r\nNats-Msg-Id: M\u00fcller\r\n\r\n",
          "NATS/1.0\r\nX-Customer: M\u00fcller\r\n\r\n",
          "NATS/1.0\r\nX Y: a\r\n\r\n",
          "NATS/1.0\r\nno colon\r\n\r\n",
          "NATS/1.0\r\n: no name\r\n\r\n",
          "NATS/1.0 404 No Messages\r\n\r\n",
          "NATS/1.0 100 FlowControl Request\r\n\r\n",
          "NATS/1.0 100 Idle Heartbeat\r\n\r\n",
          "NATS/1.0 409 Consumer Deleted\r\nHoldfast-Reply: answers.odd\r\n\r\n",
          "NATS/1.0 503\r\n\r\n",
          "NATS/1.0 x\r\n\r\n",
          "HTTP/1.1\r\n\r\n",
          "NATS/1.0",
          "x");

  @SuppressWarnings("NullAway.Init") // when the server is configured
  private static NatsServer nats;

  private static ServerRig rig;
  private static NatsAsker asker;

  @RegisterExtension
  static final Served SERVED =
      Served.alone(
          server -> {
            nats = new NatsServer().start();
            server
                .setup()
                .plugin("nats")
                .setNamed("channels.nats.accounts", "main", NatsAsker.account(nats.url()))
                .setNamed("channels.nats.accounts", "closed", closed())
                .setNamed("channels.nats.accounts", "one", chained("one", "two.in", 0))
                .setNamed("channels.nats.accounts", "two", chained("two", "one.in", 3));
          });

  @BeforeAll
  static void open() {
    rig = SERVED.rig();
    asker = new NatsAsker(nats.url());
    asker.awaitConsumer(LIMIT);
  }

  private static Map<String, Object> account(String name) {
    Map<String, Object> account = new HashMap<>(NatsAsker.account(nats.url()));
    account.put("stream", name);
    account.put("subject", name + ".>");
    account.put("durable", name);
    return account;
  }

  /** Only {@code closed.billing} is answered. */
  private static Map<String, Object> closed() {
    Map<String, Object> account = account("closed");
    account.put("allow", Map.of("users", List.of("closed.billing")));
    return account;
  }

  /** Its answers are put to another account. */
  private static Map<String, Object> chained(String name, String answers, int bots) {
    Map<String, Object> account = account(name);
    account.put("reply_subject", answers);
    account.put("bots_per_minute", bots);
    return account;
  }

  @AfterAll
  static void close() {
    nats.close();
  }

  private static void ask(Connection client, String subject, Headers headers, String text)
      throws Exception {
    PublishAck _ = publish(client, subject, headers, text);
  }

  private static PublishAck publish(Connection client, String subject, Headers headers, String text)
      throws Exception {
    return client.jetStream().publish(subject, headers, text.getBytes(StandardCharsets.UTF_8));
  }

  private static String text(byte[] body) {
    return new String(body, StandardCharsets.UTF_8);
  }

  @Test
  void servicesAreAnsweredWhereTheyAskForIt() throws Exception {
    try (Connection client = asker.connect()) {
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
      assertThat(answer.getHeaders().getFirst("Holdfast-Subject")).isEqualTo("ask.billing");
      assertThat(answer.getHeaders().getFirst("Holdfast-Kind")).isEqualTo("answer");
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
      Await.until(
          "both are answered", LIMIT, () -> NatsAsker.answers(client, "answers.all").size() == 1);
      assertThat(text(NatsAsker.answers(client, "answers.all").getFirst().getData()))
          .isEqualTo("echo: no headers at all");
      Await.until(
          "the event is answered",
          LIMIT,
          () -> NatsAsker.answers(client, "answers.events").size() == 1);
      assertThat(text(NatsAsker.answers(client, "answers.events").getFirst().getData()))
          .isEqualTo("echo: in stock?");
    }
  }

  @Test
  void noHeaderGivesAServiceTheNameOrTheIdsOfAnother() throws Exception {
    Await.until("the channel has made its stream", LIMIT, () -> hasStream("closed"));
    double before = filtered("not_allowed");
    try (Connection client = asker.connect()) {
      shortenDuplicateWindow(client, "closed");
      Headers headers =
          new Headers()
              .put("Nats-Msg-Id", "order-1")
              .put("Holdfast-Sender", "closed.billing")
              .put("Holdfast-Thread", "closed.billing");
      ask(client, "closed.evil", headers.put("Holdfast-Reply", "answers.evil"), "its secret?");
      headers.put("Holdfast-Reply", "answers.billing");
      Await.until(
          "JetStream has forgotten the id",
          LIMIT,
          () -> !publish(client, "closed.billing", headers, "mine").isDuplicate());
      Await.until(
          "the one that is allowed is answered",
          LIMIT,
          () -> NatsAsker.answers(client, "answers.billing").size() == 1);
      assertThat(NatsAsker.answers(client, "answers.evil")).isEmpty();
      assertThat(filtered("not_allowed") - before).isEqualTo(1);
    }
  }

  @Test
  void twoAgentsDoNotAnswerEachOtherForEver() throws Exception {
    Await.until(
        "the channel has made its streams", LIMIT, () -> hasStream("one") && hasStream("two"));
    double before = filtered("loop");
    try (Connection client = asker.connect()) {
      ask(client, "one.in", new Headers(), "hello");
      Await.until("the chain ends", LIMIT, () -> filtered("loop") - before == 1);
      // What it was asked, and the answer of the other one, which is let in as that of a program.
      assertThat(messages(client, "one")).isEqualTo(2);
      assertThat(messages(client, "two")).isEqualTo(1);
      assertThat(rig.server().output())
          .contains("account one: message 2 of stream one is dropped: it is a post of an agent");
    }
  }

  private static long messages(Connection client, String stream) throws Exception {
    return client.jetStreamManagement().getStreamInfo(stream).getStreamState().getMsgCount();
  }

  @Test
  void theProgramOfThePageWaitsForTheWholeAnswer() throws Exception {
    Path folder = Npm.folderWith("nats@2.29.3");
    try {
      String program = PageCommands.of("channels/nats.md", "js").blocks().getFirst();
      setMode("safe");
      Process asking = run(folder, program, "What is 6 times 7?");
      Await.until(
          "it is told that the answer comes later",
          LIMIT,
          () -> !Files.readString(folder.resolve("notices.log")).isEmpty());
      assertThat(asking.isAlive()).isTrue();
      setMode("auto");
      assertThat(printed(folder, asking)).isEqualTo("echo: What is 6 times 7?\n");

      String words = "word ".repeat(50_000);
      assertThat(program).contains("process.argv[2]"); // no command line is that long
      asking = run(folder, program.replace("process.argv[2]", "\"word \".repeat(50000)"), "");
      assertThat(printed(folder, asking).replaceAll("\\s", ""))
          .isEqualTo(("echo:" + words).replace(" ", ""));
      try (Connection client = asker.connect()) {
        assertThat(NatsAsker.answers(client, "answers.me").size()).isGreaterThan(3);
      }
    } finally {
      setMode("auto");
      ServerRig.delete(folder);
    }
  }

  private static void setMode(String mode) throws IOException {
    Answer set = rig.api().post("/api/v1/mode", Map.of("mode", mode, "reason", "a test"));
    assertThat(set.status()).as(set.body()).isEqualTo(200);
  }

  private static Process run(Path folder, String program, String question) throws IOException {
    Files.writeString(folder.resolve("ask.mjs"), program);
    ProcessBuilder builder =
        new ProcessBuilder("node", "ask.mjs", question)
            .directory(folder.toFile())
            .redirectOutput(folder.resolve("answers.log").toFile())
            .redirectError(folder.resolve("notices.log").toFile());
    builder.environment().put("NATS_URL", nats.url());
    return builder.start();
  }

  private static String printed(Path folder, Process asking) throws Exception {
    boolean hasEnded = asking.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS);
    asking.destroyForcibly();
    assertThat(hasEnded).isTrue();
    assertThat(asking.exitValue()).as(Files.readString(folder.resolve("notices.log"))).isZero();
    return Files.readString(folder.resolve("answers.log"));
  }

  private static boolean hasStream(String name) throws Exception {
    try (Connection client = asker.connect()) {
      return client.jetStreamManagement().getStreamNames().contains(name);
    }
  }

  private static void shortenDuplicateWindow(Connection client, String stream) throws Exception {
    StreamConfiguration now = client.jetStreamManagement().getStreamInfo(stream).getConfiguration();
    StreamInfo _ =
        client
            .jetStreamManagement()
            .updateStream(
                StreamConfiguration.builder(now).duplicateWindow(Duration.ofMillis(100)).build());
  }

  @Test
  void whatCanNeverBeAnsweredIsTakenOutOfTheWay() throws Exception {
    try (Connection client = asker.connect()) {
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
          "what comes after is answered",
          LIMIT,
          () -> NatsAsker.answers(client, "answers.bad").size() == 1);
      Await.until(
          "none of them is delivered again", LIMIT, () -> consumer(client).getNumAckPending() == 0);
      assertThat(consumer(client).getRedelivered()).isZero();
      assertThat(rig.server().output())
          .contains("it is not UTF-8", "it has no text", "it has more than 1 MiB", "reply_allow");
    }
  }

  @Test
  void headersThatNobodyCanReadHoldNothingUp() throws Exception {
    double before = filtered("unreadable");
    try (Connection client = asker.connect()) {
      Headers headers =
          new Headers().put("Holdfast-Thread", "odd").put("Holdfast-Reply", "answers.odd");
      ask(client, "ask.odd", headers, "before");
      for (String odd : ODD_HEADERS) {
        asker.publishRaw("ask.odd", odd, "never answered");
      }
      ask(client, "ask.odd", headers, "between");
      asker.publishRaw("ask.odd", ODD_HEADERS.getLast(), "never answered");
      asker.publishRaw(
          "ask." + "x".repeat(900),
          "NATS/1.0\r\nHoldfast-Thread: odd\r\nHoldfast-Reply: answers.odd\r\n\r\n",
          "a long subject");
      asker.publishRaw("ask." + "x".repeat(4050), "NATS/1.0\r\n\r\n", "a subject too long");
      asker.publishRaw("ask.\u00c3\u00bc", "NATS/1.0\r\n\r\n", "an odd subject");
      ask(client, "ask.odd", headers, "after");
      Await.until(
          "all others are answered",
          LIMIT,
          () -> NatsAsker.answers(client, "answers.odd").size() == 4);
      assertThat(NatsAsker.answers(client, "answers.odd"))
          .extracting(answer -> text(answer.getData()))
          .containsExactlyInAnyOrder(
              "echo: before", "echo: between", "echo: a long subject", "echo: after");
      Await.until(
          "none of them is delivered again", LIMIT, () -> consumer(client).getNumAckPending() == 0);
      assertThat(consumer(client).getRedelivered()).isZero();
      assertThat(filtered("unreadable") - before).isEqualTo(ODD_HEADERS.size() + 3);
      long last = consumer(client).getDelivered().getStreamSequence();
      assertThat(rig.server().output())
          .contains(
              "message " + (last - 4) + " of stream ASK is dropped: its headers",
              "message " + (last - 1) + " of stream ASK is dropped: its subject");
    }
  }

  private static double filtered(String reason) throws IOException {
    return rig.metrics()
        .sum("holdfast_messages_filtered_total", "channel=\"nats\"", "reason=\"" + reason + "\"");
  }

  private static ConsumerInfo consumer(Connection client) throws Exception {
    return client.jetStreamManagement().getConsumerInfo("ASK", "holdfast");
  }

  @Test
  void aMessageWasSentWhenItWasPublished() throws Exception {
    rig.server().kill9();
    try (Connection client = asker.connect()) {
      Headers headers =
          new Headers().put("Nats-Msg-Id", "early").put("Holdfast-Reply", "answers.early");
      ask(client, "ask.early", headers, "while nobody listens");
      Instant published =
          client.jetStreamManagement().getLastMessage("ASK", "ask.early").getTime().toInstant();
      rig.launch().awaitReady();
      Await.until(
          "it is answered", LIMIT, () -> NatsAsker.answers(client, "answers.early").size() == 1);
      JsonNode story =
          rig.api().get("/api/v1/events/" + ServerApi.encode("ask.early early")).json();
      assertThat(Instant.parse(story.path("sent_at").asText()))
          .isEqualTo(published.truncatedTo(ChronoUnit.MILLIS))
          .isBefore(Instant.parse(story.path("received_at").asText()));
    }
  }

  @Test
  void whatOthersPutIntoItsInboxIsNoMessageAndStopsNothing() throws Exception {
    double before = filtered("unreadable");
    try (Connection client = asker.connect()) {
      Subscription inboxes = client.subscribe("_INBOX.holdfast.>");
      client.flush(Duration.ofSeconds(5));
      Message notice = inboxes.nextMessage(LIMIT);
      while (notice != null && !notice.isStatusMessage()) {
        notice = inboxes.nextMessage(LIMIT);
      }
      String inbox = notice.getSubject().substring(0, notice.getSubject().lastIndexOf('.'));
      for (int i = 0; i < 6; i++) {
        ask(client, "ask.evil", new Headers().put("Holdfast-Reply", inbox + ".9"), "to yourself");
        client.publish(inbox + ".9", "no headers".getBytes(StandardCharsets.UTF_8));
        client.publish(
            inbox + ".9",
            "$JS.ACK.ASK.holdfast.1." + (9000 + i) + ".1.1.0",
            new Headers().put("Holdfast-Reply", "answers.inbox"),
            "forged".getBytes(StandardCharsets.UTF_8));
        client.publish(inbox + ".9", "$JS.ACK.x", "forged".getBytes(StandardCharsets.UTF_8));
        asker.publishRaw(inbox + ".0", "NATS/1.0 409 Consumer Deleted\r\n\r\n", "");
      }
      ask(client, "ask.honest", new Headers().put("Holdfast-Reply", "answers.inbox"), "honest");
      Await.until(
          "the honest one is answered",
          LIMIT,
          () -> !NatsAsker.answers(client, "answers.inbox").isEmpty());
      assertThat(NatsAsker.answers(client, "answers.inbox"))
          .extracting(answer -> text(answer.getData()))
          .containsExactly("echo: honest");
      assertThat(filtered("unreadable") - before).isEqualTo(6);
      assertThat(rig.server().output())
          .contains("the header Holdfast-Reply names no subject")
          .doesNotContain("plugin nats: listen main threw");
    }
  }

  @Test
  void afterAReloadEachDeliveryIsAcknowledgedOrReturnedAndTheConsumerIsSetRight() throws Exception {
    try (Connection client = asker.connect();
        Connection other = asker.connect()) {
      ConsumerInfo _ =
          client
              .jetStreamManagement()
              .addOrUpdateConsumer(
                  "ASK",
                  ConsumerConfiguration.builder(consumer(client).getConsumerConfiguration())
                      .filterSubject("ask.reload")
                      .maxExpires(100)
                      .headersOnly(true)
                      .inactiveThreshold(Duration.ofHours(1))
                      .build());
      Subscription all = other.subscribe(">"); // who listens to all keeps requests alive
      Subscription words = client.subscribe("$JS.ACK.ASK.holdfast.>");
      for (int perMinute = 9000; perMinute < 9003; perMinute++) {
        int reloads = reloads();
        Map<String, Object> account = new HashMap<>(NatsAsker.account(nats.url()));
        account.put("person_per_minute", perMinute);
        rig.setup().setNamed("channels.nats.accounts", "main", account).write();
        Await.until("the plugin is there again", LIMIT, () -> reloads() > reloads);
        String text = "after reload " + perMinute;
        ask(client, "ask.reload", new Headers().put("Holdfast-Reply", "answers.reload"), text);
        long sequence =
            client.jetStreamManagement().getStreamInfo("ASK").getStreamState().getLastSequence();
        assertThat(deliveriesOf(sequence, words)).isZero();
      }
      Await.until(
          "all are answered", LIMIT, () -> NatsAsker.answers(client, "answers.reload").size() == 3);
      ConsumerConfiguration now = consumer(client).getConsumerConfiguration();
      assertThat(now.getFilterSubject()).isEqualTo("ask.>");
      assertThat(now.isHeadersOnly()).isFalse();
      assertThat(now.getMaxExpires()).isNull();
      assertThat(now.getInactiveThreshold()).isNull();
      all.unsubscribe();
    }
  }

  private static int reloads() {
    return rig.server().output().split("plugins: nats 0.1.0 is ready", -1).length;
  }

  /** Deliveries of a message of which NATS has heard nothing before it was acknowledged. */
  private static long deliveriesOf(long sequence, Subscription words) throws Exception {
    long heard = 0;
    while (true) {
      Message word = words.nextMessage(LIMIT);
      assertThat(word).as("a word about message " + sequence).isNotNull();
      List<String> tokens = List.of(word.getSubject().split("\\.", -1));
      if (tokens.get(5).equals(Long.toString(sequence)) && !text(word.getData()).equals("+WPI")) {
        heard++;
        if (text(word.getData()).startsWith("+ACK")) {
          return Long.parseLong(tokens.get(4)) - heard;
        }
      }
    }
  }

  private static void awaitNamed(String byTheCheck, String byTheCondition) {
    Await.until(
        "the check says " + byTheCheck,
        LIMIT,
        () -> rig.api().post("/api/v1/channels/nats/check", Map.of()).body().contains(byTheCheck));
    Await.until(
        "the condition says " + byTheCondition,
        LIMIT,
        () -> rig.api().get("/api/v1/conditions").body().contains(byTheCondition));
  }

  @Test
  void whatTheAccountMayNotDoIsNamedAndHoldsOnlyUntilItMay() throws Exception {
    String users =
        """
        max_payload: 4MB
        no_auth_user: service
        authorization {
          users: [
            {user: admin, password: admin}
            {user: service, password: service, permissions: {
              publish: {deny: ["<subject>"]}}}
          ]
        }
        """;
    try {
      for (String subject : List.of("$JS.ACK.ASK.holdfast.>", "$JS.API.STREAM.NAMES")) {
        nats.kill9();
        NatsServer _ = nats.configured(users.replace("<subject>", subject), Map.of()).start();
        String allowed = subject.startsWith("$JS.API.") ? "$JS.API.>" : subject;
        awaitNamed("allow it to publish to " + allowed, "(AUTH)");
      }
    } finally {
      nats.kill9();
      NatsServer _ = nats.configured("max_payload: 4MB", Map.of()).start();
    }
    rig.restart(); // or it would take up to a minute until it tries again
    try (Connection client = asker.connect()) {
      ask(client, "ask.allowed", new Headers().put("Holdfast-Reply", "answers.allowed"), "again");
      Await.until(
          "it is answered", LIMIT, () -> NatsAsker.answers(client, "answers.allowed").size() == 1);
    }
  }

  @Test
  void anAnswerIsCutToWhatNatsTakesAndTooLittleIsNamedBeforeAnythingIsTaken() throws Exception {
    try {
      nats.kill9();
      NatsServer _ = nats.configured("max_payload: 30000", Map.of()).start();
      awaitNamed("set it to 65536 or more", "(INVALID_REQUEST)");
      nats.kill9();
      NatsServer _ = nats.configured("max_payload: 65536", Map.of()).start();
      rig.restart(); // or it would take up to a minute until it tries again
      try (Connection client = asker.connect()) {
        Headers headers = new Headers().put("Holdfast-Reply", "answers.long");
        ask(client, "ask.long", headers, "\u20ac".repeat(21_000));
        Await.until(
            "both parts are there",
            LIMIT,
            () -> NatsAsker.answers(client, "answers.long").size() == 2);
        StringBuilder whole = new StringBuilder();
        for (MessageInfo part : NatsAsker.answers(client, "answers.long")) {
          whole.append(text(part.getData()));
        }
        assertThat(whole.toString().replaceAll("\\s", ""))
            .isEqualTo("echo:" + "\u20ac".repeat(21_000));
      }
    } finally {
      nats.kill9();
      NatsServer _ = nats.configured("max_payload: 4MB", Map.of()).start();
    }
    rig.restart();
  }

  @Test
  void eachMessageIsAnsweredOnceAndInOrderThroughKillsOfBoth() throws Exception {
    asker.ask(MESSAGES);
    asker.awaitAnswers(MESSAGES / 10, LIMIT);
    rig.restart();
    asker.awaitAnswers(MESSAGES * 3 / 10, LIMIT);
    nats.kill9();
    nats.start();
    asker.awaitAnswers(MESSAGES * 5 / 10, LIMIT);
    nats.suspend();
    rig.restart(); // it finds a server that takes connections and says nothing
    nats.resume();
    asker.awaitAnswers(MESSAGES, LIMIT);
    rig.api().awaitQuiet(LIMIT);
    asker.assertAnsweredOnceInOrder();
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
    asker.awaitConsumer(LIMIT); // made anew, and its messages are counted from 1 again
    try (Connection client = asker.connect()) {
      ask(client, "ask.new", new Headers().put("Holdfast-Reply", "answers.new"), "back again?");
      Await.until(
          "it is answered", LIMIT, () -> NatsAsker.answers(client, "answers.new").size() == 1);
    }
    Await.until(
        "the condition is over",
        LIMIT,
        () -> !rig.api().get("/ready").body().contains("listener/nats:main"));
  }
}
