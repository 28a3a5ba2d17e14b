package dev.holdfast.models.langchain;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.api.Message;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.api.StoredFile;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolSpec;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.Content;
import dev.langchain4j.data.message.ImageContent;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Our conversation as LangChain4j's. */
final class LangchainMessages {
  static final ObjectMapper JSON = new ObjectMapper();

  private LangchainMessages() {}

  static ChatRequest request(ModelRequest request, Dialect dialect) {
    List<ChatMessage> messages = new ArrayList<>();
    if (!request.system().isBlank()) {
      messages.add(SystemMessage.from(request.system()));
    }
    List<Message> spoken = spoken(request);
    for (Message message :
        byTurns(dialect.takesImagesInResults() ? spoken : withImagesApart(spoken))) {
      messages.add(
          switch (message) {
            case Message.User user -> user(user);
            case Message.Assistant said -> assistant(said);
            case Message.ToolResult result -> result(result, dialect.marksErrors());
          });
    }
    return ChatRequest.builder()
        .messages(messages)
        .toolSpecifications(request.tools().stream().map(LangchainMessages::tool).toList())
        .build();
  }

  private static UserMessage user(Message.User user) {
    if (user.images().isEmpty()) {
      return UserMessage.from(user.text().isBlank() ? "(no text)" : user.text());
    }
    List<Content> contents = new ArrayList<>();
    for (StoredFile image : user.images()) {
      contents.add(image(image));
    }
    if (!user.text().isBlank()) {
      contents.add(TextContent.from(user.text()));
    }
    return UserMessage.from(contents);
  }

  /** One that is gone is told of in words: the request is made all the same. */
  private static Content image(StoredFile image) {
    // A plain stream: an interrupt would close a channel, and then fail what it should only end.
    try (InputStream in = new FileInputStream(image.file().toFile())) {
      byte[] bytes = in.readNBytes(Math.toIntExact(image.bytes() + 1));
      if (bytes.length == image.bytes()) {
        String data = Base64.getEncoder().encodeToString(bytes);
        return ImageContent.from(data, image.mediaType(), ImageContent.DetailLevel.AUTO);
      }
    } catch (IOException _) {
      // Told below.
    }
    return TextContent.from("[the image \"" + image.name() + "\" is no longer available]");
  }

  /**
   * The images of results that stand together, as a message of their own behind the last of them:
   * between a call and its result nothing may stand.
   */
  private static List<Message> withImagesApart(List<Message> messages) {
    List<Message> apart = new ArrayList<>();
    List<StoredFile> images = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (int i = 0; i < messages.size(); i++) {
      if (!(messages.get(i) instanceof Message.ToolResult result)) {
        apart.add(messages.get(i));
        continue;
      }
      apart.add(
          new Message.ToolResult(result.callId(), result.tool(), result.text(), result.isError()));
      for (StoredFile image : result.images()) {
        images.add(image);
        names.add("\"" + image.name() + "\" of " + result.tool());
      }
      boolean isLast =
          i + 1 == messages.size() || !(messages.get(i + 1) instanceof Message.ToolResult);
      if (isLast && !images.isEmpty()) {
        String told = "[The images of the tool results above: " + String.join(", ", names) + "]";
        apart.add(new Message.User(told, images));
        images.clear();
        names.clear();
      }
    }
    return apart;
  }

  /** What people said in a row, with no word of the model between, as one message. */
  private static List<Message> byTurns(List<Message> messages) {
    List<Message> joined = new ArrayList<>();
    for (Message message : messages) {
      if (message instanceof Message.User next
          && !joined.isEmpty()
          && joined.getLast() instanceof Message.User before) {
        List<StoredFile> images = new ArrayList<>(before.images());
        images.addAll(next.images());
        joined.set(
            joined.size() - 1, new Message.User(before.text() + "\n\n" + next.text(), images));
      } else {
        joined.add(message);
      }
    }
    return joined;
  }

  /** All but what a model said without saying anything: no provider takes an empty message. */
  static List<Message> spoken(ModelRequest request) {
    return request.messages().stream()
        .filter(
            message ->
                !(message instanceof Message.Assistant said
                    && said.text().isBlank()
                    && said.toolCalls().isEmpty()))
        .toList();
  }

  static List<Message.Assistant> assistants(ModelRequest request) {
    return spoken(request).stream()
        .filter(Message.Assistant.class::isInstance)
        .map(Message.Assistant.class::cast)
        .toList();
  }

  /** A tool's schema, exactly as it was given; an object without properties when it is not JSON. */
  static ObjectNode schema(ToolSpec tool) {
    return object(tool.schema()) instanceof ObjectNode schema && schema.has("type")
        ? schema
        : JSON.createObjectNode().put("type", "object");
  }

  static JsonNode object(String json) {
    try {
      JsonNode node = JSON.readTree(json);
      return node.isObject() ? node : JSON.createObjectNode();
    } catch (JsonProcessingException _) {
      return JSON.createObjectNode();
    }
  }

  private static AiMessage assistant(Message.Assistant said) {
    return AiMessage.builder()
        .text(said.text().isBlank() ? null : said.text())
        .toolExecutionRequests(said.toolCalls().stream().map(LangchainMessages::call).toList())
        .build();
  }

  private static ToolExecutionRequest call(ToolCall call) {
    return ToolExecutionRequest.builder()
        .id(call.id())
        .name(call.tool())
        .arguments(arguments(call.arguments()))
        .build();
  }

  /**
   * Arguments that a model wrote badly must not spoil every later request: they go back as a text.
   */
  private static String arguments(String written) {
    if (written.isBlank()) {
      return "{}";
    }
    try {
      if (JSON.readTree(written).isObject()) {
        return written;
      }
    } catch (JsonProcessingException _) {
      // Told below.
    }
    return JSON.createObjectNode().put("invalid_arguments", written).toString();
  }

  private static ToolExecutionResultMessage result(Message.ToolResult result, boolean marksErrors) {
    String said = result.text().isEmpty() ? "(no output)" : result.text();
    List<Content> contents = new ArrayList<>();
    contents.add(TextContent.from(result.isError() && !marksErrors ? "Error: " + said : said));
    result.images().forEach(image -> contents.add(image(image)));
    return ToolExecutionResultMessage.builder()
        .id(result.callId())
        .toolName(result.tool())
        .contents(contents)
        .isError(result.isError())
        .build();
  }

  private static ToolSpecification tool(ToolSpec tool) {
    return ToolSpecification.builder()
        .name(tool.name())
        .description(tool.description())
        .parameters(JsonObjectSchema.builder().build())
        .build();
  }
}
