package dev.holdfast.extensions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ReplayClass;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Attempts at tasks by real servers of the Model Context Protocol. */
@Timeout(60)
class McpAttemptTest extends AttemptCase {
  @Test
  void itsActionsAreTheToolsThatAreOffered() throws Exception {
    String rules = "  tools: {allow: [echo, a*], replay: {echo: read}}\n";
    rig.serve(ExtensionRig.server("demo", List.of(), rules));
    List<ExtensionAction> actions = rig.extensions().actions("demo");
    assertThat(actions).extracting(ExtensionAction::name).containsExactly("add", "ask", "echo");
    assertThat(actions)
        .extracting(ExtensionAction::replay)
        .containsExactly(ReplayClass.UNSAFE, ReplayClass.UNSAFE, ReplayClass.READ);
    assertThat(actions.getFirst().schema()).contains("integer");
  }

  @Test
  void theReaderOfResourcesIsForModelsAlone() throws Exception {
    rig.serve(ExtensionRig.server("demo", "features"));
    assertThat(rig.offered()).contains("demo_read_resource");
    assertThat(rig.extensions().actions("demo"))
        .extracting(ExtensionAction::name)
        .doesNotContain("read_resource");
  }

  @Test
  void whatNobodyHasApprovedIsNoAction() throws Exception {
    rig.trustsFirstList = false;
    rig.serve(ExtensionRig.server("demo"));
    assertThat(rig.extensions().actions("demo")).isEmpty();
    AttemptAnswer.Failed failed = failed(attempt("demo", "echo", "{}"));
    assertThat(failed.failure().code()).isEqualTo(FailureCode.ACTION_NOT_SUPPORTED);
    assertThat(failed.settled()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"first", "modern"})
  void aTextIsTheOutputAndStructuredContentIfThereIsSome(String flag) throws Exception {
    rig.serve(ExtensionRig.server("demo", flag));
    assertThat(output(attempt("demo", "echo", "{\"a\":1}"))).isEqualTo("echo {\"a\": 1}");
    assertThat(output(attempt("demo", "structured", "{\"n\":3}"))).isEqualTo("{\"n\":3}");
    assertThat(rig.counted("holdfast.extension.calls", "id", "demo", "outcome", "ok")).isEqualTo(2);
  }

  @Test
  void aServerIsStartedWhenTheFirstTaskComes() throws Exception {
    List<String> _ = rig.declare(ExtensionRig.server("demo"));
    assertThat(output(attempt("demo", "echo", "{}"))).isEqualTo("echo {}");
  }

  @ParameterizedTest
  @CsvSource({
    "fail, {}, BACKEND_FAILURE, it went wrong",
    "refuse, {}, INVALID_REQUEST, no such argument",
    "add, {}, INVALID_REQUEST, payload",
    "grown, {}, ACTION_NOT_SUPPORTED, grown",
    "demo_echo, {}, ACTION_NOT_SUPPORTED, demo_echo"
  })
  void whatTheServerSaysAndWhatItIsNotAskedIsSettled(
      String tool, String payload, FailureCode code, String words) throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    AttemptAnswer.Failed failed = failed(attempt("demo", tool, payload));
    assertThat(failed.failure().code()).isEqualTo(code);
    assertThat(failed.failure().message()).contains(words);
    assertThat(failed.settled()).isTrue();
  }

  @Test
  void aResultThatDoesNotFitItsSchemaLeavesTheWorkInDoubt() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    AttemptAnswer.Failed failed = failed(attempt("demo", "structured", "{\"n\":\"x\"}"));
    assertThat(failed.failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
    assertThat(failed.settled()).isFalse();
  }

  @Test
  void aServerThatDiesLeavesTheWorkInDoubt() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    AttemptAnswer.Failed failed = failed(attempt("demo", "die", "{}"));
    assertThat(failed.failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
    assertThat(failed.settled()).isFalse();
  }

  @Test
  void anAnswerThatDoesNotComeIsATimeout() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    AttemptAnswer.Failed failed =
        failed(rig.extensions().attempt("demo", task("hang", "{}", Duration.ofSeconds(1))));
    assertThat(failed.failure().code()).isEqualTo(FailureCode.TIMEOUT);
    assertThat(failed.settled()).isFalse();
  }

  @Test
  void aServerThatCannotBeStartedIsSettled() throws Exception {
    List<String> _ = rig.declare("- {id: demo, command: [no-such-program-here]}\n");
    rig.await("demo", ExtensionState.PARKED);
    AttemptAnswer.Failed failed = failed(attempt("demo", "echo", "{}"));
    assertThat(failed.failure().code()).isEqualTo(FailureCode.IO);
    assertThat(failed.settled()).isTrue();
  }

  @Test
  void attemptsPassByTheBreaker() throws Exception {
    rig.serve(ExtensionRig.server("demo", List.of(), "  timeouts: {call_secs: 1}\n"));
    for (int i = 0; i < 6; i++) {
      AttemptAnswer _ = rig.extensions().attempt("demo", task("hang", "{}", Duration.ofMillis(50)));
    }
    assertThat(rig.call("demo_echo").isError()).isFalse();
  }
}
