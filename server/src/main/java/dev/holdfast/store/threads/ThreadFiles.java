package dev.holdfast.store.threads;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.store.engine.AtomicFiles;
import dev.holdfast.store.engine.FailStop;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.time.Time;
import java.io.IOException;
import java.io.SyncFailedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder of one chat thread: {@code context.jsonl}, {@code log.jsonl}, {@code meta.json}. Used
 * by one thread at a time, but for {@link #readLog} and {@link #log}. No method is cut short by an
 * interrupt.
 */
public final class ThreadFiles {
  private static final Logger LOG = LoggerFactory.getLogger(ThreadFiles.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String ID = "thread_id";

  private final String threadId;
  private final FolderClaim place;
  private final Path folder;
  private final Path contextFile;
  private final Host host;
  private final LineFile context;
  private final LineFile log;
  private final RotatedFiles oldContexts;
  private final RotatedFiles oldLogs;
  private long rotateAt;
  private boolean made;

  /** Whom a folder belongs to. */
  record Host(
      FailStop failStop,
      Time time,
      AtomicLong unwrittenBudget,
      Unsaved unsaved,
      ThreadFilesConfig limits,
      DamagedLines damaged,
      LogTurns logTurns,
      Consumer<String> logged) {}

  /**
   * Hears whether something is not on the disk yet, so that it is found again by the next user of
   * the folder.
   */
  interface Unsaved {
    void changed(ThreadFiles files, boolean any);
  }

  ThreadFiles(String threadId, FolderClaim place, Host host) {
    this.threadId = threadId;
    this.place = place;
    this.folder = place.path();
    this.contextFile = folder.resolve("context.jsonl");
    this.host = host;
    this.context =
        new LineFile(
            contextFile, new LineFile.Torn(true, ContextLines::isWhole), host.unwrittenBudget());
    this.log =
        new LineFile(folder.resolve("log.jsonl"), LineFile.Torn.FENCE, host.unwrittenBudget());
    this.oldContexts = new RotatedFiles(folder, "context", host.limits().oldFilesMax());
    this.oldLogs = new RotatedFiles(folder, "log", host.limits().oldFilesMax());
    this.rotateAt = host.limits().logBytesMax();
  }

  /**
   * What loading found. {@code quarantined}: bad lines that were moved to {@code
   * context.quarantine.jsonl}.
   */
  public record Loaded(List<ContextEntry> entries, int quarantined, boolean tornTail) {}

  String threadId() {
    return threadId;
  }

  /** The folder; it exists once something was written. */
  public Path folder() {
    return folder;
  }

  /** {@code scratch/}, made when it is missing: where tools work. */
  public Path scratch() throws IOException {
    claim();
    Path scratch = folder.resolve("scratch");
    AtomicFiles.createFolders(scratch);
    return scratch;
  }

  /** {@code attachments/}, made at the first write: files that came or went with messages. */
  public AttachmentFolder attachments() {
    return new AttachmentFolder(folder.resolve("attachments"), this::claim, host.failStop());
  }

  /** How large the context is on disk; zero when that cannot be told. */
  public long contextBytes() {
    try {
      return Files.exists(contextFile) ? Files.size(contextFile) : 0;
    } catch (IOException _) {
      return 0;
    }
  }

  /**
   * Reads the context; repairs a torn tail, moves bad lines to quarantine. A missing file is an
   * empty context.
   *
   * @throws IOException also when the folder belongs to another thread
   */
  public Loaded loadContext() throws IOException {
    if (!Files.exists(folder)) {
      return new Loaded(waiting(), 0, false);
    }
    place.claimed(false); // looked at once for each load
    claimQuietly();
    context.close();
    byte[] bytes = Files.exists(contextFile) ? Files.readAllBytes(contextFile) : new byte[0];
    ContextLines.Parsed parsed = ContextLines.parse(bytes);
    if (!parsed.bad().isEmpty() || parsed.torn()) {
      LOG.warn(
          "thread {}: context.jsonl had {} damaged lines{}",
          threadId,
          parsed.bad().size(),
          parsed.torn() ? " and a torn end" : "");
      repair(parsed);
    }
    List<ContextEntry> entries = new ArrayList<>(parsed.entries());
    entries.addAll(waiting());
    return new Loaded(List.copyOf(entries), parsed.bad().size(), parsed.torn());
  }

  private List<ContextEntry> waiting() {
    return context.unwritten().stream()
        .flatMap(line -> ContextLines.read(Arrays.copyOf(line, line.length - 1)).stream())
        .toList();
  }

  /** A repair that the disk refuses is put off: the next load finds the same again. */
  private void repair(ContextLines.Parsed parsed) throws IOException {
    try {
      if (!parsed.bad().isEmpty()) {
        LineFile quarantine =
            new LineFile(
                folder.resolve("context.quarantine.jsonl"),
                LineFile.Torn.FENCE,
                host.unwrittenBudget());
        for (byte[] line : parsed.bad()) {
          quarantine.append(line);
        }
        try {
          quarantine.sync();
        } finally {
          quarantine.forget();
        }
      }
      AtomicFiles.write(contextFile, ContextLines.writeAll(parsed.entries()));
    } catch (SyncFailedException e) {
      throw failStop(e);
    } catch (IOException e) {
      LOG.warn("thread {}: context.jsonl cannot be repaired now: {}", threadId, e.getMessage());
    }
  }

  /**
   * Appends without fsync. On a full disk the entry is kept in memory and written with a later
   * append or sync.
   *
   * @throws IOException when it can neither be written nor kept
   */
  public void append(ContextEntry entry) throws IOException {
    byte[] line = ContextLines.write(entry);
    claimQuietly();
    context.append(line);
    noteUnsaved();
  }

  /**
   * Makes all that was appended durable. A failed fsync ends the process (exit 74): the page cache
   * lies after it.
   *
   * @throws IOException when the disk still refuses what was appended; it is kept
   */
  public void sync() throws IOException {
    try {
      if (hasUnsaved()) {
        claim();
      }
      context.sync();
      if (context.takeCreated() || made) {
        syncFolders();
        made = false;
      }
      inLogTurn(
          () -> {
            log.flush();
            log.close();
          });
    } catch (SyncFailedException e) {
      throw failStop(e);
    } finally {
      noteUnsaved();
    }
  }

  /** The folder, and the names of the folders above it up to {@code threads}. */
  private void syncFolders() throws IOException {
    Path above = folder;
    for (int i = 0; i < 4; i++) {
      AtomicFiles.syncFolder(above);
      above = above.resolveSibling("..").normalize();
    }
  }

  /**
   * Replaces the context atomically; what was there before stays as {@code context.<n>.jsonl.gz},
   * as long as there are not too many of those.
   *
   * @throws IOException when the disk refuses; then the old context is still there
   */
  public void replaceContext(List<ContextEntry> entries) throws IOException {
    claim();
    try {
      context.close();
      if (Files.exists(contextFile) && Files.size(contextFile) > 0) {
        oldContexts.keep(contextFile);
      }
      AtomicFiles.write(contextFile, ContextLines.writeAll(entries));
      context.forget();
      syncFolders();
      made = false;
    } catch (SyncFailedException e) {
      throw failStop(e);
    } finally {
      noteUnsaved();
    }
  }

  /**
   * Appends to {@code log.jsonl}: who said what. Not fsynced; kept in memory on a full disk. A log
   * that has grown to its limit goes on in a new file.
   *
   * @throws IOException when it can neither be written nor kept
   */
  public void log(String json) throws IOException {
    byte[] line = ChecksummedLine.write(json);
    inLogTurn(
        () -> {
          claimQuietly();
          log.append(line);
          log.close();
          noteUnsaved();
          if (log.length() >= rotateAt && !log.hasUnwritten()) {
            rotateLog();
          }
        });
    host.logged().accept(threadId);
  }

  private interface LogWrite {
    void run() throws IOException;
  }

  private void inLogTurn(LogWrite write) throws IOException {
    Lock turn = host.logTurns().of(threadId);
    turn.lock();
    try {
      write.run();
    } finally {
      turn.unlock();
    }
  }

  /**
   * A crash between the two steps leaves lines in both files; readers drop what they have seen. A
   * rotation that the disk refuses is put off until the log has grown by another eighth.
   */
  private void rotateLog() throws SyncFailedException {
    Path file = folder.resolve("log.jsonl");
    try {
      oldLogs.keep(file);
      AtomicFiles.delete(file);
      rotateAt = host.limits().logBytesMax();
    } catch (SyncFailedException e) {
      throw failStop(e);
    } catch (IOException e) {
      rotateAt = log.length() + host.limits().logBytesMax() / 8;
      LOG.warn("thread {}: log.jsonl stays above its limit: {}", threadId, e.getMessage());
    }
  }

  /**
   * The newest {@code limit} whole lines of the log and its earlier parts, oldest first; fewer when
   * they are very long. A line of which a byte has changed is left out and counted. Safe from any
   * thread.
   */
  public List<String> readLog(int limit) throws IOException {
    return readLog(LogPage.newest(limit));
  }

  /** As {@link #readLog(int)}. */
  public List<String> readLog(LogPage page) throws IOException {
    LogTail.Tail tail = LogTail.read(folder.resolve("log.jsonl"), oldLogs, page);
    host.damaged().found(threadId, tail.damaged());
    return tail.lines();
  }

  /**
   * How many bytes the newest part of the log has; another number means that there is more to read.
   * Zero when that cannot be told. Safe from any thread.
   */
  public long logBytes() {
    try {
      return Files.size(folder.resolve("log.jsonl"));
    } catch (IOException _) {
      return 0;
    }
  }

  /** Lets go of what is not on the disk yet: nobody wants it any more. */
  void forget() {
    context.forget();
    log.forget();
    noteUnsaved();
  }

  private void noteUnsaved() {
    boolean any = hasUnsaved();
    if (any) {
      place.claimed(false); // the folder may be gone
    }
    host.unsaved().changed(this, any);
  }

  private boolean hasUnsaved() {
    return hasUnsavedContext() || log.hasUnwritten();
  }

  /** Whether an entry of the context is not on the disk yet. */
  boolean hasUnsavedContext() {
    return context.hasUnwritten();
  }

  /** On a full disk the folder is made by a later try. */
  private void claimQuietly() throws IOException {
    try {
      claim();
    } catch (ForeignFolderException e) {
      throw e;
    } catch (IOException _) {
      // The append finds the same trouble and keeps its line.
    }
  }

  /**
   * Makes the folder when it is missing; refuses one that belongs to another id with the same hash.
   */
  private void claim() throws IOException {
    if (place.isClaimed()) {
      return;
    }
    if (!Files.exists(folder)) {
      AtomicFiles.createFolders(folder);
      made = true;
    }
    Path meta = folder.resolve("meta.json");
    String owner = owner(meta);
    if (owner.isEmpty() || !ThreadFolders.isNameOf(folder, owner)) {
      if (!owner.isEmpty()) {
        LOG.warn("thread {}: its meta.json is damaged on disk and is written again", threadId);
      }
      AtomicFiles.create(meta);
      Files.write(
          meta,
          JSON.writeValueAsBytes(Map.of(ID, threadId, "created_at", host.time().now().toString())));
    } else if (!owner.equals(threadId)) {
      throw new ForeignFolderException(folder + " belongs to another thread than " + threadId);
    }
    place.claimed(true);
  }

  /** Empty when it is missing or unreadable: then it is written again. */
  private static String owner(Path meta) throws IOException {
    try {
      return Files.exists(meta) ? JSON.readTree(Files.readAllBytes(meta)).path(ID).asText() : "";
    } catch (JsonProcessingException _) {
      return "";
    }
  }

  /** Whether a folder that is there is the thread's, or nobody's. */
  static boolean belongsTo(Path folder, String threadId) throws IOException {
    String owner = owner(folder.resolve("meta.json"));
    return owner.isEmpty() || owner.equals(threadId);
  }

  private SyncFailedException failStop(SyncFailedException e) {
    host.failStop().end(StartRefusedException.IO, "fsync of " + folder + ": " + e.getMessage());
    return e;
  }

  /** Two ids share a folder's name: made so on purpose, since it takes millions of tries. */
  private static final class ForeignFolderException extends IOException {
    private static final long serialVersionUID = 1L;

    ForeignFolderException(String message) {
      super(message);
    }
  }
}
