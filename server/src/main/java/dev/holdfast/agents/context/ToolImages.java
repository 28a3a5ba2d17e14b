package dev.holdfast.agents.context;

import dev.holdfast.api.ToolResult;
import dev.holdfast.media.AttachmentsConfig;
import dev.holdfast.media.FileFacts;
import dev.holdfast.media.FileNames;
import dev.holdfast.store.threads.AttachmentFolder;
import dev.holdfast.tools.files.FileFailedException;
import dev.holdfast.tools.files.ScratchFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies the images of tool results from where tools left them to the thread's folder, under names
 * of ours: they stay what they were whatever becomes of the files, and a context names them after a
 * restart too. What cannot be had is told in words.
 */
public record ToolImages(Conversation conversation, AttachmentsConfig config) {
  private static final Logger LOG = LoggerFactory.getLogger(ToolImages.class);

  /**
   * All of them, in their order. May be done again after a crash: the names are the same.
   *
   * @param key of the call
   */
  public List<StoredAttachment> keep(String key, ToolResult result) throws IOException {
    List<StoredAttachment> all = new ArrayList<>();
    if (result.isError()) {
      return all; // the largest provider takes no image of an error
    }
    List<Path> images = result.images();
    long left = config.totalBytesMax();
    for (Path image : images.subList(0, Math.min(images.size(), config.countMax()))) {
      StoredAttachment one = keep(key + "-" + (all.size() + 1), image, left);
      left -= one.bytes();
      all.add(one);
    }
    if (images.size() > all.size()) {
      String why =
          "of the " + images.size() + " images of this result, " + all.size() + " are kept";
      all.add(StoredAttachment.lost(name(images.get(all.size())), why));
    }
    return all;
  }

  private StoredAttachment keep(String stem, Path image, long left) throws IOException {
    String name = name(image);
    String path = path(image, conversation.scratch());
    if (path.isEmpty()) {
      return StoredAttachment.lost(name, "the tool left it outside of the working folder");
    }
    long bytesMax = Math.min(left, Math.min(config.bytesMax(), config.images().bytesMax()));
    byte[] bytes;
    try {
      bytes = ScratchFiles.read(conversation.scratch(), path, (int) bytesMax);
    } catch (FileFailedException e) {
      return StoredAttachment.lost(name, "it cannot be taken: " + e.failure().message());
    } catch (IOException e) {
      LOG.warn("an image of a tool cannot be read", e);
      return StoredAttachment.lost(name, "it cannot be read");
    }
    FileFacts facts = FileFacts.of(bytes);
    if (!facts.isShowable()) {
      return StoredAttachment.lost(
          name, "its bytes are no PNG, JPEG, GIF or WebP that can be shown");
    }
    String file = AttachmentFolder.name("tool-" + stem, facts.type().extension());
    conversation.keep(file, bytes, config.threadBytesMax());
    return StoredAttachment.kept(name, facts, file, bytes.length, isPlain(path) ? path : "");
  }

  private static String name(Path image) {
    return FileNames.shown(image.toString());
  }

  /** From the working folder on, with slashes; empty when it is not in there. */
  private static String path(Path image, Path scratch) throws IOException {
    for (Path folder : List.of(scratch, scratch.toAbsolutePath(), scratch.toRealPath())) {
      if (image.startsWith(folder)) {
        return folder.relativize(image).toString();
      }
    }
    return image.isAbsolute() ? "" : image.toString();
  }

  /** Whether it can be shown as it is. */
  private static boolean isPlain(String path) {
    return StreamSupport.stream(Path.of(path).spliterator(), false)
        .map(Path::toString)
        .allMatch(step -> FileNames.shown(step).equals(step));
  }
}
