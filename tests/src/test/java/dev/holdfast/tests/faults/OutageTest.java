package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.Post;
import dev.holdfast.tests.harness.ServerRig;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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

  @Test
  void amid503sThePersonIsToldAndAnsweredLater() throws Exception {
    try (ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup())) {
      shorten(rig);
      model.always(ModelScript.unavailable());
      rig.start();
      long away = System.nanoTime();
      for (String thread : List.of("a", "b", "c")) {
        rig.accept("first-" + thread, thread, "hello from " + thread);
      }
      Await.until("open", Duration.ofSeconds(30), () -> rig.metrics().sum(STATE, NAME) == 2);
      long opened = System.nanoTime();
      for (String thread : List.of("a", "b", "c")) {
        rig.platform().awaitPost("first-" + thread, Duration.ofSeconds(5));
      }
      Duration told = Duration.ofNanos(System.nanoTime() - opened);
      System.out.printf("outage: told %d ms after the opening%n", told.toMillis());
      assertThat(told).isLessThan(Duration.ofSeconds(5));
      rig.api().awaitState("first-a", Set.of("parked"), Duration.ofSeconds(2));
      rig.accept("second-a", "a", "are you there?");
      Await.pause(OUTAGE.minus(Duration.ofNanos(System.nanoTime() - away)));
      int calls = model.requests().size();
      assertThat(calls).isLessThan(FULL ? CALLS_MAX : 2 * CALLS_MAX);
      model.always(ModelScript.echo());
      awaitHealed(rig);
      assertOnceToldOnceAnswered(rig);
      System.out.printf("outage of %s: %d model calls while away%n", OUTAGE, calls);
    }
  }

  @Test
  void amidSilenceThePersonIsToldAndAnsweredLater() throws Exception {
    try (ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup())) {
      shorten(rig);
      model.always(ModelScript.hang());
      rig.start();
      long asked = System.nanoTime();
      rig.accept("first-a", "a", "hello from a");
      rig.platform().awaitPost("first-a", Duration.ofSeconds(FULL ? 20 : 7));
      Duration told = Duration.ofNanos(System.nanoTime() - asked);
      System.out.printf("silence: told after %d ms%n", told.toMillis());
      Await.pause(OUTAGE.minus(told).isNegative() ? Duration.ZERO : OUTAGE.minus(told));
      int calls = model.requests().size();
      System.out.printf("silence of %s: %d model calls while away%n", OUTAGE, calls);
      assertThat(calls).isLessThan(CALLS_MAX);
      model.always(ModelScript.echo());
      rig.platform().awaitText("first-a", "answer to hello from a", Duration.ofMinutes(3));
      rig.api().awaitState("first-a", Set.of("answered"), Duration.ofSeconds(5));
      assertThat(rig.platform().shownFor("first-a")).hasSize(2);
    }
  }

  /** The event stays parked over a kill, and is not told about a second time. */
  @Test
  void aKillDuringTheOutageLosesNothing() throws Exception {
    try (ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup())) {
      shorten(rig);
      model.refuse();
      rig.start();
      rig.accept("e1", "t", "hello");
      rig.platform().awaitPost("e1", Duration.ofSeconds(20));
      rig.restart();
      rig.accept("e2", "u", "hello");
      rig.platform().awaitPost("e2", Duration.ofSeconds(20)); // it knows that the model is away
      model.accept();
      rig.platform().awaitText("e1", "answer to hello", Duration.ofSeconds(30));
      // The kill may have hit while the notice was being sent: then it is sent again, under the
      // same id.
      assertThat(rig.platform().shownFor("e1").stream().map(Post::replyId).distinct()).hasSize(2);
    }
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

  private static void awaitHealed(ServerRig rig) {
    for (String thread : List.of("a", "b", "c")) {
      rig.platform()
          .awaitText("first-" + thread, "answer to hello from " + thread, Duration.ofMinutes(3));
    }
    rig.platform().awaitText("second-a", "answer to are you there?", Duration.ofMinutes(1));
    Await.until("closed", Duration.ofSeconds(30), () -> rig.metrics().sum(STATE, NAME) == 0);
  }

  private static void assertOnceToldOnceAnswered(ServerRig rig) {
    for (String thread : List.of("a", "b", "c")) {
      List<Post> posts =
          rig.platform().posts().stream()
              .filter(post -> post.inReplyTo().endsWith("-" + thread))
              .toList();
      long answers = posts.stream().filter(post -> post.text().contains("answer to")).count();
      assertThat(answers).isEqualTo(thread.equals("a") ? 2 : 1);
      assertThat(posts.size() - answers).as("told once in " + thread + ": " + posts).isEqualTo(1);
    }
  }
}
