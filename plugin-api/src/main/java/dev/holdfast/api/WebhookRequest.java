package dev.holdfast.api;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A request as it came from a platform, before anything is believed.
 *
 * @param account from the path; empty when the path names none
 * @param path what follows the account in the path, as it came, without the slash before it; empty
 *     unless the channel {@link ChannelAdapter#hasWebhookPaths has such paths}
 * @param headers by lower-case name, every value in the order it came
 * @param body the raw bytes of whatever type its header names, within the configured limit; not to
 *     be changed
 * @param receivedAt the server's clock, for windows of signatures
 */
@SuppressWarnings(
    "ArrayRecordComponent") // the bytes as they came: copying a megabyte per request helps nobody
public record WebhookRequest(
    String method,
    String account,
    String path,
    Map<String, List<String>> headers,
    Map<String, List<String>> query,
    byte[] body,
    Instant receivedAt) {
  /** To the address of the account itself. */
  public WebhookRequest(
      String method,
      String account,
      Map<String, List<String>> headers,
      Map<String, List<String>> query,
      byte[] body,
      Instant receivedAt) {
    this(method, account, "", headers, query, body, receivedAt);
  }

  /**
   * The value of a header that stands there exactly once; empty when it is missing or there are
   * several, of which a proxy may believe another one.
   *
   * @param name in lower case
   */
  public String onlyHeader(String name) {
    List<String> values = headers.getOrDefault(name, List.of());
    return values.size() == 1 ? values.getFirst() : "";
  }
}
