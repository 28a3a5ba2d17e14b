package dev.holdfast.agents;

import dev.holdfast.api.Message;
import dev.holdfast.store.AttachmentFolder;
import dev.holdfast.store.ContextEntry;
import dev.holdfast.store.ThreadFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What the model remembers of one chat thread, in memory and on disk. Used by its thread agent
 * alone.
 */
final class Conversation {
  /** A coarse estimate that errs on the large side for code and most European languages. */
  private static final int UNITS_PER_TOKEN = 3;

  private static final long TOKENS_PER_ENTRY = 8;

  /** What large providers count for an image that they have made smaller. */
  private static final long TOKENS_PER_IMAGE = 1600;

  private final ThreadFiles files;
  private final Epoch epoch;
  private final List<ContextEntry> entries;
  private final int quarantined;
  private long tokens;

  private Conversation(ThreadFiles files, Epoch epoch, ThreadFiles.Loaded loaded) {
    this.files = files;
    this.epoch = epoch;
    this.entries = new ArrayList<>(loaded.entries());
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

  /** Where files of this chat thread are kept. */
  AttachmentFolder attachments() {
    return files.attachments();
  }

  void append(ContextEntry entry) throws IOException {
    epoch.change(() -> files.append(entry));
    entries.add(entry);
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

  /** {@code pictures}: which images are shown. */
  List<Message> messages(Pictures pictures) {
    Map<Integer, Message.User> withFiles = pictures.of(entries);
    List<Message> messages = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      Message.User user = withFiles.get(i);
      if (user != null) {
        messages.add(user);
      } else {
        Entries.message(entries.get(i)).ifPresent(messages::add);
      }
    }
    return messages;
  }

  static long tokensOf(ContextEntry entry) {
    long images =
        entry.type().equals(Entries.USER)
            ? Entries.attached(entry).stream().filter(Attached::isImage).count()
            : 0;
    return entry.json().length() / UNITS_PER_TOKEN + TOKENS_PER_ENTRY + images * TOKENS_PER_IMAGE;
  }
}
