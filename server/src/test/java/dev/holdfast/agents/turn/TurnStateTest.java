package dev.holdfast.agents.turn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.context.Entries;
import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.turn.TurnState.Answered;
import dev.holdfast.agents.turn.TurnState.Ask;
import dev.holdfast.agents.turn.TurnState.Calls;
import dev.holdfast.agents.turn.TurnState.Pending;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Message;
import dev.holdfast.api.ModelAnswer.StopReason;
import dev.holdfast.api.ToolCall;
import dev.holdfast.channels.InboundPayload;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.threads.ContextEntry;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** At each place where a crash can cut a turn off, what it has written tells what comes next. */
class TurnStateTest {
  private static final Instant AT = Instant.EPOCH;
  private static final ToolCall FIRST = new ToolCall("c1", "shell", "{}");
  private static final ToolCall SECOND = new ToolCall("c2", "shell", "{}");

  private final ContextEntry user = user();
  private final ContextEntry calls = said(1, "", FIRST, SECOND);

  @Test
  void afterTheMessageTheModelHasTheWord() {
    assertThat(TurnState.of(List.of(user))).isEqualTo(new Ask(0));
  }

  @Test
  void afterAWordWithCallsTheyWaitForTheirResults() {
    assertThat(TurnState.of(List.of(user, calls)))
        .isEqualTo(
            new Calls(
                1,
                List.of(new Pending(FIRST, "e.1.1", false), new Pending(SECOND, "e.1.2", false)),
                false));
  }

  @Test
  void callsOfACutAnswerAreKnownAfterACrashToo() {
    Message.Assistant broken = new Message.Assistant("", List.of(FIRST), "", "m");
    ContextEntry cut = Entries.assistant("e.1", "e", AT, broken, StopReason.LENGTH);
    assertThat(TurnState.of(List.of(user, cut)))
        .isEqualTo(new Calls(1, List.of(new Pending(FIRST, "e.1.1", false)), true));
  }

  @Test
  void aCallThatWasAnnouncedAndHasNoResultWasStarted() {
    assertThat(TurnState.of(List.of(user, calls, started(FIRST))))
        .isEqualTo(
            new Calls(
                1,
                List.of(new Pending(FIRST, "e.1.1", true), new Pending(SECOND, "e.1.2", false)),
                false));
  }

  @Test
  void aCallMayHaveBeenAnnouncedInALineThatIsLost() throws Exception {
    ContextEntry lost = new ContextEntry(ContextEntry.LOST, "lost", "", AT, "{}");
    assertThat(TurnState.of(List.of(user, calls, lost, result(FIRST))))
        .isEqualTo(new Calls(1, List.of(new Pending(SECOND, "e.1.2", true)), false));
  }

  @Test
  void aCallWithItsResultIsDone() {
    assertThat(TurnState.of(List.of(user, calls, started(FIRST), result(FIRST))))
        .isEqualTo(new Calls(1, List.of(new Pending(SECOND, "e.1.2", false)), false));
  }

  @Test
  void whenAllHaveTheirResultsTheModelHasTheWordAgain() {
    assertThat(TurnState.of(List.of(user, calls, result(FIRST), result(SECOND))))
        .isEqualTo(new Ask(1));
  }

  @Test
  void aCallsIdThatTheProviderUsesAgainIsAnotherCall() {
    ContextEntry again = said(2, "", FIRST);
    assertThat(TurnState.of(List.of(user, calls, result(FIRST), result(SECOND), again)))
        .isEqualTo(new Calls(2, List.of(new Pending(FIRST, "e.2.1", false)), false));
  }

  @Test
  void aWordWithoutCallsIsTheAnswer() {
    ContextEntry answer = said(1, "done");
    assertThat(TurnState.of(List.of(user, answer))).isEqualTo(new Answered(answer, "done"));
  }

  @Test
  void roundsThatASummaryStandsForCount() {
    ContextEntry summary = Entries.summary(AT, "so far", 7);
    assertThat(TurnState.of(List.of(summary, user, calls, result(FIRST), result(SECOND))))
        .isEqualTo(new Ask(8));
  }

  @Test
  void theSameCallInARowIsCountedWhateverTheOrderOfItsKeys() {
    ContextEntry one = said(1, "", new ToolCall("a", "t", "{\"x\":1,\"y\":2}"));
    ContextEntry two = said(2, "", new ToolCall("b", "t", "{\"y\":2, \"x\":1}"));
    ContextEntry other = said(3, "", new ToolCall("c", "t", "{\"x\":2}"));
    assertThat(LoopGuard.repeats(List.of(user, one, two))).isEqualTo(2);
    assertThat(LoopGuard.repeats(List.of(user, one, two, other))).isEqualTo(1);
    assertThat(LoopGuard.repeats(List.of(user))).isZero();
  }

  private static ContextEntry said(int round, String text, ToolCall... calls) {
    return Entries.assistant(
        "e." + round, "e", AT, new Message.Assistant(text, List.of(calls), "", "m/x"));
  }

  private static ContextEntry started(ToolCall call) {
    return Entries.toolStarted("e", AT, call);
  }

  private static ContextEntry result(ToolCall call) {
    return Entries.toolResult("e", AT, new Message.ToolResult(call.id(), call.tool(), "ok", false));
  }

  private static ContextEntry user() {
    String payload =
        InboundPayload.write(new InboundMessage("main", "t", "me", "hello", List.of(), "k"));
    return Entries.user(
        Incoming.of(
            new Event(
                1,
                "e",
                "web:main",
                "web:main:t",
                "k",
                payload,
                AT,
                EventState.PENDING,
                0,
                false,
                0)));
  }
}
