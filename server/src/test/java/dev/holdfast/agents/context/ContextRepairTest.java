package dev.holdfast.agents.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Message;
import dev.holdfast.api.ToolCall;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class ContextRepairTest {
  private static final Message USER = new Message.User("hello");

  @Test
  void aContextInOrderStaysAsItIs() {
    List<Message> messages =
        List.of(USER, said("", "a", "b"), result("a"), result("b"), said("done"), USER);
    assertThat(ContextRepair.repair(messages)).isEqualTo(messages);
  }

  @Test
  void aCallWithoutResultGetsOneAndAResultWithoutCallGoes() {
    assertThat(
            ContextRepair.repair(
                List.of(USER, said("", "a", "b"), result("b"), result("x"), USER, result("y"))))
        .containsExactly(
            USER,
            said("", "a", "b"),
            new Message.ToolResult("a", "t", ContextRepair.NO_RESULT, true),
            result("b"),
            USER);
  }

  @Test
  void betweenTwoAnswersAMessageIsMissing() {
    assertThat(ContextRepair.repair(List.of(USER, said("one"), said("two"), said("", "a"))))
        .containsExactly(
            USER,
            said("one"),
            new Message.User(ContextRepair.LOST),
            said("two"),
            new Message.User(ContextRepair.LOST),
            said("", "a"),
            new Message.ToolResult("a", "t", ContextRepair.NO_RESULT, true));
  }

  @Property
  void whateverIsThereARequestIsWellFormed(@ForAll("contexts") List<Message> messages) {
    List<Message> repaired = ContextRepair.repair(messages);
    List<String> open = new ArrayList<>();
    Message before = USER;
    for (Message message : repaired) {
      switch (message) {
        case Message.User user -> {
          assertThat(open).isEmpty();
          assertThat(user.text()).isNotBlank();
        }
        case Message.Assistant said -> {
          assertThat(open).isEmpty();
          assertThat(said.text().isBlank() && said.toolCalls().isEmpty()).isFalse();
          assertThat(before).isNotInstanceOf(Message.Assistant.class);
          said.toolCalls().forEach(call -> open.add(call.id()));
        }
        case Message.ToolResult result -> {
          assertThat(open.removeFirst()).isEqualTo(result.callId());
          assertThat(result.text()).isNotBlank();
        }
      }
      before = message;
    }
    assertThat(open).isEmpty();
    assertThat(repaired)
        .satisfiesAnyOf(
            list -> assertThat(list).isEmpty(),
            list -> assertThat(list.getFirst()).isInstanceOf(Message.User.class));
  }

  @Provide
  Arbitrary<List<Message>> contexts() {
    Arbitrary<String> text = Arbitraries.of("", " ", "hello");
    Arbitrary<String> id = Arbitraries.of("a", "b", "c");
    Arbitrary<Message> user = text.map(Message.User::new);
    Arbitrary<Message> result =
        id.flatMap(call -> text.map(said -> new Message.ToolResult(call, "t", said, false)));
    Arbitrary<Message> assistant =
        text.flatMap(
            said -> id.set().ofMaxSize(3).map(calls -> said(said, calls.toArray(String[]::new))));
    return Arbitraries.oneOf(user, assistant, result, result).list().ofMaxSize(12);
  }

  private static Message said(String text, String... calls) {
    List<ToolCall> list = new ArrayList<>();
    for (String call : calls) {
      list.add(new ToolCall(call, "t", "{}"));
    }
    return new Message.Assistant(text, list, "", "m/x");
  }

  private static Message result(String call) {
    return new Message.ToolResult(call, "t", "ok", false);
  }
}
