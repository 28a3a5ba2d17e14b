package dev.holdfast.replies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.net.UnsentInterruptedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is known of a post that was cut off. */
class AttemptTest {
  private static final OutboundReply REPLY =
      new OutboundReply("e1.a.1", "e1", "main", "t", "m-e1", "text", 1, 1, false);

  private final FakePlatform platform = new FakePlatform("main");
  private final Halt halt = new Halt();

  @AfterEach
  void forgetInterrupt() {
    Thread.interrupted();
  }

  @Test
  void aPostWhoseTimeWasOverBeforeItBeganSurelyDidNotArrive() {
    Attempt attempt = attempt(() -> Thread.currentThread().interrupt());
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
    Attempt attempt = attempt(() -> {});
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
    Attempt attempt = attempt(() -> {});
    assertThatThrownBy(attempt::run).isInstanceOf(InterruptedException.class);
    assertThat(attempt.outcome()).isInstanceOf(PostOutcome.Unknown.class);
  }

  private Attempt attempt(Attempt.StoreCall before) {
    return new Attempt(platform, REPLY, before, halt);
  }
}
