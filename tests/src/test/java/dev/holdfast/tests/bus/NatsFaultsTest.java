package dev.holdfast.tests.bus;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.NatsAsker;
import dev.holdfast.tests.harness.NatsServer;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.SlowLink;
import dev.holdfast.tests.harness.TinyDisk;
import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.api.DiscardPolicy;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamInfo;
import io.nats.client.impl.Headers;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A real nats-server that has no room, is far away or lets nobody in any more, and a server that is
 * killed meanwhile. It publishes events, and is asked over the channel {@code nats}, too.
 */
@Outside(
    covers = {
      "server/src/main/java/dev/holdfast/bus",
      "nats-kit/src/main",
      "plugins/nats/src/main",
      "tests/src/test/java/dev/holdfast/tests/bus/BusRig.java"
    },
    needs = "nats-server:nats-server")
@Timeout(420)
@SuppressWarnings("try") // an interrupt while a client closes fails the test, as it should
class NatsFaultsTest {
  private static final Duration LIMIT = Duration.ofSeconds(150);
  private static final String HOLDFAST = "{user: \"holdfast\", password: \"%s\" %s}";

  private NatsServer nats;
  private BusRig bus;
  private ServerRig rig;

  @BeforeEach
  void open() throws Exception {
    nats = new NatsServer();
    rig = new ServerRig();
    bus = new BusRig(nats, rig);
  }

  @AfterEach
  void close() {
    rig.close();
    bus.close();
  }

  /** Both the bus and the channel reach the server there. */
  private void through(String url) throws IOException {
    rig.setup()
        .set("broker.nats.servers", List.of(url))
        .plugin("nats")
        .setNamed("channels.nats.accounts", "main", NatsAsker.account(url));
  }

  private void kill() {
    rig.restart();
  }

  private void awaitTrouble(String words) {
    Await.until(
        "the condition says: " + words,
        LIMIT,
        () -> rig.api().get("/api/v1/conditions").body().contains(words));
  }

  @Test
  void aNatsWithoutRoomOnItsDiskGetsEverythingWhenItHasSome() throws Exception {
    Path store = ServerRig.newFolder("holdfast-nats-disk");
    try (TinyDisk disk = new TinyDisk(store, 24)) {
      nats.storeIn(store).start();
      through(nats.url());
      NatsAsker asker = new NatsAsker(nats.url());
      rig.start();
      asker.awaitConsumer(LIMIT);
      bus.say(5);
      asker.ask(10);
      disk.fill();
      bus.say(20);
      bus.awaitAnswered();
      bus.assertReadyAndDegraded();
      kill();
      bus.say(5);
      bus.awaitAnswered();
      bus.assertReadyAndDegraded();
      disk.free();
      nats.kill9(); // it stops using a full disk until it is started again
      nats.start();
      asker.ask(10);
      bus.assertAllPublished();
      asker.awaitAnswers(20, LIMIT);
      asker.assertAnsweredOnceInOrder();
    } finally {
      ServerRig.delete(store);
    }
  }

  @Test
  void aStreamWithoutRoomGetsEverythingWhenItHasSome() throws Exception {
    nats.start();
    NatsAsker asker = new NatsAsker(nats.url());
    try (Connection client = asker.connect()) {
      JetStreamManagement management = client.jetStreamManagement();
      StreamConfiguration.Builder stream = stream().discardPolicy(DiscardPolicy.New);
      StreamInfo _ = management.addStream(stream.maxMessages(7).build());
      rig.start();
      bus.say(10);
      bus.awaitAnswered();
      bus.assertReadyAndDegraded();
      awaitTrouble("maximum messages exceeded");
      kill();
      bus.say(5);
      StreamInfo _ = management.updateStream(stream.maxMessages(-1).build());
      bus.assertAllPublished();
      assertThat(busLetters()).isEmpty();
      StreamInfo _ = management.updateStream(stream.maximumMessageSize(3_000).build());
      rig.accept("large", "t0", "x".repeat(4_000));
      bus.say(5);
      bus.awaitAnswered();
      Await.until("the large one is given up", LIMIT, () -> !busLetters().isEmpty());
      bus.awaitPublished();
      assertThat(busLetters())
          .allMatch(letter -> letter.toString().contains("message size exceeds maximum allowed"));
      assertThat(bus.acceptedKeys()).contains("m15", "m19").doesNotContain("large");
    }
  }

  private static StreamConfiguration.Builder stream() {
    return StreamConfiguration.builder()
        .name("HOLDFAST")
        .subjects("holdfast.inbound.>", "holdfast.outbound.>", "holdfast.tasks.>")
        .addSubjects("holdfast.events.>", "other.>");
  }

  private JsonNode busLetters() throws IOException {
    return rig.api().get("/api/v1/dead-letters?kind=bus").json().path("dead_letters");
  }

  @Test
  void whatAnotherStreamTakesIsNotPublished() throws Exception {
    nats.start();
    NatsAsker asker = new NatsAsker(nats.url());
    rig.start();
    bus.say(3);
    bus.assertAllPublished();
    try (Connection client = asker.connect()) {
      JetStreamManagement management = client.jetStreamManagement();
      assertThat(management.deleteStream("HOLDFAST")).isTrue();
      StreamInfo _ =
          management.addStream(
              StreamConfiguration.builder().name("OTHER").subjects("holdfast.>").build());
      bus.say(3);
      bus.awaitAnswered();
      awaitTrouble("NATS does not make stream HOLDFAST");
      assertThat(bus.depth()).as("with news of the condition").isGreaterThanOrEqualTo(6.0);
      assertThat(management.deleteStream("OTHER")).isTrue();
      bus.awaitPublished();
      assertThat(bus.acceptedKeys()).contains("m3", "m4", "m5");
    }
  }

  @Test
  void othersWhoPublishToTheStreamCostNeitherOrderNorAnEvent() throws Exception {
    nats.start();
    NatsAsker asker = new NatsAsker(nats.url());
    try (Connection client = asker.connect()) {
      StreamInfo _ = client.jetStreamManagement().addStream(stream().build());
      rig.start();
      bus.say(5);
      bus.assertAllPublished();
    }
    nats.kill9();
    bus.say(400);
    nats.start();
    AtomicInteger others = new AtomicInteger();
    Thread other = Thread.ofVirtual().start(() -> publish(asker, others));
    Await.until("others publish", LIMIT, () -> others.get() > 100);
    bus.assertAllPublished();
    other.interrupt();
    other.join();
    assertThat(busLetters()).isEmpty();
  }

  @Test
  void anEventWhoseIdAnotherProgramTookDoesNotCountAsPublished() throws Exception {
    nats.start();
    NatsAsker asker = new NatsAsker(nats.url());
    try (Connection client = asker.connect()) {
      StreamInfo _ = client.jetStreamManagement().addStream(stream().build());
    }
    nats.kill9();
    rig.start();
    bus.say(2);
    bus.awaitAnswered();
    String reply = rig.api().get("/api/v1/events/m0").json().path("event_id").asText() + ".a.1";
    rig.server().kill9();
    nats.start();
    try (Connection client = asker.connect()) {
      for (String id : List.of(reply, reply + ".sent")) {
        var _ = client.jetStream().publish("other.one", new Headers().put("Nats-Msg-Id", id), null);
      }
    }
    rig.start();
    bus.awaitPublished();
    assertThat(busLetters()).hasSize(1);
    assertThat(busLetters().get(0).toString())
        .contains(reply, "another program has published its id, as message 2 of the stream");
    assertThat(bus.acceptedKeys()).contains("m0", "m1");
  }

  private static void publish(NatsAsker asker, AtomicInteger published) {
    try (Connection client = asker.connect()) {
      while (true) {
        client.jetStream().publish("other.one", new byte[100]);
        published.incrementAndGet();
      }
    } catch (InterruptedException | IOException | JetStreamApiException _) {
      // The test is over.
    }
  }

  @Test
  void aNatsThatIsFarAwayOrFallsSilentLosesNothing() throws Exception {
    nats.start();
    try (SlowLink link = new SlowLink(nats.port())) {
      through("nats://127.0.0.1:" + link.port());
      NatsAsker asker = new NatsAsker(nats.url());
      link.delay(Duration.ofMillis(200), Duration.ofMillis(100));
      rig.start();
      asker.awaitConsumer(LIMIT);
      bus.say(20);
      asker.ask(20);
      bus.awaitAnswered();
      kill();
      bus.say(10);
      link.hold();
      bus.say(10);
      bus.awaitAnswered();
      bus.assertReadyAndDegraded();
      kill(); // it finds a server that takes connections and says nothing
      bus.say(10);
      asker.ask(20);
      bus.awaitAnswered();
      bus.assertReadyAndDegraded();
      link.release();
      bus.assertAllPublished();
      asker.awaitAnswers(40, LIMIT);
      asker.assertAnsweredOnceInOrder();
    }
  }

  private void permit(String users) {
    String lines =
        """
        authorization {
          users = [
            {user: "reader", password: "of-services"}
            %s
          ]
        }
        """
            .formatted(users);
    nats = nats.configured(lines, Map.of());
  }

  @Test
  void aNatsThatLetsNobodyInGetsEverythingWhenItDoesAgain() throws Exception {
    String all = HOLDFAST.formatted("right-word", "");
    permit(all);
    nats.start();
    bus.readAs(nats.url("reader", "of-services"));
    through(nats.url("holdfast", "right-word"));
    NatsAsker asker = new NatsAsker(nats.url("reader", "of-services"));
    rig.start();
    asker.awaitConsumer(LIMIT);
    bus.say(5);
    asker.ask(10);
    permit(""); // the user is gone
    nats.reload();
    bus.say(10);
    asker.ask(10);
    bus.awaitAnswered();
    bus.assertReadyAndDegraded();
    awaitTrouble("does not let Holdfast in");
    kill();
    bus.say(5);
    permit(HOLDFAST.formatted("another-word", ""));
    nats.reload();
    bus.say(5);
    awaitTrouble("does not let Holdfast in");
    permit(
        HOLDFAST.formatted(
            "right-word", ", permissions: {publish: {deny: [\"holdfast.outbound.>\"]}}"));
    nats.reload();
    awaitTrouble("Permissions Violation for Publish to");
    kill();
    bus.say(5);
    bus.awaitAnswered();
    bus.assertReadyAndDegraded();
    assertThat(rig.server().output()).doesNotContain("right-word");
    permit(all);
    nats.reload();
    bus.assertAllPublished();
    asker.awaitAnswers(20, LIMIT);
    asker.assertAnsweredOnceInOrder();
  }
}
