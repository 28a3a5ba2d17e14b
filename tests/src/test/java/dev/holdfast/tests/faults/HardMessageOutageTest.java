package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.Post;
import dev.holdfast.tests.harness.RunLength;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A message on which the provider always breaks, while it answers all others: it delays nobody, in
 * an outage and without one, and is given up with a word to its sender.
 */
@Timeout(120)
class HardMessageOutageTest {
  private static final String HARD = "what breaks it";
  private static final Duration SOON = Duration.ofSeconds(10);
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @RegisterExtension
  static final Served SERVED =
      Served.aloneWithModel(
          rig ->
              rig.setup()
                  .set("breakers.default.initial_backoff_ms", 200)
                  .set("breakers.default.max_backoff_ms", 400)
                  .set("models.retry.server_error.initial_backoff_ms", 20));

  private final ServerRig rig = SERVED.rig();
  private final FakeModel model = SERVED.model();

  static Stream<Arguments> faults() {
    return Stream.of(
        Arguments.of("cut stream", ModelScript.cutStream()),
        Arguments.of("502", ModelScript.status(502, Map.of(), "server_error", "boom")),
        Arguments.of("404", ModelScript.status(404, Map.of(), "not_found", "no such model")));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("faults")
  void aMessageThatTheProviderBreaksOnDelaysNobodyElse(String name, ModelScript fault)
      throws IOException {
    model.always(ModelScript.unavailable());
    rig.accept(id("hard"), id("bad"), HARD);
    rig.platform().awaitPost(id("hard"), SOON);
    for (String thread : List.of("a", "b", "c")) {
      rig.accept(id("first-" + thread), id(thread), "hello from " + thread);
      rig.platform().awaitPost(id("first-" + thread), SOON);
    }
    model.always(
        (request, exchange) ->
            (request.lastText().contains(HARD) ? fault : ModelScript.echo())
                .run(request, exchange));
    for (String thread : List.of("a", "b", "c")) {
      rig.platform().awaitText(id("first-" + thread), "answer to hello from " + thread, SOON);
    }
    long calls = model.requests().size();
    for (int i = 0; !rig.api().state(id("hard")).equals("dead_lettered"); i++) {
      rig.accept(id("later-" + i), id("later-" + i), "still there?");
      rig.platform().awaitText(id("later-" + i), "answer to still there?", Duration.ofSeconds(3));
      assertThat(i).as("it is never given up").isLessThan(200);
    }
    long hard =
        model.requests().stream()
            .skip(calls)
            .filter(asked -> asked.lastText().contains(HARD))
            .count();
    assertThat(hard).as("calls that came to nothing").isBetween(3L, 18L);
    rig.platform().awaitText(id("hard"), "The model kept failing on this message", SOON);
    List<String> told = rig.platform().shownFor(id("hard")).stream().map(Post::text).toList();
    assertThat(told).as("told that it waits, and that it is given up").hasSize(2);
    rig.api().awaitState(id("hard"), Set.of("dead_lettered"), SOON);
    Await.until("no condition is left but the mode, which stays for a while", LIMIT, this::isOver);
  }

  /** In the normal run, nobody waits for the half minute that a mode lasts. */
  private boolean isOver() throws IOException {
    List<String> types =
        rig.api().get("/api/v1/conditions").json().path("conditions").findValuesAsText("type");
    return types.isEmpty() || (!RunLength.isFull() && types.equals(List.of("mode")));
  }

  private static String id(String name) {
    return SERVED.thread() + "-" + name;
  }
}
