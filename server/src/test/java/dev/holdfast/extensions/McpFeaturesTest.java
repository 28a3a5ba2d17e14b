package dev.holdfast.extensions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.ToolResult;
import dev.holdfast.media.Samples;
import dev.holdfast.time.TimedWait;
import dev.holdfast.tools.prompts.PreparedMessage;
import dev.holdfast.tools.prompts.PromptEntry;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Prompts and resources of real children. */
@Timeout(60)
class McpFeaturesTest extends ExtensionCase {
  private static String demo(String... flags) {
    return ExtensionRig.server("demo", flags);
  }

  private List<String> usages() {
    return rig.extensions().prompts().list().stream().map(PromptEntry::usage).toList();
  }

  private PreparedMessage prepared(String text) throws InterruptedException {
    return rig.extensions().prompts().find(text).orElseThrow().prepare();
  }

  private static String ready(PreparedMessage prepared) {
    return prepared instanceof PreparedMessage.Ready(String text) ? text : "not ready: " + prepared;
  }

  private static String failed(PreparedMessage prepared) {
    return prepared instanceof PreparedMessage.Failed(String reason) ? reason : "not failed";
  }

  private static FailureCode code(ToolResult result) {
    Failure failure = Objects.requireNonNull(result.failure(), result.text());
    return failure.code();
  }

  @ParameterizedTest
  @ValueSource(strings = {"first", "modern"})
  void promptsAreListedAndPrepared(String flag) throws Exception {
    rig.serve(demo(flag, "features"));
    assertThat(rig.extensions().prompts().list())
        .contains(
            new PromptEntry("/demo:plain", "Says hello."),
            new PromptEntry("/demo:weather city [state]", "The weather"));
    assertThat(usages()).as("nobody could type it").noneMatch(usage -> usage.contains("space"));
    assertThat(ready(prepared("/demo:plain")))
        .isEqualTo(
            "/demo:plain\n[What this stands for, as the extension demo has prepared it:]\nhello");
    assertThat(ready(prepared(" /demo:weather Paris ")))
        .startsWith("/demo:weather Paris\n[")
        .endsWith("weather in {\"city\": \"Paris\"}");
    assertThat(ready(prepared("/demo:talk")))
        .endsWith(
            "User: hello\n\nAssistant: hi\n\nUser: [image: image/png, 8 characters of base64]");
  }

  @Test
  void whatIsLongIsCut() throws Exception {
    rig.serve(demo("features"));
    assertThat(ready(prepared("/demo:huge")))
        .hasSizeLessThan(PromptResult.TEXT_UNITS_MAX + 200)
        .endsWith("[cut: it is longer]");
  }

  @Test
  void whatCannotBeHadSaysWhy() throws Exception {
    rig.serve(demo("features"));
    assertThat(failed(prepared("/demo:weather")))
        .isEqualTo("Its arguments do not fit. It is called for with /demo:weather city [state].");
    assertThat(failed(prepared("/demo:nope"))).contains("no such prompt", "weather");
    assertThat(failed(prepared("/demo:fails"))).contains("-32601");
    assertThat(rig.extensions().prompts().find("/other:plain")).isEmpty();
    assertThat(rig.extensions().prompts().find("see /demo:plain")).isEmpty();
    assertThat(rig.extensions().prompts().find("/demo")).isEmpty();
  }

  @Test
  void aServerWithoutPromptsTakesNoMessage() throws Exception {
    rig.serve(demo());
    assertThat(usages()).isEmpty();
    assertThat(rig.extensions().prompts().find("/demo:plain")).isEmpty();
    assertThat(rig.offered()).doesNotContain("demo_read_resource");
  }

  @Test
  void noMoreThanSoManyPromptsAreKept() throws Exception {
    rig.serve(demo("features", "many"));
    assertThat(usages()).hasSize(200);
  }

  @Test
  void aChangedListIsReadAgain() throws Exception {
    rig.serve(demo("features"));
    assertThat(rig.call("demo_change").isError()).isFalse();
    TimedWait.until("listed", () -> usages().contains("/demo:grown"));
  }

  @Test
  void whatItHadBeforeIsThereWithoutAStart() throws Exception {
    rig.serve(demo("features"));
    rig.again(Pace.USUAL);
    List<String> _ = rig.declare(demo("features"));
    TimedWait.until("listed", () -> usages().contains("/demo:plain"));
    assertThat(rig.offered()).contains("demo_read_resource");
    assertThat(rig.starts("demo")).isOne();
    assertThat(ready(prepared("/demo:plain"))).endsWith("hello");
    assertThat(rig.starts("demo")).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"first", "modern"})
  void resourcesAreListedInPagesAndRead(String flag) throws Exception {
    rig.serve(demo(flag, "features"));
    assertThat(rig.toolbox.find("demo_read_resource").orElseThrow().spec().description())
        .endsWith("from these templates: demo://day/{day} (what happened)");
    assertThat(rig.toolbox.find("demo_read_resource").orElseThrow().replay())
        .isEqualTo(ReplayClass.READ);
    assertThat(rig.call("demo_read_resource").text())
        .isEqualTo(
            "- demo://note (text/plain, note, a note)\n- demo://picture (image/png, picture)\n"
                + "There are more: call again with this cursor: [\"page two\"]");
    assertThat(rig.call("demo_read_resource", "{\"cursor\":\"page two\"}").text())
        .isEqualTo("- demo://last (last)");
    assertThat(rig.call("demo_read_resource", "{\"uri\":\"demo://note\"}").text())
        .isEqualTo("the text of demo://note\nmore");
  }

  @Test
  void whatIsNoTextIsNamedAndNotSent() throws Exception {
    rig.serve(demo("features"));
    assertThat(rig.call("demo_read_resource", "{\"uri\":\"demo://picture\"}").text())
        .isEqualTo("[demo://picture: image/png, about 6 bytes, which are not shown]");
  }

  @Test
  void anImageIsSavedInTheWorkingFolder() throws Exception {
    rig.serve(demo("features"));
    byte[] png = Samples.png(8, 8);
    String uri = "demo://blob/" + Base64.getEncoder().encodeToString(png);
    ToolResult result = rig.call("demo_read_resource", "{\"uri\":\"" + uri + "\"}");
    assertThat(result.text()).isEqualTo("[image: images/key-1-1.png]");
    assertThat(result.images()).containsExactly(Path.of("images/key-1-1.png"));
    assertThat(rig.folder.resolve("images/key-1-1.png")).hasBinaryContent(png);
  }

  @Test
  void aListThatIsTooLongSaysHowMuchIsLeft() throws Exception {
    rig.serve(demo("features", "many"));
    String text = rig.call("demo_read_resource").text();
    assertThat(text).hasSizeLessThan(20_200).contains(" more on this page are not shown.");
    assertThat(text.lines().collect(Collectors.toSet())).hasSizeGreaterThan(100);
  }

  @Test
  void aResourceThatIsNotThereIsAnErrorOfTheServer() throws Exception {
    rig.serve(demo("features"));
    assertThat(code(rig.call("demo_read_resource", "{\"uri\":\"demo://gone\"}")))
        .isEqualTo(FailureCode.ACTION_NOT_SUPPORTED);
  }

  @Test
  void aToolOfTheServersOwnKeepsItsName() {
    ListedTool own = new ListedTool(ReadResourceTool.NAME, "mine", "{}", "", ToolHints.NONE);
    ListedTool reader = ReadResourceTool.listed(List.of());
    McpFeatures features = new McpFeatures(List.of(), Optional.of(reader));
    assertThat(features.with(List.of(own))).containsExactly(own);
    assertThat(features.with(List.of())).containsExactly(reader);
    assertThat(ReadResourceTool.isListed(own)).isFalse();
    assertThat(ReadResourceTool.isListed(reader)).isTrue();
  }

  @Test
  void theOperatorsRulesHoldForResourcesToo() throws Exception {
    rig.serve(ExtensionRig.server("demo", List.of("features"), "  tools: {allow: [echo]}\n"));
    assertThat(rig.offered()).containsExactly("demo_echo");
  }
}
