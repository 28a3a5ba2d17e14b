package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.context.Entries;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.Message;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.api.ModelAnswer.StopReason;
import dev.holdfast.api.TokenUsage;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.store.threads.ThreadFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Where a message has no answer in the context, the model answers the next one, not both. */
class ContextGapTest {
  private static final String LOST_ANSWER =
      "model: (This answer was lost: its record was damaged.)";

  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ScriptedProvider model = rigs.model;

  @Test
  void anAnswerThatWasSetAsideLeavesItsPlace() throws Exception {
    Event open = answeredOnceAndCutOff();
    damage(1);
    AgentRig world = rigs.open();
    assertThat(world.answerOf(open)).endsWith("heard: two");
    assertThat(said()).containsExactly("user: one", LOST_ANSWER, "user: two");
    world.answerOf(world.send("t", "k3", "three"));
    assertThat(said()).hasSize(5).endsWith("model: heard: two", "user: three");
  }

  @Test
  void theQuestionOfAnAnswerLeavesItsPlaceToo() throws Exception {
    Event open = answeredOnceAndCutOff();
    damage(0);
    AgentRig world = rigs.open();
    assertThat(world.answerOf(open)).endsWith("heard: two");
    assertThat(said())
        .containsExactly(
            "user: (This message was lost: its record was damaged.)",
            "model: heard: one",
            "user: two");
  }

  /** What was set aside may have been the answer to the message that is still open. */
  @Test
  void aMessageThatMayLackItsAnswerIsAnswered() throws Exception {
    Event open = answeredOnceAndCutOff();
    Files.writeString(context(), Files.readString(context()) + "a line that nobody wrote\n");
    AgentRig world = rigs.open();
    assertThat(world.answerOf(open)).endsWith("heard: two");
    assertThat(said())
        .containsExactly("user: one", "model: heard: one", "user: two", LOST_ANSWER, "user: two");
  }

  @Test
  void whatWasSaidInATurnWhoseEndIsLostIsNotSaidAgain() throws Exception {
    ToolCall call = new ToolCall("c1", "none", "{}");
    Message.Assistant looks = new Message.Assistant("let me look", List.of(call), "", "m");
    model
        .then((_, _) -> new ModelAnswer(looks, StopReason.TOOL_CALLS, TokenUsage.NONE))
        .says("second");
    Event open = answeredOnceAndCutOff();
    damage(3);
    AgentRig world = rigs.open();
    assertThat(world.answerOf(open)).endsWith("heard: two").doesNotContain("let me look");
    assertThat(said()).hasSize(5).endsWith(LOST_ANSWER, "user: two");
  }

  @Test
  void aMessageThatWasGivenUpIsNotAnsweredWithTheNext() throws Exception {
    AgentRig world = rigs.open();
    model.fails(FailureCode.INVALID_REQUEST, 1);
    world.awaitState(world.send("t", "k1", "one"), EventState.DEAD_LETTERED);
    world.answerOf(world.send("t", "k2", "two"));
    assertThat(said())
        .containsExactly("user: one", "model: (No answer was given to this.)", "user: two");
  }

  @Test
  void aMessageThatWasStoppedIsNotAnsweredWithTheNext() throws Exception {
    AgentRig world = rigs.open();
    CountDownLatch asked = new CountDownLatch(1);
    model.hangs(asked);
    Event stopped = world.send("t", "k1", "one");
    asked.await();
    world.send("t", "k2", "/stop");
    world.awaitState(stopped, EventState.CANCELLED);
    world.answerOf(world.send("t", "k3", "three"));
    assertThat(said())
        .containsExactly("user: one", "model: (No answer was given to this.)", "user: three");
  }

  @Test
  void aTurnThatIsStoppedInItsToolIsNotAnsweredWithTheNext() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    model.calls(new ToolCall("c1", "none", "{}")).hangs(asked);
    AgentRig world = rigs.open();
    Event stopped = world.send("t", "k1", "one");
    asked.await();
    world.send("t", "k2", "/stop");
    world.awaitState(stopped, EventState.CANCELLED);
    world.answerOf(world.send("t", "k3", "three"));
    assertThat(said()).endsWith("model: (No answer was given to this.)", "user: three");
  }

  @Test
  void aMessageToWhichTheModelSaidNothingIsNotAnsweredWithTheNext() throws Exception {
    AgentRig world = rigs.open();
    model.says("").says("");
    world.awaitState(world.send("t", "k1", "one"), EventState.DEAD_LETTERED);
    world.answerOf(world.send("t", "k2", "two"));
    assertThat(said())
        .containsExactly("user: one", "model: (No answer was given to this.)", "user: two");
  }

  /** Whole lines in wrong places: each is what was written, and none is damaged by itself. */
  @Test
  void anOldAnswerBehindAnOpenMessageIsNoAnswerToIt() throws Exception {
    Event open = answeredOnceAndCutOff();
    List<String> lines = Files.readAllLines(context());
    Files.write(context(), List.of(lines.get(0), lines.get(2), lines.get(1)));
    AgentRig world = rigs.open();
    assertThat(world.answerOf(open)).endsWith("heard: two");
  }

  @Test
  void anOldCallBehindAnOpenMessageIsNotRunForIt() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    rigs.options.tools = List.of(new Counted(runs));
    model.calls(new ToolCall("c1", "counted", "{}")).says("done");
    Event open = answeredOnceAndCutOff();
    List<String> lines = new ArrayList<>(Files.readAllLines(context()));
    assertThat(lines).hasSize(6);
    List<List<String>> damages =
        List.of(
            List.of(lines.get(0), lines.get(1), lines.get(5)),
            List.of(lines.get(0), lines.get(1), lines.get(4), lines.get(5), lines.get(1)),
            List.of(lines.get(0), lines.get(1), lines.get(2), lines.get(5)));
    for (List<String> damaged : damages) {
      Files.write(context(), damaged);
      CountDownLatch asked = new CountDownLatch(1);
      model.hangs(asked);
      rigs.open();
      asked.await();
      assertThat(runs).as("%s", damaged).hasValue(1);
      assertThat(said()).endsWith("user: two");
      assertTurns(said());
      rigs.close();
    }
    assertThat(rigs.open().answerOf(open)).endsWith("heard: two");
  }

  private record Counted(AtomicInteger runs) implements Tool {
    @Override
    public ToolSpec spec() {
      return new ToolSpec("counted", "for tests", "{\"type\":\"object\"}");
    }

    @Override
    public ToolResult run(String arguments, ToolContext context) {
      runs.incrementAndGet();
      return ToolResult.ok("counted");
    }
  }

  /** A dead letter is replayed, and all between it and the next answer is lost. */
  @Test
  void aReplayedMessageIsNotEndedByTheAnswerToAnother() throws Exception {
    model.fails(FailureCode.INVALID_REQUEST, 1);
    AgentRig world = rigs.open();
    Event givenUp = world.send("t", "k1", "one");
    world.awaitState(givenUp, EventState.DEAD_LETTERED);
    world.answerOf(world.send("t", "k2", "two"));
    rigs.close();
    damage(1); // the fence
    damage(2); // the other message
    world = rigs.open();
    String letter =
        world.store.deadLetters().list(ThreadReader.OPERATOR, "", Instant.MAX, 1).getFirst().id();
    assertThat(world.store.deadLetters().replay(letter)).isTrue();
    world.orchestrator.rescan();
    world.awaitState(givenUp, EventState.ANSWERED);
    assertThat(world.repliesTo(givenUp).getLast()).endsWith("heard: one");
  }

  @Test
  void aNoteBeforeAFenceHidesNoMissingAnswer() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    model.hangs(asked);
    AgentRig world = rigs.open();
    Event stopped = world.send("t", "k1", "one");
    asked.await();
    rigs.close();
    CountDownLatch again = new CountDownLatch(1);
    model.hangs(again);
    world = rigs.open();
    again.await();
    ThreadFiles files = world.store.threads().of(stopped.threadId());
    files.append(Entries.imagesRefused("", Instant.EPOCH));
    files.sync();
    world.orchestrator.stop(stopped.threadId(), false);
    world.awaitState(stopped, EventState.CANCELLED);
    rigs.close();
    world = rigs.open();
    world.answerOf(world.send("t", "k2", "two"));
    assertThat(said())
        .containsExactly("user: one", "model: (No answer was given to this.)", "user: two");
  }

  /** Whichever line is set aside: person and model take turns, and the open message is answered. */
  @Test
  void whicheverLineIsLostPersonAndModelTakeTurns() throws Exception {
    model.says("first").calls(new ToolCall("c1", "none", "{}")).says("second");
    Event open = answeredOnceAndCutOff("zero", "one", "two");
    List<String> lines = Files.readAllLines(context());
    assertThat(lines).hasSize(7);
    for (int i = 0; i < lines.size(); i++) {
      List<String> damaged = new ArrayList<>(lines);
      damaged.set(i, "#" + lines.get(i).substring(1));
      Files.write(context(), damaged);
      rigs.open();
      CountDownLatch asked = new CountDownLatch(1);
      model.hangs(asked);
      asked.await();
      assertThat(said()).as("line %d lost: %s", i, lines.get(i)).endsWith("user: two");
      assertTurns(said());
      rigs.close();
    }
    AgentRig world = rigs.open();
    assertThat(world.answerOf(open)).endsWith("heard: two");
  }

  private static void assertTurns(List<String> said) {
    for (int i = 1; i < said.size(); i++) {
      String before = said.get(i - 1);
      String one = said.get(i);
      assertThat(one.startsWith("user: ") && before.startsWith("user: "))
          .as("two of a person in %s", said)
          .isFalse();
      assertThat(one.startsWith("model: ") && before.startsWith("model: "))
          .as("two of the model in %s", said)
          .isFalse();
    }
  }

  private Event answeredOnceAndCutOff() throws Exception {
    return answeredOnceAndCutOff("one", "two");
  }

  /** All but the last are answered, and that one's line stands in the context. */
  private Event answeredOnceAndCutOff(String... texts) throws Exception {
    AgentRig world = rigs.open();
    for (int i = 0; i < texts.length - 1; i++) {
      world.answerOf(world.send("t", texts[i], texts[i]));
    }
    CountDownLatch asked = new CountDownLatch(1);
    model.hangs(asked);
    Event open = world.send("t", texts[texts.length - 1], texts[texts.length - 1]);
    asked.await();
    rigs.close();
    return open;
  }

  private void damage(int line) throws IOException {
    List<String> lines = new ArrayList<>(Files.readAllLines(context()));
    lines.set(line, "#" + lines.get(line).substring(1));
    Files.write(context(), lines);
  }

  private Path context() throws IOException {
    try (var files = Files.walk(rigs.folder())) {
      return files.filter(file -> file.endsWith("context.jsonl")).findFirst().orElseThrow();
    }
  }

  private List<String> said() {
    return model.heard().stream()
        .map(
            message ->
                switch (message) {
                  case Message.User user -> "user: " + user.text();
                  case Message.Assistant said -> "model: " + said.text();
                  case Message.ToolResult result -> "tool: " + result.text();
                })
        .toList();
  }
}
