package dev.holdfast.whatsapp;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.StoredFile;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.MultipartForm;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Sends files, each as a message of its own. In place of one that WhatsApp does not take, a
 * sentence says so: the answer that it belongs to has arrived. Thread-safe.
 */
final class MediaUploads {
  private static final long MEGABYTE = 1024L * 1024;

  /** WhatsApp takes documents of 100 MB; this much is held in memory. */
  static final long BYTES_MAX = 50 * MEGABYTE;

  /** All three together stay below the 60 s that the server has for a post. */
  static final Duration PLACE_MAX = Duration.ofSeconds(10);

  private static final Duration UPLOAD_MAX = Duration.ofSeconds(35);
  private static final Duration SEND_MAX = Duration.ofSeconds(10);
  private static final Set<String> IMAGES = Set.of("image/jpeg", "image/png");
  private static final Set<String> VIDEOS = Set.of("video/mp4", "video/3gpp");
  private static final Set<String> AUDIOS =
      Set.of("audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg");

  private final BusinessNumber number;

  /** Each upload holds its file in memory. */
  private final Semaphore places;

  private final Duration placeMax;

  /**
   * @param places of all accounts together
   * @param placeMax how long to wait for one of them
   */
  MediaUploads(BusinessNumber number, Semaphore places, Duration placeMax) {
    this.number = number;
    this.places = places;
    this.placeMax = placeMax;
  }

  /**
   * Posts one file.
   *
   * @param message to whom; added to
   */
  PostOutcome post(StoredFile file, Map<String, Object> message)
      throws CallFailedException, InterruptedException {
    if (file.bytes() > BYTES_MAX) {
      return say(file, "it has more than 50 MB", message);
    }
    GraphAnswer uploaded;
    try {
      uploaded = upload(file);
    } catch (IOException _) {
      return say(file, "it is gone", message);
    } catch (CallFailedException e) {
      return new PostOutcome.NotDelivered(e.failure()); // nobody sees an upload
    }
    String id = JsonText.id(uploaded.body(), "id");
    if (!uploaded.isOk() || id.isEmpty()) {
      Failure failure = uploaded.failure();
      return failure.code() == FailureCode.INVALID_REQUEST
          ? say(file, "WhatsApp does not take it", message)
          : new PostOutcome.NotDelivered(failure);
    }
    String kind = kind(file);
    Map<String, Object> media = new LinkedHashMap<>();
    media.put("id", id);
    if (kind.equals("document")) {
      media.put("filename", file.name());
    }
    message.put("type", kind);
    message.put(kind, media);
    return number.send(message, SEND_MAX).outcome();
  }

  private GraphAnswer upload(StoredFile file)
      throws IOException, CallFailedException, InterruptedException {
    if (!places.tryAcquire(placeMax.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new CallFailedException(
          Failure.of(FailureCode.BULKHEAD_FULL, "too many files are being sent at once").unsent());
    }
    try {
      MultipartForm form =
          new MultipartForm()
              .field("messaging_product", "whatsapp")
              .field("type", mediaType(file))
              .file("file", file.name(), mediaType(file), Files.readAllBytes(file.file()));
      return number.api().post(number.path("media"), form, UPLOAD_MAX);
    } finally {
      places.release();
    }
  }

  /** WhatsApp shows files that are too large for their kind as documents. */
  private static String kind(StoredFile file) {
    if (IMAGES.contains(file.mediaType()) && file.bytes() <= 5 * MEGABYTE) {
      return "image";
    }
    if (VIDEOS.contains(file.mediaType()) && file.bytes() <= 16 * MEGABYTE) {
      return "video";
    }
    return AUDIOS.contains(file.mediaType()) && file.bytes() <= 16 * MEGABYTE
        ? "audio"
        : "document";
  }

  /** Of texts WhatsApp takes only plain ones; their names say what they are. */
  private static String mediaType(StoredFile file) {
    boolean isText =
        file.mediaType().startsWith("text/") || file.mediaType().equals("application/json");
    return isText ? "text/plain" : file.mediaType();
  }

  private PostOutcome say(StoredFile file, String why, Map<String, Object> message)
      throws CallFailedException, InterruptedException {
    WhatsAppText.into(message, "The file " + file.name() + " could not be sent: " + why + ".");
    return number.send(message).outcome();
  }
}
