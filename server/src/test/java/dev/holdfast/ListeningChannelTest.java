package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.ListenSpec;
import dev.holdfast.api.MessageSink;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.registry.Registration;
import dev.holdfast.time.TimedWait;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A channel that polls, over real servers one after the other. */
@Timeout(120)
class ListeningChannelTest {
  private static final String CONFIG =
      """
      http: {port: 0}
      metrics: {port: 0}
      models: {levels: {operational: [embedded/echo]}}
      """;

  private static final int MESSAGES = 300;
  private static final int BATCH = 10;

  @TempDir Path folder;

  /** How often each message was answered, by its number. */
  private final Map<String, AtomicInteger> answers = new ConcurrentHashMap<>();

  private final AtomicInteger offered = new AtomicInteger();

  /** A platform that offers each message until its reader says that it goes on behind it. */
  private final class Polls implements ChannelAdapter {
    private int polls;

    @Override
    public String channel() {
      return "polls";
    }

    @Override
    public Set<String> accounts() {
      return Set.of("main");
    }

    @Override
    public Map<String, ListenSpec> listens() {
      return Map.of("main", new ListenSpec("the token", Duration.ofMinutes(1)));
    }

    @Override
    public void listen(String account, MessageSink sink) throws Exception {
      int offset = sink.position().map(Integer::parseInt).orElse(0);
      while (offset < MESSAGES) {
        List<InboundMessage> batch = poll(offset);
        sink.received();
        sink.accept(batch);
        polls++;
        if (polls == 5) {
          throw new IllegalStateException("between the messages and their position");
        }
        offset += batch.size();
        sink.savePosition(Integer.toString(offset));
      }
      new CountDownLatch(1).await();
    }

    private List<InboundMessage> poll(int offset) {
      offered.addAndGet(BATCH);
      return IntStream.range(offset, offset + BATCH)
          .mapToObj(n -> new InboundMessage("main", "t" + n % 7, "me", "hi", List.of(), "m" + n))
          .toList();
    }

    @Override
    public WebhookVerdict receive(WebhookRequest request) {
      return new WebhookVerdict.NoAccount();
    }

    @Override
    public int textUnitsMax() {
      return 1000;
    }

    @Override
    public PostOutcome post(OutboundReply reply) {
      answers.computeIfAbsent(reply.inReplyTo(), _ -> new AtomicInteger()).incrementAndGet();
      return new PostOutcome.Sent("");
    }
  }

  @Test
  void eachMessageIsAnsweredOnceOverFailuresRemovalsAndRestarts() throws Exception {
    ServerRunner runner = new ServerRunner(folder, CONFIG);
    Server server = runner.start(new Opened(_ -> {}));
    try {
      Registration added = server.channels().add(new Polls(), ServerRunner.TIME.now());
      TimedWait.until("its listener failed", () -> offered.get() > 5 * BATCH);
      added.remove();
      assertThat(added.awaitEnd(Duration.ofSeconds(20))).isTrue();
      Registration _ = server.channels().add(new Polls(), ServerRunner.TIME.now());
    } finally {
      server.stop(() -> true);
    }
    Server next = runner.start(new Opened(_ -> {}));
    try {
      Registration _ = next.channels().add(new Polls(), ServerRunner.TIME.now());
      TimedWait.until("all are answered", () -> answers.size() == MESSAGES);
      assertThat(answers.values()).extracting(AtomicInteger::get).containsOnly(1);
      JsonObject status = new JsonObject(ServerRunner.get(next, "/api/v1/status").body());
      assertThat(status.getJsonObject("counts").getLong("accepted")).isEqualTo(MESSAGES);
    } finally {
      next.stop(() -> true);
    }
  }
}
