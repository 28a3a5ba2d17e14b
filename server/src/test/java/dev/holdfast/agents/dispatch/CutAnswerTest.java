package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.turn.ChatSentences;
import dev.holdfast.api.Message;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.api.ModelAnswer.StopReason;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.TokenUsage;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.ThreadReader;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Answers that say nothing, that are cut, or that speak before they act. */
class CutAnswerTest {
  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ScriptedProvider model = rigs.model;
  private final List<String> runs = Collections.synchronizedList(new ArrayList<>());

  @Test
  void anAnswerThatSaysNothingIsAskedForAgain() throws Exception {
    for (StopReason stop : List.of(StopReason.END, StopReason.LENGTH, StopReason.REFUSED)) {
      stops(stop, " \n").says("here it is");
      AgentRig world = rigs.open();
      Event event = world.send("t", "k-" + stop, "hello");
      assertThat(world.answerOf(event)).isEqualTo("here it is");
      assertThat(world.stateOf(event)).isEqualTo(EventState.ANSWERED);
    }
  }

  @Test
  void anAnswerOfWhatNobodySeesSaysNothing() throws Exception {
    model.says("\u200B\u2060").says("\u200B");
    AgentRig world = rigs.open();
    Event event = world.send("t", "k", "hello");
    assertThat(world.answerOf(event)).isEqualTo(ChatSentences.NOTHING_SAID);
    assertThat(model.requests()).hasSize(2);
  }

  @Test
  void anAnswerThatSaysNothingTwiceEndsWithAnHonestSentence() throws Exception {
    for (StopReason stop : List.of(StopReason.END, StopReason.LENGTH, StopReason.REFUSED)) {
      int before = model.requests().size();
      stops(stop, "");
      stops(stop, "");
      AgentRig world = rigs.open();
      Event event = world.send("t", "k-" + stop, "hello");
      assertThat(world.answerOf(event)).isEqualTo(ChatSentences.NOTHING_SAID);
      assertThat(world.stateOf(event)).isEqualTo(EventState.DEAD_LETTERED);
      assertThat(model.requests()).hasSize(before + 2);
    }
  }

  @Test
  void aReplayOfWhatGotNoAnswerBeginsAnew() throws Exception {
    stops(StopReason.END, "");
    stops(StopReason.END, "").says("now");
    AgentRig world = rigs.open();
    Event event = world.send("t", "k", "hello");
    world.awaitState(event, EventState.DEAD_LETTERED);
    world.store.deadLetters().replay(letter(world));
    world.orchestrator.rescan();
    world.awaitState(event, EventState.ANSWERED);
    assertThat(world.answerOf(event)).endsWith("now");
  }

  @Test
  void aCutAnswerSaysThatItIsCut() throws Exception {
    stops(StopReason.LENGTH, "once upon a");
    stops(StopReason.REFUSED, "the recipe is");
    AgentRig world = rigs.open();
    assertThat(world.answerOf(world.send("t", "k1", "tell")))
        .isEqualTo("once upon a\n\n" + ChatSentences.CUT_BY_LENGTH);
    assertThat(world.answerOf(world.send("t", "k2", "tell")))
        .isEqualTo("the recipe is\n\n" + ChatSentences.CUT_BY_FILTER);
  }

  @Test
  void callsOfACutAnswerAreNotRunAndTheModelIsTold() throws Exception {
    for (StopReason stop : List.of(StopReason.LENGTH, StopReason.REFUSED)) {
      model.then((_, _) -> answer(stop, "", call("c1", "{\"path\": \"/etc/pas")));
      model.says("shorter, then");
      AgentRig world = world();
      Event event = world.send("t", "k-" + stop, "write");
      assertThat(world.answerOf(event)).isEqualTo("shorter, then");
      assertThat(runs).isEmpty();
      Message told = model.requests().getLast().messages().getLast();
      assertThat(told).isInstanceOf(Message.ToolResult.class);
      assertThat(((Message.ToolResult) told).text()).contains("not run").contains("cut");
    }
  }

  @Test
  void whatIsSaidBeforeACallIsPartOfTheAnswer() throws Exception {
    model.then((_, _) -> answer(StopReason.TOOL_CALLS, "Let me look.", call("c1", "{}")));
    model.then((_, _) -> answer(StopReason.TOOL_CALLS, "Once more.", call("c2", "{\"a\": 1}")));
    model.says("It is there.");
    AgentRig world = world();
    String whole = "Let me look.\n\nOnce more.\n\nIt is there.";
    assertThat(world.answerOf(world.send("t", "k1", "look"))).isEqualTo(whole);
    try (var files = Files.walk(rigs.folder())) {
      var log = files.filter(file -> file.endsWith("log.jsonl")).findFirst().orElseThrow();
      assertThat(Files.readString(log)).contains(whole.replace("\n", "\\n"));
    }
  }

  @Test
  void aTurnThatSpokeBeforeItsCallsMayEndWithoutAnotherWord() throws Exception {
    model.then((_, _) -> answer(StopReason.TOOL_CALLS, "Done, saved.", call("c1", "{}"))).says("");
    AgentRig world = world();
    Event event = world.send("t", "k1", "save");
    assertThat(world.answerOf(event)).isEqualTo("Done, saved.");
    assertThat(world.stateOf(event)).isEqualTo(EventState.ANSWERED);
    assertThat(model.requests()).hasSize(2);
  }

  @Test
  void whatWasSaidBeforeACallOutlivesACompaction() throws Exception {
    rigs.options.keepRecentTokens = 256;
    model.window(6000);
    model.then((_, _) -> answer(StopReason.TOOL_CALLS, "Let me look.", call("c1", "{}")));
    model.then((_, _) -> answer(StopReason.TOOL_CALLS, "Again.", call("c2", "{\"a\": 1}")));
    model.says("a summary").says("It is there.");
    AgentRig world = world("x".repeat(12_000));
    assertThat(world.answerOf(world.send("t", "k1", "look")))
        .isEqualTo("Let me look.\n\nAgain.\n\nIt is there.");
  }

  private static String letter(AgentRig world) {
    return world
        .store
        .deadLetters()
        .list(ThreadReader.OPERATOR, "", Instant.MAX, 1)
        .getFirst()
        .id();
  }

  private ScriptedProvider stops(StopReason stop, String text) {
    return model.then((_, _) -> answer(stop, text));
  }

  private static ModelAnswer answer(StopReason stop, String text, ToolCall... calls) {
    return new ModelAnswer(
        new Message.Assistant(text, List.of(calls), "", "embedded/echo"), stop, TokenUsage.NONE);
  }

  private static ToolCall call(String id, String arguments) {
    return new ToolCall(id, "tool", arguments);
  }

  private AgentRig world() throws Exception {
    return world("done");
  }

  private AgentRig world(String result) throws Exception {
    rigs.options.tools = List.of(new Doer(result));
    return rigs.open();
  }

  private final class Doer implements Tool {
    private final String result;

    Doer(String result) {
      this.result = result;
    }

    @Override
    public ToolSpec spec() {
      return new ToolSpec("tool", "does", "{\"type\":\"object\"}");
    }

    @Override
    public ReplayClass replay() {
      return ReplayClass.READ;
    }

    @Override
    public ToolResult run(String arguments, ToolContext context) {
      runs.add(arguments);
      return ToolResult.ok(result);
    }
  }
}
