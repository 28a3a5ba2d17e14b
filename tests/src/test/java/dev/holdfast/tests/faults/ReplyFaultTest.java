package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.PlatformMode;
import dev.holdfast.tests.harness.Post;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows F35 (the platform's answer is lost) and F36 (the platform refuses). */
@Timeout(90)
class ReplyFaultTest {
  private static final Duration SOON = Duration.ofSeconds(40);
  private static final Duration DOWN = Duration.ofMillis(500);

  /** A platform has 20 s to say the first byte. */
  private static final int TIME_SCALE = 4;

  /** A breaker that opened would stay so for longer than anybody waits here. */
  @RegisterExtension
  static final Served SERVED =
      Served.alone(
          rig ->
              rig.setup()
                  .set("breakers.default.initial_backoff_ms", 100_000)
                  .timeScale(TIME_SCALE));

  private final ServerRig rig = SERVED.rig();
  private final String id = SERVED.thread();

  /** Row F35: exactly one resend, with the same id and text. */
  @ParameterizedTest
  @EnumSource(names = {"LOSE_ANSWER", "GATEWAY_TIMEOUT", "HANG"})
  void aLostAnswerIsResentOnce(PlatformMode mode) throws Exception {
    AtomicInteger posts = new AtomicInteger();
    rig.platform().plan(_ -> posts.getAndIncrement() == 0 ? mode : PlatformMode.ACCEPT);
    rig.accept(id, id, "hello");
    Await.until("resent, an end", SOON, () -> replyState(rig, id).equals("resent"));
    assertThat(rig.platform().shownFor(id)).hasSize(2);
    assertThat(rig.platform().shownFor(id).stream().map(Post::replyId).distinct()).hasSize(1);
    JsonNode reply = rig.api().event(id).path("replies").path(0);
    assertThat(reply.path("unknowns").asInt()).isEqualTo(1);
  }

  /**
   * Row F35: when each answer is lost, each post but the first is paid for by one that was lost.
   */
  @Test
  void whenEveryAnswerIsLostItIsPostedAgainUntilItIsTooOld() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      rig.setup().set("replies.ttl_secs", 6);
      rig.platform().always(PlatformMode.LOSE_ANSWER);
      rig.start();
      rig.accept("e1", "t", "hello");
      Await.until("held", SOON, () -> replyState(rig, "e1").equals("held"));
      assertThat(rig.platform().shownFor("e1")).hasSizeBetween(3, 5);
      JsonNode reply = rig.api().event("e1").path("replies").path(0);
      assertThat(reply.path("unknowns").asInt()).isEqualTo(rig.platform().posts().size());
    }
  }

  /** Row F35: a gateway that fails for some seconds costs nobody a reply. */
  @Test
  void aGatewayThatFailsForSecondsHoldsNothing() throws Exception {
    AtomicLong first = new AtomicLong();
    rig.platform()
        .plan(
            post -> {
              first.compareAndSet(0, post.atNanos());
              boolean isDown = post.atNanos() - first.get() < DOWN.toNanos();
              return isDown ? PlatformMode.GATEWAY_TIMEOUT : PlatformMode.ACCEPT;
            });
    rig.accept(id, id, "hello");
    Await.until("an end", SOON, () -> !isOpen(replyState(rig, id)));
    assertThat(replyState(rig, id)).isEqualTo("resent");
  }

  /**
   * Row F36: a channel that is gone is told once; the replies are listed as dead letters. What is
   * replayed and refused again is another dead letter, which is for another time.
   */
  @Test
  void aGonePlatformMakesDeadLettersAfterOneTryEachAndAReplayOfAllEnds() throws Exception {
    rig.platform().always(PlatformMode.GONE);
    for (int i = 1; i <= 3; i++) {
      String event = id + i;
      rig.accept(event, event, "hello");
      Await.until("rejected, an end", SOON, () -> replyState(rig, event).equals("rejected"));
      assertThat(rig.api().get("/api/v1/dead-letters").body()).contains(event);
    }
    rig.api().awaitQuiet(SOON);
    assertThat(posts()).hasSize(3);
    HoldfastCommand.Result replayed =
        HoldfastCommand.run(rig.setup(), "dlq", "replay", "--all", "--kind", "reply");
    assertThat(replayed.out()).as(replayed.err()).contains("3 of 3 replayed");
    Await.until("three more", SOON, () -> posts().size() == 6);
    rig.api().awaitQuiet(SOON);
    assertThat(posts()).hasSize(6);
  }

  /** A platform that refuses one chat thread is no reason to wait with the others. */
  @Test
  void aChatThreadThatIsRefusedDelaysNoOther() {
    String bad = id + "bad";
    rig.platform()
        .plan(post -> post.thread().equals(bad) ? PlatformMode.UNAVAILABLE : PlatformMode.ACCEPT);
    for (int i = 1; i <= 3; i++) {
      rig.accept(bad + i, bad, "hello");
    }
    Await.until("five refusals", SOON, () -> posts().size() >= 5);
    for (int i = 1; i <= 3; i++) {
      rig.accept(id + "good" + i, id + "good", "hello");
      rig.platform().awaitPost(id + "good" + i, Duration.ofSeconds(3));
    }
  }

  /** One chat thread's wait is not its account's, does not make its reply too old, and is shown. */
  @Test
  void aLongWaitForOneChatThreadSilencesNoOther() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      rig.setup().set("replies.ttl_secs", 4);
      rig.platform()
          .plan(
              post ->
                  post.thread().equals("bad") ? PlatformMode.LIMIT_FOR_A_DAY : PlatformMode.ACCEPT);
      rig.start();
      rig.accept("bad1", "bad", "hello");
      Await.until("a refusal", SOON, () -> rig.platform().posts().size() == 1);
      rig.accept("good1", "good", "hello");
      rig.platform().awaitPost("good1", Duration.ofSeconds(20));
      assertThat(replyState(rig, "bad1")).isEqualTo("retry_at");
      assertThat(conditions(rig)).contains("pace/channel:webhook:ci");
      rig.restart();
      rig.accept("good2", "good", "hello");
      rig.platform().awaitPost("good2", Duration.ofSeconds(20));
      assertThat(replyState(rig, "bad1")).isEqualTo("retry_at");
      assertThat(rig.platform().posts()).hasSize(3);
    }
  }

  /** Three chat threads that are told to wait speak for their account, also after a restart. */
  @Test
  void aLongWaitForAnAccountOutlivesARestart() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      rig.platform().always(PlatformMode.LIMIT_FOR_A_DAY);
      rig.start();
      for (int i = 1; i <= 3; i++) {
        rig.accept("e" + i, "t" + i, "hello");
      }
      Await.until("three refusals", SOON, () -> rig.platform().posts().size() == 3);
      Await.until(
          "the wait is shown", SOON, () -> conditions(rig).contains("pace/channel:webhook:ci"));
      rig.restart();
      rig.accept("e4", "t4", "hello");
      rig.api().awaitState("e4", Set.of("answered"), SOON);
      Await.throughout(
          "its reply waits", Duration.ofSeconds(1), () -> rig.platform().posts().size() == 3);
      assertThat(conditions(rig)).contains("pace/channel:webhook:ci");
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
      rig.accept("e2", "t", "what comes behind it");
      rig.platform().awaitPost("e2", SOON);
      assertThat(rig.platform().shownFor("e1")).hasSize(1);
    }
  }

  /**
   * Row F35: a refused connection is surely not delivered, so it is tried until it is, and shown
   * once.
   */
  @Test
  void arefusedConnectionIsTriedAgain() throws Exception {
    rig.platform().refuse();
    rig.accept(id, id, "hello");
    Await.until("refused", SOON, () -> replyState(rig, id).equals("retry_at"));
    rig.platform().accept();
    Await.until("sent, an end", SOON, () -> replyState(rig, id).equals("sent"));
    assertThat(rig.platform().shownFor(id)).hasSize(1);
  }

  /** Row F36: 429 and 503 are waited out as the platform asks. */
  @ParameterizedTest
  @EnumSource(names = {"LIMIT", "UNAVAILABLE"})
  void aBusyPlatformIsWaitedFor(PlatformMode mode) {
    AtomicInteger posts = new AtomicInteger();
    rig.platform().plan(_ -> posts.getAndIncrement() == 0 ? mode : PlatformMode.ACCEPT);
    rig.accept(id, id, "hello");
    rig.platform().awaitPost(id, SOON);
    Post refused = posts().get(0);
    Post shown = posts().get(1);
    assertThat(Duration.ofNanos(shown.atNanos() - refused.atNanos()))
        .isGreaterThan(Duration.ofMillis(950).dividedBy(TIME_SCALE));
    assertThat(posts()).hasSize(2);
  }

  /** Row F36: an answer longer than one message is split, each part once and in order. */
  @Test
  void aLongAnswerIsSplitInOrder() throws Exception {
    rig.accept(id, id, "long words ".repeat(9_000));
    rig.api().awaitQuiet(SOON);
    int next = 0;
    for (Post post : rig.platform().shownFor(id)) {
      assertThat(post.part()).isIn(next, next + 1);
      next = post.part();
    }
    Post last = rig.platform().shownFor(id).getLast();
    assertThat(rig.platform().shownFor(id)).hasSize(last.parts());
  }

  /** Those in the chat threads of this test. */
  private List<Post> posts() {
    return rig.platform().posts().stream().filter(post -> post.thread().startsWith(id)).toList();
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

  private static String conditions(ServerRig rig) throws IOException {
    return rig.api().status().path("conditions").toString();
  }

  private static boolean isOpen(String state) {
    return !Set.of("sent", "held", "rejected", "resent").contains(state);
  }
}
