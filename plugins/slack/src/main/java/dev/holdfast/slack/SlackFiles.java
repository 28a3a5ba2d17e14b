package dev.holdfast.slack;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.TokenHosts;
import dev.holdfast.kit.WholeFile;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Files that come with messages. Blocks the calling thread. Thread-safe. */
final class SlackFiles {
  /** Of a file whose address Slack tells only when it is asked: its id follows. */
  private static final String BY_ID = "slack-file:";

  private static final int FILES_MAX = 100;
  private static final int NAME_MAX = 200;
  private static final Duration FILE_MAX = Duration.ofSeconds(100);

  /** What one answer of the server's client may have. */
  private static final int FILE_BYTES_MAX = 16 * 1024 * 1024;

  private final SlackApi api;
  private final TokenHosts hosts;

  SlackFiles(SlackApi api) {
    this.api = api;
    this.hosts = new TokenHosts(api.baseUrl(), List.of("slack.com"));
  }

  /** Those of a message. */
  static List<Attachment> of(Map<String, Object> event) {
    return JsonText.maps(event, "files").stream()
        .filter(file -> !JsonText.text(file, "mode").equals("tombstone"))
        .filter(file -> !JsonText.text(file, "mode").equals("hidden_by_limit"))
        .limit(FILES_MAX)
        .map(SlackFiles::attachment)
        .toList();
  }

  private static Attachment attachment(Map<String, Object> file) {
    String address = address(file);
    String name = JsonText.text(file, "name");
    return new Attachment(
        name.isBlank() ? "file" : name.substring(0, Math.min(name.length(), NAME_MAX)),
        JsonText.text(file, "mimetype"),
        address.isEmpty() ? BY_ID + JsonText.text(file, "id") : address,
        size(file));
  }

  /** Of a file as it was uploaded; what is written in Slack may change before it is fetched. */
  private static long size(Map<String, Object> file) {
    boolean isUploaded = Set.of("", "hosted").contains(JsonText.text(file, "mode"));
    return isUploaded ? JsonText.whole(file, "size", -1) : -1;
  }

  private static String address(Map<String, Object> file) {
    String download = JsonText.text(file, "url_private_download");
    return download.isEmpty() ? JsonText.text(file, "url_private") : download;
  }

  /**
   * Fetches one.
   *
   * @throws CallFailedException INVALID_REQUEST when it has more than {@code bytesMax} bytes, or
   *     more than the server's client takes; AUTH when the token may read no files; NETWORK when it
   *     was cut
   */
  byte[] fetch(Attachment attachment, long bytesMax)
      throws CallFailedException, InterruptedException {
    int most = (int) Math.min(bytesMax, FILE_BYTES_MAX);
    long told = attachment.bytes();
    String url = attachment.url();
    if (url.startsWith(BY_ID)) {
      Map<String, ?> id = Map.of("file", url.substring(BY_ID.length()));
      Map<String, Object> file = JsonText.map(api.call("files.info", id).orThrow(), "file");
      url = address(file);
      told = size(file);
    }
    if (told > most) {
      throw refused("it has more than " + most + " bytes");
    }
    if (!hosts.allow(url)) {
      throw refused("it lies outside of Slack, where the token must not go");
    }
    PluginHttp.Answer answer = api.file(url, most, FILE_MAX);
    boolean isPage = mediaType(answer).equals("text/html");
    boolean isRedirect = answer.status() >= 300 && answer.status() < 400;
    if (isRedirect || (isPage && !attachment.mediaType().equals("text/html"))) {
      throw new CallFailedException(
          Failure.of(
              FailureCode.AUTH,
              "Slack shows its login page instead of the file: the token lacks the scope"
                  + " files:read; add it under OAuth & Permissions, and install the app again"));
    }
    if (answer.status() != 200) {
      throw new CallFailedException(
          Failure.of(FailureCode.BACKEND_FAILURE, "Slack answered " + answer.status() + " for it"));
    }
    return WholeFile.checked(answer.body(), told);
  }

  private static String mediaType(PluginHttp.Answer answer) {
    String type = answer.headers().getOrDefault("content-type", List.of("")).getFirst();
    int semicolon = type.indexOf(';');
    return (semicolon < 0 ? type : type.substring(0, semicolon)).strip().toLowerCase(Locale.ROOT);
  }

  private static CallFailedException refused(String why) {
    return new CallFailedException(Failure.of(FailureCode.INVALID_REQUEST, why));
  }
}
