package dev.holdfast.tests.bus;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.bus.StreamReader.Published;
import dev.holdfast.tests.harness.AgentScript;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.LoadDriver;
import dev.holdfast.tests.harness.NatsServer;
import dev.holdfast.tests.harness.OnlyInFull;
import dev.holdfast.tests.harness.Oracle;
import dev.holdfast.tests.harness.RunLength;
import dev.holdfast.tests.harness.SentEvent;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Holdfast and nats-server are killed, held and emptied at random moments, while messages come by a
 * webhook and by the channel {@code nats} and plans are made. How often: {@code
 * -Dholdfast.bus_faults}; the same choices again: {@code -Dholdfast.seed}.
 */
@OnlyInFull(shortForm = "KillCampaignTest")
class BusKillCampaignTest {
  private static final int FAULTS = RunLength.of("holdfast.bus_faults", 6, 300);
  private static final int PER_SECOND = 20;
  private static final int CHAT_THREADS = 8;
  private static final Duration ASK_PERIOD = Duration.ofMillis(200);
  private static final Duration READY_WITHIN = Duration.ofSeconds(60);

  /** The channel connects again after a minute at most. */
  private static final Duration QUIET_WITHIN = Duration.ofSeconds(150);

  private static final String STREAM = "HOLDFAST";

  private final long seed = Long.getLong("holdfast.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final ServerRig rig = new ServerRig();
  private final AgentScript worker = new AgentScript(rig, "worker");
  private final NatsServer nats = new NatsServer();
  private final List<Path> lost = new ArrayList<>();
  private final List<Long> killsAtNanos = new ArrayList<>();
  private final Map<Fault, Integer> done = new EnumMap<>(Fault.class);
  private StreamReader stream;
  private int killsOfStarts;
  private int plans;

  private enum Fault {
    HOLDFAST_KILLED,
    NATS_KILLED,
    BOTH_KILLED,
    NATS_HELD,
    HOLDFAST_KILLED_WHILE_NATS_IS_HELD,
    STREAM_LOST
  }

  @BeforeEach
  void configure() throws Exception {
    stream = new StreamReader(nats);
    rig.setup()
        .plugin("nats")
        .set("broker.kind", "nats")
        .set("broker.nats.servers", List.of(nats.url()))
        .set("extensions", List.of(worker.declaration()))
        .set("inbox.max_attempts", 1000) // a message that many kills hit is no dead letter here
        .setNamed("breakers", "bus:nats", Map.of("initial_backoff_ms", 200, "max_backoff_ms", 1000))
        .setNamed(
            "channels.nats.accounts",
            "main",
            Map.of(
                "servers",
                List.of(nats.url()),
                "reply_allow",
                List.of(QuestionLoad.ANSWERS),
                "allow",
                Map.of("users", List.of("*")),
                "person_per_minute",
                10_000));
  }

  @AfterEach
  void close() {
    rig.close();
    nats.close();
    stream.close();
  }

  @Test
  void whatWasAcceptedIsPublishedOnceAndInOrderThroughKillsOfBoth() throws Exception {
    System.out.printf("bus kill campaign: %d faults, seed %d%n", FAULTS, seed);
    rig.start();
    WrittenEvents written = new WrittenEvents(rig.setup()); // before NATS has taken any
    nats.start();
    try (LoadDriver messages = new LoadDriver(rig, "load").start(PER_SECOND, CHAT_THREADS);
        QuestionLoad questions = new QuestionLoad(nats, 3, ASK_PERIOD)) {
      for (int i = 0; i < FAULTS; i++) {
        Fault fault = Fault.values()[(i < Fault.values().length ? i : random.nextInt(6)) % 6];
        hurt(fault);
        done.merge(fault, 1, Integer::sum);
        if ((i + 1) % 50 == 0) {
          System.out.printf(
              "bus kill campaign: %d faults so far %s, %d messages, %d questions%n",
              i + 1, done, messages.acked(), questions.asked());
        }
      }
      awaitReady();
      messages.stop(Duration.ofSeconds(30));
      questions.stop();
      judge(written, messages.events(), questions);
    }
    assertThat(rig.server().stop()).isZero();
    assertThat(Oracle.integrity(rig.setup().dataDir().resolve("holdfast.db"))).isEqualTo("ok");
  }

  private void hurt(Fault fault) throws Exception {
    boolean inRecovery = random.nextInt(4) == 0;
    if (!inRecovery) {
      awaitReady();
    }
    plan();
    pause(inRecovery ? 1_000 : 2_000);
    switch (fault) {
      case HOLDFAST_KILLED -> {
        kill(inRecovery);
        pause(300);
      }
      case NATS_KILLED -> {
        nats.kill9();
        pause(3_000);
        nats.start();
      }
      case BOTH_KILLED -> {
        nats.kill9();
        pause(300);
        kill(inRecovery);
        pause(300);
        if (random.nextBoolean()) { // at boot without NATS
          launch();
          pause(4_000);
        }
        nats.start();
      }
      case NATS_HELD -> {
        nats.suspend();
        pause(8_000);
        nats.resume();
      }
      case HOLDFAST_KILLED_WHILE_NATS_IS_HELD -> {
        nats.suspend();
        pause(3_000);
        kill(inRecovery);
        launch();
        pause(4_000);
        nats.resume();
      }
      case STREAM_LOST -> {
        nats.kill9();
        lost.add(nats.setAside(STREAM));
        pause(1_000);
        nats.start();
      }
    }
    launch();
  }

  /** Two tasks, one after the other; none where the server is away. */
  private void plan() {
    Map<String, Object> look =
        Map.of("name", "look", "agent", "worker", "action", "look", "payload", Map.of("say", "a"));
    Map<String, Object> keep =
        Map.of(
            "name",
            "keep",
            "agent",
            "worker",
            "action",
            "keep",
            "payload",
            Map.of("note", "$" + "{look}"));
    try {
      Answer answer =
          rig.api()
              .post(
                  "/api/v1/plans",
                  Map.of(
                      "goal",
                      "look",
                      "thread_id",
                      "webhook:ci:plans",
                      "steps",
                      List.of(look, keep)));
      plans += answer.status() == 202 ? 1 : 0;
    } catch (IOException _) {
      // It is killed, or does not listen yet.
    }
  }

  private boolean areAllPlansOver() throws IOException {
    return rig.api().get("/api/v1/plans?state=open").json().path("plans").isEmpty();
  }

  private void pause(int millisMax) {
    Await.pause(Duration.ofMillis(random.nextInt(millisMax)));
  }

  private void awaitReady() {
    rig.server().awaitReady(READY_WITHIN);
  }

  private void kill(boolean inRecovery) {
    assertThat(rig.server().isAlive()).as("alive, seed %d", seed).isTrue();
    killsAtNanos.add(System.nanoTime());
    killsOfStarts += inRecovery ? 1 : 0;
    rig.server().kill9();
  }

  private void launch() {
    if (!rig.server().isAlive()) {
      assertThat(rig.server().exitNow()).as("killed by us, seed %d", seed).contains(137);
      rig.launch();
    }
  }

  private void judge(WrittenEvents written, List<SentEvent> messages, QuestionLoad questions)
      throws Exception {
    Await.until("all questions are answered", QUIET_WITHIN, questions::areAllAnswered);
    Await.until("all plans are over", QUIET_WITHIN, this::areAllPlansOver);
    List<String> violations =
        new ArrayList<>(new Oracle(rig, messages, killsAtNanos).judge(QUIET_WITHIN));
    violations.addAll(questions.violations());
    Map<String, List<String>> settled = written.settled(QUIET_WITHIN);
    JsonNode letters = rig.api().get("/api/v1/dead-letters?limit=200").json().path("dead_letters");
    letters.forEach(letter -> violations.add("a dead letter: " + letter));
    List<List<Published>> streams = streams();
    violations.addAll(WrittenEvents.violations(settled, streams));
    List<JsonNode> events =
        streams.stream().flatMap(List::stream).map(Published::event).distinct().toList();
    Set<String> accepted = values(events, "holdfast.message.accepted", "dedupe_key");
    messages.stream()
        .filter(message -> message.acked() && !accepted.contains(message.id()))
        .forEach(message -> violations.add(message.id() + " was accepted and not published"));
    for (int i = 0; i < questions.asked(); i++) {
      if (!accepted.contains(QuestionLoad.key(i))) {
        violations.add(QuestionLoad.key(i) + " was asked and not published");
      }
    }
    Set<String> unanswered = values(events, "holdfast.message.accepted", "event_id");
    long count = unanswered.size();
    unanswered.removeAll(values(events, "holdfast.reply.sent", "event_id"));
    unanswered.forEach(id -> violations.add("the reply to " + id + " was not published"));
    JsonNode counts = rig.api().status().path("counts");
    System.out.printf(
        "bus kill campaign: %s; %d kills of Holdfast, %d of them during a start; %d messages, %d"
            + " questions, %d plans, %d events in %d streams; %s; %d violations; seed %d%n",
        done,
        killsAtNanos.size(),
        killsOfStarts,
        messages.size(),
        questions.asked(),
        plans,
        events.size(),
        streams.size(),
        counts,
        violations.size(),
        seed);
    assertThat(violations).as("seed %d", seed).isEmpty();
    assertThat(count).isEqualTo(counts.path("accepted").asLong());
    assertThat(count).isGreaterThan(FAULTS * 5L);
    assertThat(questions.asked()).isPositive();
    assertThat(plans).isPositive();
  }

  private static Set<String> values(List<JsonNode> events, String type, String field) {
    Set<String> values = new HashSet<>();
    events.stream()
        .filter(event -> event.path("type").asText().equals(type))
        .forEach(event -> values.add(event.path("data").path(field).asText()));
    return values;
  }

  /** What each stream held that was lost, and what the last one holds. */
  private List<List<Published>> streams() throws Exception {
    List<List<Published>> streams = new ArrayList<>();
    for (Path kept : lost) {
      try (NatsServer old = new NatsServer().storeIn(kept)) {
        streams.add(stream.all(old.start().url()));
      }
    }
    streams.add(stream.all());
    return streams;
  }
}
