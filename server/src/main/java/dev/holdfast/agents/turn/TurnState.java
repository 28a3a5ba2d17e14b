package dev.holdfast.agents.turn;

import static dev.holdfast.agents.turn.ChatSentences.CUT_BY_FILTER;
import static dev.holdfast.agents.turn.ChatSentences.CUT_BY_LENGTH;

import dev.holdfast.agents.context.Conversation;
import dev.holdfast.agents.context.Entries;
import dev.holdfast.api.Message;
import dev.holdfast.api.ModelAnswer.StopReason;
import dev.holdfast.api.ToolCall;
import dev.holdfast.store.threads.ContextEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Where a turn stands, read off what it has written: so a turn that was cut off goes on as if
 * nothing had happened. Only the entries behind the last word of the model count, because a
 * provider may use a call's id again.
 */
sealed interface TurnState {
  /** The model has the word. {@code rounds}: how often it had it in this turn. */
  record Ask(int rounds) implements TurnState {}

  /**
   * Calls wait for their results, in the order in which the model made them.
   *
   * @param cut whether the answer that made them broke off: then none of them is to run
   */
  record Calls(int rounds, List<Pending> pending, boolean cut) implements TurnState {}

  /** The turn has its final text: all that people are to read. Blank: the model said nothing. */
  record Answered(ContextEntry entry, String text) implements TurnState {}

  /**
   * A call without a result.
   *
   * @param key the same whenever this call is run again
   * @param wasStarted whether a run of it was announced before a crash, or may have been
   */
  record Pending(ToolCall call, String key, boolean wasStarted) {}

  /**
   * @param turn the entries of the turn, see {@link Conversation#lastTurn}
   */
  static TurnState of(List<ContextEntry> turn) {
    int rounds = 0;
    int lastWord = -1;
    for (int i = 0; i < turn.size(); i++) {
      if (turn.get(i).type().equals(Entries.ASSISTANT)) {
        lastWord = i;
      }
      rounds += Entries.roundsOf(turn.get(i));
    }
    if (lastWord < 0) {
      return new Ask(rounds);
    }
    ContextEntry word = turn.get(lastWord);
    if (!(Entries.message(word).orElseThrow() instanceof Message.Assistant said)) {
      throw new IllegalStateException("an assistant's entry is not an assistant's message");
    }
    if (said.toolCalls().isEmpty()) {
      boolean joinedLater = lastWord < turn.size() - 1;
      return joinedLater ? new Ask(rounds) : new Answered(word, text(turn, word));
    }
    List<ContextEntry> since = turn.subList(lastWord + 1, turn.size());
    List<Pending> pending = pending(word.id(), said.toolCalls(), since);
    return pending.isEmpty()
        ? new Ask(rounds)
        : new Calls(rounds, pending, Entries.cut(word).isPresent());
  }

  /** With what was said before calls; what broke off says so. */
  private static String text(List<ContextEntry> turn, ContextEntry word) {
    String said = Entries.spoken(turn);
    if (said.isBlank()) {
      return "";
    }
    return Entries.cut(word)
        .map(cut -> cut == StopReason.LENGTH ? CUT_BY_LENGTH : CUT_BY_FILTER)
        .map(note -> said + "\n\n" + note)
        .orElse(said);
  }

  private static List<Pending> pending(
      String wordId, List<ToolCall> calls, List<ContextEntry> since) {
    Set<String> answered = ids(since, Entries.TOOL_RESULT);
    Set<String> started = ids(since, Entries.TOOL_STARTED);
    boolean isUnsure = since.stream().anyMatch(ContextEntry::isLost);
    List<Pending> pending = new ArrayList<>();
    for (int i = 0; i < calls.size(); i++) {
      ToolCall call = calls.get(i);
      if (!answered.contains(call.id())) {
        pending.add(
            new Pending(call, wordId + "." + (i + 1), isUnsure || started.contains(call.id())));
      }
    }
    return pending;
  }

  private static Set<String> ids(List<ContextEntry> entries, String type) {
    return entries.stream()
        .filter(entry -> entry.type().equals(type))
        .map(ContextEntry::id)
        .collect(Collectors.toSet());
  }
}
