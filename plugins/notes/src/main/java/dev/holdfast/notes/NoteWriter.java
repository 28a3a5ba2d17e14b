package dev.holdfast.notes;

import dev.holdfast.agentkit.ActionRefusedException;
import dev.holdfast.notes.CallLedger.Change;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Makes and changes notes, one call at a time, each once: a call that is made again with its key
 * finds what it has done.
 */
final class NoteWriter {
  private final Path own;
  private final CallLedger ledger;

  /** Makes the new content out of what there is. */
  @FunctionalInterface
  interface Edit {
    Note apply(Note before) throws ActionRefusedException;
  }

  NoteWriter(Path own) {
    this.own = own;
    this.ledger = new CallLedger(own.resolve("calls"));
  }

  /** Refused when there is a note of that name. */
  Map<String, Object> create(Vault vault, String name, String key, Note note)
      throws ActionRefusedException, IOException {
    vault.requireWritable();
    int bytes = size(note);
    try (FileChannel channel = lockFile();
        FileLock _ = channel.lock()) {
      Path file = vault.whereToPut(name);
      boolean isThere = Files.exists(file, LinkOption.NOFOLLOW_LINKS);
      String current = isThere ? Note.read(file).hash() : "";
      if (isDone(vault, file, key, current)) {
        return answer(vault, file, current, bytes, true);
      }
      if (isThere) {
        throw exists(vault, file);
      }
      remember(key, new Change(vault.pathOf(file), "", note.hash()));
      try {
        AtomicNote.put(file, note.content(), false);
      } catch (FileAlreadyExistsException _) {
        throw exists(vault, file);
      }
      return answer(vault, file, note.hash(), bytes, false);
    }
  }

  /** {@code expected}: the hash that the note must have; empty for any. */
  Map<String, Object> update(Vault vault, String name, String key, String expected, Edit edit)
      throws ActionRefusedException, IOException {
    vault.requireWritable();
    try (FileChannel channel = lockFile();
        FileLock _ = channel.lock()) {
      Path file = vault.existing(name);
      Note before = Note.read(file);
      if (isDone(vault, file, key, before.hash())) {
        return answer(vault, file, before.hash(), size(before), true);
      }
      if (!expected.isEmpty() && !expected.equals(before.hash())) {
        throw new ActionRefusedException(
            ActionRefusedException.CONFLICT,
            "The note has changed since it was read; read it again.");
      }
      Note after = edit.apply(before);
      int bytes = size(after);
      remember(key, new Change(vault.pathOf(file), before.hash(), after.hash()));
      if (!after.hash().equals(before.hash())) {
        AtomicNote.put(file, after.content(), true);
      }
      return answer(vault, file, after.hash(), bytes, false);
    }
  }

  /** Whether this call has done its work before. Refused when nobody can tell. */
  private boolean isDone(Vault vault, Path file, String key, String current)
      throws ActionRefusedException, IOException {
    Optional<Change> earlier = key.isEmpty() ? Optional.empty() : ledger.find(key);
    if (earlier.isEmpty() || !earlier.get().path().equals(vault.pathOf(file))) {
      return false;
    }
    if (current.equals(earlier.get().after())) {
      return true;
    }
    if (current.equals(earlier.get().before())) {
      return false;
    }
    throw new ActionRefusedException(
        ActionRefusedException.CONFLICT,
        "This call was made before, and the note has been changed since: read it to see what it did.");
  }

  private void remember(String key, Change change) throws IOException {
    if (!key.isEmpty()) {
      ledger.add(key, change);
    }
  }

  private FileChannel lockFile() throws IOException {
    Files.createDirectories(own);
    return FileChannel.open(
        own.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  private static int size(Note note) throws ActionRefusedException {
    int bytes = note.content().getBytes(StandardCharsets.UTF_8).length;
    Note.checkSize(bytes);
    return bytes;
  }

  private static ActionRefusedException exists(Vault vault, Path file) {
    return new ActionRefusedException(
        ActionRefusedException.CONFLICT, "There is a note " + vault.pathOf(file) + " already.");
  }

  private static Map<String, Object> answer(
      Vault vault, Path file, String hash, int bytes, boolean isRepeated) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("path", vault.pathOf(file));
    data.put("hash", hash);
    data.put("bytes", bytes);
    if (isRepeated) {
      data.put("already_done", true);
    }
    return data;
  }
}
