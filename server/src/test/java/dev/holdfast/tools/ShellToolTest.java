package dev.holdfast.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolContext.Progress;
import dev.holdfast.api.ToolResult;
import dev.holdfast.config.Section;
import dev.holdfast.processes.Children;
import dev.holdfast.processes.ChildrenConfig;
import dev.holdfast.processes.ChildrenConfig.Sandbox;
import dev.holdfast.time.SystemTime;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShellToolTest {
  @TempDir Path scratch;
  private final List<String> labels = new ArrayList<>();
  @AutoClose private Children children;
  private ShellTool tool;

  @BeforeEach
  void openChildren() throws Exception {
    children =
        Children.open(ChildrenConfig.of(Sandbox.AUTO), new SystemTime()); // children are real
    tool = new ShellTool(children, new ShellConfig(true, Duration.ofSeconds(20), Sandbox.AUTO));
  }

  @Test
  void outputErrorsAndExitCodeComeInThisOrder() throws Exception {
    ToolResult result = run("echo err >&2; echo out > file; cat file; pwd");
    assertThat(result.isError()).isFalse();
    assertThat(result.text()).isEqualTo("out\n" + scratch.toRealPath() + "\nerr\nexit code 0");
    assertThat(result.facts()).containsEntry("exit_code", "0").containsKey("millis");
    assertThat(scratch.resolve("file")).hasContent("out");
    assertThat(labels).containsExactly("shell: echo err >&2; echo out > file; cat file; pwd");
  }

  @Test
  void anotherExitCodeIsAnErrorWithItsOutput() throws Exception {
    ToolResult result = run("printf half; exit 3");
    assertThat(result.text()).isEqualTo("half\nexit code 3");
    assertThat(result.failure()).extracting(Failure::kind).isEqualTo(FailureKind.INVALID);
  }

  @Test
  void whatTakesTooLongIsEndedAndSaysSo() throws Exception {
    ToolResult result =
        tool.run("{\"command\": \"echo a; sleep 30\", \"timeout_secs\": 1}", context());
    assertThat(result.text()).isEqualTo("a\nended after 1 s: its time was over\nexit code 143");
    assertThat(result.failure()).extracting(Failure::code).isEqualTo(FailureCode.TIMEOUT);
  }

  @Test
  void longOutputIsCutWithItsSize() throws Exception {
    ToolResult result = run("head -c 3000000 /dev/zero | tr '\\0' x");
    assertThat(result.text()).endsWith("x\n[cut: there were 3000000 bytes of output]\nexit code 0");
  }

  @Test
  void aMissingFolderIsAResult() throws Exception {
    ToolContext nowhere =
        new ToolContext("t", "e", "s", "c", "k", Path.of("/no/such/folder"), Progress.SILENT);
    assertThat(tool.run("{\"command\": \"true\"}", nowhere).isError()).isTrue();
  }

  @Test
  void theLabelIsShortAndOnOneLine() {
    assertThat(tool.label("{\"command\": \"  git\\n   status \"}")).isEqualTo("shell: git status");
    assertThat(tool.label(new JsonObject().put("command", "x".repeat(200)).encode()))
        .isEqualTo("shell: " + "x".repeat(60));
    assertThat(tool.label("no json")).isEqualTo("shell");
    assertThat(tool.label("{\"command\": 7}")).isIn("shell", "shell: 7");
  }

  @Test
  void itIsNeverRepeatedAndGetsTimeToEndItsChild() {
    assertThat(tool.replay()).isEqualTo(ReplayClass.UNSAFE);
    assertThat(tool.timeout()).isGreaterThan(Duration.ofSeconds(27));
    assertThat(tool.spec().name()).isEqualTo("shell");
    assertThat(new JsonObject(tool.spec().schema()).getJsonObject("properties").fieldNames())
        .containsExactly("command", "timeout_secs");
  }

  @Test
  void itIsOffUnlessAskedFor() {
    assertThat(ShellConfig.from(Section.empty()))
        .isEqualTo(new ShellConfig(false, Duration.ofMinutes(2), Sandbox.AUTO));
    assertThatThrownBy(() -> new ShellConfig(true, Duration.ZERO, Sandbox.AUTO))
        .hasMessageStartingWith("timeout_secs must be");
  }

  private ToolResult run(String command) throws InterruptedException {
    return tool.run(new JsonObject().put("command", command).encode(), context());
  }

  private ToolContext context() {
    return new ToolContext("t", "e", "s", "c", "k", scratch, labels::add);
  }
}
