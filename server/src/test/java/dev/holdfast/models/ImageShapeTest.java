package dev.holdfast.models;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.api.Message;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.api.StoredFile;
import dev.holdfast.api.ToolCall;
import dev.holdfast.media.Samples;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Images, as each provider wants them. */
@Timeout(60)
class ImageShapeTest {
  private static final byte[] PNG = Samples.png(64, 32);
  private static final String DATA = Base64.getEncoder().encodeToString(PNG);
  @AutoClose private static final ProviderDouble SERVER = new ProviderDouble();

  @TempDir Path folder;

  private StoredFile image(boolean isThere) throws Exception {
    Path file = folder.resolve("x.png");
    if (isThere) {
      Files.write(file, PNG);
    }
    return new StoredFile("cat.png", "image/png", file, PNG.length);
  }

  private JsonNode sentBy(String provider, boolean isThere) throws Exception {
    SERVER.streams(ModelStreams.type(provider), ModelStreams.hello(provider));
    Message user = new Message.User("what is it?", List.of(image(isThere)));
    SERVER.ask(provider, new ModelRequest("m1", "", List.of(user), List.of(), 1000));
    return SERVER.sent();
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "minimax", "openai", "gemini", "ollama"})
  void anImageAndItsTextAreOneMessage(String provider) throws Exception {
    JsonNode sent = sentBy(provider, true);
    JsonNode first = sent.path(provider.equals("gemini") ? "contents" : "messages").path(0);
    JsonNode parts = first.path(provider.equals("gemini") ? "parts" : "content");
    switch (provider) {
      case "openai" -> {
        assertThat(parts.path(0).path("image_url").path("url").asText())
            .isEqualTo("data:image/png;base64," + DATA);
        assertThat(parts.path(0).path("image_url").path("detail").asText())
            .as("a text in an image has to be readable")
            .isEqualTo("auto");
        assertThat(parts.path(1).path("text").asText()).isEqualTo("what is it?");
      }
      case "gemini" -> {
        assertThat(parts.path(0).path("inlineData").path("mimeType").asText())
            .isEqualTo("image/png");
        assertThat(parts.path(0).path("inlineData").path("data").asText()).isEqualTo(DATA);
        assertThat(parts.path(1).path("text").asText()).isEqualTo("what is it?");
      }
      case "ollama" -> {
        assertThat(first.path("images").path(0).asText()).isEqualTo(DATA);
        assertThat(first.path("content").asText()).isEqualTo("what is it?");
      }
      default -> {
        JsonNode source = parts.path(0).path("source");
        assertThat(source.path("type").asText()).isEqualTo("base64");
        assertThat(source.path("media_type").asText()).isEqualTo("image/png");
        assertThat(source.path("data").asText()).isEqualTo(DATA);
        assertThat(parts.path(1).path("text").asText()).isEqualTo("what is it?");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "openai", "gemini", "ollama"})
  void anImageThatIsGoneIsTextAndTheRequestIsMade(String provider) throws Exception {
    assertThat(sentBy(provider, false).toString())
        .contains("is no longer available", "what is it?")
        .doesNotContain("base64,", "inlineData\":{");
  }

  private JsonNode sentOfTool(String provider, boolean isThere, Message... more) throws Exception {
    SERVER.streams(ModelStreams.type(provider), ModelStreams.hello(provider));
    List<ToolCall> calls =
        List.of(new ToolCall("c1", "shot", "{}"), new ToolCall("c2", "look", "{}"));
    List<Message> messages = new ArrayList<>();
    messages.add(new Message.User("what is it?"));
    messages.add(new Message.Assistant("", calls, "", ""));
    messages.add(new Message.ToolResult("c1", "shot", "taken", false, List.of(image(isThere))));
    messages.add(new Message.ToolResult("c2", "look", "fine", false));
    messages.addAll(List.of(more));
    SERVER.ask(provider, new ModelRequest("m1", "", messages, List.of(), 1000));
    return SERVER.sent().path(provider.equals("gemini") ? "contents" : "messages");
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "minimax"})
  void anImageOfAToolStandsInItsResult(String provider) throws Exception {
    JsonNode messages = sentOfTool(provider, true);
    assertThat(messages).hasSize(3);
    JsonNode results = messages.path(2).path("content");
    assertThat(results).hasSize(2);
    JsonNode parts = results.path(0).path("content");
    assertThat(parts.path(0).path("text").asText()).isEqualTo("taken");
    assertThat(parts.path(1).path("type").asText()).isEqualTo("image");
    assertThat(parts.path(1).path("source").path("media_type").asText()).isEqualTo("image/png");
    assertThat(parts.path(1).path("source").path("data").asText()).isEqualTo(DATA);
    assertThat(results.path(1).path("content").asText()).isEqualTo("fine");
  }

  @ParameterizedTest
  @ValueSource(strings = {"openai", "gemini", "ollama"})
  void anImageOfAToolFollowsTheResultsWhereTheyAreTextAlone(String provider) throws Exception {
    JsonNode messages = sentOfTool(provider, true, new Message.User("and this?"));
    JsonNode last = messages.path(messages.size() - 1);
    assertThat(last.path("role").asText()).isEqualTo("user");
    assertThat(last.toString())
        .contains(DATA, "[The images of the tool results above: \\\"cat.png\\\" of shot]")
        .contains("and this?");
    JsonNode before = messages.path(messages.size() - 2);
    assertThat(before.toString()).contains("fine").doesNotContain(DATA);
    assertThat(messages).hasSize(provider.equals("gemini") ? 4 : 5);
  }

  @ParameterizedTest
  @ValueSource(strings = {"anthropic", "openai", "gemini", "ollama"})
  void anImageOfAToolThatIsGoneIsText(String provider) throws Exception {
    assertThat(sentOfTool(provider, false).toString())
        .contains("is no longer available", "taken")
        .doesNotContain(DATA);
  }

  @Test
  void theEmbeddedModelSaysWhatItSees() throws Exception {
    Message user = new Message.User("look", List.of(image(true)));
    ModelRequest request = new ModelRequest("echo", "", List.of(user), List.of(), 1000);
    assertThat(new EchoModel().ask(request, _ -> {}).message().text())
        .isEqualTo("echo: look\n[image png 64x32]");
    Message result = new Message.ToolResult("c1", "shot", "taken", false, List.of(image(true)));
    ModelRequest after = new ModelRequest("echo", "", List.of(user, result), List.of(), 1000);
    assertThat(new EchoModel().ask(after, _ -> {}).message().text())
        .isEqualTo("echo: taken\n[image png 64x32]");
  }
}
