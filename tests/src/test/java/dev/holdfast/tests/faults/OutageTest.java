package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.Post;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Row F34: the model is away and comes back. By default the outage and the breaker's waits are
 * short; with {@code -Dholdfast.full=true} the outage lasts two minutes under the default
 * configuration.
 */
@Timeout(300)
class OutageTest {
  private static final boolean FULL = Boolean.getBoolean("holdfast.full");
  private static final Duration OUTAGE = Duration.ofSeconds(FULL ? 120 : 6);
  private static final int CALLS_MAX = 12;
  private static final String STATE = "holdfast_breaker_state";
  private static final String NAME = "name=\"llm:openai\"";

  @RegisterExtension static final Served SERVED = Served.aloneWithModel(OutageTest::shorten);

  private final ServerRig rig = SERVED.rig();
  private final FakeModel model = SERVED.model();

  private static String id(String name) {
    return SERVED.thread() + "-" + name;
  }

  @Test
  void amid503sThePersonIsToldAndAnsweredLater() throws Exception {
    model.always(ModelScript.unavailable());
    long away = System.nanoTime();
    for (String thread : List.of("a", "b", "c")) {
      rig.accept(id("first-" + thread), id(thread), "hello from " + thread);
    }
    Await.until("open", Duration.ofSeconds(30), () -> rig.metrics().sum(STATE, NAME) == 2);
    long opened = System.nanoTime();
    for (String thread : List.of("a", "b", "c")) {
      rig.platform().awaitPost(id("first-" + thread), Duration.ofSeconds(5));
    }
    Duration told = Duration.ofNanos(System.nanoTime() - opened);
    System.out.printf("outage: told %d ms after the opening%n", told.toMillis());
    assertThat(told).isLessThan(Duration.ofSeconds(5));
    rig.api().awaitState(id("first-a"), Set.of("parked"), Duration.ofSeconds(2));
    rig.accept(id("second-a"), id("a"), "are you there?");
    Await.pause(OUTAGE.minus(Duration.ofNanos(System.nanoTime() - away)));
    int calls = model.requests().size();
    assertThat(calls).isLessThan(FULL ? CALLS_MAX : 2 * CALLS_MAX);
    model.always(ModelScript.echo());
    awaitHealed();
    assertOnceToldOnceAnswered();
    System.out.printf("outage of %s: %d model calls while away%n", OUTAGE, calls);
  }

  @Test
  void amidSilenceThePersonIsToldAndAnsweredLater() throws Exception {
    model.always(ModelScript.hang());
    long asked = System.nanoTime();
    rig.accept(id("first-a"), id("a"), "hello from a");
    rig.platform().awaitPost(id("first-a"), Duration.ofSeconds(FULL ? 20 : 7));
    Duration told = Duration.ofNanos(System.nanoTime() - asked);
    System.out.printf("silence: told after %d ms%n", told.toMillis());
    Await.pause(OUTAGE.minus(told).isNegative() ? Duration.ZERO : OUTAGE.minus(told));
    int calls = model.requests().size();
    System.out.printf("silence of %s: %d model calls while away%n", OUTAGE, calls);
    assertThat(calls).isLessThan(CALLS_MAX);
    model.always(ModelScript.echo());
    rig.platform().awaitText(id("first-a"), "answer to hello from a", Duration.ofMinutes(3));
    rig.api().awaitState(id("first-a"), Set.of("answered"), Duration.ofSeconds(5));
    assertThat(rig.platform().shownFor(id("first-a"))).hasSize(2);
  }

  /** The event stays parked over a kill, and is not told about a second time. */
  @Test
  void aKillDuringTheOutageLosesNothing() throws Exception {
    model.refuse();
    rig.accept(id("e1"), id("t"), "hello");
    rig.platform().awaitPost(id("e1"), Duration.ofSeconds(20));
    rig.restart();
    rig.accept(id("e2"), id("u"), "hello");
    rig.platform().awaitPost(id("e2"), Duration.ofSeconds(20)); // it knows that the model is away
    model.accept();
    rig.platform().awaitText(id("e1"), "answer to hello", Duration.ofSeconds(30));
    // The kill may have hit while the notice was being sent: then it is sent again, under the
    // same id.
    assertThat(rig.platform().shownFor(id("e1")).stream().map(Post::replyId).distinct()).hasSize(2);
  }

  private static void shorten(ServerRig rig) {
    if (!FULL) {
      rig.setup().set("breakers.default.initial_backoff_ms", 1_000);
      rig.setup().set("breakers.default.max_backoff_ms", 2_000);
      rig.setup().set("models.retry.server_error.initial_backoff_ms", 200);
      rig.setup().set("models.park_after_secs", 2);
      rig.setup().set("models.timeouts.first_token_secs", 4);
    }
  }

  private void awaitHealed() {
    for (String thread : List.of("a", "b", "c")) {
      rig.platform()
          .awaitText(
              id("first-" + thread), "answer to hello from " + thread, Duration.ofMinutes(3));
    }
    rig.platform().awaitText(id("second-a"), "answer to are you there?", Duration.ofMinutes(1));
    Await.until("closed", Duration.ofSeconds(30), () -> rig.metrics().sum(STATE, NAME) == 0);
  }

  private void assertOnceToldOnceAnswered() {
    for (String thread : List.of("a", "b", "c")) {
      List<Post> posts =
          rig.platform().posts().stream().filter(post -> isOf(post, thread)).toList();
      long answers = posts.stream().filter(post -> post.text().contains("answer to")).count();
      assertThat(answers).isEqualTo(thread.equals("a") ? 2 : 1);
      assertThat(posts.size() - answers).as("told once in " + thread + ": " + posts).isEqualTo(1);
    }
  }

  private static boolean isOf(Post post, String thread) {
    return post.inReplyTo().startsWith(SERVED.thread() + "-")
        && post.inReplyTo().endsWith("-" + thread);
  }
}
