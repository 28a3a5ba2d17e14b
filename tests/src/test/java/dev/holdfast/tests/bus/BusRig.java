package dev.holdfast.tests.bus;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.NatsServer;
import dev.holdfast.tests.harness.ServerRig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A server that publishes to a real nats-server, and what has to be in the stream. */
final class BusRig implements AutoCloseable {
  static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String ACCEPTED = "holdfast.message.accepted";
  private static final String SENT = "holdfast.reply.sent";
  private static final int THREADS = 3;

  private final ServerRig rig;
  private final NatsServer nats;
  private final StreamReader stream;
  private String readAs;
  private final List<String> events = new ArrayList<>();

  /** The first one that counts. */
  private int from;

  /** {@code rig}: not started yet; this closes the other two. */
  BusRig(NatsServer nats, ServerRig rig) throws Exception {
    this.nats = nats;
    this.rig = rig;
    stream = new StreamReader(nats);
    readAs = nats.url();
    publish(rig, nats);
  }

  /** Makes a server publish to that NATS. */
  static void publish(ServerRig server, NatsServer nats) {
    server
        .setup()
        .set("broker.kind", "nats")
        .set("broker.nats.servers", List.of(nats.url()))
        .setNamed(
            "breakers", "bus:nats", Map.of("initial_backoff_ms", 300, "max_backoff_ms", 1000));
  }

  /** From now on only what comes now counts. */
  void begin() {
    from = events.size();
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
    int found = 0;
    Set<String> ids = new HashSet<>();
    for (List<JsonNode> ofThread : StreamReader.firsts(all, ACCEPTED).values()) {
      List<JsonNode> ours = ofThread.stream().map(event -> event.path("data")).toList();
      ours = ours.stream().filter(this::counts).toList();
      ours.forEach(data -> ids.add(data.path("event_id").asText()));
      List<Integer> numbers = ours.stream().map(BusRig::number).toList();
      assertThat(numbers).isSorted().doesNotHaveDuplicates();
      found += numbers.size();
    }
    assertThat(found).isEqualTo(keys().size());
    List<JsonNode> sent =
        StreamReader.firsts(all, SENT).values().stream()
            .flatMap(List::stream)
            .filter(event -> ids.contains(event.path("data").path("event_id").asText()))
            .toList();
    assertThat(sent).hasSize(keys().size());
  }

  /** Not of another channel that a test asks over, nor of a test before. */
  private boolean counts(JsonNode data) {
    return data.path("dedupe_key").asText().matches("m[0-9]+") && number(data) >= from;
  }

  private static int number(JsonNode data) {
    return Integer.parseInt(data.path("dedupe_key").asText().substring(1));
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

  /** The keys of what counts. */
  List<String> keys() {
    return events.subList(from, events.size());
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
    for (String event : keys()) {
      rig.api().awaitState(event, Set.of("answered"), LIMIT);
    }
  }

  @Override
  public void close() {
    nats.close();
    stream.close();
  }
}
