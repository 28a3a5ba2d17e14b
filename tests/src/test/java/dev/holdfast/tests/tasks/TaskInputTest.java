package dev.holdfast.tests.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.AgentScript;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.PlanApi;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tasks that wait for people, and those that were given up, in the real jar. */
@Timeout(300)
@ResourceLock(TaskServer.LOCK)
class TaskInputTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Pattern CODE = Pattern.compile("/(?:answer|approve) ([0-9A-F]{8})");
  private static final String TASKS = "/api/v1/tasks";

  @RegisterExtension static final Served SERVED = TaskServer.SERVED;

  private final ServerRig rig = SERVED.rig();
  private final PlanApi plans = new PlanApi(rig);
  private AgentScript worker;

  @BeforeEach
  void begin() throws IOException {
    worker = TaskServer.agent("checked");
  }

  private static String delegate(String action, Map<String, Object> payload) {
    return ShellRig.call(
        "delegate", Map.of("agent", "checked", "action", action, "payload", payload));
  }

  private static String code(String question) {
    Matcher code = CODE.matcher(question);
    assertThat(code.find()).as(question).isTrue();
    return code.group(1);
  }

  private String awaitSaid(String words) {
    return rig.platform().awaitSaid(words, LIMIT);
  }

  private String plan(String action, Map<String, Object> payload) throws IOException {
    return plans.make(worker.id(), action, payload);
  }

  private JsonNode awaitState(String plan, String state) {
    return plans.awaitState(plan, state, LIMIT);
  }

  @Test
  void whatAnAgentAsksIsAnsweredInTheChatAfterAKill() throws Exception {
    Map<String, Object> ask = Map.of("question", "Which colour?", "state", Map.of("page", 3));
    assertThat(SERVED.say("e1", delegate("act", Map.of("ask", ask)))).contains("runs");
    String code = code(awaitSaid("Which colour?"));
    rig.server().kill9();
    rig.start();
    assertThat(SERVED.say("e2", "/plans")).contains("waits for you").contains(code);
    assertThat(SERVED.say("e3", "/answer " + code + " deep blue"))
        .isEqualTo("Your answer was passed on.");
    assertThat(awaitSaid("has succeeded")).contains("deep blue").contains("page");
    assertThat(SERVED.say("e4", "/answer " + code + " red")).contains("Nothing is waiting");
    assertThat(worker.runs()).as("once to ask, once with the answer").hasSize(2);
    assertThat(rig.platform().posts().stream().filter(post -> post.text().contains("asks:")))
        .as("it is asked once")
        .hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"approve, Allow", "deny, Reject"})
  void anApprovalIsGivenOrNot(String command, String told) throws Exception {
    Map<String, Object> ask = Map.of("question", "Delete it all?", "kind", "approval");
    assertThat(SERVED.say("e1", delegate("act", Map.of("ask", ask)))).contains("runs");
    String code = code(awaitSaid("Delete it all?"));
    assertThat(SERVED.say("e2", "/answer " + code + " maybe")).contains("one of");
    assertThat(SERVED.say("e3", "/" + command + " " + code))
        .isEqualTo("Your answer was passed on.");
    assertThat(awaitSaid("has succeeded")).contains(told);
  }

  @Test
  void aCredentialIsNeitherTakenInAChatNorShownAgain() throws Exception {
    Map<String, Object> ask = Map.of("question", "The key of the shop?", "kind", "credential");
    assertThat(SERVED.say("e1", delegate("keep", Map.of("ask", ask)))).contains("runs");
    assertThat(awaitSaid("The key of the shop?")).contains("do not send it here");
    JsonNode task = rig.api().get(TASKS + "?state=awaiting_input").json().path("tasks").path(0);
    String id = task.path("task_id").asText();
    String code = task.path("input").path("input_id").asText().substring(28);
    assertThat(SERVED.say("e2", "/answer " + code + " hush-7261")).contains("not passed this on");
    Answer given = rig.api().post(TASKS + "/" + id + "/input", Map.of("answer", "hush-9984"));
    assertThat(given.status()).as(given.body()).isEqualTo(200);
    assertThat(awaitSaid("has succeeded")).contains("[credential]").doesNotContain("hush-9984");
    assertThat(rig.api().get(TASKS + "/" + id).body()).doesNotContain("hush-9984");
    assertThat(rig.api().get("/api/v1/audit").body()).doesNotContain("hush-9984");
    assertThat(rig.api().post(TASKS + "/" + id + "/input", Map.of("answer", "x")).status())
        .isEqualTo(409);
  }

  @Test
  void theDeadlineEndsTheWaitAndTheTaskIsTriedAgainByHand() throws Exception {
    List<String> before = letters();
    // Five seconds of the machine: at its second try it is answered before.
    String waits = plan("look", Map.of("ask", Map.of("question", "Why?", "deadline_secs", 20)));
    String falls =
        plan(
            "look",
            Map.of(
                "ask",
                Map.of(
                    "question",
                    "Which?",
                    "choices",
                    List.of("a", "b"),
                    "at_deadline",
                    "b",
                    "deadline_secs",
                    1)));
    JsonNode lost = awaitState(waits, "dead_lettered");
    assertThat(lost.path("reason").asText()).isEqualTo("nobody has answered in time");
    assertThat(awaitState(falls, "succeeded").path("output").path("told").asText()).isEqualTo("b");

    String task = lost.path("task_id").asText();
    assertThat(letters()).as("the other one is none").hasSize(before.size() + 1).contains(task);
    Answer replayed =
        Await.value(
            "its plan has ended",
            LIMIT,
            () ->
                Optional.of(rig.api().post("/api/v1/dead-letters/" + task + "/replay", Map.of()))
                    .filter(answer -> answer.status() != 409));
    assertThat(replayed.status()).as(replayed.body()).isEqualTo(200);
    String again = replayed.json().path("plan_id").asText();
    JsonNode asks = awaitState(again, "awaiting_input");
    Answer answered =
        rig.api()
            .post(
                TASKS + "/" + asks.path("task_id").asText() + "/input",
                Map.of("answer", "because"));
    assertThat(answered.status()).as(answered.body()).isEqualTo(200);
    JsonNode done = awaitState(again, "succeeded");
    assertThat(done.path("output").path("told").asText()).isEqualTo("because");
    assertThat(rig.api().get(PlanApi.PLANS + "/" + again).json().path("retry_of").asText())
        .isEqualTo(waits);
    assertThat(rig.api().post(TASKS + "/" + task + "/retry", Map.of()).status()).isEqualTo(409);
    assertThat(letters()).isEqualTo(before);
  }

  private List<String> letters() throws IOException {
    JsonNode letters = rig.api().get("/api/v1/dead-letters?kind=task").json();
    List<String> ids = letters.path("dead_letters").findValuesAsText("id");
    assertThat(letters.path("counts").path("task").asInt()).isEqualTo(ids.size());
    return ids;
  }

  @Test
  void whatWasCutOffIsLookedAtBeforeAnythingRunsTwice() throws Exception {
    Map<String, String> made = new LinkedHashMap<>();
    made.put("done", plan("act", Map.of("marks", "done", "sleep", 30)));
    made.put("half", plan("act", Map.of("marks", "half", "sleep", 30)));
    made.put("not_done", plan("act", Map.of("sleep", 30)));
    made.values().forEach(plan -> awaitState(plan, "in_progress"));
    Await.until(
        "each has come as far as it does",
        LIMIT,
        () -> worker.runs().size() == 3 && worker.marks().size() == 3);
    rig.server().kill9();
    rig.start();
    for (Map.Entry<String, String> plan : made.entrySet()) {
      String state = plan.getKey();
      JsonNode step = awaitState(plan.getValue(), "succeeded");
      String task = step.path("task_id").asText();
      assertThat(step.path("output").asText()).isEqualTo(state.equals("done") ? "found" : "done");
      assertThat(worker.runs()).as(state).containsOnlyOnce("check " + task);
      assertThat(worker.runs().stream().filter(("act " + task)::equals))
          .as(state)
          .hasSize(state.equals("done") ? 1 : 2);
      assertThat(worker.runs().stream().filter(("rollback " + task)::equals))
          .as(state)
          .hasSize(state.equals("half") ? 1 : 0);
    }
  }

  @Test
  void oneTaskOfAPlanIsCancelled() throws Exception {
    String plan = plan("look", Map.of("ask", Map.of("question", "Why?")));
    String task = awaitState(plan, "awaiting_input").path("task_id").asText();
    assertThat(rig.api().post(TASKS + "/" + task + "/cancel", Map.of()).status()).isEqualTo(200);
    assertThat(plans.step(plan).path("state").asText()).isEqualTo("cancelled");
    assertThat(rig.api().get(TASKS).json().path("tasks")).isEmpty();
    assertThat(rig.api().post(TASKS + "/" + task + "/cancel", Map.of()).status()).isEqualTo(409);
  }
}
