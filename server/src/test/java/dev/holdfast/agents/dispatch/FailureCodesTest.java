package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.config.ConfigFile;
import dev.holdfast.models.BudgetConfig;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.StoryLine;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The story of a message says with a code how it failed, for programs, beside the reason. */
@Timeout(60)
class FailureCodesTest {
  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ScriptedProvider model = rigs.model;
  private final AgentRig.Options options = rigs.options;

  private static String codeOf(AgentRig world, Event event) throws Exception {
    world.await(
        () -> !world.stateOf(event).isOpen(), () -> "event is still " + world.stateOf(event));
    StoryLine end =
        world.store.stories().of(event.id()).stream()
            .filter(line -> line.what().equals("event.finished"))
            .findFirst()
            .orElseThrow();
    JsonNode details = new ObjectMapper().readTree(end.json());
    return details.path("code").asText("none");
  }

  @Test
  void anAnsweredMessageHasNoCode() throws Exception {
    AgentRig world = rigs.open();
    assertThat(codeOf(world, world.send("t", "k1", "hello"))).isEqualTo("none");
  }

  /** Whatever words the failure's own text has. */
  @Test
  void aRefusedRequestHasTheCodeOfItsFailure() throws Exception {
    model.then(
        (_, _) -> {
          throw new CallFailedException(
              Failure.of(FailureCode.INVALID_REQUEST, "AUTH: TIMEOUT: says the other side"));
        });
    AgentRig world = rigs.open();
    assertThat(codeOf(world, world.send("t", "k1", "hello")))
        .isEqualTo(FailureCode.INVALID_REQUEST.name());
  }

  @Test
  void aTurnThatTakesTooLongTimedOut() throws Exception {
    options.turnTimeout = Duration.ofSeconds(1);
    model.hangs(new CountDownLatch(1));
    AgentRig world = rigs.open();
    assertThat(codeOf(world, world.send("t", "k1", "hello"))).isEqualTo("TIMEOUT");
  }

  @Test
  void aStoppedMessageIsCancelled() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    model.hangs(begun);
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "hello");
    begun.await();
    assertThat(world.orchestrator.stop("web:main:t", false)).isEqualTo(1);
    assertThat(codeOf(world, event)).isEqualTo("CANCELLED");
  }

  @Test
  void aBugInEachRunIsACrash() throws Exception {
    for (int run = 0; run < 3; run++) {
      model.then(
          (_, _) -> {
            throw new IllegalStateException("a bug");
          });
    }
    AgentRig world = rigs.open();
    assertThat(codeOf(world, world.send("t", "k1", "hello"))).isEqualTo("ACTOR_CRASHED");
  }

  @Test
  void whatWasParkedForTooLongHasTheCodeOfWhatKeptTheModelAway() throws Exception {
    options.parkTtl = Duration.ofSeconds(1);
    model.fails(FailureCode.NETWORK, 20);
    AgentRig world = rigs.open();
    assertThat(codeOf(world, world.send("t", "k1", "hello"))).isEqualTo("NETWORK");
  }

  @Test
  void aModelThatSaysNothingFailed() throws Exception {
    model.says("").says("");
    AgentRig world = rigs.open();
    assertThat(codeOf(world, world.send("t", "k1", "hello"))).isEqualTo("BACKEND_FAILURE");
  }

  /** Also where the sentence about it counts as an answer, or nothing is said at all. */
  @Test
  void aSpentBudgetIsACodeOfAnsweredAndSilentMessagesToo() throws Exception {
    options.budget =
        ConfigFile.text("test", "budget: {per_user_daily_messages: 1}", Map.of())
            .make(root -> root.section("budget").read(BudgetConfig::from));
    AgentRig world = rigs.open();
    assertThat(codeOf(world, world.send("t", "k1", "one"))).isEqualTo("none");
    assertThat(codeOf(world, world.send("t", "k2", "two"))).isEqualTo("BUDGET_EXHAUSTED");
    assertThat(codeOf(world, world.send("t", "k3", "three"))).isEqualTo("BUDGET_EXHAUSTED");
  }
}
