package dev.holdfast.models;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Message;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.api.ModelAnswer.StopReason;
import dev.holdfast.api.ModelListener;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.api.ToolSpec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EchoModelTest {
  private final EchoModel model = new EchoModel();
  private final List<String> deltas = new ArrayList<>();

  private ModelAnswer ask(List<ToolSpec> tools, Message... messages) throws Exception {
    return model.ask(new ModelRequest("echo", "s", List.of(messages), tools, 100), deltas::add);
  }

  @Test
  void repeatsTheLastMessageInAFewParts() throws Exception {
    ModelAnswer answer = ask(List.of(), new Message.User("hello there \uD83D\uDE00"));
    assertThat(answer.message().text()).isEqualTo("echo: hello there \uD83D\uDE00");
    assertThat(deltas).hasSizeBetween(2, 6);
    assertThat(String.join("", deltas)).isEqualTo(answer.message().text());
    assertThat(answer.stop()).isEqualTo(StopReason.END);
    assertThat(answer.usage().output()).isPositive();
  }

  @Test
  void callsAToolWhenToldToAndTellsItsResult() throws Exception {
    ToolSpec tool = new ToolSpec("clock", "", "{}");
    Message.User order = new Message.User("!tool clock {\"zone\":\"UTC\"}");
    ModelAnswer wish = ask(List.of(tool), order);
    assertThat(wish.stop()).isEqualTo(StopReason.TOOL_CALLS);
    assertThat(wish.message().toolCalls().getFirst().arguments()).isEqualTo("{\"zone\":\"UTC\"}");
    ModelAnswer answer =
        ask(
            List.of(tool),
            order,
            wish.message(),
            new Message.ToolResult("x", "clock", "noon", false));
    assertThat(answer.message().text()).isEqualTo("echo: noon");
  }

  @Test
  void searchesForAToolThatIsNotOfferedAndCallsWhatWasFound() throws Exception {
    ToolSpec search = new ToolSpec("tool_search", "", "{}");
    Message.User order = new Message.User("!tool clock {\"zone\":\"UTC\"}");
    ModelAnswer searching = ask(List.of(search), order);
    assertThat(searching.message().toolCalls().getFirst().tool()).isEqualTo("tool_search");
    assertThat(searching.message().toolCalls().getFirst().arguments())
        .isEqualTo("{\"query\":\"clock\"}");
    Message found = new Message.ToolResult("x", "tool_search", "- clock", false);
    ToolSpec clock = new ToolSpec("clock", "", "{}");
    ModelAnswer wish = ask(List.of(search, clock), order, searching.message(), found);
    assertThat(wish.message().toolCalls().getFirst().arguments()).isEqualTo("{\"zone\":\"UTC\"}");
    assertThat(ask(List.of(search), order, searching.message(), found).message().text())
        .as("it was not found")
        .isEqualTo("echo: - clock");
    Message.User direct = new Message.User("!tool tool_search {\"query\":\"a\"}");
    assertThat(ask(List.of(search), direct, searching.message(), found).message().text())
        .as("that was all it was told to do")
        .isEqualTo("echo: - clock");
  }

  @Test
  void echoesAnOrderForAToolThatWasNotOffered() throws Exception {
    assertThat(ask(List.of(), new Message.User("!tool clock")).message().text())
        .isEqualTo("echo: !tool clock");
  }

  @Test
  void anInterruptEndsIt() {
    Thread.currentThread().interrupt();
    assertThat(
            org.assertj.core.api.Assertions.catchThrowable(
                () ->
                    model.ask(
                        new ModelRequest("echo", "", List.of(new Message.User("x")), List.of(), 1),
                        ModelListener.SILENT)))
        .isInstanceOf(InterruptedException.class);
  }
}
