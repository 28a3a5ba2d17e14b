package dev.holdfast.mattermost;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.api.StoredFile;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.MultipartForm;
import dev.holdfast.kit.WholeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;

/** Files that come with posts, and those that go with replies. Blocks. Thread-safe. */
final class MattermostFiles {
  /** Mattermost takes no more with one post. */
  static final int PER_POST_MAX = 10;

  /** What the address of an attachment begins with; the id of the file follows. */
  private static final String BY_ID = "mattermost-file:";

  private static final int FILES_MAX = 100;
  private static final int NAME_MAX = 200;
  private static final Duration FILE_MAX = Duration.ofSeconds(100);

  /** What one answer of the server's client may have. */
  private static final int FILE_BYTES_MAX = 16 * 1024 * 1024;

  private final MattermostApi api;
  private final Semaphore places;

  /**
   * @param places how many uploads may be in memory at once
   */
  MattermostFiles(MattermostApi api, Semaphore places) {
    this.api = api;
    this.places = places;
  }

  /** Those of a post: described in its metadata, or by their ids alone. */
  static List<Attachment> of(Map<String, Object> post) {
    List<Attachment> files = new ArrayList<>();
    for (Map<String, Object> file : JsonText.maps(JsonText.map(post, "metadata"), "files")) {
      add(
          files,
          JsonText.text(file, "id"),
          JsonText.text(file, "name"),
          JsonText.text(file, "mime_type"),
          JsonText.whole(file, "size", -1));
    }
    if (files.isEmpty() && post.get("file_ids") instanceof List<?> ids) {
      ids.forEach(id -> add(files, String.valueOf(id), "", "", -1));
    }
    return files;
  }

  private static void add(
      List<Attachment> files, String id, String name, String mediaType, long bytes) {
    if (files.size() < FILES_MAX && MattermostPlace.isId(id)) {
      String shown = name.isBlank() ? "file" : cut(name);
      files.add(new Attachment(shown, cut(mediaType), BY_ID + id, bytes));
    }
  }

  private static String cut(String text) {
    return text.substring(0, Math.min(text.length(), NAME_MAX));
  }

  /**
   * Fetches one.
   *
   * @throws CallFailedException INVALID_REQUEST when it has more than {@code bytesMax} bytes, or
   *     more than the server's client takes; NETWORK when it was cut
   */
  byte[] fetch(Attachment attachment, long bytesMax)
      throws CallFailedException, InterruptedException {
    int most = (int) Math.min(bytesMax, FILE_BYTES_MAX);
    String address = attachment.url();
    String id = address.startsWith(BY_ID) ? address.substring(BY_ID.length()) : "";
    if (!MattermostPlace.isId(id)) {
      throw refused("Mattermost does not have it");
    }
    if (attachment.bytes() > most) {
      throw refused("it has more than " + most + " bytes");
    }
    PluginHttp.Answer answer = api.content("/files/" + id, most, FILE_MAX);
    if (answer.status() != 200) {
      FailureCode code = answer.status() == 401 ? FailureCode.AUTH : FailureCode.BACKEND_FAILURE;
      throw new CallFailedException(
          Failure.of(code, "Mattermost answered " + answer.status() + " for it"));
    }
    return WholeFile.checked(answer.body(), attachment.bytes());
  }

  /**
   * Uploads one; nobody sees it before a post names it.
   *
   * @return its id
   */
  String upload(StoredFile file, String channel) throws CallFailedException, InterruptedException {
    places.acquire();
    try {
      String type = file.mediaType().isBlank() ? "application/octet-stream" : file.mediaType();
      MultipartForm form =
          new MultipartForm()
              .field("channel_id", channel)
              .file("files", file.name(), type, Files.readAllBytes(file.file()));
      Map<String, Object> answer = api.upload("/files", form, FILE_MAX).orThrow().body();
      List<Map<String, Object>> infos = JsonText.maps(answer, "file_infos");
      String id = infos.isEmpty() ? "" : JsonText.text(infos.getFirst(), "id");
      if (!MattermostPlace.isId(id)) {
        throw new CallFailedException(
            Failure.of(FailureCode.BACKEND_FAILURE, "Mattermost names no id of an upload"));
      }
      return id;
    } catch (IOException e) {
      throw new CallFailedException(
          Failure.of(
              FailureCode.INVALID_REQUEST, "the file \"" + file.name() + "\" cannot be read"),
          e);
    } finally {
      places.release();
    }
  }

  private static CallFailedException refused(String why) {
    return new CallFailedException(Failure.of(FailureCode.INVALID_REQUEST, why));
  }
}
