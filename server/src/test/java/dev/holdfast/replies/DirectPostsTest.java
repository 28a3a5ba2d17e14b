package dev.holdfast.replies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.channels.Channels;
import dev.holdfast.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DirectPostsTest {
  private final ManualTime time = new ManualTime();
  private final Channels channels = new Channels(List.of());
  private final FakePostGuard guard = new FakePostGuard();
  private final DirectPosts posts = new DirectPosts(channels, _ -> guard, time);
  private final List<OutboundReply> posted = new ArrayList<>();
  private PostOutcome outcome = new PostOutcome.Sent("p1");

  private final class Platform extends ForwardingChannel {
    Platform() {
      super(new FakeAccount("main"));
    }

    @Override
    public PostOutcome post(OutboundReply reply) {
      posted.add(reply);
      if (outcome instanceof PostOutcome.Sent(String id) && id.equals("bug")) {
        throw new IllegalStateException("a bug of the channel");
      }
      return outcome;
    }
  }

  @BeforeEach
  void add() throws Exception {
    var _ = channels.add(new Platform(), time.now());
  }

  private boolean post(String account, String text) throws Exception {
    return posts.post("fake", account, "t:1", "m1", text);
  }

  @Test
  void aSentenceIsPostedOnceAsThePartOfNoReply() throws Exception {
    assertThat(post("main", "hello")).isTrue();
    assertThat(post("main", "hello")).isTrue();
    assertThat(posted).hasSize(2).doesNotHaveDuplicates();
    OutboundReply post = posted.getFirst();
    assertThat(post)
        .isEqualTo(
            new OutboundReply(
                post.id(),
                "",
                "main",
                "t:1",
                "m1",
                "hello",
                1,
                1,
                false,
                List.of(),
                List.of(),
                OutboundReply.Kind.ERROR));
  }

  @Test
  void whateverThePlatformDoesItIsTriedOnce() throws Exception {
    for (PostOutcome each :
        List.of(
            new PostOutcome.NotDelivered(Failure.of(FailureCode.AUTH, "no")),
            new PostOutcome.Unknown(Failure.of(FailureCode.TIMEOUT, "late")),
            new PostOutcome.Sent("bug"))) {
      posted.clear();
      outcome = each;
      assertThat(post("main", "hello")).isFalse();
      assertThat(posted).hasSize(1);
    }
  }

  @Test
  void nothingIsTriedWhereItCannotArrive() throws Exception {
    assertThat(posts.post("gone", "main", "t", "", "hello")).isFalse();
    assertThat(post("other", "hello")).isFalse();
    assertThat(post("main", "x".repeat(1_000_000))).isFalse();
    guard.opensIn(Duration.ofSeconds(5));
    assertThat(post("main", "hello")).isFalse();
    guard.opensIn(Duration.ZERO);
    guard.rejects(true);
    assertThat(post("main", "hello")).isFalse();
    assertThat(posted).isEmpty();
  }
}
