package dev.holdfast.tests.bus;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.NatsServer;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A real nats-server that is killed, held, emptied and absent, and a server that is killed
 * meanwhile: everything that was accepted is published, in its order.
 */
@Timeout(300)
class NatsOutageTest {
  @SuppressWarnings("NullAway.Init") // when the server is configured
  private static NatsServer nats;

  @AutoClose private static BusRig bus;

  @RegisterExtension
  static final Served SERVED =
      Served.alone(
          rig -> {
            nats = new NatsServer().start();
            BusRig.publish(rig, nats);
          });

  private ServerRig rig;

  @BeforeAll
  static void readBus() throws Exception {
    bus = new BusRig(nats, SERVED.rig());
  }

  @BeforeEach
  void open() {
    rig = SERVED.rig();
    bus.begin();
  }

  @Test
  void whatHappensWhileNatsIsKilledIsPublishedWhenItIsBack() throws Exception {
    double shed = shed();
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
    assertThat(shed()).isEqualTo(shed);
  }

  private double shed() throws IOException {
    return rig.metrics().sum("holdfast_bus_shed_total");
  }

  @Test
  void aServerThatIsKilledWhileNatsIsAbsentPublishesAtItsNextStart() throws Exception {
    nats.kill9();
    nats.emptyStore(); // as if it had never been there
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
    nats.kill9();
    nats.emptyStore();
    bus.say(12);
    nats.start();
    bus.assertAllPublished();
  }

  @Test
  void aRestoredCopyPublishesFromItsPromotionOn() throws Exception {
    bus.say(3);
    bus.awaitPublished();
    String backup = rig.folder().resolve("backup.zip").toString();
    assertThat(HoldfastCommand.run(rig.setup(), "backup", backup).exitCode()).isZero();
    rig.server().kill9();
    try (ServerRig copy = new ServerRig()) {
      BusRig.publish(copy, nats);
      assertThat(HoldfastCommand.run(copy.setup(), "restore", backup).exitCode()).isZero();
      copy.start();
      assertThat(HoldfastCommand.run(copy.setup(), "promote").exitCode()).isZero();
      copy.accept("copied", "t", "after the promotion");
      Await.until("it is published", BusRig.LIMIT, () -> bus.acceptedKeys().contains("copied"));
      assertThat(bus.acceptedKeys()).containsAll(bus.keys());
    }
    nats.kill9();
    nats.emptyStore(); // the original goes on, which nobody should have it do
    nats.start();
  }

  @Test
  void aFullQueueRefusesNewMessagesAndAnOperatorBringsBackWhatWasGivenUp() throws Exception {
    try (ServerRig full = new ServerRig();
        NatsServer absent = new NatsServer();
        BusRig own = new BusRig(absent, full)) {
      fill(full, absent, own);
    }
  }

  private static void fill(ServerRig rig, NatsServer nats, BusRig bus) throws Exception {
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
