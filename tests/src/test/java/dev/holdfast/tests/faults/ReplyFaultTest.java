package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.PlatformMode;
import dev.holdfast.tests.harness.Post;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows F35 (the platform's answer is lost) and F36 (the platform refuses). */
@Timeout(90)
class ReplyFaultTest {
  private static final Duration SOON = Duration.ofSeconds(40);

  /** Row F35: exactly one resend, with the same id and text. */
  @ParameterizedTest
  @EnumSource(names = {"LOSE_ANSWER", "GATEWAY_TIMEOUT", "HANG"})
  void aLostAnswerIsResentOnce(PlatformMode mode) throws Exception {
    try (ServerRig rig = new ServerRig()) {
      AtomicInteger posts = new AtomicInteger();
      rig.platform().plan(_ -> posts.getAndIncrement() == 0 ? mode : PlatformMode.ACCEPT);
      rig.start();
      rig.accept("e1", "t", "hello");
      Await.until("a resend", SOON, () -> rig.platform().shownFor("e1").size() == 2);
      Await.pause(Duration.ofSeconds(2));
      assertThat(rig.platform().shownFor("e1")).hasSize(2);
      assertThat(rig.platform().shownFor("e1").stream().map(Post::replyId).distinct()).hasSize(1);
      JsonNode reply = rig.api().event("e1").path("replies").path(0);
      assertThat(reply.path("unknowns").asInt()).isEqualTo(1);
    }
  }

  /** Row F35: when each answer is lost, the bound still holds. */
  @Test
  void whenEveryAnswerIsLostThereAreTwoPosts() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      rig.platform().always(PlatformMode.LOSE_ANSWER);
      rig.start();
      rig.accept("e1", "t", "hello");
      Await.until("a resend", SOON, () -> rig.platform().shownFor("e1").size() == 2);
      Await.until("given up", SOON, () -> !isOpen(replyState(rig, "e1")));
      Await.pause(Duration.ofSeconds(3));
      assertThat(rig.platform().shownFor("e1")).hasSize(2);
    }
  }

  /** Row F35 with on_unknown: hold: never a second post by itself. */
  @Test
  void holdMeansNeverASecondPost() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      rig.setup().set("replies.on_unknown", "hold");
      rig.platform().always(PlatformMode.LOSE_ANSWER);
      rig.start();
      rig.accept("e1", "t", "hello");
      rig.platform().awaitPost("e1", SOON);
      Await.until("held", SOON, () -> replyState(rig, "e1").equals("held"));
      rig.restart();
      Await.pause(Duration.ofSeconds(3));
      assertThat(rig.platform().shownFor("e1")).hasSize(1);
    }
  }

  /**
   * Row F35: a refused connection is surely not delivered, so it is tried until it is, and shown
   * once.
   */
  @Test
  void arefusedConnectionIsTriedAgain() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      rig.setup().set("replies.initial_backoff_ms", 300);
      rig.platform().refuse();
      rig.start();
      rig.accept("e1", "t", "hello");
      Await.pause(Duration.ofMillis(700));
      rig.platform().accept();
      rig.platform().awaitPost("e1", SOON);
      Await.pause(Duration.ofSeconds(2));
      assertThat(rig.platform().shownFor("e1")).hasSize(1);
    }
  }

  /** Row F36: 429 and 503 are waited out as the platform asks. */
  @ParameterizedTest
  @EnumSource(names = {"LIMIT", "UNAVAILABLE"})
  void aBusyPlatformIsWaitedFor(PlatformMode mode) {
    try (ServerRig rig = new ServerRig()) {
      AtomicInteger posts = new AtomicInteger();
      rig.platform().plan(_ -> posts.getAndIncrement() == 0 ? mode : PlatformMode.ACCEPT);
      rig.start();
      rig.accept("e1", "t", "hello");
      rig.platform().awaitPost("e1", SOON);
      Post refused = rig.platform().posts().get(0);
      Post shown = rig.platform().posts().get(1);
      assertThat(Duration.ofNanos(shown.atNanos() - refused.atNanos()))
          .isGreaterThan(Duration.ofMillis(950));
      assertThat(rig.platform().posts()).hasSize(2);
    }
  }

  /** Row F36: a channel that is gone is told once; the reply is listed as a dead letter. */
  @Test
  void aGonePlatformMakesADeadLetterAfterOneTry() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      rig.platform().always(PlatformMode.GONE);
      rig.start();
      rig.accept("e1", "t", "hello");
      Await.until("rejected", SOON, () -> replyState(rig, "e1").equals("rejected"));
      Await.pause(Duration.ofSeconds(3));
      assertThat(rig.platform().posts()).hasSize(1);
      String letters = rig.api().get("/api/v1/dead-letters").body();
      assertThat(letters).contains("e1");
    }
  }

  /** Row F36: an answer longer than one message is split, each part once and in order. */
  @Test
  void aLongAnswerIsSplitInOrder() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      rig.start();
      rig.accept("e1", "t", "long words ".repeat(9_000));
      rig.api().awaitQuiet(SOON);
      int next = 0;
      for (Post post : rig.platform().shownFor("e1")) {
        assertThat(post.part()).isIn(next, next + 1);
        next = post.part();
      }
      Post last = rig.platform().shownFor("e1").getLast();
      assertThat(rig.platform().shownFor("e1")).hasSize(last.parts());
    }
  }

  private static String replyState(ServerRig rig, String id) throws IOException {
    return rig.api()
        .event(id)
        .path("replies")
        .path(0)
        .path("state")
        .asText()
        .toLowerCase(Locale.ROOT);
  }

  private static boolean isOpen(String state) {
    return !Set.of("sent", "held", "rejected", "resent").contains(state);
  }
}
