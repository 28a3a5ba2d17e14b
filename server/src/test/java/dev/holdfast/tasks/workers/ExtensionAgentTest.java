package dev.holdfast.tasks.workers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.extensions.AttemptAnswer;
import dev.holdfast.extensions.TaskCall;
import dev.holdfast.tasks.rules.InputKind;
import dev.holdfast.tasks.rules.InputQuestion;
import dev.holdfast.tasks.rules.TaskFailure;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
          Duration.ofSeconds(7),
          "",
          _ -> {},
          null);

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
                Duration.ofSeconds(7),
                ASSIGNMENT.progress(),
                null));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFailureKeepsItsCodeItsWordsAndItsDoubt(boolean settled) throws Exception {
    extensions.answer = new AttemptAnswer.Failed(Failure.of(FailureCode.IO, "no room"), settled);
    assertThat(agent.attempt(ASSIGNMENT))
        .isEqualTo(new AttemptResult.Failed(new TaskFailure(FailureCode.IO, "no room", settled)));
    assertThat(extensions.calls).as("it makes one attempt").hasSize(1);
  }

  @Test
  void whatAPersonHasAnsweredGoesAlong() throws Exception {
    Assignment.Input input = new Assignment.Input("blue", "ann", "{\"page\":3}");
    AttemptResult _ =
        agent.attempt(
            new Assignment(
                "plan",
                "task",
                "key",
                4,
                "write",
                "{}",
                ASSIGNMENT.origin(),
                ASSIGNMENT.limit(),
                "",
                _ -> {},
                input));
    assertThat(extensions.calls.getFirst().input())
        .isEqualTo(
            new JsonObject()
                .put("answer", "blue")
                .put("by", "ann")
                .put("state", new JsonObject().put("page", 3)));
  }

  private AttemptResult asked(String json) throws Exception {
    extensions.answer = new AttemptAnswer.Asks(new JsonObject(json));
    return agent.attempt(ASSIGNMENT);
  }

  @Test
  void itAsksWhatItsActionAsks() throws Exception {
    assertThat(asked("{\"question\": \"Which colour?\"}"))
        .isEqualTo(
            new AttemptResult.Asks(
                new InputQuestion(
                    InputKind.ANSWER,
                    "Which colour?",
                    List.of(),
                    InputQuestion.PATIENCE,
                    null,
                    "{}")));
    assertThat(
            asked(
                """
                {"kind": "approval", "question": "Delete it?", "deadline_secs": 60,
                 "state": {"file": "a"}}
                """))
        .isEqualTo(
            new AttemptResult.Asks(
                new InputQuestion(
                    InputKind.APPROVAL,
                    "Delete it?",
                    List.of("Allow", "Reject"),
                    Duration.ofMinutes(1),
                    null,
                    "{\"file\":\"a\"}")));
    assertThat(
            asked(
                """
                {"question": "Which?", "choices": ["a", "b"], "at_deadline": "b"}
                """))
        .isInstanceOfSatisfying(
            AttemptResult.Asks.class,
            asks -> assertThat(asks.question().fallback()).isEqualTo("b"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "kind": "gift"            | kind is not answer, approval or credential
          "kind": 1                 | kind is not a text
          "choices": [1]            | choices is not a list of texts
          "choices": "a"            | choices is not a list of texts
          "deadline_secs": "60"     | deadline_secs is not a number
          "at_deadline": 5          | at_deadline is not a text
          "state": []               | state is not a JSON object
          "state": {}, "question": 1 | question is not a text
          """)
  void whatIsWrongWithAQuestionIsNamed(String part, String problem) throws Exception {
    assertThat(asked("{\"question\": \"q\", " + part + "}"))
        .isEqualTo(
            new AttemptResult.Failed(
                new TaskFailure(
                    FailureCode.BACKEND_FAILURE,
                    "agent writer asked for input in a way that cannot be understood: " + problem,
                    false)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"question\": \" \"}",
        "{\"question\": \"q\", \"kind\": \"gift\"}",
        "{\"question\": \"q\", \"choices\": [\"a\", \"a\"]}",
        "{\"question\": \"q\", \"choices\": [1]}",
        "{\"question\": \"q\", \"kind\": \"approval\", \"choices\": [\"a\"]}",
        "{\"question\": \"q\", \"deadline_secs\": 0}",
        "{\"question\": \"q\", \"deadline_secs\": 99999999}",
        "{\"question\": \"q\", \"choices\": [\"a\"], \"at_deadline\": \"b\"}",
        "{\"question\": \"q\", \"kind\": \"credential\", \"at_deadline\": \"b\"}",
        "{\"question\": \"q\", \"state\": []}"
      })
  void aQuestionThatIsNoneIsAFailure(String json) throws Exception {
    assertThat(asked(json))
        .isInstanceOfSatisfying(
            AttemptResult.Failed.class,
            failed -> {
              assertThat(failed.failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
              assertThat(failed.failure().message()).contains("cannot be understood");
              assertThat(failed.failure().settled()).as("it may have done something").isFalse();
            });
  }
}
