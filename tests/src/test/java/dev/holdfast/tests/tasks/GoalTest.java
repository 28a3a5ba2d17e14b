package dev.holdfast.tests.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.AgentScript;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.PlanApi;
import dev.holdfast.tests.harness.RecordedModelRequest;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Plans of a goal: a model writes their steps and judges what failed, in the real jar. */
@Timeout(300)
@ResourceLock(TaskServer.LOCK)
class GoalTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Pattern CODE = Pattern.compile("/approve ([0-9A-F]{8})");

  @RegisterExtension static final Served SERVED = TaskServer.SERVED;

  private final ServerRig rig = SERVED.rig();
  private final FakeModel model = SERVED.model();
  private AgentScript worker;

  /** What the model says when it is asked for steps, and for a judgement. */
  private final Queue<ModelScript> steps = new ConcurrentLinkedQueue<>();

  private final Queue<ModelScript> judgements = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void begin() throws IOException {
    worker = TaskServer.agent("worker");
    model.always(
        (request, exchange) -> {
          ModelScript script =
              offers(request, "submit_steps")
                  ? steps.poll()
                  : offers(request, "decide") ? judgements.poll() : null;
          (script == null ? ModelScript.echo() : script).run(request, exchange);
        });
  }

  private static boolean offers(RecordedModelRequest request, String tool) {
    return request.body().path("tools").size() == 1
        && request.body().path("tools").toString().contains(tool);
  }

  private static ModelScript says(Object json) {
    return ModelScript.answer(_ -> Json.write(json));
  }

  private static Map<String, Object> step(String name, String action, Map<String, Object> payload) {
    return Map.of("name", name, "agent", "worker", "action", action, "payload", payload);
  }

  private String goal(String goal) throws IOException {
    Answer answer = rig.api().post(PlanApi.PLANS, Map.of("goal", goal));
    assertThat(answer.status()).as(answer.body()).isEqualTo(202);
    return answer.json().path("plan_id").asText();
  }

  private JsonNode awaitEnd(String plan) {
    return Await.value(
        "the plan has ended",
        LIMIT,
        () ->
            Optional.of(rig.api().get(PlanApi.PLANS + "/" + plan).json())
                .filter(now -> now.path("ended_at").isTextual()));
  }

  private String awaitSaid(String words) {
    return rig.platform().awaitSaid(words, LIMIT);
  }

  @Test
  void aPersonNamesAGoalAndHearsOfItsEnd() throws Exception {
    steps.add(
        says(
            Map.of(
                "steps",
                List.of(
                    step("a", "look", Map.of("say", Map.of("colour", "blue"))),
                    step("b", "keep", Map.of("say", "it is $" + "{a.colour}"))))));
    assertThat(SERVED.say("e1", "/plan find a colour")).contains("is being made");
    assertThat(awaitSaid("has succeeded")).contains("find a colour").contains("it is blue");
    RecordedModelRequest asked =
        model.requests().stream().filter(each -> offers(each, "submit_steps")).findFirst().get();
    assertThat(asked.lastText())
        .contains("<goal>\nfind a colour\n</goal>")
        .contains("Agent worker (healthy)")
        .contains("act (unsafe)");
    assertThat(SERVED.say("e2", "/plan")).contains("/plan GOAL");
  }

  @Test
  void wrongStepsAreMendedOnceAndThenThePlanFails() throws Exception {
    Object wrong = Map.of("steps", List.of(step("a", "fly", Map.of())));
    steps.add(says(wrong));
    steps.add(says(Map.of("steps", List.of(step("a", "look", Map.of())))));
    assertThat(awaitEnd(goal("look at it")).path("state").asText()).isEqualTo("succeeded");
    assertThat(model.requests().getLast().lastText())
        .contains("agent \"worker\" has no action \"fly\"");

    steps.add(says(wrong));
    steps.add(ModelScript.answer(_ -> "I would rather sing."));
    JsonNode failed = awaitEnd(goal("sing a song"));
    assertThat(failed.path("state").asText()).isEqualTo("failed");
    assertThat(failed.path("reason").asText()).contains("no usable steps");
    steps.add(says(Map.of("impossible", "Nobody here can sing.")));
    assertThat(awaitEnd(goal("sing a song")).path("reason").asText())
        .isEqualTo("Nobody here can sing.");
  }

  @Test
  void aGoalThatNamesAnActionNeedsNoModel() throws Exception {
    String plan = goal("worker.look {\"say\": \"red\"}");
    assertThat(awaitEnd(plan).path("steps").path(0).path("output").asText()).isEqualTo("red");
    assertThat(model.requests()).isEmpty();
  }

  @Test
  void aDraftOutlivesAKillAndAnAbsentModel() throws Exception {
    steps.add(ModelScript.hang());
    String plan = goal("look at it");
    Await.until("a model is asked", LIMIT, () -> steps.isEmpty());
    assertThat(rig.api().get(PlanApi.PLANS + "/" + plan).json().path("state").asText())
        .isEqualTo("draft");
    rig.server().kill9();
    steps.add(says(Map.of("steps", List.of(step("a", "look", Map.of())))));
    rig.start();
    assertThat(awaitEnd(plan).path("state").asText()).isEqualTo("succeeded");
    steps.add(ModelScript.hang());
    String dropped = goal("look again");
    Await.until("a model is asked", LIMIT, () -> steps.isEmpty());
    assertThat(rig.api().post(PlanApi.PLANS + "/" + dropped + "/cancel", Map.of()).status())
        .isEqualTo(200);
  }

  @Test
  void otherStepsReachWhatTheFirstDidNot() throws Exception {
    Map<String, Object> fails = Map.of("code", 400, "error", "no such page");
    steps.add(
        says(
            Map.of(
                "steps",
                List.of(step("a", "look", fails), step("z", "look", Map.of("say", "zed"))))));
    judgements.add(
        says(
            Map.of(
                "decision",
                "replan",
                "reason",
                "Another page has it.",
                "steps",
                List.of(step("b", "look", Map.of("say", "green and $" + "{z}"))))));
    JsonNode plan = awaitEnd(goal("find a colour"));
    assertThat(plan.path("state").asText()).isEqualTo("succeeded");
    assertThat(plan.path("replans").asInt()).isEqualTo(1);
    assertThat(plan.path("steps").path(2).path("output").asText()).isEqualTo("green and zed");
    assertThat(plan.path("moves").toString()).contains("replanned: Another page has it.");
    RecordedModelRequest asked =
        model.requests().stream().filter(each -> offers(each, "decide")).findFirst().get();
    assertThat(asked.lastText()).contains("no such page").contains("Replans so far: 0 of 2");
  }

  @Test
  void aGoalIsReachedAllTheSameOrLost() throws Exception {
    Map<String, Object> fails = Map.of("code", 400, "error", "no such page");
    Object both = Map.of("steps", List.of(step("a", "look", fails), step("b", "look", Map.of())));
    steps.add(says(both));
    judgements.add(says(Map.of("decision", "continue", "reason", "The rest is enough.")));
    JsonNode reached = awaitEnd(goal("one"));
    assertThat(reached.path("state").asText()).isEqualTo("succeeded");
    assertThat(reached.path("reason").asText()).isEqualTo("The rest is enough.");
    steps.add(says(both));
    judgements.add(says(Map.of("decision", "fail", "reason", "It needs that page.")));
    JsonNode lost = awaitEnd(goal("two"));
    assertThat(lost.path("state").asText()).isEqualTo("failed");
    assertThat(lost.path("reason").asText()).isEqualTo("It needs that page.");
    steps.add(says(both));
    judgements.add(ModelScript.answer(_ -> "Hm."));
    judgements.add(ModelScript.answer(_ -> "Hm."));
    assertThat(awaitEnd(goal("three")).path("state").asText())
        .as("without a judgement the steps decide")
        .isEqualTo("succeeded");
  }

  @Test
  void whatAModelHasThoughtOutIsApprovedBeforeItDoesHarm() throws Exception {
    TaskServer.autonomy("supervised");
    try {
      steps.add(says(Map.of("steps", List.of(step("a", "act", Map.of("say", "boom"))))));
      assertThat(SERVED.say("e1", "/plan blow it up")).contains("is being made");
      String question = awaitSaid("May agent worker run act");
      assertThat(question).contains("boom");
      assertThat(worker.runs()).isEmpty();
      Matcher code = CODE.matcher(question);
      assertThat(code.find()).isTrue();
      assertThat(SERVED.say("e2", "/approve " + code.group(1))).contains("passed on");
      assertThat(awaitSaid("has succeeded")).contains("boom");
      assertThat(worker.runs()).hasSize(1);

      steps.add(says(Map.of("steps", List.of(step("a", "act", Map.of("say", "bang"))))));
      assertThat(SERVED.say("e3", "/plan blow it up")).contains("is being made");
      Matcher second = CODE.matcher(awaitSaid("bang"));
      assertThat(second.find()).isTrue();
      assertThat(SERVED.say("e4", "/deny " + second.group(1))).contains("passed on");
      assertThat(awaitSaid("has failed")).contains("rejected");
      assertThat(worker.runs()).hasSize(1);
    } finally {
      TaskServer.autonomy("full");
    }
  }
}
