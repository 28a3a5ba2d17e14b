package dev.holdfast.tests.bus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.AgentScript;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.CampaignLedger;
import dev.holdfast.tests.harness.LoadDriver;
import dev.holdfast.tests.harness.NatsServer;
import dev.holdfast.tests.harness.OnlyInFull;
import dev.holdfast.tests.harness.Oracle;
import dev.holdfast.tests.harness.RunLength;
import dev.holdfast.tests.harness.SentEvent;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
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
  private static final Duration READY_WITHIN = Duration.ofSeconds(60);

  /** The channel connects again after a minute at most. */
  private static final Duration QUIET_WITHIN = Duration.ofSeconds(150);

  private final long seed = Long.getLong("holdfast.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final ServerRig rig = new ServerRig();
  private final AgentScript worker = new AgentScript(rig, "worker");
  private final BusTraffic bus = new BusTraffic(rig);
  private final NatsServer nats = bus.nats();
  private final Map<Fault, Integer> done = new EnumMap<>(Fault.class);
  private int killsOfStarts;
  private int kills;
  private int plans;

  BusKillCampaignTest() throws Exception {}

  private enum Fault {
    HOLDFAST_KILLED,
    NATS_KILLED,
    BOTH_KILLED,
    NATS_HELD,
    HOLDFAST_KILLED_WHILE_NATS_IS_HELD,
    STREAM_LOST
  }

  @BeforeEach
  void configure() {
    rig.setup()
        .set("extensions", List.of(worker.declaration()))
        .set("inbox.max_attempts", 1000); // a message that many kills hit is no dead letter here
  }

  @AfterEach
  void close() {
    rig.close();
    bus.close();
  }

  @Test
  void whatWasAcceptedIsPublishedOnceAndInOrderThroughKillsOfBoth() throws Exception {
    CampaignLedger ledger = new CampaignLedger("bus kills", seed);
    rig.start();
    bus.begin();
    try (LoadDriver messages = new LoadDriver(rig, "load").start(PER_SECOND, CHAT_THREADS)) {
      for (int i = 0; i < FAULTS; i++) {
        Fault fault = Fault.values()[(i < Fault.values().length ? i : random.nextInt(6)) % 6];
        hurt(fault);
        done.merge(fault, 1, Integer::sum);
      }
      awaitReady();
      messages.stop(Duration.ofSeconds(30));
      bus.stop();
      judge(messages.events(), ledger);
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
        bus.loseStream();
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
    kills++;
    killsOfStarts += inRecovery ? 1 : 0;
    rig.server().kill9();
  }

  private void launch() {
    if (!rig.server().isAlive()) {
      assertThat(rig.server().exitNow()).as("killed by us, seed %d", seed).contains(137);
      rig.launch();
    }
  }

  private void judge(List<SentEvent> messages, CampaignLedger ledger) throws Exception {
    bus.awaitAnswered(QUIET_WITHIN);
    Await.until("all plans are over", QUIET_WITHIN, this::areAllPlansOver);
    List<String> violations = new Oracle(rig, messages).judge(QUIET_WITHIN);
    violations.addAll(bus.violations(messages, QUIET_WITHIN, ledger));
    rig.api()
        .get("/api/v1/dead-letters?kind=task")
        .json()
        .path("dead_letters")
        .forEach(letter -> violations.add("a task that was given up: " + letter));
    ledger
        .with("faults", done)
        .with("kills", kills)
        .with("kills_of_starts", killsOfStarts)
        .with("plans", plans)
        .with("violations", violations.size())
        .write();
    assertThat(violations).as("seed %d", seed).isEmpty();
    assertThat(bus.accepted()).isGreaterThan(FAULTS * 5L);
    assertThat(plans).isPositive();
  }
}
