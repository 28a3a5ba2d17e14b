package dev.holdfast.ingress.api;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.ingress.login.Tokens;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;

/** Messages that come in by the API: those of the web channel. */
final class WebMessages {
  static final String CHANNEL = "web";
  static final String ACCOUNT = "main";
  private static final String PREFIX = CHANNEL + ":" + ACCOUNT + ":";

  private WebMessages() {}

  /**
   * @throws RefusedRequestException 400 for a thread of a platform: it gets its messages from there
   */
  static InboundMessage make(
      String threadId, String user, String text, List<Attachment> files, String dedupeKey)
      throws RefusedRequestException {
    checkThread(threadId);
    if (text.isBlank() && files.isEmpty()) {
      throw RefusedRequestException.invalid("the text is empty");
    }
    return new InboundMessage(
        ACCOUNT, threadId.substring(PREFIX.length()), user, text, files, dedupeKey);
  }

  /**
   * @throws RefusedRequestException 400 for a thread of a platform
   */
  static void checkThread(String threadId) throws RefusedRequestException {
    if (!threadId.startsWith(PREFIX) || threadId.length() == PREFIX.length()) {
      throw RefusedRequestException.invalid(
          "messages can only be sent to threads of the web channel: " + PREFIX + "<id>");
    }
  }

  /**
   * The client's own key, or one made of its Idempotency-Key, which then holds over a restart; else
   * a new one. A client may use an Idempotency-Key again in another thread: that is another
   * message.
   */
  static String dedupeKey(ApiRequest request, String threadId, String given) {
    if (!given.isEmpty()) {
      return given;
    }
    if (request.idempotencyKey().isEmpty()) {
      return UUID.randomUUID().toString();
    }
    return "key-" + hash(request, threadId);
  }

  /** A thread for a message that names none: the same one when the request is sent again. */
  static String newThread(ApiRequest request) {
    return request.idempotencyKey().isEmpty()
        ? UUID.randomUUID().toString()
        : "chat-" + hash(request, "");
  }

  private static String hash(ApiRequest request, String threadId) {
    // A key has no blanks, so that none of the three can move into the next.
    String scope = request.idempotencyKey() + ' ' + request.caller().name() + ' ' + threadId;
    byte[] digest = Tokens.sha256(scope.getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(digest, 0, 16);
  }
}
