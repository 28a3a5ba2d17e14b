package dev.holdfast.tests.bus;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.NatsServer;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A real nats-server that is killed, held, emptied and absent, and a server that is killed
 * meanwhile: everything that was accepted is published, in its order.
 */
@Timeout(300)
class NatsOutageTest {
  private NatsServer nats;
  private BusRig bus;
  private ServerRig rig;

  @BeforeEach
  void open() throws Exception {
    nats = new NatsServer();
    bus = new BusRig(nats);
    rig = bus.rig();
  }

  @AfterEach
  void close() {
    bus.close();
  }

  @Test
  void whatHappensWhileNatsIsKilledIsPublishedWhenItIsBack() throws Exception {
    nats.start();
    rig.start();
    bus.say(5);
    bus.awaitPublished();
    nats.kill9();
    bus.say(20);
    bus.awaitAnswered();
    bus.assertReadyAndDegraded();
    assertThat(bus.depth()).isGreaterThanOrEqualTo(40);
    nats.start();
    bus.say(10);
    bus.assertAllPublished();
    assertThat(rig.metrics().sum("holdfast_bus_shed_total")).isZero();
  }

  @Test
  void aServerThatIsKilledWhileNatsIsAbsentPublishesAtItsNextStart() throws Exception {
    rig.start(); // NATS was never there
    bus.say(10);
    bus.assertReadyAndDegraded();
    rig.server().kill9();
    rig.launch().awaitReady();
    bus.say(5);
    nats.start();
    bus.assertAllPublished();
  }

  @Test
  void aNatsThatStandsStillHoldsUpNobody() throws Exception {
    nats.start();
    rig.start();
    bus.say(5);
    bus.awaitPublished();
    nats.suspend();
    bus.say(20);
    bus.awaitAnswered();
    bus.assertReadyAndDegraded();
    nats.resume();
    bus.assertAllPublished();
  }

  @Test
  void aNatsThatComesBackEmptyGetsWhatItHasNotAcknowledged() throws Exception {
    nats.start();
    rig.start();
    nats.kill9();
    nats.emptyStore();
    bus.say(12);
    nats.start();
    bus.assertAllPublished();
  }

  @Test
  void aRestoredCopyPublishesFromItsPromotionOn() throws Exception {
    nats.start();
    rig.start();
    bus.say(3);
    bus.awaitPublished();
    String backup = rig.folder().resolve("backup.zip").toString();
    assertThat(HoldfastCommand.run(rig.setup(), "backup", backup).exitCode()).isZero();
    rig.server().kill9();
    try (ServerRig copy = new ServerRig()) {
      bus.publishes(copy);
      assertThat(HoldfastCommand.run(copy.setup(), "restore", backup).exitCode()).isZero();
      copy.start();
      assertThat(HoldfastCommand.run(copy.setup(), "promote").exitCode()).isZero();
      copy.accept("m3", "t", "after the promotion");
      Await.until(
          "it is published",
          BusRig.LIMIT,
          () -> bus.acceptedKeys().containsAll(List.of("m0", "m1", "m2", "m3")));
    }
  }

  @Test
  void aFullQueueRefusesNewMessagesAndAnOperatorBringsBackWhatWasGivenUp() throws Exception {
    rig.setup().set("broker.disk_queue.max_events", 100);
    rig.start();
    int accepted = 0;
    int status = 202;
    while (status < 300 && accepted < 200) {
      status = rig.sender().send("m" + accepted, "t", "number " + accepted).status();
      accepted += status < 300 ? 1 : 0;
      rig.api().awaitQuiet(BusRig.LIMIT);
    }
    assertThat(status).isEqualTo(503);
    assertThat(accepted).isBetween(40, 60);
    for (int i = 0; i < accepted; i++) {
      bus.expect("m" + i);
    }
    nats.start();
    bus.awaitPublished();
    for (JsonNode letter :
        rig.api().get("/api/v1/dead-letters?kind=bus&limit=200").json().path("dead_letters")) {
      String path = "/api/v1/dead-letters/" + ServerApi.encode(letter.path("id").asText());
      assertThat(rig.api().post(path + "/replay", Map.of()).json().path("replayed").asBoolean())
          .isTrue();
    }
    bus.assertAllPublished();
  }
}
