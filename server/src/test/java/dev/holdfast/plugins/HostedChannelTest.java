package dev.holdfast.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.Click;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.ListenSpec;
import dev.holdfast.api.MessageSink;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.time.SystemTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HostedChannelTest {
  private static final OutboundReply REPLY =
      new OutboundReply("r1", "e1", "main", "t", "m1", "hello", 1, 1, false);
  private static final WebhookRequest REQUEST =
      new WebhookRequest("POST", "main", Map.of(), Map.of(), new byte[0], Instant.EPOCH);

  private final PluginCalls calls =
      new PluginCalls(
          "p",
          getClass().getClassLoader(),
          new SystemTime(), // its threads are real
          reason -> {},
          new PluginTexts(text -> text));
  private final CountDownLatch begun = new CountDownLatch(PluginCalls.THREADS_MAX);
  private final CountDownLatch over = new CountDownLatch(1);
  private HostedChannel channel;

  @BeforeEach
  void open() {
    channel = HostedChannel.of(new Chat(), calls);
  }

  @AfterEach
  void close() throws InterruptedException {
    over.countDown();
    List<String> _ = calls.close(Duration.ofSeconds(5));
  }

  /** It listens until it is interrupted, and each typing notice lasts. */
  private final class Chat implements ChannelAdapter {
    @Override
    public String channel() {
      return "chat";
    }

    @Override
    public Set<String> accounts() {
      return Set.of("main");
    }

    @Override
    public Map<String, ListenSpec> listens() {
      return Map.of();
    }

    @Override
    public WebhookVerdict receive(WebhookRequest request) {
      return new WebhookVerdict.Messages(List.of());
    }

    @Override
    public void listen(String account, MessageSink sink) throws InterruptedException {
      begun.countDown();
      over.await();
    }

    @Override
    public int textUnitsMax() {
      return 1000;
    }

    @Override
    public void showTyping(String account, String thread) throws InterruptedException {
      begun.countDown();
      over.await();
    }

    @Override
    public PostOutcome post(OutboundReply reply) {
      return new PostOutcome.Sent("posted");
    }
  }

  private static final class UnusedSink implements MessageSink {
    @Override
    public String clicked(Click click) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void accept(List<InboundMessage> messages) {
      throw new AssertionError("nothing was received");
    }

    @Override
    public void dropped(List<DropReason> reasons) {
      throw new AssertionError("nothing was received");
    }

    @Override
    public void received() {
      throw new AssertionError("nothing was received");
    }

    @Override
    public Optional<String> position() {
      return Optional.empty();
    }

    @Override
    public void savePosition(String position) {
      throw new AssertionError("nothing was received");
    }
  }

  /** Something of the plugin that blocks. */
  private interface Blocking {
    void run(int number) throws Exception;
  }

  private void fill(Blocking code) throws InterruptedException {
    for (int i = 0; i < PluginCalls.THREADS_MAX; i++) {
      int number = i;
      Thread _ =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      code.run(number);
                    } catch (Exception _) {
                      return; // the test is over
                    }
                  });
    }
    begun.await();
  }

  /** One that is left out here would have its default, whatever the plugin says. */
  @Test
  void everyQuestionIsPassedOnToThePlugin() {
    assertThat(signatures(HostedChannel.class)).containsAll(signatures(ChannelAdapter.class));
  }

  private static Set<String> signatures(Class<?> type) {
    return Arrays.stream(type.getDeclaredMethods())
        .filter(method -> !method.isSynthetic())
        .map(method -> method.getName() + Arrays.toString(method.getParameterTypes()))
        .collect(Collectors.toSet());
  }

  @Test
  void whatFindsNoPlaceHasNotBegun() throws Exception {
    fill(number -> channel.showTyping("main", "t"));
    assertThat(channel.post(REPLY)).isInstanceOf(PostOutcome.NotDelivered.class);
    assertThat(channel.receive(REQUEST))
        .isInstanceOfSatisfying(
            WebhookVerdict.Answer.class, answer -> assertThat(answer.status()).isEqualTo(503));
  }

  @Test
  void whatComesAfterTheEndHasNotBegun() throws Exception {
    List<String> _ = calls.close(Duration.ofSeconds(5));
    assertThat(channel.post(REPLY)).isInstanceOf(PostOutcome.NotDelivered.class);
    assertThat(channel.receive(REQUEST)).isInstanceOf(WebhookVerdict.Answer.class);
  }

  @Test
  void howManyListenKeepsNoReplyWaiting() throws Exception {
    fill(number -> channel.listen("account-" + number, new UnusedSink()));
    assertThat(channel.post(REPLY)).isEqualTo(new PostOutcome.Sent("posted"));
  }

  @Test
  void jobsKeepNoReplyWaiting() throws Exception {
    for (int i = 0; i < PluginCalls.THREADS_MAX; i++) {
      PluginCalls.Call<Boolean> _ =
          calls.begin(
              "job",
              _ -> {
                over.await();
                return true;
              });
    }
    assertThat(channel.post(REPLY)).isEqualTo(new PostOutcome.Sent("posted"));
  }
}
