package dev.holdfast.discord;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.WholeFile;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Files that come with messages. Blocks the calling thread. Thread-safe. */
final class DiscordFiles {
  private static final int FILES_MAX = 100;
  private static final int NAME_MAX = 200;
  private static final Duration FILE_MAX = Duration.ofSeconds(100);

  /** What one answer of the server's client may have. */
  private static final int FILE_BYTES_MAX = 16 * 1024 * 1024;

  private static final Set<String> HOSTS = Set.of("cdn.discordapp.com", "media.discordapp.net");

  private final DiscordApi api;

  DiscordFiles(DiscordApi api) {
    this.api = api;
  }

  /** Those of a message. */
  static List<Attachment> of(Map<String, Object> message) {
    return JsonText.maps(message, "attachments").stream()
        .limit(FILES_MAX)
        .map(DiscordFiles::attachment)
        .toList();
  }

  static Attachment attachment(Map<String, Object> file) {
    String name = JsonText.text(file, "filename");
    return new Attachment(
        name.isBlank() ? "file" : name.substring(0, Math.min(name.length(), NAME_MAX)),
        JsonText.text(file, "content_type"),
        JsonText.text(file, "url"),
        JsonText.whole(file, "size", -1));
  }

  /**
   * Fetches one.
   *
   * @throws CallFailedException INVALID_REQUEST when it has more than {@code bytesMax} bytes, or
   *     more than the server's client takes, or its address has expired; NETWORK when it was cut
   */
  byte[] fetch(Attachment attachment, long bytesMax)
      throws CallFailedException, InterruptedException {
    int most = (int) Math.min(bytesMax, FILE_BYTES_MAX);
    if (attachment.bytes() > most) {
      throw refused("it has more than " + most + " bytes");
    }
    if (!isDiscords(attachment.url())) {
      throw refused("it lies outside of Discord");
    }
    PluginHttp.Answer answer = api.file(attachment.url(), most, FILE_MAX);
    if (answer.status() == 403 || answer.status() == 404) {
      throw refused("its address has expired, or the file was deleted");
    }
    if (answer.status() != 200) {
      throw new CallFailedException(
          Failure.of(
              FailureCode.BACKEND_FAILURE, "Discord answered " + answer.status() + " for it"));
    }
    return WholeFile.checked(answer.body(), attachment.bytes());
  }

  /** This server connects to no host just because a message names it. */
  private boolean isDiscords(String url) {
    try {
      URI uri = URI.create(url);
      URI base = URI.create(api.baseUrl());
      String host = String.valueOf(uri.getHost()).toLowerCase(Locale.ROOT);
      if (uri.getRawUserInfo() != null) {
        return false;
      }
      boolean isBase =
          host.equals(base.getHost())
              && uri.getPort() == base.getPort()
              && String.valueOf(uri.getScheme()).equals(base.getScheme());
      boolean isDiscord =
          HOSTS.contains(host) && "https".equals(uri.getScheme()) && uri.getPort() == -1;
      return isBase || isDiscord;
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  private static CallFailedException refused(String why) {
    return new CallFailedException(Failure.of(FailureCode.INVALID_REQUEST, why));
  }
}
