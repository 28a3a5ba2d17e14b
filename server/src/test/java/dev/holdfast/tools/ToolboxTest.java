package dev.holdfast.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.config.Secret;
import dev.holdfast.config.Secrets;
import dev.holdfast.time.ManualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ToolboxTest {
  @TempDir Path scratch;
  private final ManualTime time = new ManualTime();
  private final Secrets secrets = new Secrets();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final List<String> runs = new ArrayList<>();
  private String resultSchema = "";

  private interface Body {
    ToolResult run(String arguments) throws InterruptedException;
  }

  @Test
  void aCallRunsAndIsCounted() throws Exception {
    assertThat(run(ReplayClass.READ, "{\"n\":1}", ToolResult::ok).text()).isEqualTo("{\"n\":1}");
    assertThat(meters.counter("holdfast.tool.calls", "tool", "probe", "outcome", "ok").count())
        .isOne();
  }

  @Test
  void anUnknownToolIsAnErrorThatNamesTheOthers() throws Exception {
    ToolResult result =
        box(ReplayClass.READ, ToolResult::ok).run(new ToolCall("c", "nope", "{}"), context());
    assertThat(result.isError()).isTrue();
    assertThat(result.text()).contains("nope").contains("probe");
  }

  /** A model that invents names, each a label, would fill the memory of whoever stores metrics. */
  @Test
  void callsThatReachNoToolAreCountedAndAnInventedNameIsNeverALabel() throws Exception {
    Toolbox box = box(ReplayClass.READ, ToolResult::ok);
    for (String invented : List.of("nope", "Probe", "probe ", "")) {
      box.run(new ToolCall("c", invented, "{}"), context());
    }
    assertThat(refused("unknown")).isEqualTo(4);
    box.run(new ToolCall("c", "probe", "{\"n\":\"one\"}"), context());
    assertThat(refused("probe")).isOne();
    assertThat(meters.find("holdfast.tool.calls").counters())
        .extracting(counter -> counter.getId().getTag("tool"))
        .containsOnly("unknown", "probe", ToolSearchTool.NAME);
  }

  private double refused(String tool) {
    return meters
        .counter("holdfast.tool.calls", "tool", tool, "outcome", "invalid_request")
        .count();
  }

  @Test
  void argumentsThatDoNotFitNeverReachTheTool() throws Exception {
    for (String bad : List.of("{\"n\":\"one\"}", "{}", "[]", "not json", "{\"n\":1,\"m\":2}")) {
      ToolResult result = run(ReplayClass.READ, bad, ToolResult::ok);
      assertThat(result.isError()).as(bad).isTrue();
      assertThat(result.text()).as(bad).contains("arguments");
    }
    assertThat(runs).isEmpty();
  }

  @Test
  void aPassingFailureOfARepeatableToolIsTriedOnceMoreAfterASecond() throws Exception {
    ToolResult result = run(ReplayClass.IDEMPOTENT, "{\"n\":1}", _ -> failed(FailureCode.NETWORK));
    assertThat(result.isError()).isTrue();
    assertThat(runs).hasSize(2);
    assertThat(time.sleeps()).containsExactly(Duration.ofSeconds(1));
  }

  @Test
  void anUnsafeToolIsNeverTriedAgain() throws Exception {
    run(ReplayClass.UNSAFE, "{\"n\":1}", _ -> failed(FailureCode.NETWORK));
    assertThat(runs).hasSize(1);
  }

  @Test
  void anExceptionIsAnErrorResultWithoutItsInnards() throws Exception {
    ToolResult result =
        run(
            ReplayClass.READ,
            "{\"n\":1}",
            _ -> {
              throw new IllegalStateException("jdbc:password=hunter2");
            });
    assertThat(result.isError()).isTrue();
    assertThat(result.text()).doesNotContain("hunter2").contains("IllegalStateException");
  }

  @Test
  void aToolThatHangsIsStoppedAndItsThreadInterrupted() throws Exception {
    CountDownLatch interrupted = new CountDownLatch(1);
    ToolResult result =
        run(
            ReplayClass.UNSAFE,
            "{\"n\":1}",
            _ -> {
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                interrupted.countDown();
              }
              return ToolResult.ok("too late");
            });
    assertThat(result.text()).contains("did not end within");
    interrupted.await();
  }

  @Test
  void aLongOutputIsCutAndWhollyKeptInAFileThatTheResultNames() throws Exception {
    String all = "line\n".repeat(5000);
    ToolResult result = run(ReplayClass.READ, "{\"n\":1}", _ -> ToolResult.ok(all));
    assertThat(result.text().lines().count()).isEqualTo(101);
    assertThat(result.text()).contains("outputs/e.1.1.txt");
    assertThat(Files.readString(scratch.resolve("outputs/e.1.1.txt"))).isEqualTo(all);
  }

  @Test
  void whatIsKeptOfALongOutputIsNotWrittenThroughALink(@TempDir Path outside) throws Exception {
    Files.createSymbolicLink(scratch.resolve("outputs"), outside);
    ToolResult result =
        run(ReplayClass.READ, "{\"n\":1}", _ -> ToolResult.ok("line\n".repeat(5000)));
    assertThat(result.text()).contains("could not be kept");
    assertThat(outside).isEmptyDirectory();
    Files.delete(scratch.resolve("outputs"));
    Files.createDirectory(scratch.resolve("outputs"));
    Path file = Files.writeString(outside.resolve("f"), "mine");
    Files.createSymbolicLink(scratch.resolve("outputs/e.1.1.txt"), file);
    run(ReplayClass.READ, "{\"n\":1}", _ -> ToolResult.ok("line\n".repeat(5000)));
    assertThat(file).hasContent("mine");
  }

  @Test
  void oneEndlessLineIsCutByBytesWithoutBreakingACharacter() throws Exception {
    ToolResult result = run(ReplayClass.READ, "{\"n\":1}", _ -> ToolResult.ok("😀".repeat(10_000)));
    String shown = result.text().lines().findFirst().orElseThrow();
    assertThat(shown.codePoints().allMatch(point -> point == 0x1F600)).isTrue();
    assertThat(shown.getBytes(java.nio.charset.StandardCharsets.UTF_8))
        .hasSizeLessThanOrEqualTo(1000);
  }

  @Test
  void aSecretInAnOutputIsNotShownToTheModel() throws Exception {
    secrets.add(new Secret("canary-0123456789"));
    assertThat(
            run(ReplayClass.READ, "{\"n\":1}", _ -> ToolResult.ok("key canary-0123456789 end"))
                .text())
        .doesNotContain("canary-0123456789");
  }

  private static ToolResult failed(FailureCode code) {
    return ToolResult.error(Failure.of(code, "no"));
  }

  @Test
  void aResultThatBreaksTheToolsOwnWordIsAnError() throws Exception {
    resultSchema =
        """
        {"type":"object","properties":{"sum":{"type":"integer"}},"required":["sum"]}\
        """;
    assertThat(run(ReplayClass.READ, "{\"n\":1}", _ -> ToolResult.ok("{\"sum\":3}")).isError())
        .isFalse();
    for (String bad : List.of("{\"sum\":\"three\"}", "{}", "three", "")) {
      ToolResult result = run(ReplayClass.READ, "{\"n\":1}", _ -> ToolResult.ok(bad));
      assertThat(result.isError()).as(bad).isTrue();
      assertThat(result.text()).as(bad).contains("results");
    }
  }

  @Test
  void aFailureNeedNotFitTheResultsSchema() throws Exception {
    resultSchema = "{\"type\":\"object\"}";
    ToolResult result = run(ReplayClass.UNSAFE, "{\"n\":1}", _ -> failed(FailureCode.NETWORK));
    assertThat(result.failure()).extracting(Failure::code).isEqualTo(FailureCode.NETWORK);
  }

  private ToolResult run(ReplayClass replay, String arguments, Body body)
      throws InterruptedException {
    return box(replay, body).run(new ToolCall("c", "probe", arguments), context());
  }

  private Toolbox box(ReplayClass replay, Body body) {
    Tool tool =
        new Tool() {
          @Override
          public ToolSpec spec() {
            return new ToolSpec(
                "probe",
                "a probe",
                """
                {"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}\
                """,
                resultSchema);
          }

          @Override
          public ReplayClass replay() {
            return replay;
          }

          @Override
          public Duration timeout() {
            return Duration.ofMillis(500);
          }

          @Override
          public ToolResult run(String arguments, ToolContext context) throws InterruptedException {
            runs.add(arguments);
            return body.run(arguments);
          }
        };
    return new Toolbox(List.of(tool), new ToolOutputConfig(1000, 100), secrets, time, meters);
  }

  private ToolContext context() {
    return new ToolContext(
        "web:main:t", "e", "me", "c", "e.1.1", scratch, ToolContext.Progress.SILENT);
  }
}
