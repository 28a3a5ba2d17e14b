package dev.holdfast.agents.turn;

import dev.holdfast.agents.context.Conversation;
import dev.holdfast.agents.context.Entries;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Message;
import dev.holdfast.models.ModelQuestion;
import dev.holdfast.models.ModelsAwayException;
import dev.holdfast.store.threads.ContextEntry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a context short that has become too long: the older part becomes a summary, the newer part
 * stays word for word. Works between turns and inside of one; never cuts between a call and its
 * result.
 */
final class Compactor {
  private static final Logger LOG = LoggerFactory.getLogger(Compactor.class);
  private static final int RESULT_UNITS_KEPT = 400;
  private static final int SUMMARY_INPUT_UNITS_PER_TOKEN = 3;
  private static final String LEFT_OUT = "(It was too long and had to be left out.)";
  private static final String SUMMARY_PROMPT =
      """
      Summarise the conversation below for yourself: you will continue from your summary alone. Keep, under these headings,
      what matters and nothing else: goal; constraints and preferences; progress; decisions; next steps; files touched.
      Keep names, paths, numbers and exact words that will be needed. Do not answer the conversation.\
      """;

  private final TurnResources resources;
  private final Conversation conversation;
  private final String level;
  private final TurnProgress ear;

  /** {@code level}: whose models the turn asks. */
  Compactor(TurnResources resources, Conversation conversation, TurnProgress ear, String level) {
    this.level = level;
    this.resources = resources;
    this.conversation = conversation;
    this.ear = ear;
  }

  /**
   * @throws ModelsAwayException when the summary has to wait for a model, as the turn itself would
   */
  void compactIfFull() throws ModelsAwayException, IOException, InterruptedException {
    if (conversation.tokens() > tokensMax()) {
      compact();
    }
  }

  /** Makes it short whether or not it is full by our estimate. */
  void compact() throws ModelsAwayException, IOException, InterruptedException {
    List<ContextEntry> entries = conversation.entries();
    int cut = cut(entries);
    if (cut == 0) {
      List<ContextEntry> shorter = shortened(entries, entries.size());
      if (!shorter.equals(entries)) {
        conversation.replace(shorter);
      }
      return;
    }
    ear.compacting();
    List<ContextEntry> kept = kept(entries, cut);
    try {
      String summary = summarise(entries.subList(0, cut));
      kept.addFirst(summaryEntry(summary, roundsBefore(cut, entries)));
    } catch (ModelsAwayException e) {
      throw e;
    } catch (CallFailedException e) {
      LOG.warn("context: could not summarise, falling back: {}", e.failure().summary());
      kept = fallback(entries, cut);
    }
    LOG.info("context: {} entries become {}", entries.size(), kept.size());
    conversation.replace(kept);
  }

  private long tokensMax() {
    int window = resources.models().windowTokens(level);
    return Math.max(window - resources.config().context().reserveTokens(), window / 2);
  }

  /**
   * Where the part begins that stays: at the model's or a person's word, so that calls keep their
   * results.
   */
  private int cut(List<ContextEntry> entries) {
    long keep = Math.min(resources.config().context().keepRecentTokens(), tokensMax() / 2);
    long tokens = 0;
    int cut = entries.size();
    for (int i = entries.size() - 1; i >= 0; i--) {
      tokens += Conversation.tokensOf(entries.get(i));
      boolean mayCut = Entries.isWord(entries.get(i));
      if (tokens > keep && cut < entries.size()) {
        break;
      }
      if (mayCut) {
        cut = i;
      }
    }
    return cut == entries.size() ? 0 : cut;
  }

  /**
   * Inside a turn the messages that opened it stay too: without them the model would not know what
   * it works on. So does what is to go with its answer: files, and what it has said so far. And so
   * do the tools that it has found.
   */
  private static List<ContextEntry> kept(List<ContextEntry> entries, int cut) {
    List<ContextEntry> kept = new ArrayList<>();
    List<ContextEntry> turn = entries.subList(Conversation.turnStart(entries), entries.size());
    List<ContextEntry> old = turn.subList(0, Math.max(0, turn.size() - (entries.size() - cut)));
    for (ContextEntry entry : old) {
      switch (entry.type()) {
        case Entries.USER, Entries.ATTACHED, Entries.FOUND_TOOLS -> kept.add(entry);
        default -> {}
      }
    }
    String said = Entries.spoken(old);
    if (!said.isEmpty()) {
      kept.add(Entries.said(old.getLast().at(), said));
    }
    kept.addAll(entries.subList(cut, entries.size()));
    return kept;
  }

  private static int roundsBefore(int cut, List<ContextEntry> entries) {
    int rounds = 0;
    for (int i = Conversation.turnStart(entries); i < cut; i++) {
      rounds += Entries.roundsOf(entries.get(i));
    }
    return rounds;
  }

  private ContextEntry summaryEntry(String summary, int rounds) {
    return Entries.summary(resources.time().now(), summary, rounds);
  }

  private String summarise(List<ContextEntry> old)
      throws CallFailedException, InterruptedException {
    StringBuilder text = new StringBuilder();
    old.forEach(entry -> Entries.message(entry).ifPresent(message -> text.append(spoken(message))));
    int unitsMax =
        Math.toIntExact(Math.min(Integer.MAX_VALUE, tokensMax() * SUMMARY_INPUT_UNITS_PER_TOKEN));
    String input =
        text.length() <= unitsMax ? text.toString() : text.substring(text.length() - unitsMax);
    ModelQuestion question =
        new ModelQuestion(SUMMARY_PROMPT, List.of(new Message.User(input)), List.of());
    String summary =
        resources
            .models()
            .ask(level, question, ear.asker(), ear.silent())
            .answer()
            .message()
            .text();
    ear.modelAnswered();
    return summary.isBlank()
        ? input.substring(Math.max(0, input.length() - RESULT_UNITS_KEPT))
        : summary;
  }

  private static String spoken(Message message) {
    return switch (message) {
      case Message.User user -> "PERSON: " + user.text() + "\n\n";
      case Message.Assistant said -> "YOU: " + said.text() + calls(said) + "\n\n";
      case Message.ToolResult result ->
          "RESULT of " + result.tool() + ": " + start(result.text()) + "\n\n";
    };
  }

  private static String calls(Message.Assistant said) {
    StringBuilder calls = new StringBuilder();
    said.toolCalls()
        .forEach(
            call ->
                calls
                    .append("\n(called ")
                    .append(call.tool())
                    .append(' ')
                    .append(start(call.arguments()))
                    .append(')'));
    return calls.toString();
  }

  private static String start(String text) {
    return text.length() <= RESULT_UNITS_KEPT * 4
        ? text
        : text.substring(0, RESULT_UNITS_KEPT * 4) + " […]";
  }

  /**
   * Without a summary: short results first; if that is not enough, the oldest turns go, whole ones,
   * so that no answer stays without its question. What even the last turn alone is too long for
   * loses its own beginning.
   */
  private List<ContextEntry> fallback(List<ContextEntry> entries, int cut) {
    List<ContextEntry> shorter = shortened(entries, cut);
    long limit = tokensMax() * 3 / 4;
    while (tokens(shorter) > limit) {
      int second = secondTurn(shorter);
      if (second == 0) {
        return keptWithoutSummary(entries, cut);
      }
      shorter = shorter.subList(second, shorter.size());
    }
    return new ArrayList<>(shorter);
  }

  /** How often the model had the word still counts: the keys of its calls are made of it. */
  private List<ContextEntry> keptWithoutSummary(List<ContextEntry> entries, int cut) {
    List<ContextEntry> kept = kept(entries, cut);
    int rounds = roundsBefore(cut, entries);
    if (rounds > 0) {
      kept.addFirst(summaryEntry(LEFT_OUT, rounds));
    }
    return kept;
  }

  private static long tokens(List<ContextEntry> entries) {
    return entries.stream().mapToLong(Conversation::tokensOf).sum();
  }

  /** Where the second turn begins; 0 when there is one alone. */
  private static int secondTurn(List<ContextEntry> entries) {
    for (int i = 0; i < entries.size() - 1; i++) {
      if (Entries.endsTurn(entries.get(i))) {
        return i + 1;
      }
    }
    return 0;
  }

  private static List<ContextEntry> shortened(List<ContextEntry> entries, int end) {
    List<ContextEntry> shorter = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      ContextEntry entry = entries.get(i);
      boolean isLong =
          entry.type().equals(Entries.TOOL_RESULT) && entry.json().length() > RESULT_UNITS_KEPT * 2;
      shorter.add(i < end && isLong ? Entries.shortenedResult(entry, RESULT_UNITS_KEPT) : entry);
    }
    return shorter;
  }
}
