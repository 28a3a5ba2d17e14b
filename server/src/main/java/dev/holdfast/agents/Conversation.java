package dev.holdfast.agents;

import dev.holdfast.api.Message;
import dev.holdfast.store.ContextEntry;
import dev.holdfast.store.ThreadFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
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
  private final Epoch epoch;
  private final List<ContextEntry> entries;

  /** The entries as messages, read once: a long context costs a turn no more than a short one. */
  private final List<Message> messages = new ArrayList<>();

  private final int quarantined;
  private long tokens;

  private Conversation(ThreadFiles files, Epoch epoch, ThreadFiles.Loaded loaded) {
    this.files = files;
    this.epoch = epoch;
    this.entries = new ArrayList<>(loaded.entries());
    readMessages();
    this.quarantined = loaded.quarantined();
    this.tokens = entries.stream().mapToLong(Conversation::tokensOf).sum();
  }

  /** {@code epoch}: of the thread that it belongs to. */
  static Conversation load(ThreadFiles files, Epoch epoch) throws IOException {
    return new Conversation(files, epoch, files.loadContext());
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
    return epoch.write(files::scratch);
  }

  void append(ContextEntry entry) throws IOException {
    epoch.change(() -> files.append(entry));
    entries.add(entry);
    Entries.message(entry).ifPresent(messages::add);
    tokens += tokensOf(entry);
  }

  /** What was appended so far survives anything from here on. */
  void sync() throws IOException {
    epoch.change(files::sync);
  }

  void replace(List<ContextEntry> others) throws IOException {
    epoch.change(() -> files.replaceContext(others));
    entries.clear();
    entries.addAll(others);
    readMessages();
    tokens = entries.stream().mapToLong(Conversation::tokensOf).sum();
  }

  /**
   * The entries since the last finished turn, or of that turn itself when its answer is the very
   * last entry: what a turn that was cut off has written so far.
   */
  List<ContextEntry> lastTurn() {
    return List.copyOf(entries.subList(turnStart(entries), entries.size()));
  }

  /** Where the last turn begins, see {@link #lastTurn}. */
  static int turnStart(List<ContextEntry> entries) {
    int start = Math.max(0, entries.size() - 1);
    while (start > 0 && !Entries.endsTurn(entries.get(start - 1))) {
      start--;
    }
    return start;
  }

  /** A view that goes along with what is appended. */
  List<Message> messages() {
    return Collections.unmodifiableList(messages);
  }

  private void readMessages() {
    messages.clear();
    entries.forEach(entry -> Entries.message(entry).ifPresent(messages::add));
  }

  static long tokensOf(ContextEntry entry) {
    return entry.json().length() / UNITS_PER_TOKEN + TOKENS_PER_ENTRY;
  }
}
