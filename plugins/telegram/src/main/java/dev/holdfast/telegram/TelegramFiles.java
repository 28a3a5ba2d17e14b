package dev.holdfast.telegram;

import dev.holdfast.api.Attachment;
import dev.holdfast.kit.JsonText;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** The file of a message: Telegram puts one into each. */
final class TelegramFiles {
  private static final String SCHEME = "telegram:";
  private static final int NAME_MAX = 200;
  private static final int ID_MAX = 1000;

  /** Kinds of a message that are files, what they are called and of what type they are. */
  private record Kind(String key, String name, String mediaType) {}

  private static final List<Kind> KINDS =
      List.of(
          new Kind("document", "document", ""),
          new Kind("video", "video.mp4", "video/mp4"),
          new Kind("audio", "audio.mp3", "audio/mpeg"),
          new Kind("voice", "voice.ogg", "audio/ogg"),
          new Kind("video_note", "video.mp4", "video/mp4"));

  private TelegramFiles() {}

  static List<Attachment> of(Map<String, Object> message) {
    for (Kind kind : KINDS) {
      Map<String, Object> file = JsonText.map(message, kind.key());
      if (!file.isEmpty()) {
        return attachment(file, kind);
      }
    }
    Map<String, Object> sticker = JsonText.map(message, "sticker");
    if (!sticker.isEmpty()
        && !JsonText.flag(sticker, "is_animated")
        && !JsonText.flag(sticker, "is_video")) {
      return attachment(sticker, new Kind("sticker", "sticker.webp", "image/webp"));
    }
    return JsonText.maps(message, "photo").stream()
        .max(
            Comparator.comparingLong(
                size -> JsonText.whole(size, "width", 0) * JsonText.whole(size, "height", 0)))
        .map(largest -> attachment(largest, new Kind("photo", "photo.jpg", "image/jpeg")))
        .orElse(List.of());
  }

  private static List<Attachment> attachment(Map<String, Object> file, Kind kind) {
    String id = JsonText.text(file, "file_id");
    if (id.isEmpty() || id.length() > ID_MAX) {
      return List.of();
    }
    return List.of(
        new Attachment(
            or(JsonText.text(file, "file_name"), kind.name()),
            or(JsonText.text(file, "mime_type"), kind.mediaType()),
            SCHEME + id,
            JsonText.whole(file, "file_size", -1)));
  }

  private static String or(String said, String usual) {
    String shown = said.substring(0, Math.min(said.length(), NAME_MAX));
    return shown.isBlank() ? usual : shown;
  }

  /** The id by which Telegram hands out the file of an attachment; empty when it is not its. */
  static String fileId(Attachment attachment) {
    return attachment.url().startsWith(SCHEME) ? attachment.url().substring(SCHEME.length()) : "";
  }
}
