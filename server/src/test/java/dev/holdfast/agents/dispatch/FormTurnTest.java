package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Message;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.tools.forms.FormAsker;
import dev.holdfast.tools.forms.FormField;
import dev.holdfast.tools.forms.FormReply;
import dev.holdfast.tools.forms.PersonForm;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Calls whose person fills in a form in the chat. */
class FormTurnTest {
  private static final Pattern CODE = Pattern.compile("/deny ([A-Z0-9]{5})");
  private static final PersonForm FORM =
      new PersonForm(
          "extension x",
          "Who?",
          List.of(
              new FormField("name", "", new FormField.Text(2, 9, ""), true, Optional.empty()),
              new FormField(
                  "age", "", new FormField.Numeric(true, 0, 150), false, Optional.of(30))));

  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ScriptedProvider model = rigs.model;
  private Duration limit = Duration.ofSeconds(30);
  private PersonForm form = FORM;
  private final CompletableFuture<Void> moot = new CompletableFuture<>();

  private final class Asking implements Tool {
    @Override
    public ToolSpec spec() {
      return new ToolSpec("ask", "asks", "{\"type\":\"object\"}");
    }

    @Override
    public ToolResult run(String arguments, ToolContext context) throws InterruptedException {
      return switch (((FormAsker) context.progress()).ask(form, limit, moot)) {
        case FormReply.Accepted accepted -> ToolResult.ok(accepted.content().encode());
        case FormReply.Declined(String reason) -> ToolResult.ok("declined: " + reason);
      };
    }
  }

  private AgentRig asked() throws Exception {
    model.calls(new ToolCall("c1", "ask", "{}")).says("thanks");
    rigs.options.tools = List.of(new Asking());
    return rigs.open();
  }

  private static String code(AgentRig world, Event event) {
    world.await(() -> !world.repliesTo(event).isEmpty(), () -> "nobody was asked");
    Matcher code = CODE.matcher(world.repliesTo(event).getFirst());
    assertThat(code.find()).isTrue();
    return code.group(1);
  }

  private String result() {
    return ((Message.ToolResult) model.requests().getLast().messages().getLast()).text();
  }

  @Test
  void theAnswerOfThePersonReachesTheCall() throws Exception {
    AgentRig world = asked();
    Event event = world.send("t", "k1", "go");
    String code = code(world, event);
    assertThat(world.repliesTo(event).getFirst()).contains("extension x", "> Who?", "1. name");
    assertThat(world.answerOf(world.send("t", "k2", "/answer " + code + " A")))
        .isEqualTo(
            "I have not passed this on: name takes text, from 2 to 9 characters. Please answer again.");
    assertThat(
            world.answerOf(
                world.send(
                    "t",
                    "k3",
                    "/Answer " + code.toLowerCase(java.util.Locale.ROOT) + "\nname: Ann")))
        .isEqualTo("Your answer went to the extension x.");
    assertThat(world.answerOf(event)).endsWith("thanks");
    assertThat(result()).isEqualTo("{\"name\":\"Ann\",\"age\":30}");
    assertThat(world.answerOf(world.send("t", "k4", "/answer " + code + " Bob")))
        .isEqualTo("Nothing is waiting under the code " + code + ".");
    assertThat(model.requests()).as("no answer went to the model as a message").hasSize(2);
    assertThat(world.store.audit().ofExecution(event.id() + ".1.1"))
        .extracting(row -> row.entry().what() + " by " + row.entry().actor())
        .containsExactly("form.asked by tool:ask", "form.accepted by person:me");
  }

  @Test
  void nobodyElseCanAnswerAndNotFromElsewhere() throws Exception {
    AgentRig world = asked();
    Event event = world.send("t", "k1", "go");
    String code = code(world, event);
    for (String word : List.of("/answer %s Eve", "/approve %s", "/deny %s")) {
      String said = word.formatted(code);
      assertThat(world.answerOf(world.sendAs("eve", "t", "k" + said, said)))
          .contains("Only the person");
      assertThat(world.answerOf(world.send("u", "u" + said, said))).contains("Nothing is waiting");
    }
    assertThat(world.stateOf(event).isOpen()).isTrue();
    world.answerOf(world.send("t", "k2", "/deny " + code));
    world.answerOf(event);
    assertThat(result()).isEqualTo("declined: the person declined");
  }

  @Test
  void whatNobodyAnswersIsDeclinedInTime() throws Exception {
    limit = Duration.ofMillis(50);
    AgentRig world = asked();
    Event event = world.send("t", "k1", "go");
    String code = code(world, event);
    world.answerOf(event);
    assertThat(result()).isEqualTo("declined: nobody answered in time");
    assertThat(world.answerOf(world.send("t", "k2", "/deny " + code)))
        .contains("Nothing is waiting");
  }

  @Test
  void whatIsNoLongerWantedEndsByItself() throws Exception {
    AgentRig world = asked();
    Event event = world.send("t", "k1", "go");
    code(world, event);
    moot.complete(null);
    world.answerOf(event);
    assertThat(result()).isEqualTo("declined: no longer wanted");
  }

  @Test
  void stopEndsTheQuestionWithItsTurn() throws Exception {
    AgentRig world = asked();
    Event event = world.send("t", "k1", "go");
    String code = code(world, event);
    world.answerOf(world.send("t", "k2", "/stop"));
    world.awaitState(event, EventState.CANCELLED);
    world.await(
        () -> {
          try {
            return world
                .answerOf(world.send("t", "k" + System.nanoTime(), "/deny " + code)) // a new key
                .contains("Nothing is waiting");
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        },
        () -> "the form still waits");
  }

  @Test
  void aPlainYesTakesWhatIsThere() throws Exception {
    form = new PersonForm("extension x", "Sure?", List.of(FORM.fields().getLast()));
    AgentRig world = asked();
    Event event = world.send("t", "k1", "go");
    assertThat(world.answerOf(world.send("t", "k2", "/approve " + code(world, event))))
        .contains("went to");
    world.answerOf(event);
    assertThat(result()).isEqualTo("{\"age\":30}");
  }

  @Test
  void anAnswerThatIsTooLongIsNotTaken() throws Exception {
    AgentRig world = asked();
    Event event = world.send("t", "k1", "go");
    String code = code(world, event);
    assertThat(world.answerOf(world.send("t", "k2", "/answer " + code + " " + "x".repeat(3000))))
        .contains("too long");
    world.answerOf(world.send("t", "k3", "/deny " + code));
    world.answerOf(event);
  }
}
