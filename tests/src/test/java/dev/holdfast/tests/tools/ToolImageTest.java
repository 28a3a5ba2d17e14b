package dev.holdfast.tests.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Aimock;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.CompiledPlugin;
import dev.holdfast.tests.harness.ModelTap;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ThreadFolder;
import dev.holdfast.tests.harness.ToolShape;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An image that the tool of a jar returns, in the requests to models of each wire shape. */
@Timeout(180)
@Outside(
    covers = {
      "server/src/main/java/dev/holdfast/models/langchain",
      "server/src/main/java/dev/holdfast/agents/context",
      "server/src/main/java/dev/holdfast/media",
      "tests/src/main/doubles/package.json"
    })
class ToolImageTest {
  private static final String PNG =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

  private static final String PLUGIN =
      """
      import dev.holdfast.api.*;
      import java.io.*;
      import java.nio.file.*;
      import java.util.*;
      public class Picture implements Plugin, Tool {
        @Override public void start(PluginContext context) { context.offer(this); }
        @Override public ToolSpec spec() {
          return new ToolSpec("shot", "takes a picture", "{\\"type\\":\\"object\\"}");
        }
        @Override public ReplayClass replay() { return ReplayClass.READ; }
        @Override public ToolResult run(String arguments, ToolContext context) {
          try {
            byte[] png = Base64.getDecoder().decode("%s");
            Path file = Files.write(context.scratch().resolve("shot.png"), png);
            return ToolResult.ok("taken").withImages(List.of(file));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      }
      """
          .formatted(PNG);

  private static final String FIXTURES =
      """
      {"fixtures":[
       {"match":{"userMessage":"The images of the tool results"},"response":{"content":"I see it."}},
       {"match":{"userMessage":"again"},"response":{"content":"Still there."}},
       {"match":{"userMessage":"look","hasToolResult":false},
        "response":{"toolCalls":[{"name":"shot","arguments":{}}]}},
       {"match":{"hasToolResult":true},"response":{"content":"I see it."}}
      ]}
      """;

  @TempDir static Path folder;
  @AutoClose private static Aimock aimock;

  @BeforeAll
  static void open() {
    aimock = Aimock.start(folder, FIXTURES);
  }

  @ParameterizedTest
  @EnumSource(names = {"ANTHROPIC", "OPENAI", "GEMINI"})
  void itReachesTheModelAlsoAfterAKill(ToolShape shape) throws Exception {
    try (ServerRig rig = new ServerRig();
        ModelTap tap = new ModelTap(aimock.url())) {
      Path plugins = rig.folder().resolve("plugins");
      rig.setup().set("server.plugins_dir", plugins.toString());
      shape.use(rig.setup(), tap);
      CompiledPlugin.of("picture", "Picture", PLUGIN).into(plugins);
      rig.start();
      Await.until(
          "its tool is offered",
          Duration.ofSeconds(30),
          () -> rig.api().get("/api/v1/plugins").body().contains("tool shot"));
      assertThat(rig.converse("e1", "t", "look").text()).isEqualTo("I see it.");
      assertShown(shape, tap.asked().getLast().body());
      assertThat(ThreadFolder.of(rig, "t").text("context.jsonl"))
          .contains("\"attachments\":[{\"name\":\"shot.png\"")
          .doesNotContain(PNG);

      rig.restart();
      assertThat(rig.converse("e2", "t", "again").text()).isEqualTo("Still there.");
      assertShown(shape, tap.asked().getLast().body());
    }
  }

  private static void assertShown(ToolShape shape, JsonNode body) {
    assertThat(shape.results(body).getFirst().text())
        .as(body.toString())
        .contains("taken", "shot.png", "image/png, 1x1, ", "; shown]");
    switch (shape) {
      case ANTHROPIC -> {
        JsonNode source = anthropicResult(body).path("content").path(1).path("source");
        assertThat(source.path("media_type").asText()).isEqualTo("image/png");
        assertThat(source.path("data").asText()).isEqualTo(PNG);
      }
      case OPENAI -> {
        JsonNode image = behind(body.path("messages"), "\"role\":\"tool\"").path("content").path(0);
        assertThat(image.path("image_url").path("url").asText())
            .isEqualTo("data:image/png;base64," + PNG);
        assertThat(image.path("image_url").path("detail").asText("auto")).isEqualTo("auto");
      }
      default -> {
        JsonNode image =
            behind(body.path("contents"), "\"functionResponse\"").path("parts").path(0);
        assertThat(image.path("inlineData").path("mimeType").asText()).isEqualTo("image/png");
        assertThat(image.path("inlineData").path("data").asText()).isEqualTo(PNG);
      }
    }
  }

  private static JsonNode anthropicResult(JsonNode body) {
    for (JsonNode message : body.path("messages")) {
      for (JsonNode block : message.path("content")) {
        if (block.path("type").asText().equals("tool_result")) {
          return block;
        }
      }
    }
    throw new AssertionError("there is no result in " + body);
  }

  /** The message that follows the one with a result in it. */
  private static JsonNode behind(JsonNode messages, String result) {
    for (int i = 0; i < messages.size(); i++) {
      if (messages.get(i).toString().contains(result)) {
        return messages.path(i + 1);
      }
    }
    throw new AssertionError("there is no result in " + messages);
  }
}
