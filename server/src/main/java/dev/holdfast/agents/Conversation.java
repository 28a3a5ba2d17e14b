package dev.holdfast.agents;

import dev.holdfast.api.Message;
import dev.holdfast.store.ContextEntry;
import dev.holdfast.store.ThreadFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What the model remembers of one chat thread, in memory and on disk. Used by its thread agent
 * alone.
 */
final class Conversation {
  /** A coarse estimate that errs on the large side for code and most European languages. */
  private static final int UNITS_PER_TOKEN = 3;

  private static final long TOKENS_PER_ENTRY = 8;

  private final ThreadFiles files;
  private final List<ContextEntry> entries;
  private final int quarantined;
  private long tokens;

  private Conversation(ThreadFiles files, ThreadFiles.Loaded loaded) {
    this.files = files;
    this.entries = new ArrayList<>(loaded.entries());
    this.quarantined = loaded.quarantined();
    this.tokens = entries.stream().mapToLong(Conversation::tokensOf).sum();
  }

  static Conversation load(ThreadFiles files) throws IOException {
    return new Conversation(files, files.loadContext());
  }

  /** How many damaged lines were set aside when it was loaded. */
  int quarantined() {
    return quarantined;
  }

  /** An estimate of what a model would be sent. */
  long tokens() {
    return tokens;
  }

  List<ContextEntry> entries() {
    return List.copyOf(entries);
  }

  /** The folder that tools of this chat thread work in; exists. */
  Path scratch() throws IOException {
    return files.scratch();
  }

  void append(ContextEntry entry) throws IOException {
    files.append(entry);
    entries.add(entry);
    tokens += tokensOf(entry);
  }

  /** What was appended so far survives anything from here on. */
  void sync() throws IOException {
    files.sync();
  }

  void replace(List<ContextEntry> others) throws IOException {
    files.replaceContext(others);
    entries.clear();
    entries.addAll(others);
    tokens = entries.stream().mapToLong(Conversation::tokensOf).sum();
  }

  /**
   * The entries since the last finished turn, or of that turn itself when its answer is the very
   * last entry: what a turn that was cut off has written so far.
   */
  List<ContextEntry> lastTurn() {
    return List.copyOf(entries.subList(turnStart(entries), entries.size()));
  }

  /** Where the last turn begins; at the end when it was given up. See {@link #lastTurn}. */
  static int turnStart(List<ContextEntry> entries) {
    if (!entries.isEmpty() && entries.getLast().type().equals(Entries.FENCE)) {
      return entries.size(); // given up: also the same event begins anew behind it
    }
    int start = Math.max(0, entries.size() - 1);
    while (start > 0 && !Entries.endsTurn(entries.get(start - 1))) {
      start--;
    }
    return start;
  }

  List<Message> messages() {
    List<Message> messages = new ArrayList<>();
    entries.forEach(entry -> Entries.message(entry).ifPresent(messages::add));
    return messages;
  }

  static long tokensOf(ContextEntry entry) {
    return entry.json().length() / UNITS_PER_TOKEN + TOKENS_PER_ENTRY;
  }
}
