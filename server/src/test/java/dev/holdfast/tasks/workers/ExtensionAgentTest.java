package dev.holdfast.tasks.workers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.extensions.AttemptAnswer;
import dev.holdfast.extensions.TaskCall;
import dev.holdfast.tasks.rules.TaskFailure;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExtensionAgentTest {
  private static final Assignment ASSIGNMENT =
      new Assignment(
          "plan",
          "task",
          "key",
          3,
          "write",
          "{\"a\":1}",
          new Assignment.Origin("web:main:t", "event", "ann"),
          Duration.ofSeconds(7));

  private final FakeExtensionActions extensions = new FakeExtensionActions();
  private final ExtensionAgent agent =
      new ExtensionAgent("writer", "files", AgentSettings.DEFAULT, extensions);

  @Test
  void itDoesWhatTheExtensionDoes() {
    extensions.offer("files", "read", "write");
    assertThat(agent.actions())
        .containsExactly(
            new AgentAction("read", "does read", "{}", ReplayClass.KEYED),
            new AgentAction("write", "does write", "{}", ReplayClass.KEYED));
    assertThat(agent.action("write")).isPresent();
    assertThat(agent.action("files_write")).isEmpty();
  }

  @Test
  void withoutTheExtensionItDoesNothing() {
    assertThat(agent.actions()).isEmpty();
  }

  @Test
  void theExtensionIsGivenAllOfTheAssignment() throws Exception {
    extensions.answer = new AttemptAnswer.Done("[1]");
    assertThat(agent.attempt(ASSIGNMENT)).isEqualTo(new AttemptResult.Done("[1]"));
    assertThat(extensions.asked).containsExactly("files");
    assertThat(extensions.calls)
        .containsExactly(
            new TaskCall(
                "writer",
                "plan",
                "task",
                "key",
                3,
                "write",
                "{\"a\":1}",
                "web:main:t",
                "event",
                "ann",
                Duration.ofSeconds(7)));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFailureKeepsItsCodeItsWordsAndItsDoubt(boolean settled) throws Exception {
    extensions.answer = new AttemptAnswer.Failed(Failure.of(FailureCode.IO, "no room"), settled);
    assertThat(agent.attempt(ASSIGNMENT))
        .isEqualTo(new AttemptResult.Failed(new TaskFailure(FailureCode.IO, "no room", settled)));
    assertThat(extensions.calls).as("it makes one attempt").hasSize(1);
  }
}
