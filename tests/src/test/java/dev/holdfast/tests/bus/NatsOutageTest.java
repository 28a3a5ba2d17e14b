package dev.holdfast.tests.bus;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.NatsServer;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import java.time.Duration;
import java.util.ArrayList;
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
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String ACCEPTED = "holdfast.message.accepted";
  private static final String SENT = "holdfast.reply.sent";
  private static final int THREADS = 3;

  private final ServerRig rig = new ServerRig();
  private final NatsServer nats = new NatsServer();
  private StreamReader stream;
  private final List<String> events = new ArrayList<>();

  @BeforeEach
  void configure() throws Exception {
    stream = new StreamReader(nats);
    rig.setup()
        .set("broker.kind", "nats")
        .set("broker.nats.servers", List.of(nats.url()))
        .setNamed(
            "breakers", "bus:nats", Map.of("initial_backoff_ms", 300, "max_backoff_ms", 1000));
  }

  @AfterEach
  void close() {
    rig.close();
    nats.close();
    stream.close();
  }

  private void say(int from, int to) throws Exception {
    for (int i = from; i < to; i++) {
      rig.accept("m" + i, "t" + i % THREADS, "number " + i);
      events.add("m" + i);
    }
  }

  private double depth() throws Exception {
    return rig.metrics().sum("holdfast_bus_queue_depth");
  }

  private void awaitPublished() {
    Await.until("the queue is empty", LIMIT, () -> depth() == 0);
  }

  /** Of each subject all is there, in its order, and so are the answers. */
  private void assertAllPublished() throws Exception {
    rig.api().awaitQuiet(LIMIT);
    awaitPublished();
    List<StreamReader.Published> all = stream.all();
    Map<String, List<JsonNode>> accepted = StreamReader.firsts(all, ACCEPTED);
    int found = 0;
    for (List<JsonNode> ofThread : accepted.values()) {
      List<Integer> numbers =
          ofThread.stream()
              .map(event -> event.path("data").path("dedupe_key").asText())
              .map(key -> Integer.parseInt(key.substring(1)))
              .toList();
      assertThat(numbers).isSorted().doesNotHaveDuplicates();
      found += numbers.size();
    }
    assertThat(found).isEqualTo(events.size());
    List<JsonNode> sent =
        StreamReader.firsts(all, SENT).values().stream().flatMap(List::stream).toList();
    assertThat(sent).hasSize(events.size());
  }

  private void assertReadyAndDegraded() throws Exception {
    assertThat(rig.server().probe("/ready")).isEqualTo(200);
    Await.until(
        "the condition names NATS",
        LIMIT,
        () ->
            rig.api()
                .status()
                .path("conditions")
                .valueStream()
                .anyMatch(condition -> condition.path("type").asText().equals("bus")));
  }

  @Test
  void whatHappensWhileNatsIsKilledIsPublishedWhenItIsBack() throws Exception {
    nats.start();
    rig.start();
    say(0, 5);
    awaitPublished();
    nats.kill9();
    say(5, 25);
    rig.api().awaitQuiet(LIMIT); // every message is answered without NATS
    assertReadyAndDegraded();
    assertThat(depth()).isGreaterThanOrEqualTo(40);
    nats.start();
    say(25, 35);
    assertAllPublished();
    assertThat(rig.metrics().sum("holdfast_bus_shed_total")).isZero();
  }

  @Test
  void aServerThatIsKilledWhileNatsIsAbsentPublishesAtItsNextStart() throws Exception {
    rig.start(); // NATS was never there
    say(0, 10);
    assertReadyAndDegraded();
    rig.server().kill9();
    rig.launch().awaitReady();
    say(10, 15);
    nats.start();
    assertAllPublished();
  }

  @Test
  void aNatsThatStandsStillHoldsUpNobody() throws Exception {
    nats.start();
    rig.start();
    say(0, 5);
    awaitPublished();
    nats.suspend();
    say(5, 25);
    rig.api().awaitQuiet(LIMIT);
    assertReadyAndDegraded();
    nats.resume();
    assertAllPublished();
  }

  @Test
  void aNatsThatComesBackEmptyGetsWhatItHasNotAcknowledged() throws Exception {
    nats.start();
    rig.start();
    nats.kill9();
    nats.emptyStore();
    say(0, 12);
    nats.start();
    assertAllPublished();
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
      rig.api().awaitQuiet(LIMIT);
    }
    assertThat(status).isEqualTo(503);
    assertThat(accepted).isBetween(40, 60);
    for (int i = 0; i < accepted; i++) {
      events.add("m" + i);
    }
    nats.start();
    awaitPublished();
    for (JsonNode letter :
        rig.api().get("/api/v1/dead-letters?kind=bus&limit=200").json().path("dead_letters")) {
      String path = "/api/v1/dead-letters/" + ServerApi.encode(letter.path("id").asText());
      assertThat(rig.api().post(path + "/replay", Map.of()).json().path("replayed").asBoolean())
          .isTrue();
    }
    assertAllPublished();
  }
}
