package dev.holdfast.replies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.net.UnsentInterruptedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is known of a post that was cut off. */
class PostAttemptTest {
  private static final OutboundReply REPLY =
      new OutboundReply("e1.a.1", "e1", "main", "t", "m-e1", "text", 1, 1, false);

  private final FakeAccount platform = new FakeAccount("main");
  private final StopInterrupt halt = new StopInterrupt();

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

  private PostAttempt attempt(PostAttempt.StoreCall before) {
    return new PostAttempt(platform, REPLY, before, halt);
  }
}
