package dev.holdfast.ingress.api;

import dev.holdfast.agents.context.Attachments;
import dev.holdfast.api.Attachment;
import dev.holdfast.ingress.login.Tokens;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.media.AttachmentsConfig;
import dev.holdfast.media.FileFacts;
import dev.holdfast.media.FileNames;
import dev.holdfast.store.Store;
import dev.holdfast.store.threads.AttachmentFolder;
import java.io.IOException;
import java.util.HexFormat;

/** Keeps files for messages of the web channel that will name them. Thread-safe; blocks. */
public final class WebUploads {
  private final Store store;
  private final AttachmentsConfig config;

  public WebUploads(Store store, AttachmentsConfig config) {
    this.store = store;
    this.config = config;
  }

  /** What a message may bring. */
  public AttachmentsConfig limits() {
    return config;
  }

  /**
   * Durable on return.
   *
   * @param threadId of a thread that the caller may write to
   * @param stem what its name here is made of
   * @param name as its sender calls it
   * @throws RefusedRequestException 400 when it is empty or too large
   */
  Attachment keep(String threadId, String stem, String name, byte[] content)
      throws RefusedRequestException, IOException {
    if (content.length == 0) {
      throw RefusedRequestException.invalid("the file is empty");
    }
    if (content.length > config.bytesMax()) {
      throw RefusedRequestException.invalid("the file is too large");
    }
    FileFacts facts = FileFacts.of(content);
    String file = AttachmentFolder.name("up-" + stem, facts.type().extension());
    var _ = store.threads().of(threadId).attachments().put(file, content, config.threadBytesMax());
    return new Attachment(
        FileNames.shown(name),
        facts.type().mediaType(),
        Attachments.UPLOADED + file,
        content.length);
  }

  /** As the other; under the same name whenever the same content comes, as with the same key. */
  public Attachment keep(String threadId, String name, byte[] content)
      throws RefusedRequestException, IOException {
    String hash = HexFormat.of().formatHex(Tokens.sha256(content));
    return keep(threadId, hash, name, content);
  }
}
