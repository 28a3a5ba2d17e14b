package dev.holdfast.whatsapp;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.WholeFile;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Files that come with messages. WhatsApp names an id, by which it tells an address that is good
 * for 5 minutes. Blocks the calling thread. Thread-safe.
 */
final class MediaDownloads {
  private static final String SCHEME = "whatsapp:";
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{1,200}");
  private static final int NAME_MAX = 200;
  private static final Duration ADDRESS_MAX = Duration.ofSeconds(20);
  private static final Duration FILE_MAX = Duration.ofSeconds(100);

  /** What one answer of the server's client may have. */
  private static final int FILE_BYTES_MAX = 16 * 1024 * 1024;

  private final GraphApi api;
  private final String phoneNumberId;

  MediaDownloads(GraphApi api, String phoneNumberId) {
    this.api = api;
    this.phoneNumberId = phoneNumberId;
  }

  /** The file of a message; none when it has no id. */
  static List<Attachment> attachments(String kind, Map<String, Object> media) {
    String id = JsonText.id(media, "id");
    if (!ID.matcher(id).matches()) {
      return List.of();
    }
    String type = mediaType(JsonText.text(media, "mime_type"));
    String said = JsonText.text(media, "filename");
    String name = said.isBlank() ? kind + "." + ending(type) : said;
    return List.of(
        new Attachment(
            name.substring(0, Math.min(name.length(), NAME_MAX)), type, SCHEME + id, -1));
  }

  private static String mediaType(String type) {
    int semicolon = type.indexOf(';');
    return (semicolon < 0 ? type : type.substring(0, semicolon)).strip().toLowerCase(Locale.ROOT);
  }

  private static String ending(String mediaType) {
    return switch (mediaType) {
      case "image/jpeg" -> "jpg";
      case "audio/mpeg" -> "mp3";
      case "audio/mp4" -> "m4a";
      case "video/3gpp" -> "3gp";
      default -> {
        String sub = mediaType.substring(mediaType.indexOf('/') + 1);
        yield sub.matches("[a-z0-9]{1,8}") ? sub : "bin";
      }
    };
  }

  /**
   * Fetches one.
   *
   * @throws CallFailedException INVALID_REQUEST when it has more than {@code bytesMax} bytes, or
   *     more than the server's client takes, or is no longer there; NETWORK when it was cut
   */
  byte[] fetch(Attachment attachment, long bytesMax)
      throws CallFailedException, InterruptedException {
    int most = (int) Math.min(bytesMax, FILE_BYTES_MAX);
    String id =
        attachment.url().startsWith(SCHEME) ? attachment.url().substring(SCHEME.length()) : "";
    if (!ID.matcher(id).matches()) {
      throw refused("WhatsApp does not have it");
    }
    Map<String, Object> media =
        api.fileFacts("/" + id + "?phone_number_id=" + phoneNumberId, ADDRESS_MAX).orThrow();
    if (size(media) > most) {
      throw refused("it has more than " + most + " bytes");
    }
    String url = JsonText.text(media, "url");
    if (!api.isMetas(url)) {
      throw refused("it lies outside of Meta's hosts, where the token must not go");
    }
    PluginHttp.Answer answer = api.file(url, most, FILE_MAX);
    if (answer.status() == 404) {
      throw refused("WhatsApp keeps it no longer");
    }
    if (answer.status() != 200) {
      throw new CallFailedException(
          Failure.of(
              FailureCode.BACKEND_FAILURE, "WhatsApp answered " + answer.status() + " for it"));
    }
    return WholeFile.checked(answer.body(), size(media));
  }

  /** Meta writes it as a number or as a text. */
  private static long size(Map<String, Object> media) {
    String digits = JsonText.id(media, "file_size");
    return digits.matches("[0-9]{1,15}") ? Long.parseLong(digits) : 0;
  }

  private static CallFailedException refused(String why) {
    return new CallFailedException(Failure.of(FailureCode.INVALID_REQUEST, why));
  }
}
