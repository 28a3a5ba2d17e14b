package dev.holdfast.ingress.webhooks;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.ingress.login.Tokens;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.store.messages.Appended;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Messages that come in by the API: those of the web channel. */
public final class WebMessages {
  static final String CHANNEL = "web";
  static final String ACCOUNT = "main";
  private static final String PREFIX = CHANNEL + ":" + ACCOUNT + ":";

  private WebMessages() {}

  /**
   * @throws RefusedRequestException 400 for a thread of a platform: it gets its messages from there
   */
  public static InboundMessage make(
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
  public static void checkThread(String threadId) throws RefusedRequestException {
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
  public static String dedupeKey(ApiRequest request, String threadId, String given) {
    if (!given.isEmpty()) {
      return given;
    }
    if (request.idempotencyKey().isEmpty()) {
      return UUID.randomUUID().toString();
    }
    return "key-" + hash(request, threadId);
  }

  /** A thread for a message that names none: the same one when the request is sent again. */
  public static String newThread(ApiRequest request) {
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

  /**
   * Blocks until the commit. Of a disk that hangs the client is told before it gives up; the
   * message may still be accepted, and its key tells when it is sent again.
   */
  public static Appended commit(MessageIntake acceptor, InboundMessage message)
      throws RefusedRequestException, InterruptedException {
    try {
      return acceptor
          .accept(CHANNEL, message)
          .get(Webhooks.COMMIT_WAIT_MAX.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException _) {
      throw Webhooks.slow();
    } catch (ExecutionException e) {
      throw Webhooks.refusalOf(e.getCause() == null ? e : e.getCause());
    }
  }
}
