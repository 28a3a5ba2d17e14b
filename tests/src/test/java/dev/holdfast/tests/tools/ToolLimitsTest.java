package dev.holdfast.tests.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ToolShape;
import dev.holdfast.tests.harness.TurnModel;
import dev.holdfast.tests.harness.TurnModel.Wish;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Row F33: a model that asks for what no honest one asks for. */
@Timeout(120)
class ToolLimitsTest {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final int ROUNDS_MAX = 6;

  private static Wish shell(String command) {
    return new Wish("shell", Map.of("command", command));
  }

  private static List<Wish> wishes(String turn, int round) {
    return switch (turn) {
      case "flood" -> Collections.nCopies(10_000, shell("echo x >> flood"));
      case "endless" -> List.of(shell("echo " + round));
      case "circles" -> List.of(shell("echo again"));
      case "odd" ->
          round > 0
              ? List.of()
              : List.of(
                  shell("echo a\u0000b"),
                  shell("echo '\uD800'"),
                  new Wish("../shell", Map.of()),
                  new Wish("", Map.of()),
                  new Wish("shell", Map.of("command", "x".repeat(200_000))),
                  new Wish("shell", Map.of("command", "true", "timeout_secs", -1)),
                  new Wish("shell", Map.of("command", "true", "env", Map.of("LD_PRELOAD", "x"))),
                  shell("echo fine"));
      default -> List.of();
    };
  }

  @Test
  void whateverAModelAsksForEndsHonestly() throws Exception {
    try (ServerRig rig = new ServerRig();
        TurnModel model = new TurnModel(ToolLimitsTest::wishes).use(rig.setup())) {
      rig.setup().set("tools.shell.enabled", true);
      rig.setup().set("turn.max_rounds", ROUNDS_MAX);
      rig.start();
      assertThat(told(rig, "flood")).contains("trouble reaching the model");
      assertThat(model.asked("flood")).hasSize(1);
      assertThat(told(rig, "endless")).contains("reached the limit of steps");
      assertThat(model.asked("endless")).hasSize(ROUNDS_MAX);
      assertThat(told(rig, "circles")).contains("kept repeating the same step");
      assertThat(model.asked("circles").size()).isBetween(5, ROUNDS_MAX);
      assertThat(told(rig, "odd")).isEqualTo("done odd");
      List<ToolShape.Result> results =
          ToolShape.ANTHROPIC.results(model.asked("odd").getLast().body());
      assertThat(results).hasSize(8);
      assertThat(results.subList(2, 7)).allMatch(ToolShape.Result::isError);
      assertThat(results.getLast().text()).isEqualTo("fine\nexit code 0");
      assertThat(rig.server().isReady()).isTrue();
      rig.restart();
      assertThat(rig.api().state("odd")).isEqualTo("answered");
      assertThat(rig.converse("next", "odd", "turn next").text()).isEqualTo("done next");
      assertThat(rig.server().output()).doesNotContain("\"level\":\"error\"");
    }
  }

  private static String told(ServerRig rig, String turn) {
    rig.accept(turn, turn, "turn " + turn);
    rig.api().awaitState(turn, Set.of("answered", "dead_lettered"), SOON);
    rig.api().awaitQuiet(SOON);
    return rig.platform().shownFor(turn).getLast().text();
  }
}
