package dev.holdfast.agents.context;

import dev.holdfast.api.Message;
import dev.holdfast.models.MessageStamp;
import dev.holdfast.store.threads.AttachmentFolder;
import dev.holdfast.store.threads.ContextEntry;
import dev.holdfast.store.threads.ThreadFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What the model remembers of one chat thread, in memory and on disk. Used by its thread agent
 * alone.
 */
public final class Conversation {
  /** A coarse estimate that errs on the large side for code and most European languages. */
  private static final int UNITS_PER_TOKEN = 3;

  private static final long TOKENS_PER_ENTRY = 8;

  /** What large providers count for an image that they have made smaller. */
  private static final long TOKENS_PER_IMAGE = 1600;

  /** For so long the time of a message is the time of now. */
  private static final Duration FRESH = Duration.ofMinutes(5);

  private static final String NO_ANSWER = "(No answer was given to this.)";
  private static final String LOST_ANSWER = "(This answer was lost: its record was damaged.)";

  private static final Optional<Instant> NOT_LATER = Optional.empty();

  private final ThreadFiles files;
  private final Epoch epoch;
  private final List<ContextEntry> entries;

  /**
   * The first entries as messages, read once: a long context costs a turn little more than a short
   * one.
   */
  private final List<Optional<Message>> spoken = new ArrayList<>();

  /** Whether files came with any of those; most conversations have none. */
  private boolean hasFiles;

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
  public static Conversation load(ThreadFiles files, Epoch epoch) throws IOException {
    return new Conversation(files, epoch, files.loadContext());
  }

  /** How many damaged lines were set aside when it was loaded. */
  public int quarantined() {
    return quarantined;
  }

  /** An estimate of what a model would be sent. */
  public long tokens() {
    return tokens;
  }

  public List<ContextEntry> entries() {
    return List.copyOf(entries);
  }

  /** The folder that tools of this chat thread work in; exists. */
  public Path scratch() throws IOException {
    return epoch.write(files::scratch);
  }

  /** Where files of this chat thread are kept. */
  public AttachmentFolder attachments() {
    return files.attachments();
  }

  /** Keeps a file with the thread's others, as {@link AttachmentFolder#put} does. */
  void keep(String name, byte[] content, long folderBytesMax) throws IOException {
    Path _ = epoch.write(() -> files.attachments().put(name, content, folderBytesMax));
  }

  public void append(ContextEntry entry) throws IOException {
    epoch.change(() -> files.append(entry));
    entries.add(entry);
    tokens += tokensOf(entry);
  }

  /** What was appended so far survives anything from here on. */
  public void sync() throws IOException {
    epoch.change(files::sync);
  }

  public void replace(List<ContextEntry> others) throws IOException {
    epoch.change(() -> files.replaceContext(others));
    entries.clear();
    entries.addAll(others);
    spoken.clear();
    hasFiles = false;
    tokens = entries.stream().mapToLong(Conversation::tokensOf).sum();
  }

  /**
   * Takes out what a message replaces: all from the event {@code from} on, up to what came behind
   * the message itself. Changes nothing once the message is here.
   *
   * @param own the event of the message
   * @return false when a summary may still tell of it
   */
  public boolean takeOut(String from, String own) throws IOException {
    if (indexOf(own::equals) >= 0) {
      return true;
    }
    int exact = indexOf(from::equals);
    int start =
        exact >= 0 ? exact : indexOf(id -> id.compareTo(from) >= 0 && id.compareTo(own) < 0);
    int kept = start < 0 ? entries.size() : start;
    boolean isTold =
        exact < 0
            && entries.subList(0, kept).stream()
                .anyMatch(entry -> entry.type().equals(Entries.SUMMARY));
    if (start >= 0) {
      int later = start;
      while (later < entries.size() && !isUser(later, id -> id.compareTo(own) > 0)) {
        later++;
      }
      List<ContextEntry> left = new ArrayList<>(entries.subList(0, start));
      left.addAll(entries.subList(later, entries.size()));
      replace(left);
    }
    return !isTold;
  }

  private int indexOf(Predicate<String> event) {
    for (int i = 0; i < entries.size(); i++) {
      if (isUser(i, event)) {
        return i;
      }
    }
    return -1;
  }

  private boolean isUser(int at, Predicate<String> event) {
    return entries.get(at).type().equals(Entries.USER) && event.test(entries.get(at).id());
  }

  /**
   * The entries since the last finished turn, or of that turn itself when its answer is the very
   * last entry: what a turn that was cut off has written so far.
   */
  public List<ContextEntry> lastTurn() {
    return List.copyOf(entries.subList(turnStart(entries), entries.size()));
  }

  /** Where the last turn begins; at the end when it was given up. See {@link #lastTurn}. */
  public static int turnStart(List<ContextEntry> entries) {
    if (!entries.isEmpty() && entries.getLast().type().equals(Entries.FENCE)) {
      return entries.size(); // given up: also the same event begins anew behind it
    }
    int start = Math.max(0, entries.size() - 1);
    while (start > 0
        && !Entries.endsTurn(entries.get(start - 1))
        && !isLostAnswer(entries, start - 1)) {
      start--;
    }
    return start;
  }

  /** Whether it stands where an answer was, or may have been. */
  private static boolean isLostAnswer(List<ContextEntry> entries, int at) {
    return entries.get(at).isLost() && lacksAnswer(entries, at);
  }

  /** Whether a turn breaks off before it, and the next message of a person follows. */
  private static boolean lacksAnswer(List<ContextEntry> entries, int at) {
    int before = at - 1;
    while (before >= 0 && Entries.isNote(entries.get(before))) {
      before--;
    }
    return before >= 0
        && !entries.get(before).isLost()
        && !Entries.endsTurn(entries.get(before))
        && typeAfter(entries, at).equals(Entries.USER);
  }

  private static boolean isWithoutAnswer(List<ContextEntry> entries, int at) {
    return entries.get(at).type().equals(Entries.FENCE) && lacksAnswer(entries, at);
  }

  private static boolean isLostQuestion(List<ContextEntry> entries, int at) {
    return entries.get(at).isLost()
        && (at == 0 || Entries.endsTurn(entries.get(at - 1)))
        && typeAfter(entries, at).equals(Entries.ASSISTANT);
  }

  /** Of the next entry that is not a fence. */
  private static String typeAfter(List<ContextEntry> entries, int at) {
    int next = at + 1;
    while (next < entries.size() && entries.get(next).type().equals(Entries.FENCE)) {
      next++;
    }
    return next < entries.size() ? entries.get(next).type() : "";
  }

  /**
   * Person and model take turns also where nothing was answered or a line was set aside, or the
   * next answer would be one to both messages.
   */
  private static Optional<Message> inPlaceOf(List<ContextEntry> entries, int at) {
    if (isLostAnswer(entries, at)) {
      return Optional.of(said(LOST_ANSWER));
    }
    if (isWithoutAnswer(entries, at)) {
      return Optional.of(said(NO_ANSWER));
    }
    return isLostQuestion(entries, at)
        ? Optional.of(new Message.User(ContextRepair.LOST))
        : Optional.empty();
  }

  private static Message said(String text) {
    return new Message.Assistant(text, List.of(), "", "");
  }

  /**
   * What a model is sent. Each message of a person says when it was sent and by whom; the last one
   * also what time it is, once that has become another one. {@code pictures}: which images are
   * shown.
   */
  public List<Message> messages(ImageSelection pictures, ZoneId zone, Instant now) {
    readNew(zone);
    Map<Integer, Message> withFiles = hasFiles ? pictures.of(entries) : Map.of();
    int newest = entries.size() - 1;
    while (newest >= 0 && !entries.get(newest).type().equals(Entries.USER)) {
      newest--;
    }
    List<Message> messages = new ArrayList<>(entries.size());
    for (int i = 0; i < entries.size(); i++) {
      Optional<Message> message = spoken.get(i);
      if (i == newest || withFiles.containsKey(i)) {
        ContextEntry entry = entries.get(i);
        boolean isLater = i == newest && entry.at().plus(FRESH).isBefore(now);
        Message shown = withFiles.get(i);
        message =
            (shown == null ? Entries.message(entry) : Optional.of(shown))
                .map(said -> stamped(said, entry, zone, isLater ? Optional.of(now) : NOT_LATER));
      }
      if (entries.get(i).isLost() || entries.get(i).type().equals(Entries.FENCE)) {
        message = inPlaceOf(entries, i);
      }
      message.ifPresent(messages::add);
    }
    return messages;
  }

  private void readNew(ZoneId zone) {
    for (int i = spoken.size(); i < entries.size(); i++) {
      ContextEntry entry = entries.get(i);
      spoken.add(Entries.message(entry).map(said -> stamped(said, entry, zone, NOT_LATER)));
      hasFiles |= !Entries.attached(entry).isEmpty();
    }
  }

  private static Message stamped(
      Message message, ContextEntry entry, ZoneId zone, Optional<Instant> now) {
    if (!entry.type().equals(Entries.USER) || !(message instanceof Message.User said)) {
      return message;
    }
    String text = said.text().isBlank() ? ContextRepair.EMPTY : said.text();
    String told = MessageStamp.on(text, entry.at(), zone, Entries.senderOf(entry), now);
    return new Message.User(told, said.images());
  }

  public static long tokensOf(String text) {
    return text.length() / UNITS_PER_TOKEN + TOKENS_PER_ENTRY;
  }

  public static long tokensOf(ContextEntry entry) {
    long images = Entries.attached(entry).stream().filter(StoredAttachment::isImage).count();
    return entry.json().length() / UNITS_PER_TOKEN + TOKENS_PER_ENTRY + images * TOKENS_PER_IMAGE;
  }
}
