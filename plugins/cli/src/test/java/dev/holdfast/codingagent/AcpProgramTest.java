package dev.holdfast.codingagent;

import static dev.holdfast.codingagent.AgentDouble.done;
import static dev.holdfast.codingagent.AgentDouble.failure;
import static dev.holdfast.codingagent.AgentDouble.question;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Against an agent that does what the schema of the Agent Client Protocol says. */
@Timeout(60)
class AcpProgramTest {
  @TempDir Path folder;

  private AgentDouble agent(String offers) throws Exception {
    return new AgentDouble(folder, "acp", offers);
  }

  @Test
  void aTaskIsDoneAndItsLastWordsAreTheAnswer() throws Exception {
    AgentDouble agent = agent("load").set("mode", "code").set("auth_method", "api-key");
    assertThat(done(agent.work("k1", "look at the files")))
        .containsEntry("text", "All done.")
        .containsEntry("session", "acp-1")
        .containsEntry(
            "usage",
            Map.of(
                "turns", 1L,
                "tool_calls", 1L,
                "tokens_in", 9L,
                "tokens_out", 3L,
                "session_cost", 0.25,
                "currency", "EUR"));
    assertThat(agent.told()).containsExactly("Read notes.txt");
    assertThat(agent.noted("refused").getFirst()).as("no files are offered").contains("-32601");
    assertThat(String.join("\n", agent.noted("messages")))
        .contains("\"methodId\":\"api-key\"", "\"modeId\":\"code\"", "\"readTextFile\":false");
  }

  @ParameterizedTest
  @CsvSource({"load, session/load", "resume, session/resume"})
  void aPermissionIsAskedForAndGivenOnceInTheSameSession(String offers, String method)
      throws Exception {
    AgentDouble agent = agent(offers);
    Map<String, Object> asks = agent.work("k1", "needs a permission");
    assertThat(question(asks)).contains("npm publish", "command: npm publish");
    assertThat(agent.noted("outcomes")).containsExactly("{\"outcome\": \"cancelled\"}");
    assertThat(String.join("\n", agent.noted("messages"))).contains("session/cancel");
    assertThat(done(agent.answered("k1", "needs a permission", asks, "Allow")))
        .containsEntry("text", "All done.");
    assertThat(agent.noted("outcomes").getLast()).contains("\"optionId\": \"yes\"");
    assertThat(String.join("\n", agent.noted("messages"))).contains(method);
    assertThat(agent.told()).as("what was said before").doesNotContain("OLD");
  }

  @Test
  void aRejectionIsPassedOn() throws Exception {
    AgentDouble agent = agent("load");
    Map<String, Object> asks = agent.work("k1", "needs a permission");
    done(agent.answered("k1", "needs a permission", asks, "Reject"));
    assertThat(agent.noted("outcomes").getLast()).contains("\"optionId\": \"no\"");
  }

  @Test
  void oneThatKeepsNoSessionsBeginsAnewWithTheApproval() throws Exception {
    AgentDouble agent = agent("nothing");
    Map<String, Object> asks = agent.work("k1", "needs a permission");
    done(agent.answered("k1", "needs a permission", asks, "Allow"));
    assertThat(agent.noted("prompts").getLast()).isEqualTo("\"needs a permission\"");
    assertThat(agent.noted("outcomes").getLast()).contains("\"optionId\": \"yes\"");
  }

  @Test
  void oneThatWantsALoginAndOneThatRefusesAreTold() throws Exception {
    assertThat(failure(agent("login").work("k1", "x")))
        .startsWith("403")
        .contains("Set auth_method to one of: api-key");
    assertThat(failure(agent("load").work("k2", "refuse"))).startsWith("422");
  }
}
