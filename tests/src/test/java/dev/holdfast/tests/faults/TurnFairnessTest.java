package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.Post;
import dev.holdfast.tests.harness.RunLength;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * One sender begins hundreds of conversations at once, and the model is slow: another one is
 * answered next, and nobody is told of an outage, since there is none.
 */
@Timeout(180)
class TurnFairnessTest {
  private static final int LOUD = RunLength.isFull() ? 160 : 120;
  private static final int QUIET = RunLength.isFull() ? 4 : 2;
  private static final Duration CALL = Duration.ofMillis(600);
  private static final int PLACES = 8;
  private static final Duration SOON = Duration.ofSeconds(60);

  /** Those who wait, wait for a turn, or within a turn for a place at the provider. */
  @ParameterizedTest(name = "{0} turns, {1} calls")
  @CsvSource({"8,32", "256,8"})
  void aSenderWithHundredsOfConversationsDelaysAnotherByOnePlace(int turns, int calls)
      throws IOException {
    try (ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup())) {
      rig.setup().set("threads.max_concurrent_turns", turns);
      rig.setup().set("models.providers.openai.max_concurrent", calls);
      // Longer than a call takes on a busy machine, shorter than the last one waits for its place.
      rig.setup().set("models.park_after_secs", 6);
      model.always(ModelScript.after(CALL, ModelScript.echo()));
      rig.start();
      for (int i = 0; i < LOUD; i++) {
        send(rig, "loud", "loud-" + i);
      }
      for (int i = 0; i < QUIET; i++) {
        int before = answered(rig);
        assertThat(before).as("too quick to show anything").isLessThan(LOUD - 8 * PLACES);
        send(rig, "quiet", "quiet-" + i);
        rig.platform().awaitText("quiet-" + i, "answer to hello", SOON);
        assertThat(answered(rig) - before)
            .as("answers to the loud one meanwhile")
            .isLessThanOrEqualTo(4 * PLACES);
      }
      for (int i = 0; i < LOUD; i++) {
        rig.platform().awaitText("loud-" + i, "answer to hello", SOON);
      }
      assertThat(rig.platform().posts().stream().map(Post::text).distinct())
          .containsExactly("answer to hello");
    }
  }

  private static int answered(ServerRig rig) {
    return rig.platform().posts().size();
  }

  private static void send(ServerRig rig, String sender, String id) throws IOException {
    String body = Json.write(Map.of("thread", id, "sender", sender, "text", "hello"));
    assertThat(rig.sender().sendRaw(id, body).isAccepted()).isTrue();
  }
}
