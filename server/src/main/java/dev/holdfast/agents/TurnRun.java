package dev.holdfast.agents;

import dev.holdfast.agents.Endings.Say;
import dev.holdfast.agents.Endings.Voice;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.Message;
import dev.holdfast.api.ToolCall;
import dev.holdfast.models.Models;
import dev.holdfast.models.Question;
import dev.holdfast.store.ContextEntry;
import dev.holdfast.store.EventState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** One turn: from the messages that opened it to a final text, through checkpoints that survive a crash. */
final class TurnRun {
  private final AgentParts parts;
  private final Endings endings;
  private final Prompt prompt;
  private final Conversation conversation;
  private final TurnEar ear;
  private final Joining joining;

  /** Who may join a turn that runs. */
  interface Joining {
    /** Messages that came meanwhile and are to be part of this turn; usually none. */
    List<Incoming> take();
  }

  TurnRun(
      AgentParts parts, Prompt prompt, Conversation conversation, TurnEar ear, Joining joining) {
    this.parts = parts;
    this.endings = new Endings(parts);
    this.prompt = prompt;
    this.conversation = conversation;
    this.ear = ear;
    this.joining = joining;
  }

  /**
   * Runs the turn to its end, or goes on where a crash cut it off. On return its events are ended.
   *
   * @throws CallFailedException when no answer could be had; the events are still open
   */
  void run(List<Incoming> opening) throws CallFailedException, IOException, InterruptedException {
    List<Incoming> batch = new ArrayList<>(opening);
    join(batch, opening);
    for (int round = 1; round <= parts.config().turn().roundsMax(); round++) {
      ContextEntry last = conversation.last();
      if (Entries.isAnswer(last)) {
        conversation.sync(); // the answer is on disk before anybody reads it
        end(batch, last);
        return;
      }
      Models.Answered answered = ask();
      Message.Assistant said = answered.answer().message();
      conversation.append(
          Entries.assistant(batch.getLast().id() + "." + round, batch.getLast().id(), parts.time().now(), said));
      for (ToolCall call : said.toolCalls()) {
        conversation.append(Entries.toolResult(batch.getLast().id(), parts.time().now(), unknownTool(call)));
      }
      if (!said.toolCalls().isEmpty()) {
        List<Incoming> joined = joining.take();
        join(batch, joined);
      }
    }
    endings.end(batch, EventState.DEAD_LETTERED, "max_rounds", new Say(Voice.ERROR, Sentences.ROUNDS_SPENT));
  }

  /** Writes the messages into the context, except those that a run before a crash has written already. */
  private void join(List<Incoming> batch, List<Incoming> messages) throws IOException {
    List<String> written = conversation.lastTurn().stream().map(ContextEntry::id).toList();
    for (Incoming incoming : messages) {
      if (!batch.contains(incoming)) {
        batch.add(incoming);
      }
      if (!written.contains(incoming.id())) {
        String text = incoming.message().text();
        conversation.append(Entries.user(incoming.id(), incoming.event().receivedAt(), incoming.message().sender(), text));
        endings.log(incoming, incoming.id(), "user", text);
      }
    }
  }

  private Models.Answered ask() throws CallFailedException, InterruptedException {
    String level = parts.models().defaultLevel();
    int window = parts.models().windowTokens(level);
    int enough = Math.max(window - parts.config().context().reserveTokens(), window / 2);
    try {
      return parts.models().ask(level, question(enough), ear.isProbe(), ear);
    } catch (CallFailedException e) {
      if (e.failure().code() != FailureCode.CONTEXT_OVERFLOW) {
        throw e;
      }
      int less = Math.min(parts.config().context().keepRecentTokens(), enough / 2);
      return parts.models().ask(level, question(less), ear.isProbe(), ear);
    }
  }

  private Question question(int tokensMax) {
    return new Question(prompt.system(), conversation.messages(tokensMax), List.of());
  }

  /** The turn may have been written for a larger batch before a crash: then its answer goes to the batch's last event. */
  private void end(List<Incoming> batch, ContextEntry answer) throws InterruptedException {
    String text = Entries.message(answer).map(message -> ((Message.Assistant) message).text()).orElse("");
    boolean ours = batch.getLast().id().equals(answer.eventId());
    Say say = ours ? new Say(Voice.ANSWER, text) : Say.NOTHING;
    EventState outcome = ours && text.isBlank() ? EventState.SILENT : EventState.ANSWERED;
    endings.end(batch, outcome, ours ? "" : "answered with " + answer.eventId(), say);
  }

  private static Message.ToolResult unknownTool(ToolCall call) {
    return new Message.ToolResult(call.id(), call.tool(), "There is no tool of this name.", true);
  }
}
