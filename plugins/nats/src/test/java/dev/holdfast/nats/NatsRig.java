package dev.holdfast.nats;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.kit.testing.FakeConfig;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;

/** An account, and a stream that is a list. */
final class NatsRig {
  static final Instant AT = Instant.parse("2026-11-26T12:00:00.000000042Z");

  private NatsRig() {}

  static NatsAccount account(Map<String, ?> more) {
    Map<String, Object> section = new HashMap<>(Map.of("reply_allow", List.of("answers.>")));
    section.putAll(more);
    FakeConfig config = new FakeConfig(section);
    NatsAccount account = NatsAccount.read(config, "main");
    if (!config.problems().isEmpty()) {
      throw new AssertionError(config.problems().toString());
    }
    return account;
  }

  static StreamMessage message(long sequence, Map<String, String> headers, String body) {
    return new StreamMessage(
        "ASK", sequence, AT, "ask.shop", headers, body.getBytes(StandardCharsets.UTF_8));
  }

  /** Delivers what it holds, then fails as a lost connection does. */
  static final class FakeSource implements DeliverySource {
    private final Queue<StreamMessage> messages = new ArrayDeque<>();
    private final List<String> words = new CopyOnWriteArrayList<>();

    FakeSource holds(StreamMessage message) {
      messages.add(message);
      return this;
    }

    /** What NATS was told, as {@code ack 1}. */
    List<String> words() {
      return new ArrayList<>(words);
    }

    @Override
    public Optional<StreamDelivery> next() throws CallFailedException {
      if (messages.isEmpty()) {
        throw new CallFailedException(Failure.of(FailureCode.NETWORK, "the connection was lost"));
      }
      StreamMessage message = messages.remove();
      return Optional.of(
          new StreamDelivery() {
            private void say(String word) {
              words.add(word + " " + message.sequence());
            }

            @Override
            public StreamMessage message() {
              return message;
            }

            @Override
            public void ack() {
              say("ack");
            }

            @Override
            public void nak(Duration delay) {
              say("nak after " + delay.toSeconds() + " s");
            }

            @Override
            public void term() {
              say("term");
            }

            @Override
            public void inProgress() {
              say("in progress");
            }
          });
    }

    @Override
    public void close() {}
  }
}
