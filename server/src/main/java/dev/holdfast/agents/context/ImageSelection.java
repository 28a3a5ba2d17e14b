package dev.holdfast.agents.context;

import dev.holdfast.api.Message;
import dev.holdfast.api.StoredFile;
import dev.holdfast.media.AttachmentsConfig;
import dev.holdfast.store.threads.AttachmentFolder;
import dev.holdfast.store.threads.ContextEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides which images of a context a model is shown: the newest, within the limits of a request.
 * Of all others it reads in words.
 *
 * @param none whether it is shown none at all
 */
public record ImageSelection(
    AttachmentFolder folder, AttachmentsConfig.Images limits, boolean none) {

  /** What is left of the limits, while the context is gone through from its end. */
  private static final class MemoryBudget {
    private int count;
    private long bytes;
    private boolean refused;
  }

  /** The messages with files, by the places of their entries. */
  Map<Integer, Message> of(List<ContextEntry> entries) {
    Map<Integer, Message> messages = new HashMap<>();
    MemoryBudget room = new MemoryBudget();
    for (int i = entries.size() - 1; i >= 0; i--) {
      ContextEntry entry = entries.get(i);
      if (entry.type().equals(Entries.IMAGES_REFUSED)) {
        room.refused = true;
      } else {
        List<StoredAttachment> attached = Entries.attached(entry);
        if (!attached.isEmpty()) {
          messages.put(i, message(entry, attached, room));
        }
      }
    }
    return messages;
  }

  private Message message(ContextEntry entry, List<StoredAttachment> attached, MemoryBudget room) {
    List<StoredFile> images = new ArrayList<>();
    List<String> lines = new ArrayList<>();
    for (StoredAttachment one : attached.reversed()) {
      if (!one.isImage()) {
        lines.add(Entries.line(entry, one, ""));
        continue;
      }
      Optional<Path> file = folder.find(one.file());
      String why = whyNot(one, file, room);
      lines.add(Entries.line(entry, one, why.isEmpty() ? "shown" : "not shown: " + why));
      if (why.isEmpty()) {
        room.count++;
        room.bytes += one.bytes();
        images.add(new StoredFile(one.name(), one.mediaType(), file.orElseThrow(), one.bytes()));
      }
    }
    Collections.reverse(images);
    Collections.reverse(lines);
    return Entries.message(entry, lines, images);
  }

  private String whyNot(StoredAttachment one, Optional<Path> file, MemoryBudget room) {
    if (room.refused || none) {
      return "the model refused it";
    }
    if (one.bytes() > limits.bytesMax()) {
      return "too large";
    }
    if (room.count >= limits.countMax() || room.bytes + one.bytes() > limits.totalBytesMax()) {
      return "only the newest are";
    }
    return file.isPresent() && isWhole(file.get(), one) ? "" : "it is no longer available";
  }

  private static boolean isWhole(Path file, StoredAttachment one) {
    try {
      return Files.size(file) == one.bytes();
    } catch (IOException _) {
      return false;
    }
  }
}
