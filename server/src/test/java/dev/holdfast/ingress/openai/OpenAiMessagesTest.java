package dev.holdfast.ingress.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.Message;
import dev.holdfast.api.ToolCall;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.models.ModelQuestion;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class OpenAiMessagesTest {
  private static JsonObject json(String json) {
    return new JsonObject(json.replace('\'', '"'));
  }

  private static ModelQuestion chat(String messages) throws RefusedRequestException {
    return OpenAiMessages.ofChat(json("{'messages': [" + messages + "]}")).question(List.of());
  }

  @Test
  void aChatIsReadWithItsInstructionsPartsAndCalls() throws Exception {
    ModelQuestion question =
        chat(
            "{'role': 'system', 'content': 'be brief'},{'role': 'user', 'content': [{'type':"
                + " 'text', 'text': 'a'}, {'type': 'text', 'text': 'b'}]},{'role': 'assistant',"
                + " 'content': null, 'tool_calls': [{'id': 'c1', 'type': 'function', 'function':"
                + " {'name': 'look', 'arguments': '{}'}}]},{'role': 'tool', 'tool_call_id': 'c1',"
                + " 'content': 'seen'}");
    assertThat(question.system()).isEqualTo("be brief");
    assertThat(question.messages())
        .containsExactly(
            new Message.User("a\nb"),
            new Message.Assistant("", List.of(new ToolCall("c1", "look", "{}")), "", ""),
            new Message.ToolResult("c1", "look", "seen", false));
  }

  @Test
  void callsThatWereMadeAtOnceBelongToOneMessage() throws Exception {
    ModelQuestion question =
        OpenAiMessages.ofResponse(
                json(
                    "{'instructions': 'be kind', 'input': [{'role': 'user', 'content':"
                        + " 'x'},{'type': 'reasoning', 'summary': []},{'type': 'function_call',"
                        + " 'call_id': 'a', 'name': 'look', 'arguments': ''},{'type':"
                        + " 'function_call', 'call_id': 'b', 'name': 'look', 'arguments':"
                        + " '{}'},{'type': 'function_call_output', 'call_id': 'b', 'output':"
                        + " 'two'}]}"))
            .question(List.of());
    assertThat(question.system()).isEqualTo("be kind");
    assertThat(question.messages().get(1))
        .isEqualTo(
            new Message.Assistant(
                "",
                List.of(new ToolCall("a", "look", "{}"), new ToolCall("b", "look", "{}")),
                "",
                ""));
    assertThat(question.messages().getLast())
        .isEqualTo(new Message.ToolResult("b", "look", "two", false));
  }

  @Test
  void onlyWordsOfPeopleAreForTheAgent() throws Exception {
    assertThat(OpenAiMessages.ofResponse(json("{'input': 'x'}")).isPersonsWordsAlone()).isTrue();
    assertThat(
            OpenAiMessages.ofResponse(json("{'input': 'x', 'instructions': 'y'}"))
                .isPersonsWordsAlone())
        .isFalse();
  }

  @Test
  void whatNoModelCanUseIsRefusedWithItsPlace() {
    assertRefused(user("{'type': 'input_audio'}"), "messages[0].content[0]");
    assertRefused("{'role': 'robot', 'content': 'x'}", "messages[0].role");
    assertRefused("{'role': 'tool', 'tool_call_id': 'none', 'content': 'x'}", "messages[0]");
    assertRefused("{'role': 'user'}", "messages[0].content");
    assertRefused("{'role': 'user', 'content': null}", "messages[0].content");
    assertRefused(user("{'type': 'text', 'text': 7}"), "messages[0].content[0].text");
    assertRefused(
        "{'role': 'assistant', 'tool_calls': [{'function': {'name': 'a', 'arguments': ''}}]}",
        "messages[0].tool_calls[0].id");
    assertRefused(
        "{'role': 'assistant', 'tool_calls': [{'id': 'a', 'function': {'name': 'a', 'arguments':"
            + " {}}}]}",
        "messages[0].tool_calls[0].function.arguments");
  }

  @Test
  void itemsThatAreNotOfTheProtocolAreRefusedWithTheirPlace() {
    for (Map.Entry<String, String> wrong :
        Map.of(
                "{'type': 7, 'role': 'user', 'content': 'x'}", "input[0].type",
                "{'type': 'item_reference', 'id': 'x'}", "input[0].type",
                "{'type': 'function_call', 'name': 'a', 'arguments': ''}", "input[0].call_id",
                "{'type': 'function_call', 'call_id': 'a', 'arguments': ''}", "input[0].name",
                "{'type': 'message', 'role': 'robot', 'content': 'x'}", "input[0].role",
                "{'role': 'user', 'content': 7}", "input[0].content")
            .entrySet()) {
      assertThatThrownBy(
              () -> OpenAiMessages.ofResponse(json("{'input': [" + wrong.getKey() + "]}")))
          .satisfies(refused -> assertPlace(refused, wrong.getValue(), "invalid_value"));
    }
  }

  @Test
  void aChoiceOfToolsMustBeOneThatCanBeKept() {
    for (Map.Entry<String, String> wrong :
        Map.of(
                "'sometimes'", "invalid_value",
                "7", "invalid_value",
                "{'type': 'function', 'name': 'other'}", "invalid_value",
                "{'type': 'function', 'function': {'name': 'other'}}", "invalid_value",
                "{'type': 'function', 'name': 'look'}", "unsupported_parameter",
                "{'type': 'allowed_tools', 'mode': 'auto', 'tools': []}", "unsupported_parameter",
                "'required'", "unsupported_parameter")
            .entrySet()) {
      String tools = "'tools': [{'type': 'function', 'name': 'look'}]";
      assertThatThrownBy(
              () ->
                  OpenAiMessages.tools(
                      json("{" + tools + ", 'tool_choice': " + wrong.getKey() + "}")))
          .satisfies(refused -> assertPlace(refused, "tool_choice", wrong.getValue()));
    }
    assertThatThrownBy(() -> OpenAiMessages.tools(json("{'tool_choice': 'sometimes'}")))
        .satisfies(refused -> assertPlace(refused, "tool_choice", "invalid_value"));
  }

  /** They are told back to the client, when its message is already kept. */
  @Test
  void toolsThatMayNotBeUsedMustBeToolsToo() throws Exception {
    for (String wrong : List.of("null", "'look'", "{'type': 'web_search'}")) {
      assertThatThrownBy(
              () -> OpenAiMessages.tools(json("{'tools': [" + wrong + "], 'tool_choice': 'none'}")))
          .isInstanceOf(RefusedRequestException.class);
    }
    assertThat(
            OpenAiMessages.tools(
                json("{'tools': [{'type': 'function', 'name': 'a'}], 'tool_choice': 'none'}")))
        .isEmpty();
  }

  @Test
  void imagesOfTheLastMessageAloneAreRead() throws Exception {
    String image = "{'type': 'image_url', 'image_url': {'url': 'data:image/png;base64,aGk='}}";
    OpenAiMessages read =
        OpenAiMessages.ofChat(
            json(
                "{'messages': [{'role': 'user', 'content': ["
                    + image
                    + "]}, {'role': 'assistant', 'content': 'nice'},"
                    + " {'role': 'user', 'content': 'thanks'}]}"));
    OpenAiMessages.PersonsWords last = Objects.requireNonNull(read.lastOfUser());
    assertThat(last.text()).isEqualTo("thanks");
    assertThat(last.files().isEmpty()).isTrue();
    assertThatThrownBy(() -> read.question(List.of())).hasMessageContaining("conversation");
  }

  @Test
  void filesThatCannotBeTakenAreRefusedWithTheirPlace() {
    String at = "messages[0].content[0]";
    assertRefused(user("{'type': 'image_url', 'image_url': {}}"), at + ".image_url");
    assertRefused(
        user("{'type': 'image_url', 'image_url': {'url': 'https://example.org/a.png'}}"),
        at + ".image_url");
    assertRefused(
        user("{'type': 'image_url', 'image_url': 'data:image/png,plain'}"), at + ".image_url");
    assertRefused(user("{'type': 'file', 'file': {'file_id': 'file-1'}}"), at + ".file");
    assertRefused(
        "{'role': 'assistant', 'content': [{'type': 'image_url', 'image_url':"
            + " 'data:;base64,aGk='}]}",
        at + ".image_url");
  }

  private static String user(String part) {
    return "{'role': 'user', 'content': [" + part + "]}";
  }

  private static void assertRefused(String message, String place) {
    assertThatThrownBy(() -> chat(message))
        .satisfies(refused -> assertPlace(refused, place, "invalid_value"));
  }

  private static void assertPlace(Throwable thrown, String place, String code) {
    assertThat(thrown).isInstanceOf(RefusedRequestException.class);
    RefusedRequestException refused = (RefusedRequestException) thrown;
    assertThat(refused.status()).isEqualTo(400);
    JsonObject error = OpenAiErrors.body(refused).getJsonObject("error");
    assertThat(error.getString("param")).isEqualTo(place);
    assertThat(error.getString("code")).isEqualTo(code);
  }
}
