package dev.holdfast.ingress.api;

import dev.holdfast.agents.context.Attachments;
import dev.holdfast.api.Attachment;
import dev.holdfast.ingress.login.ThreadAccess;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.media.AttachmentsConfig;
import dev.holdfast.media.FileNames;
import dev.holdfast.media.FileType;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.threads.AttachmentFolder;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Files that people of the web channel send, and those that they get. */
final class AttachmentCalls {
  private final Store store;
  private final ThreadAccess access;
  private final AttachmentsConfig config;
  private final WebUploads uploads;

  AttachmentCalls(Store store, ThreadAccess access, AttachmentsConfig config) {
    this.access = access;
    this.store = store;
    this.config = config;
    this.uploads = new WebUploads(store, config);
  }

  /** Keeps a file; a message that names it makes it part of the conversation. */
  ApiAnswer post(ApiRequest request) throws RefusedRequestException, StoreException, IOException {
    WebMessages.checkThread(request.threadId());
    access.enter(request.caller(), request.threadId(), null);
    Attachment kept =
        uploads.keep(
            request.threadId(),
            UUID.randomUUID().toString(),
            request.text("name", ""),
            request.raw());
    JsonObject body =
        new JsonObject()
            .put("file", kept.url().substring(Attachments.UPLOADED.length()))
            .put("name", kept.name())
            .put("media_type", kept.mediaType())
            .put("bytes", kept.bytes());
    return new ApiAnswer(201, body);
  }

  ApiAnswer get(ApiRequest request) throws RefusedRequestException {
    String name = request.path().getOrDefault("file", "");
    Path file =
        folder(request)
            .find(name)
            .orElseThrow(() -> RefusedRequestException.unknown("no such file"));
    FileType type = typeOf(name);
    boolean isImage = type.isImage();
    String mediaType = isImage ? type.mediaType() : FileType.BINARY.mediaType();
    return ApiAnswer.file(new ApiAnswer.Served(file, mediaType, isImage));
  }

  /** The files that a new message names; they must be there. */
  List<Attachment> named(ApiRequest request) throws RefusedRequestException, IOException {
    JsonArray given = request.body().getJsonArray("attachments", new JsonArray());
    if (given.size() > config.countMax()) {
      throw RefusedRequestException.invalid(
          "a message may have at most " + config.countMax() + " files");
    }
    List<Attachment> all = new ArrayList<>();
    for (int i = 0; i < given.size(); i++) {
      JsonObject one = given.getJsonObject(i);
      String file = one.getString("file");
      Path found =
          folder(request)
              .find(file)
              .orElseThrow(() -> RefusedRequestException.invalid("no such file was uploaded"));
      all.add(
          new Attachment(
              FileNames.shown(one.getString("name", "")),
              typeOf(file).mediaType(),
              Attachments.UPLOADED + file,
              Files.size(found)));
    }
    return all;
  }

  private AttachmentFolder folder(ApiRequest request) {
    return store.threads().of(request.threadId()).attachments();
  }

  /** By the ending that we gave it, after a look at its bytes. */
  private static FileType typeOf(String file) {
    String extension = file.substring(file.lastIndexOf('.') + 1);
    for (FileType type : FileType.values()) {
      if (type.extension().equals(extension)) {
        return type;
      }
    }
    return FileType.BINARY;
  }
}
