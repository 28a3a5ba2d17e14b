package dev.holdfast.agents.turn;

import dev.holdfast.tools.forms.FormAnswer;
import dev.holdfast.tools.forms.FormAnswerReader;
import dev.holdfast.tools.forms.FormReply;
import dev.holdfast.tools.forms.PersonForm;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * The forms that wait for people now. They wait in memory only: the call that asks does not outlive
 * the process either. Thread-safe.
 */
public final class OpenForms {
  /** Each holds up a turn, of which so many run at once. */
  static final int OPEN_MAX = 32;

  static final int OPEN_OF_SOURCE_MAX = 8;

  private final List<Open> open = new ArrayList<>();

  /**
   * A form that waits.
   *
   * @param person who alone may answer
   */
  record Open(
      String code,
      String threadId,
      String person,
      PersonForm form,
      CompletableFuture<FormReply> reply) {}

  /** False when too many wait already. */
  synchronized boolean add(Open asked) {
    long ofSource =
        open.stream().filter(one -> one.form().source().equals(asked.form().source())).count();
    return open.size() < OPEN_MAX && ofSource < OPEN_OF_SOURCE_MAX && open.add(asked);
  }

  synchronized void remove(Open asked) {
    open.remove(asked);
  }

  private synchronized Optional<Open> find(String threadId, String code) {
    String upper = code.toUpperCase(Locale.ROOT);
    return open.stream()
        .filter(one -> one.threadId().equals(threadId) && one.code().equals(upper))
        .findFirst();
  }

  /**
   * A person's answer; what they are told about it, or empty when no form of that code waits in the
   * chat thread.
   */
  public Optional<String> answer(String threadId, String code, String sender, String text) {
    return reply(
        threadId,
        code,
        sender,
        asked ->
            switch (FormAnswerReader.read(asked.form(), text)) {
              case FormAnswer.Complete complete ->
                  asked.reply().complete(new FormReply.Accepted(complete.content()))
                      ? "Your answer went to the " + asked.form().source() + "."
                      : ChatSentences.TOO_LATE;
              case FormAnswer.Faulty faulty ->
                  "I have not passed this on: " + faulty.problem() + " Please answer again.";
            });
  }

  /** As {@link #answer}: the person answers nothing. */
  public Optional<String> deny(String threadId, String code, String sender) {
    return reply(
        threadId,
        code,
        sender,
        asked ->
            asked.reply().complete(new FormReply.Declined("the person declined"))
                ? "Denied."
                : ChatSentences.TOO_LATE);
  }

  private Optional<String> reply(
      String threadId, String code, String sender, Function<Open, String> answer) {
    return find(threadId, code)
        .map(
            asked -> asked.person().equals(sender) ? answer.apply(asked) : ChatSentences.NOT_YOURS);
  }
}
