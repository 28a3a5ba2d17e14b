package dev.holdfast.tests.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.AgentScript;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.PlanApi;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tasks that wait for people, and those that were given up, in the real jar. */
@Timeout(300)
class TaskInputTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Pattern CODE = Pattern.compile("/(?:answer|approve) ([0-9A-F]{8})");
  private static final String TASKS = "/api/v1/tasks";

  private final ServerRig rig = new ServerRig();
  private final PlanApi plans = new PlanApi(rig);
  private final AgentScript worker = new AgentScript(rig, "worker");

  @AfterEach
  void end() {
    rig.close();
  }

  private void start() {
    rig.setup().set("extensions", List.of(worker.checkable()));
    rig.start();
  }

  private static String delegate(String action, Map<String, Object> payload) {
    return ShellRig.call(
        "delegate", Map.of("agent", "worker", "action", action, "payload", payload));
  }

  private String say(String event, String text) {
    return rig.converse(event, "t", text).text();
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
    return plans.make("worker", action, payload);
  }

  private JsonNode awaitState(String plan, String state) {
    return plans.awaitState(plan, state, LIMIT);
  }

  @Test
  void whatAnAgentAsksIsAnsweredInTheChatAfterAKill() throws Exception {
    start();
    Map<String, Object> ask = Map.of("question", "Which colour?", "state", Map.of("page", 3));
    assertThat(say("e1", delegate("act", Map.of("ask", ask)))).contains("runs");
    String code = code(awaitSaid("Which colour?"));
    rig.server().kill9();
    rig.start();
    assertThat(say("e2", "/plans")).contains("waits for you").contains(code);
    assertThat(say("e3", "/answer " + code + " deep blue")).isEqualTo("Your answer was passed on.");
    assertThat(awaitSaid("has succeeded")).contains("deep blue").contains("page");
    assertThat(say("e4", "/answer " + code + " red")).contains("Nothing is waiting");
    assertThat(worker.runs()).as("once to ask, once with the answer").hasSize(2);
    assertThat(rig.platform().posts().stream().filter(post -> post.text().contains("asks:")))
        .as("it is asked once")
        .hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"approve, Allow", "deny, Reject"})
  void anApprovalIsGivenOrNot(String command, String told) throws Exception {
    start();
    Map<String, Object> ask = Map.of("question", "Delete it all?", "kind", "approval");
    assertThat(say("e1", delegate("act", Map.of("ask", ask)))).contains("runs");
    String code = code(awaitSaid("Delete it all?"));
    assertThat(rig.converse("e2", "t", "/answer " + code + " maybe").text()).contains("one of");
    assertThat(say("e3", "/" + command + " " + code)).isEqualTo("Your answer was passed on.");
    assertThat(awaitSaid("has succeeded")).contains(told);
  }

  @Test
  void aCredentialIsNeitherTakenInAChatNorShownAgain() throws Exception {
    start();
    Map<String, Object> ask = Map.of("question", "The key of the shop?", "kind", "credential");
    assertThat(say("e1", delegate("keep", Map.of("ask", ask)))).contains("runs");
    assertThat(awaitSaid("The key of the shop?")).contains("do not send it here");
    JsonNode task = rig.api().get(TASKS + "?state=awaiting_input").json().path("tasks").path(0);
    String id = task.path("task_id").asText();
    String code = task.path("input").path("input_id").asText().substring(28);
    assertThat(say("e2", "/answer " + code + " hush-7261")).contains("not passed this on");
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
    start();
    String waits = plan("look", Map.of("ask", Map.of("question", "Why?", "deadline_secs", 1)));
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

    JsonNode letters = rig.api().get("/api/v1/dead-letters?kind=task").json();
    assertThat(letters.path("counts").path("task").asInt()).isEqualTo(1);
    String task = letters.path("dead_letters").path(0).path("id").asText();
    assertThat(task).isEqualTo(lost.path("task_id").asText());
    Answer replayed = rig.api().post("/api/v1/dead-letters/" + task + "/replay", Map.of());
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
    assertThat(rig.api().get("/api/v1/dead-letters").json().path("counts").path("task").asInt())
        .isZero();
  }

  @ParameterizedTest
  @CsvSource({"done, 1, found", "half, 2, done", "not_done, 2, done"})
  void whatWasCutOffIsLookedAtBeforeAnythingRunsTwice(String state, int runs, String output)
      throws Exception {
    start();
    String plan =
        plan(
            "act",
            state.equals("not_done") ? Map.of("sleep", 30) : Map.of("marks", state, "sleep", 30));
    Await.until("it runs", LIMIT, () -> worker.runs().size() == 1);
    awaitState(plan, "in_progress");
    Thread.sleep(700); // it marks how far it has come
    rig.server().kill9();
    rig.start();
    JsonNode step = awaitState(plan, "succeeded");
    assertThat(step.path("output").asText()).isEqualTo(output);
    assertThat(worker.runs().stream().filter(run -> run.startsWith("act"))).hasSize(runs);
    assertThat(worker.runs().stream().filter(run -> run.startsWith("check"))).hasSize(1);
    assertThat(worker.runs().stream().filter(run -> run.startsWith("rollback")))
        .hasSize(state.equals("half") ? 1 : 0);
  }

  @Test
  void oneTaskOfAPlanIsCancelled() throws Exception {
    start();
    String plan = plan("look", Map.of("ask", Map.of("question", "Why?")));
    String task = awaitState(plan, "awaiting_input").path("task_id").asText();
    assertThat(rig.api().post(TASKS + "/" + task + "/cancel", Map.of()).status()).isEqualTo(200);
    assertThat(plans.step(plan).path("state").asText()).isEqualTo("cancelled");
    assertThat(rig.api().get(TASKS).json().path("tasks")).isEmpty();
    assertThat(rig.api().post(TASKS + "/" + task + "/cancel", Map.of()).status()).isEqualTo(409);
  }
}
