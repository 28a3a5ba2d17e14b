package dev.holdfast.extensions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.time.TimedWait;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Attempts at tasks, with one real child each. */
@Timeout(60)
class ActionAttemptTest extends AttemptCase {
  private static final String NUMBER =
      "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}},\"required\":[\"n\"]}";

  /** Takes the id of the request out of what it reads. */
  private static final String ID = "id=$(sed 's/.*\"request_id\":\"\\([^\"]*\\)\".*/\\1/'); ";

  private Path file(String name) {
    return rig.folder.resolve("job/files").resolve(name);
  }

  private void declare(String script) throws Exception {
    declare(script, "");
  }

  private void declare(String script, String resultSchema) throws Exception {
    Files.createDirectories(file(""));
    Files.writeString(file("script"), script);
    List<String> _ =
        rig.declare(
            """
            - id: job
              protocol: action
              command: [bash, script]
              limits: {output_bytes: 10000}
              tools: {replay: {look: read}}
              actions:
                - {name: run, description: runs, schema: '%s', result_schema: '%s'}
                - name: look
            """
                .formatted(NUMBER, resultSchema));
  }

  private static String answer(String rest) {
    return ID + "printf '{\"request_id\":\"%s\",\"api_version\":\"v1\"," + rest + "}' \"$id\"";
  }

  private static String success(String data) {
    return answer("\"status\":\"success\",\"code\":0,\"result\":{\"data\":" + data + "}");
  }

  private static String error(String rest) {
    return answer("\"status\":\"error\"," + rest);
  }

  private AttemptAnswer attempt() throws InterruptedException {
    return attempt("job", "run", "{\"n\":3}");
  }

  private static boolean runs(String argument) {
    return ProcessHandle.allProcesses()
        .anyMatch(
            process ->
                process.info().commandLine().filter(line -> line.contains(argument)).isPresent());
  }

  @Test
  void itsActionsHaveTheNamesThatItGivesThem() throws Exception {
    declare("exit 0");
    assertThat(rig.extensions().ids()).containsExactly("job");
    assertThat(rig.extensions().actions("job"))
        .containsExactly(
            new ExtensionAction("look", "", "{\"type\":\"object\"}", ReplayClass.READ),
            new ExtensionAction("run", "runs", NUMBER, ReplayClass.UNSAFE));
    assertThat(rig.extensions().actions("other")).isEmpty();
  }

  @Test
  void aRequestNamesItsPlanAndItsTask() throws Exception {
    declare("tee request | { " + success("{\"n\":4}") + "; }");
    assertThat(output(attempt())).isEqualTo("{\"n\":4}");
    JsonObject request = new JsonObject(Files.readString(file("request")));
    assertThat(request)
        .isEqualTo(
            new JsonObject(
                """
                {"request_id": "task-key", "api_version": "v1", "tool": "job", "action": "run",
                 "context": {"thread_id": "web:main:t", "event_id": "event-1", "sender": "ann",
                   "idempotency_key": "task-key", "attempt": 2, "timeout_secs": 30},
                 "plan_id": "plan-1", "task_id": "task-1", "correlation_id": "event-1",
                 "payload": {"n": 3}}
                """));
  }

  @Test
  void withoutAnEventThePlanCorrelates() throws Exception {
    declare("tee request | { " + success("1") + "; }");
    TaskCall call =
        new TaskCall(
            "worker",
            "plan-1",
            "task-1",
            "key",
            1,
            "run",
            "{\"n\":3}",
            "",
            "",
            "",
            Duration.ofSeconds(30),
            _ -> {},
            null);
    assertThat(output(rig.extensions().attempt("job", call))).isEqualTo("1");
    assertThat(new JsonObject(Files.readString(file("request"))).getString("correlation_id"))
        .isEqualTo("plan-1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"a\":[1]}", "[1,\"x\",null]", "12.5", "\"words\"", "true", "null"})
  void theOutputIsTheDataAsJson(String data) throws Exception {
    declare(success(data));
    assertThat(output(attempt())).isEqualTo(data);
  }

  @Test
  void theOutputHoldsNoSecret() throws Exception {
    rig.secrets.add("s3cret-of-job");
    declare(success("{\"s3cret-of-job\":[\"has s3cret-of-job\"]}"));
    assertThat(output(attempt())).isEqualTo("{\"***\":[\"has ***\"]}");
    declare(error("\"code\":7,\"error\":\"no s3cret-of-job here\""));
    assertThat(failed(attempt()).failure().message()).isEqualTo("no *** here");
    assertThat(rig.view("job").lastError()).isEqualTo("no *** here");
  }

  @ParameterizedTest
  @CsvSource({
    "400, INVALID_REQUEST",
    "499, INVALID_REQUEST",
    "500, BACKEND_FAILURE",
    "501, ACTION_NOT_SUPPORTED",
    "0, BACKEND_FAILURE",
    "7, BACKEND_FAILURE"
  })
  void whatItSaysItselfIsSettled(int code, FailureCode expected) throws Exception {
    declare(error("\"code\":" + code));
    AttemptAnswer.Failed failed = failed(attempt());
    assertThat(failed.failure().code()).isEqualTo(expected);
    assertThat(failed.failure().message())
        .isEqualTo("agent worker reported error (code=" + code + ")");
    assertThat(failed.settled()).isTrue();
  }

  @Test
  void whatTookTooLongElsewhereLeavesTheWorkInDoubt() throws Exception {
    declare(error("\"code\":504"));
    AttemptAnswer.Failed failed = failed(attempt());
    assertThat(failed.failure().code()).isEqualTo(FailureCode.TIMEOUT);
    assertThat(failed.settled()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"status\":\"success\",\"code\":200,\"result\":{\"data\":1}",
        "\"status\":\"success\",\"code\":\"0\",\"result\":{\"data\":1}",
        "\"status\":\"success\",\"code\":null,\"result\":{\"data\":1}",
        "\"status\":\"success\",\"result\":{\"data\":1}",
        "\"status\":\"awaiting_input\",\"code\":202,\"result\":{\"data\":[1]}",
        "\"status\":\"done\",\"code\":0,\"result\":{\"data\":1}",
        "\"status\":true,\"code\":500",
        "\"code\":500"
      })
  void whoeverDoesNotSayThatItFailedMayHaveDoneIt(String rest) throws Exception {
    declare(answer(rest));
    AttemptAnswer.Failed failed = failed(attempt());
    assertThat(failed.failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
    assertThat(failed.settled()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "echo no JSON",
        "exit 1",
        "kill -9 $$",
        "echo '{\"request_id\":\"other\",\"status\":\"success\",\"code\":0,\"result\":{}}'",
        "echo '{\"request_id\":\"task-key\",\"status\":\"success\",\"code\":0}'",
        "A='{\"request_id\":\"task-key\",\"status\":\"success\",\"code\":0,\"result\":{\"data\":1}}'; echo $A $A",
        "A='{\"request_id\":\"task-key\",\"status\":\"success\",\"code\":0,\"result\":{\"data\":1}}'; echo $A; exit 1",
        "head -c 100000 /dev/zero"
      })
  void whatIsNoAnswerLeavesTheWorkInDoubt(String script) throws Exception {
    declare(script);
    AttemptAnswer.Failed failed = failed(attempt());
    assertThat(failed.failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
    assertThat(failed.settled()).isFalse();
  }

  @Test
  void aResultThatDoesNotFitItsSchemaLeavesTheWorkInDoubt() throws Exception {
    declare(success("{\"n\":\"x\"}"), NUMBER);
    AttemptAnswer.Failed failed = failed(attempt());
    assertThat(failed.failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
    assertThat(failed.settled()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{}", "{\"n\":\"x\"}", "[]", "null", "{\"n\":3} {}", "no JSON"})
  void aPayloadThatDoesNotFitStartsNothing(String payload) throws Exception {
    declare("touch started");
    AttemptAnswer.Failed failed = failed(attempt("job", "run", payload));
    assertThat(failed.failure().code()).isEqualTo(FailureCode.INVALID_REQUEST);
    assertThat(failed.settled()).isTrue();
    assertThat(file("started")).doesNotExist();
  }

  @Test
  void aBlankPayloadIsAnEmptyObject() throws Exception {
    declare("tee request | { " + success("1") + "; }");
    assertThat(output(attempt("job", "look", " "))).isEqualTo("1");
    assertThat(new JsonObject(Files.readString(file("request"))).getJsonObject("payload"))
        .isEqualTo(new JsonObject());
    assertThat(failed(attempt("job", "look", "null")).failure().code())
        .isEqualTo(FailureCode.INVALID_REQUEST);
  }

  @Test
  void whatIsNotThereIsNamed() throws Exception {
    declare("touch started");
    AttemptAnswer.Failed action = failed(attempt("job", "job_run", "{}"));
    assertThat(action.failure().code()).isEqualTo(FailureCode.ACTION_NOT_SUPPORTED);
    assertThat(action.settled()).isTrue();
    AttemptAnswer.Failed extension = failed(attempt("other", "run", "{}"));
    assertThat(extension.failure().code()).isEqualTo(FailureCode.AGENT_UNAVAILABLE);
    assertThat(extension.settled()).isTrue();
    assertThat(file("started")).doesNotExist();
  }

  @Test
  void aProgramThatCannotBeStartedIsSettled() throws Exception {
    List<String> _ =
        rig.declare(
            """
            - {id: job, protocol: action, command: [no-such-program-here], actions: [{name: run}]}
            """);
    AttemptAnswer.Failed failed = failed(attempt());
    assertThat(failed.failure().code()).isEqualTo(FailureCode.IO);
    assertThat(failed.settled()).isTrue();
  }

  @Test
  void aVariableThatIsNotSetIsSettled() throws Exception {
    List<String> _ =
        rig.declare(
            """
            - {id: job, protocol: action, command: [bash], env: [JOB_TOKEN], actions: [{name: run}]}
            """);
    AttemptAnswer.Failed failed = failed(attempt());
    assertThat(failed.failure().code()).isEqualTo(FailureCode.IO);
    assertThat(failed.failure().message()).contains("JOB_TOKEN");
    assertThat(failed.settled()).isTrue();
  }

  @Test
  void aProgramThatTakesTooLongIsEndedWithAllThatItHasStarted() throws Exception {
    declare("echo begun >&2; setsid sleep 86111.25 & sleep 86111.5");
    AttemptAnswer.Failed failed =
        failed(rig.extensions().attempt("job", task("run", "{\"n\":3}", Duration.ofSeconds(1))));
    assertThat(failed.failure().code()).isEqualTo(FailureCode.TIMEOUT);
    assertThat(failed.failure().message()).isEqualTo("Agent worker timed out after 1 seconds");
    assertThat(failed.settled()).isFalse();
    assertThat(runs("sleep 86111")).isFalse();
    assertThat(rig.extensions().logs("job").orElseThrow()).contains("begun");
  }

  private static String progress(String message) {
    return "echo '{\"status\":\"progress\",\"message\":\"" + message + "\"}'; ";
  }

  @Test
  void whatItTellsWhileItWorksIsHeardBeforeItsAnswer() throws Exception {
    rig.secrets.add("s3cret-of-job");
    declare(
        progress("reads   s3cret-of-job\\u202e")
            + "while [ ! -f heard ]; do sleep 0.05; done; "
            + progress("writes")
            + success("{\"n\":4}"));
    List<String> heard = new CopyOnWriteArrayList<>();
    CompletableFuture<AttemptAnswer> ended = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                TaskCall call = task("run", "{\"n\":3}", Duration.ofSeconds(30), heard::add);
                ended.complete(rig.extensions().attempt("job", call));
              } catch (InterruptedException e) {
                ended.completeExceptionally(e);
              }
            });
    TimedWait.until("it tells what it does", () -> heard.equals(List.of("reads ***")));
    assertThat(ended).isNotDone();
    Files.writeString(file("heard"), "");
    assertThat(output(ended.get())).isEqualTo("{\"n\":4}");
  }

  @Test
  void linesThatOnlyLookLikeProgressArePartOfTheAnswer() throws Exception {
    declare(progress("works") + "echo '{\"status\":\"progress\"}'; " + success("1"));
    assertThat(failed(attempt()).failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
    declare(progress("works"));
    assertThat(failed(attempt()).failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
    declare(progress("works") + success("{\"status\":\"progress\",\"message\":\"x\"}"));
    assertThat(output(attempt())).isEqualTo("{\"status\":\"progress\",\"message\":\"x\"}");
  }

  @Test
  void anActionForTasksAloneIsNoTool() throws Exception {
    Files.createDirectories(file(""));
    Files.writeString(file("script"), success("1"));
    List<String> _ =
        rig.declare(
            """
            - id: job
              protocol: action
              command: [bash, script]
              actions: [{name: look}, {name: check, tasks_only: true}]
            """);
    assertThat(rig.view("job").tools()).containsExactly("job_look");
    assertThat(rig.extensions().actions("job"))
        .extracting(ExtensionAction::name)
        .containsExactly("check", "look");
    assertThat(output(attempt("job", "check", "{}"))).isEqualTo("1");
  }

  @Test
  void anInterruptEndsAllThatWasStarted() throws Exception {
    declare("setsid sleep 86222.25 & touch begun; sleep 86222.5");
    CompletableFuture<String> ended = new CompletableFuture<>();
    Thread thread =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    ended.complete("returned " + attempt());
                  } catch (InterruptedException e) {
                    ended.complete("interrupted");
                  }
                });
    TimedWait.until("it has begun", () -> Files.exists(file("begun")));
    TimedWait.until("both sleep", () -> runs("sleep 86222.25") && runs("sleep 86222.5"));
    thread.interrupt();
    assertThat(ended.get()).isEqualTo("interrupted");
    assertThat(runs("sleep 86222")).isFalse();
    assertThat(rig.counted("holdfast.extension.calls", "id", "job", "outcome", "cancelled"))
        .isOne();
  }

  @Test
  void attemptsPassByTheBreakerAndAreCounted() throws Exception {
    declare("exit 1");
    for (int i = 0; i < 7; i++) {
      assertThat(failed(attempt()).failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
    }
    assertThat(rig.counted("holdfast.extension.calls", "id", "job", "outcome", "backend_failure"))
        .isEqualTo(7);
    assertThat(failure(rig.call("job_run", "{\"n\":3}")).code())
        .as("no breaker has opened")
        .isEqualTo(FailureCode.BACKEND_FAILURE);
  }

  @Test
  void anAttemptIsMadeWhateverTheBreakerOfTheToolsSays() throws Exception {
    declare("exit 1");
    for (int i = 0; i < 6; i++) {
      assertThat(rig.call("job_run", "{\"n\":3}").isError()).isTrue();
    }
    Files.writeString(file("script"), success("1"));
    assertThat(failure(rig.call("job_run", "{\"n\":3}")).code())
        .isEqualTo(FailureCode.CIRCUIT_OPEN);
    assertThat(output(attempt())).isEqualTo("1");
  }
}
