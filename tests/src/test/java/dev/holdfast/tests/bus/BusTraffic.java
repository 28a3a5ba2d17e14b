package dev.holdfast.tests.bus;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.bus.StreamReader.Published;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.CampaignLedger;
import dev.holdfast.tests.harness.NatsServer;
import dev.holdfast.tests.harness.SentEvent;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A real nats-server to which a rig publishes and over which somebody asks, and what is judged of
 * both: each event is published once and in its order, and each question answered so.
 */
public final class BusTraffic implements AutoCloseable {
  private static final Duration ASK_PERIOD = Duration.ofMillis(200);
  private static final String STREAM = "HOLDFAST";

  /** Channels that drop repeats, so that no reply is held for its unknown outcome. */
  private static final Set<String> CERTAIN = Set.of("webhook", "nats");

  private final ServerRig rig;
  private final NatsServer nats = new NatsServer();
  private final StreamReader stream = new StreamReader(nats);
  private final List<Path> lost = new ArrayList<>();
  private @Nullable WrittenEvents written;
  private @Nullable QuestionLoad questions;
  private long accepted;

  /** Makes a server use it that is not started yet. */
  public BusTraffic(ServerRig rig) throws Exception {
    this.rig = rig;
    rig.setup()
        .plugin("nats")
        .set("broker.kind", "nats")
        .set("broker.nats.servers", List.of(nats.url()))
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

  public NatsServer nats() {
    return nats;
  }

  /** Once the server is started: NATS starts later, so that none of its events is overlooked. */
  public void begin() throws Exception {
    written = new WrittenEvents(rig.setup());
    NatsServer _ = nats.start();
    questions = new QuestionLoad(nats, 3, ASK_PERIOD);
  }

  private <T> T begun(@Nullable T part) {
    if (part == null) {
      throw new IllegalStateException("not begun");
    }
    return part;
  }

  /** While NATS does not run: it forgets what was published so far. */
  public void loseStream() throws IOException {
    lost.add(nats.setAside(STREAM));
  }

  /** Nobody asks any more. */
  public void stop() throws InterruptedException {
    begun(questions).stop();
  }

  public void awaitAnswered(Duration limit) {
    Await.until("all questions are answered", limit, begun(questions)::areAllAnswered);
  }

  /** How many messages the streams say were accepted; after {@link #violations}. */
  public long accepted() {
    return accepted;
  }

  /**
   * A line for each promise that was broken.
   *
   * @param messages that were sent by webhook, all of them answered
   */
  public List<String> violations(List<SentEvent> messages, Duration limit, CampaignLedger ledger)
      throws Exception {
    QuestionLoad asked = begun(questions);
    List<String> violations = new ArrayList<>(asked.violations());
    Map<String, List<String>> settled = begun(written).settled(limit);
    JsonNode letters = rig.api().get("/api/v1/dead-letters?limit=200").json().path("dead_letters");
    letters
        .valueStream()
        .filter(letter -> !letter.path("kind").asText().equals("task")) // plans are judged apart
        // Posted twice without an answer: it is an operator's then.
        .filter(letter -> !letter.path("reason").asText().startsWith("its response was lost"))
        .forEach(letter -> violations.add("a dead letter: " + letter));
    List<List<Published>> streams = streams();
    violations.addAll(WrittenEvents.violations(settled, streams));
    List<JsonNode> events =
        streams.stream().flatMap(List::stream).map(Published::event).distinct().toList();
    Set<String> keys = values(events, "holdfast.message.accepted", "dedupe_key");
    messages.stream()
        .filter(message -> message.acked() && !keys.contains(message.id()))
        .forEach(message -> violations.add(message.id() + " was accepted and not published"));
    for (int i = 0; i < asked.asked(); i++) {
      if (!keys.contains(QuestionLoad.key(i))) {
        violations.add(QuestionLoad.key(i) + " was asked and not published");
      }
    }
    accepted = values(events, "holdfast.message.accepted", "event_id").size();
    List<JsonNode> certain =
        events.stream()
            .filter(event -> CERTAIN.contains(event.path("data").path("channel").asText()))
            .toList();
    Set<String> unanswered = values(certain, "holdfast.message.accepted", "event_id");
    unanswered.removeAll(values(certain, "holdfast.reply.sent", "event_id"));
    unanswered.forEach(id -> violations.add("the reply to " + id + " was not published"));
    JsonNode counts = rig.api().status().path("counts");
    if (accepted != counts.path("accepted").asLong()) {
      violations.add(accepted + " were accepted by the streams, by the server " + counts);
    }
    ledger
        .with("counts", counts)
        .with("questions", asked.asked())
        .with("events", events.size())
        .with("streams", streams.size());
    assertThat(asked.asked()).as("questions").isPositive();
    return violations;
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

  @Override
  public void close() {
    nats.close();
    stream.close();
    if (questions != null) {
      questions.close();
    }
  }
}
