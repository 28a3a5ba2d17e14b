package dev.holdfast.extensions;

import dev.holdfast.api.ToolContext;
import dev.holdfast.media.AttachmentsConfig;
import dev.holdfast.media.FileFacts;
import dev.holdfast.store.threads.AttachmentFolder;
import dev.holdfast.tools.files.FileFailedException;
import dev.holdfast.tools.files.ScratchFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Saves the images of one result of a server in the working folder of its chat thread, from where
 * models are shown them: as many, and as large ones, as one result may have. For one thread.
 */
final class ResultImages implements McpResult.Images {
  private static final Logger LOG = LoggerFactory.getLogger(ResultImages.class);
  private static final String FOLDER = "images";

  private final AttachmentsConfig limits;
  private final ToolContext context;
  private final List<Path> saved = new ArrayList<>();
  private long left;

  ResultImages(AttachmentsConfig limits, ToolContext context) {
    this.limits = limits;
    this.context = context;
    this.left = limits.totalBytesMax();
  }

  @Override
  public List<Path> saved() {
    return List.copyOf(saved);
  }

  @Override
  public Optional<String> save(@Nullable Object data) {
    long bytesMax = Math.min(left, Math.min(limits.bytesMax(), limits.images().bytesMax()));
    if (saved.size() >= limits.countMax()
        || !(data instanceof String base64)
        || base64.length() / 4L * 3 > bytesMax + 2) {
      return Optional.empty();
    }
    try {
      return save(Base64.getDecoder().decode(base64), bytesMax);
    } catch (IllegalArgumentException _) {
      return Optional.empty(); // it is no base64
    }
  }

  private Optional<String> save(byte[] bytes, long bytesMax) {
    FileFacts facts = FileFacts.of(bytes);
    if (!facts.isShowable() || bytes.length > bytesMax) {
      return Optional.empty();
    }
    String stem = context.key() + "-" + (saved.size() + 1);
    String name = AttachmentFolder.name(stem, facts.type().extension());
    try {
      ScratchFiles.write(context.scratch(), FOLDER, name, bytes);
    } catch (FileFailedException | IOException e) {
      LOG.warn("call {}: an image of its result is not saved: {}", context.key(), e.getMessage());
      return Optional.empty();
    }
    String path = FOLDER + "/" + name;
    saved.add(Path.of(path));
    left -= bytes.length;
    return Optional.of(path);
  }
}
