package dev.holdfast.replies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.channels.Channel;
import dev.holdfast.channels.Channels;
import dev.holdfast.net.UnsentInterruptedException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is known of a post that was cut off. */
class PostAttemptTest {
  private static final OutboundReply REPLY =
      new OutboundReply("e1.a.1", "e1", "main", "t", "m-e1", "text", 1, 1, false);

  private final FakeAccount platform = new FakeAccount("main");
  private final StopInterrupt stopInterrupt = new StopInterrupt();

  @AfterEach
  void forgetInterrupt() {
    Thread.interrupted();
  }

  @Test
  void aPostWhoseTimeWasOverBeforeItBeganSurelyDidNotArrive() {
    PostAttempt attempt = attempt(() -> Thread.currentThread().interrupt());
    assertThatThrownBy(attempt::run).isInstanceOf(InterruptedException.class);
    assertThat(platform.posted()).isEmpty();
    assertThat(attempt.outcome()).isInstanceOf(PostOutcome.NotDelivered.class);
  }

  @Test
  void aPostThatIsCutOffWhileItConnectsSurelyDidNotArrive() {
    platform.next(
        "main",
        _ -> {
          throw new UnsentInterruptedException();
        });
    PostAttempt attempt = attempt(() -> {});
    assertThatThrownBy(attempt::run).isInstanceOf(InterruptedException.class);
    assertThat(attempt.outcome()).isInstanceOf(PostOutcome.NotDelivered.class);
  }

  @Test
  void aPostThatIsCutOffLaterMayHaveArrived() {
    platform.next(
        "main",
        _ -> {
          throw new InterruptedException();
        });
    PostAttempt attempt = attempt(() -> {});
    assertThatThrownBy(attempt::run).isInstanceOf(InterruptedException.class);
    assertThat(attempt.outcome()).isInstanceOf(PostOutcome.Unknown.class);
  }

  /** As a plugin whose classes do not fit, or that keeps to no contract. */
  @Test
  @SuppressWarnings("NullAway") // as a plugin might
  void aChannelThatBreaksMayHavePosted() throws Exception {
    platform.next(
        "main",
        _ -> {
          throw new NoClassDefFoundError("a part of it");
        },
        _ -> null);
    for (int i = 0; i < 2; i++) {
      PostAttempt attempt = attempt(() -> {});
      assertThatThrownBy(attempt::run).isInstanceOf(CallFailedException.class);
      assertThat(attempt.outcome()).isInstanceOf(PostOutcome.Unknown.class);
    }
  }

  private PostAttempt attempt(PostAttempt.StoreCall before) {
    Channel channel =
        new Channels(List.of(platform)).begin(platform.channel()).orElseThrow().value();
    return new PostAttempt(channel, REPLY, before, stopInterrupt);
  }
}
