package dev.holdfast.tests.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Aimock;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.ModelTap;
import dev.holdfast.tests.harness.ModelTap.Form;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.Post;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ToolShape;
import dev.holdfast.tests.harness.ToolShape.Call;
import dev.holdfast.tests.harness.ToolShape.Result;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A message, a tool, its result, an answer: in each wire shape against the double of others. */
@Timeout(120)
@Outside(
    covers = {
      "server/src/main/java/dev/holdfast/models/langchain",
      "tests/src/main/doubles/package.json"
    })
class ToolRoundTripTest {
  private static final String FIXTURES =
      """
      {"fixtures":[
       {"match":{"userMessage":"count","hasToolResult":false},
        "response":{"content":"Let me count.","reasoning":"They want a sum.",
         "toolCalls":[{"name":"shell","arguments":{"command":"echo grüße-$((40+2))"}}]},"chunkSize":3},
       {"match":{"userMessage":"count","toolResultContains":"grüße-42"},
        "response":{"content":"It is 42."},"chunkSize":4},
       {"match":{"userMessage":"both","hasToolResult":false},
        "response":{"toolCalls":[
         {"name":"shell","arguments":{"command":"sleep 0.3; echo one >> kept; cat kept"}},
         {"name":"shell","arguments":{"command":"echo two >> kept; cat kept"}}]},"chunkSize":3},
       {"match":{"userMessage":"both","hasToolResult":true},
        "response":{"content":"Both are done."},"chunkSize":4},
       {"match":{"userMessage":"wrong","hasToolResult":false},
        "response":{"toolCalls":[
         {"name":"shell","arguments":{"command":"echo broken; exit 3"}},
         {"name":"no_such_tool","arguments":{"a":1}},
         {"name":"shell","arguments":{"comand":"true"}}]},"chunkSize":3},
       {"match":{"userMessage":"wrong","hasToolResult":true},
        "response":{"content":"All three failed."},"chunkSize":4},
       {"match":{"userMessage":"plain"},"response":{"content":"Nothing to do."}},
       {"match":{"hasToolResult":true},"response":{"content":"The result did not reach me."}}
      ]}
      """;

  @TempDir static Path folder;
  @AutoClose private static Aimock aimock;

  @BeforeAll
  static void open() {
    aimock = Aimock.start(folder, FIXTURES);
  }

  @ParameterizedTest
  @EnumSource
  void aToolIsCalledAndItsResultIsAnswered(ToolShape shape) throws Exception {
    try (ServerRig rig = new ServerRig();
        ModelTap tap = new ModelTap(aimock.url())) {
      rig.setup().set("tools.shell.enabled", true);
      shape.use(rig.setup(), tap);
      rig.start();
      for (Form form : Form.values()) {
        tap.answers(form);
        oneCall(rig, shape, tap, form);
        parallelCalls(rig, shape, tap, form);
        failedCalls(rig, shape, tap, form);
      }
      if (shape == ToolShape.ANTHROPIC) {
        thoughtsGoBackUnchangedAfterAKill(rig, tap);
      }
    }
  }

  private static void oneCall(ServerRig rig, ToolShape shape, ModelTap tap, Form form)
      throws IOException {
    int before = tap.asked().size();
    Post answer = rig.converse("count-" + form, "count-" + form, "count");
    assertThat(answer.text()).isEqualTo("Let me count.\n\nIt is 42."); // said before the call, too
    assertThat(tap.asked()).hasSize(before + 2);
    JsonNode second = tap.asked().getLast().body();
    assertMatched(shape, second, 1);
    assertThat(shape.calls(second).getFirst().arguments())
        .isEqualTo(Json.of(Map.of("command", "echo grüße-$((40+2))")));
    assertThat(shape.results(second).getFirst().text()).contains("grüße-42", "exit code 0");
    JsonNode event = rig.api().event("count-" + form);
    assertThat(event.path("story").findValuesAsText("what"))
        .containsSubsequence("tool.started", "tool.ended", "event.finished");
    assertThat(event.path("model_calls")).hasSize(2);
  }

  /** They are run in the order of the calls: each sees what the one before it did. */
  private static void parallelCalls(ServerRig rig, ToolShape shape, ModelTap tap, Form form) {
    int before = tap.asked().size();
    Post answer = rig.converse("both-" + form, "both-" + form, "both");
    assertThat(answer.text()).isEqualTo("Both are done.");
    assertThat(tap.asked()).hasSize(before + 2);
    JsonNode second = tap.asked().getLast().body();
    assertMatched(shape, second, 2);
    assertThat(shape.calls(second).get(0).arguments().toString()).contains("echo one");
    assertThat(shape.calls(second).get(1).arguments().toString()).contains("echo two");
    assertThat(shape.results(second).get(0).text()).contains("one").doesNotContain("two");
    assertThat(shape.results(second).get(1).text()).containsSubsequence("one", "two");
  }

  private static void failedCalls(ServerRig rig, ToolShape shape, ModelTap tap, Form form) {
    Post answer = rig.converse("wrong-" + form, "wrong-" + form, "wrong");
    assertThat(answer.text()).isEqualTo("All three failed.");
    JsonNode second = tap.asked().getLast().body();
    assertMatched(shape, second, 3);
    List<Result> results = shape.results(second);
    assertThat(results.get(0).text()).containsSubsequence("broken", "exit code 3");
    assertThat(results.get(1).text()).contains("There is no tool called no_such_tool");
    assertThat(results.get(2).text()).contains("command");
    for (Result result : results) {
      assertThat(result.isError()).isEqualTo(shape.marksErrors());
      if (!shape.marksErrors()) {
        assertThat(result.text()).contains("Error: ");
      }
    }
  }

  /** Each call has one result, in the order of the calls, under its id or its name. */
  private static void assertMatched(ToolShape shape, JsonNode body, int count) {
    List<Call> calls = shape.calls(body);
    List<Result> results = shape.results(body);
    assertThat(calls).as(body.toString()).hasSize(count);
    assertThat(results).as(body.toString()).hasSize(count);
    for (int i = 0; i < count; i++) {
      assertThat(results.get(i).id()).isEqualTo(calls.get(i).id());
      if (shape.hasIds()) {
        assertThat(calls.get(i).id()).isNotBlank();
      } else {
        assertThat(results.get(i).tool()).isEqualTo(calls.get(i).tool());
      }
    }
    assertThat(calls.stream().map(Call::id).filter(id -> !id.isEmpty())).doesNotHaveDuplicates();
  }

  /** Signed thoughts are the model's own. */
  private static void thoughtsGoBackUnchangedAfterAKill(ServerRig rig, ModelTap tap) {
    rig.restart();
    for (Form form : Form.values()) {
      rig.converse("plain-" + form, "count-" + form, "plain");
      JsonNode thought =
          tap.asked().getLast().body().path("messages").path(1).path("content").path(0);
      assertThat(thought.path("thinking").asText()).isEqualTo("They want a sum.");
      assertThat(thought.path("signature").asText()).isEqualTo("aimock-placeholder-signature");
    }
  }
}
