package dev.holdfast.nats;

import static dev.holdfast.nats.NatsRig.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.kit.testing.FakeContext;
import dev.holdfast.kit.testing.FakeSink;
import dev.holdfast.kit.testing.PlainHttp;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NatsListenerTest {
  @TempDir private Path folder;
  private final NatsRig.FakeSource source = new NatsRig.FakeSource();
  private final FakeSink sink = new FakeSink();
  private final FakeContext context = new FakeContext(new PlainHttp());
  private ReplySubjects replies;
  private NatsListener listener;

  @BeforeEach
  void open() throws Exception {
    replies = ReplySubjects.open(folder.resolve("replies.txt"), 10);
    listener = new NatsListener(NatsRig.account(Map.of()), replies, context.logger());
  }

  @AfterEach
  void close() throws Exception {
    replies.close();
  }

  private void listen() {
    assertThatThrownBy(() -> listener.run(source, sink))
        .isInstanceOf(CallFailedException.class)
        .hasMessageContaining("the connection was lost");
  }

  @Test
  void aMessageIsAcknowledgedOnceItIsTaken() {
    source.holds(message(1, Map.of(), "one")).holds(message(2, Map.of(), "two"));
    sink.onAccept(() -> assertThat(source.words()).hasSize(sink.messages().size()));
    listen();
    assertThat(sink.texts()).containsExactly("one", "two");
    assertThat(source.words()).containsExactly("ack 1", "ack 2");
    assertThat(sink.receives()).isEqualTo(2);
  }

  @Test
  void whereTheAnswerGoesIsOnDiskBeforeTheMessageIs() {
    source.holds(message(1, Map.of("Nats-Msg-Id", "a", "Holdfast-Reply", "answers.shop"), "hello"));
    sink.onAccept(() -> assertThat(reopened()).isEqualTo("answers.shop"));
    listen();
    assertThat(source.words()).containsExactly("ack 1");
  }

  private String reopened() {
    try (ReplySubjects other = ReplySubjects.open(folder.resolve("replies.txt"), 10)) {
      return other.find("ask.shop a").orElse("");
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void whatCanNeverBeReadIsTerminatedAndCountedAndHoldsNothingUp() {
    source
        .holds(message(1, Map.of("Holdfast-Reply", "$JS.ACK.x"), "secret words"))
        .holds(message(2, Map.of(), ""))
        .holds(message(3, Map.of(), "good"));
    listen();
    assertThat(sink.texts()).containsExactly("good");
    assertThat(sink.drops()).containsExactly(DropReason.UNREADABLE, DropReason.EMPTY);
    assertThat(source.words()).containsExactly("term 1", "term 2", "ack 3");
    assertThat(context.warnings().toString())
        .contains("message 1", "message 2")
        .doesNotContain("secret");
  }

  @Test
  void whatTheServerCanNeverTakeIsTerminated() {
    source.holds(message(1, Map.of(), "bad")).holds(message(2, Map.of(), "good"));
    sink.refuses(message -> message.text().equals("bad"));
    listen();
    assertThat(sink.drops()).containsExactly(DropReason.UNREADABLE);
    assertThat(source.words()).containsExactly("term 1", "ack 2");
  }

  @Test
  void aMessageThatWaitsForTheServerIsKeptAlive() {
    source.holds(message(1, Map.of(), "one"));
    sink.onAccept(listener::keep);
    listen();
    listener.keep();
    assertThat(source.words()).containsExactly("in progress 1", "ack 1");
  }

  @Test
  void whenTheServerFailsTheMessageComesAgainLater() {
    source.holds(message(1, Map.of(), "one"));
    sink.onAccept(
        () -> {
          throw new IllegalStateException("a bug");
        });
    assertThatThrownBy(() -> listener.run(source, sink)).hasMessage("a bug");
    assertThat(source.words()).containsExactly("nak after 1 s 1");
    assertThat(sink.messages()).isEqualTo(List.<InboundMessage>of());
  }
}
