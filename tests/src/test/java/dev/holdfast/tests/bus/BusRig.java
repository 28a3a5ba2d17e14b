package dev.holdfast.tests.bus;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.NatsServer;
import dev.holdfast.tests.harness.ServerRig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A server that publishes to a real nats-server, and what has to be in the stream. */
final class BusRig implements AutoCloseable {
  static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String ACCEPTED = "holdfast.message.accepted";
  private static final String SENT = "holdfast.reply.sent";
  private static final int THREADS = 3;

  private final ServerRig rig = new ServerRig();
  private final NatsServer nats;
  private final StreamReader stream;
  private String readAs;
  private final List<String> events = new ArrayList<>();

  BusRig(NatsServer nats) throws Exception {
    this.nats = nats;
    stream = new StreamReader(nats);
    readAs = nats.url();
    publishes(rig);
  }

  /** Makes a server publish to the NATS of this rig. */
  void publishes(ServerRig server) {
    server
        .setup()
        .set("broker.kind", "nats")
        .set("broker.nats.servers", List.of(nats.url()))
        .setNamed(
            "breakers", "bus:nats", Map.of("initial_backoff_ms", 300, "max_backoff_ms", 1000));
  }

  ServerRig rig() {
    return rig;
  }

  /** As whom the stream is read. */
  void readAs(String url) {
    readAs = url;
  }

  /** With which credentials file the stream is read. */
  void readWith(Path file) {
    stream.readWith(file);
  }

  /** Messages from outside, each accepted on return; the next ones in their numbers. */
  void say(int count) {
    for (int i = 0; i < count; i++) {
      int number = events.size();
      rig.accept("m" + number, "t" + number % THREADS, "number " + number);
      expect("m" + number);
    }
  }

  /** A message that was accepted otherwise. */
  void expect(String key) {
    events.add(key);
  }

  double depth() throws Exception {
    return rig.metrics().sum("holdfast_bus_queue_depth");
  }

  void awaitPublished() {
    Await.until("the queue is empty", LIMIT, () -> depth() == 0);
  }

  /** Of each subject all is there, in its order, and so are the answers. */
  void assertAllPublished() throws Exception {
    rig.api().awaitQuiet(LIMIT);
    awaitPublished();
    List<StreamReader.Published> all = stream.all(readAs);
    Map<String, List<JsonNode>> accepted = StreamReader.firsts(all, ACCEPTED);
    int found = 0;
    for (List<JsonNode> ofThread : accepted.values()) {
      List<Integer> numbers =
          ofThread.stream()
              .filter(BusRig::isOurs)
              .map(event -> event.path("data").path("dedupe_key").asText())
              .map(key -> Integer.parseInt(key.substring(1)))
              .toList();
      assertThat(numbers).isSorted().doesNotHaveDuplicates();
      found += numbers.size();
    }
    assertThat(found).isEqualTo(events.size());
    List<JsonNode> sent =
        StreamReader.firsts(all, SENT).values().stream()
            .flatMap(List::stream)
            .filter(BusRig::isOurs)
            .toList();
    assertThat(sent).hasSize(events.size());
  }

  /** Not of another channel that a test asks over. */
  private static boolean isOurs(JsonNode event) {
    return event.path("data").path("channel").asText().equals("webhook");
  }

  void assertReadyAndDegraded() throws Exception {
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

  /** The keys of messages whose acceptance is in the stream. */
  List<String> acceptedKeys() throws Exception {
    return StreamReader.firsts(stream.all(readAs), ACCEPTED).values().stream()
        .flatMap(List::stream)
        .map(event -> event.path("data").path("dedupe_key").asText())
        .toList();
  }

  /** Every message is answered without NATS. */
  void awaitAnswered() {
    for (String event : events) {
      rig.api().awaitState(event, Set.of("answered"), LIMIT);
    }
  }

  @Override
  public void close() {
    rig.close();
    nats.close();
    stream.close();
  }
}
