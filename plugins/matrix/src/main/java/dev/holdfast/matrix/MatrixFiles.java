package dev.holdfast.matrix;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.StoredFile;
import dev.holdfast.kit.JsonAnswer;
import dev.holdfast.kit.JsonText;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/** Files on the homeserver of one account. Blocks the calling thread. Thread-safe. */
final class MatrixFiles {
  private static final String MXC = "mxc://";
  private static final int NAME_MAX = 200;
  private static final Duration FILE_MAX = Duration.ofSeconds(100);
  private static final Duration UPLOAD_MAX = Duration.ofSeconds(60);
  private static final int FILE_BYTES_MAX = 16 * 1024 * 1024;
  private static final int NOT_FOUND = 404;

  private final MatrixApi api;

  /** Each holds a whole file in memory. */
  private final Semaphore places;

  MatrixFiles(MatrixApi api, Semaphore places) {
    this.api = api;
    this.places = places;
  }

  /** The file of a message; empty when it has none, or one that is encrypted. */
  static Optional<Attachment> of(Map<String, Object> content) {
    String address = JsonText.text(content, "url");
    if (!MatrixIds.isMedia(address)) {
      return Optional.empty();
    }
    Map<String, Object> info = JsonText.map(content, "info");
    String named = JsonText.text(content, "filename");
    String name = named.isBlank() ? JsonText.text(content, "body") : named;
    String type = JsonText.text(info, "mimetype");
    return Optional.of(
        new Attachment(
            name.isBlank() ? "file" : name.substring(0, Math.min(name.length(), NAME_MAX)),
            type.substring(0, Math.min(type.length(), NAME_MAX)),
            address,
            JsonText.whole(info, "size", -1)));
  }

  /** What was written with a file; empty when its text is but its name. */
  static String caption(Map<String, Object> content) {
    String named = JsonText.text(content, "filename");
    String body = JsonText.text(content, "body");
    return named.isBlank() || named.equals(body) ? "" : body;
  }

  /**
   * Fetches one.
   *
   * @throws CallFailedException INVALID_REQUEST when it has more than {@code bytesMax} bytes, or
   *     more than the server's client takes, or the homeserver does not have it
   */
  byte[] fetch(Attachment attachment, long bytesMax)
      throws CallFailedException, InterruptedException {
    int most = (int) Math.min(bytesMax, FILE_BYTES_MAX);
    if (!MatrixIds.isMedia(attachment.url())) {
      throw refused("it does not lie on the homeserver");
    }
    if (attachment.bytes() > most) {
      throw refused("it has more than " + most + " bytes");
    }
    String path = attachment.url().substring(MXC.length());
    int slash = path.indexOf('/');
    String file =
        "/download/" + MatrixIds.encoded(path.substring(0, slash)) + path.substring(slash);
    JsonAnswer answer = api.download("/_matrix/client/v1/media" + file, FILE_MAX, most);
    if (answer.status() == NOT_FOUND && isUnrecognized(answer)) { // a homeserver from before 2024
      answer = api.download("/_matrix/media/v3" + file, FILE_MAX, most);
    }
    if (answer.status() == NOT_FOUND) {
      throw refused("the homeserver does not have it any more");
    }
    if (answer.status() != 200) {
      throw new CallFailedException(
          Failure.of(
              FailureCode.BACKEND_FAILURE,
              "the homeserver answered " + answer.status() + " for it"));
    }
    return answer.raw();
  }

  private static boolean isUnrecognized(JsonAnswer answer) {
    return JsonText.text(answer.object(), "errcode").equals("M_UNRECOGNIZED");
  }

  private static CallFailedException refused(String why) {
    return new CallFailedException(Failure.of(FailureCode.INVALID_REQUEST, why));
  }

  /** Returns the address under which the homeserver has it; nobody sees it yet. */
  String upload(StoredFile file) throws CallFailedException, InterruptedException {
    if (file.bytes() > FILE_BYTES_MAX) {
      throw refused("it has more than " + FILE_BYTES_MAX + " bytes");
    }
    places.acquire();
    try {
      byte[] content = Files.readAllBytes(file.file());
      MatrixAnswer answer = api.upload(file.name(), mediaType(file), content, UPLOAD_MAX);
      String address = JsonText.text(answer.orThrow(), "content_uri");
      if (!MatrixIds.isMedia(address)) {
        throw new CallFailedException(
            Failure.of(FailureCode.BACKEND_FAILURE, "the homeserver names no address for it"));
      }
      return address;
    } catch (IOException e) {
      throw new CallFailedException(
          Failure.of(FailureCode.INVALID_REQUEST, "it cannot be read"), e);
    } finally {
      places.release();
    }
  }

  static String mediaType(StoredFile file) {
    return file.mediaType().isBlank() ? "application/octet-stream" : file.mediaType();
  }
}
