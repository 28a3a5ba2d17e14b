package dev.holdfast.codingagent;

import static dev.holdfast.codingagent.AgentDouble.data;
import static dev.holdfast.codingagent.AgentDouble.done;
import static dev.holdfast.codingagent.AgentDouble.failure;
import static dev.holdfast.codingagent.AgentDouble.question;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kit.JsonText;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Against what Claude Code writes. */
@Timeout(60)
class ClaudeProgramTest {
  @TempDir Path folder;
  private AgentDouble agent;

  @BeforeEach
  void make() throws Exception {
    agent = new AgentDouble(folder, "claude", "");
  }

  @Test
  void aTaskIsDoneAndWhatItTookIsTold() throws Exception {
    Map<String, Object> answer = agent.set("arguments", List.of("--model", "opus")).work("k1", "x");
    assertThat(done(answer))
        .containsEntry("text", "All done: grüße.")
        .containsEntry("program", "claude")
        .containsEntry("session", "session-1");
    Map<String, Object> usage =
        Map.of(
            "turns", 2L,
            "tool_calls", 0L,
            "tokens_in", 16L,
            "tokens_out", 7L,
            "session_cost", 0.0125,
            "currency", "USD");
    assertThat(done(answer)).containsEntry("usage", usage);
    assertThat(JsonText.map(answer, "result")).containsEntry("metadata", usage);
    assertThat(agent.noted("arguments").getFirst())
        .startsWith("-p --output-format stream-json")
        .contains("--verbose", "--permission-prompt-tool stdio")
        .endsWith("--model opus")
        .doesNotContain("--resume");
  }

  @Test
  void whatItAsksForIsAskedOfAPersonAndThenDoneInTheSameSession() throws Exception {
    Map<String, Object> asks = agent.work("k1", "needs a permission");
    assertThat(question(asks)).contains("Bash: npm test", "command: npm test");
    assertThat(agent.told()).contains("Bash: npm test");
    assertThat(agent.noted("ran")).isEmpty();
    Map<String, Object> answer = agent.answered("k1", "needs a permission", asks, "Allow");
    assertThat(agent.noted("arguments").getLast()).contains("--resume session-1");
    assertThat(agent.noted("prompts").getLast()).contains("allowed exactly this: Bash: npm test");
    assertThat(question(answer)).as("another one").contains("npm publish");
    assertThat(agent.noted("ran")).containsExactly("npm test");
    Map<String, Object> end = agent.answered("k1", "needs a permission", answer, "Reject");
    assertThat(done(end)).containsEntry("text", "All done: grüße.");
    assertThat(agent.noted("ran")).containsExactly("npm test", "npm test");
    assertThat(agent.noted("answers").getLast()).contains("rejected", "\"interrupt\": false");
    assertThat(JsonText.map(done(end), "usage"))
        .as("of all runs of the task")
        .containsEntry("turns", 6L)
        .containsEntry("session_cost", 0.0125);
  }

  @Test
  void anAnswerIsPassedOnOnceWhateverBecomesOfIt() throws Exception {
    Map<String, Object> asks = agent.work("k1", "a permission that dies later");
    assertThat(failure(agent.answered("k1", "a permission that dies later", asks, "Allow")))
        .contains("exit code 3");
    agent.answered("k1", "a permission that dies later", asks, "Allow");
    assertThat(agent.noted("prompts").get(1)).contains("allowed exactly this");
    assertThat(agent.noted("prompts").get(2))
        .contains("You were cut off")
        .doesNotContain("allowed exactly this");
  }

  @Test
  void oneThatDoesNotStopWhenItIsToldToIsEndedAndThePersonAsked() throws Exception {
    assertThat(question(agent.work("k1", "a permission, and be deaf"))).contains("npm test");
  }

  @Test
  void anApprovalHoldsForItsTaskAlone() throws Exception {
    Map<String, Object> asks = agent.work("k1", "needs a permission");
    agent.answered("k1", "needs a permission", asks, "Allow");
    assertThat(question(agent.work("k2", "needs a permission"))).contains("npm test");
  }

  @Test
  void theNextTaskOfTheThreadGoesOnInItsSessionAndAnotherThreadDoesNot() throws Exception {
    done(agent.work("k1", "one"));
    done(agent.work("k2", "two"));
    assertThat(agent.noted("arguments").getLast()).contains("--resume session-1");
    done(agent.work("k3", "t", Map.of("task", "three", "new_session", true), Map.of()));
    assertThat(agent.noted("arguments").getLast()).doesNotContain("--resume");
    done(agent.work("k4", "other", Map.of("task", "four"), Map.of()));
    assertThat(agent.noted("arguments").getLast()).doesNotContain("--resume");
    done(agent.work("k5", "", Map.of("task", "five"), Map.of()));
    done(agent.work("k6", "", Map.of("task", "six"), Map.of()));
    assertThat(agent.noted("arguments").getLast()).doesNotContain("--resume");
  }

  @Test
  void whatIsDoneIsNotDoneAgain() throws Exception {
    Map<String, Object> first = done(agent.work("k1", "one"));
    assertThat(done(agent.work("k1", "one"))).isEqualTo(first);
    assertThat(agent.noted("prompts")).hasSize(1);
    assertThat(done(agent.run("check", Map.of("idempotency_key", "k1"), Map.of())))
        .containsEntry("state", "done")
        .containsEntry("output", first);
    assertThat(done(agent.run("check", Map.of("idempotency_key", "k2"), Map.of())))
        .isEqualTo(Map.of("state", "not_done"));
  }

  @Test
  void aTaskThatFailedGoesOnInItsSession() throws Exception {
    assertThat(failure(agent.work("k1", "overloaded")))
        .isEqualTo("500 Claude Code stopped: API Error: 529 Overloaded");
    assertThat(failure(agent.work("k1", "overloaded"))).startsWith("500");
    assertThat(agent.noted("arguments").getLast()).contains("--resume session-1");
    assertThat(agent.noted("prompts").getLast()).contains("You were cut off", "overloaded");
    assertThat(failure(agent.work("k2", "too long"))).startsWith("422");
    assertThat(failure(agent.work("k3", "die"))).contains("500", "exit code 3", "it broke");
  }

  @Test
  void aSessionThatIsLostIsBegunAnewWithTheTask() throws Exception {
    Map<String, Object> asks = agent.work("k1", "needs a permission");
    Map<String, Object> state = JsonText.map(data(asks), "state");
    state.put("session", "session-lost");
    new RecordFolder(folder.resolve("own/tasks")).put("k9", Map.of());
    Map<String, Object> answer =
        agent.work(
            "k9",
            "t",
            Map.of("task", "needs a permission"),
            Map.of("answer", "Allow", "state", state));
    assertThat(done(answer)).containsEntry("session", "session-1");
    assertThat(agent.noted("ran")).containsExactly("npm test");
    assertThat(agent.noted("prompts").getLast()).isEqualTo("\"needs a permission\"");
  }

  @Test
  void oneThatSaysNothingIsEndedWithAllThatItHasStarted() throws Exception {
    assertThat(failure(agent.set("idle_secs", 1).work("k1", "stall")))
        .startsWith("504 The coding agent has said nothing for 1 s");
    assertThat(
            ProcessHandle.allProcesses()
                .anyMatch(
                    each ->
                        each.info()
                            .commandLine()
                            .filter(line -> line.contains("86333.25"))
                            .isPresent()))
        .isFalse();
  }

  @Test
  void oneThatTakesLongerThanTheCallMayIsEnded() throws Exception {
    assertThat(
            failure(
                agent.run(
                    "work",
                    Map.of("task", "stall"),
                    Map.of("idempotency_key", "k1", "thread_id", "t", "timeout_secs", 11))))
        .startsWith(
            "504 The coding agent took longer than 1 s (its limit of 11 s less 10 s to end it in order)");
  }

  @Test
  void itWorksInItsFoldersAlone() throws Exception {
    assertThat(
            failure(
                agent.work("k1", "t", Map.of("task", "x", "folder", folder.toString()), Map.of())))
        .startsWith("403");
    assertThat(agent.noted("prompts")).isEmpty();
  }
}
