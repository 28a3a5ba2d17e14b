package dev.holdfast.agents;

import dev.holdfast.api.Message;
import dev.holdfast.store.ContextEntry;
import dev.holdfast.store.ThreadFiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What the model remembers of one chat thread, in memory and on disk. Used by its thread agent alone. */
final class Conversation {
  /** A coarse estimate that errs on the large side for code and most European languages. */
  private static final int UNITS_PER_TOKEN = 3;

  private final ThreadFiles files;
  private final List<ContextEntry> entries;
  private final int quarantined;

  private Conversation(ThreadFiles files, ThreadFiles.Loaded loaded) {
    this.files = files;
    this.entries = new ArrayList<>(loaded.entries());
    this.quarantined = loaded.quarantined();
  }

  static Conversation load(ThreadFiles files) throws IOException {
    return new Conversation(files, files.loadContext());
  }

  /** How many damaged lines were set aside when it was loaded. */
  int quarantined() {
    return quarantined;
  }

  void append(ContextEntry entry) throws IOException {
    files.append(entry);
    entries.add(entry);
  }

  /** What was appended so far survives anything from here on. */
  void sync() throws IOException {
    files.sync();
  }

  void clear() throws IOException {
    files.replaceContext(List.of());
    entries.clear();
  }

  /** The newest entry; a turn has written at least its opening message. */
  ContextEntry last() {
    return entries.getLast();
  }

  /**
   * The entries since the last finished answer, or since the one before when the very last entry is an answer: what a
   * turn that was cut off has written so far.
   */
  List<ContextEntry> lastTurn() {
    int start = Math.max(0, entries.size() - 1);
    while (start > 0 && !Entries.isAnswer(entries.get(start - 1))) {
      start--;
    }
    return List.copyOf(entries.subList(start, entries.size()));
  }

  /**
   * The newest messages that fit into {@code tokensMax} by estimate, from a user's message on: never a result without
   * its call. The newest turn is always whole.
   */
  List<Message> messages(int tokensMax) {
    int start = entries.size();
    long tokens = 0;
    for (int i = entries.size() - 1; i >= 0; i--) {
      tokens += tokensOf(entries.get(i));
      boolean opensTurn = entries.get(i).type().equals(Entries.USER);
      if (opensTurn && (tokens <= tokensMax || start == entries.size())) {
        start = i;
      }
      if (tokens > tokensMax && start < entries.size()) {
        break;
      }
    }
    List<Message> messages = new ArrayList<>();
    entries.subList(start, entries.size()).forEach(entry -> Entries.message(entry).ifPresent(messages::add));
    return messages;
  }

  private static long tokensOf(ContextEntry entry) {
    return entry.json().length() / UNITS_PER_TOKEN + 8L;
  }
}
