package dev.holdfast.ingress.api;

import dev.holdfast.agents.context.Incoming;
import dev.holdfast.api.Attachment;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.channels.InboundPayload;
import dev.holdfast.channels.MessageOptions;
import dev.holdfast.ingress.login.Tokens;
import dev.holdfast.ingress.webhooks.MessageIntake;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.Caller;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.ingress.wire.Scope;
import dev.holdfast.store.messages.Appended;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Messages that come in by the API: those of the web channel. */
public final class WebMessages {
  public static final String CHANNEL = "web";
  public static final String ACCOUNT = "main";
  public static final String SOURCE = CHANNEL + ":" + ACCOUNT;
  private static final int HASH_CHARACTERS = 32;
  private static final String OF = " of ";
  private static final String PREFIX = SOURCE + ":";

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
   * Made of the client's own key or of its Idempotency-Key, so that it holds over a restart; else a
   * new one. A key counts for one token and one thread: elsewhere it is another message.
   */
  public static String dedupeKey(ApiRequest request, String threadId, String given)
      throws RefusedRequestException {
    if (MessageIntake.isDotSegment(given)) {
      throw RefusedRequestException.invalid("dedupe_key may not be . or ..: no path can name it");
    }
    if (!given.isEmpty()) {
      return given + OF + hash(request.caller().name() + ' ' + threadId);
    }
    if (request.idempotencyKey().isEmpty()) {
      return UUID.randomUUID().toString();
    }
    return "key-" + hash(scope(request, threadId));
  }

  /** The token's name, and behind it who the client says that it speaks for. */
  public static String sender(Caller caller, @Nullable String user) {
    if (user == null || user.equals(caller.name())) {
      return caller.name();
    }
    // An operator may speak for anybody; another one not in the name of somebody else's token.
    return caller.scope().covers(Scope.ADMIN) ? user : caller.name() + Incoming.SPEAKS_FOR + user;
  }

  /** Whether a sender is this token, or somebody for whom it spoke. */
  public static boolean isBy(Caller caller, String sender) {
    return sender.equals(caller.name()) || sender.startsWith(caller.name() + Incoming.SPEAKS_FOR);
  }

  /**
   * @throws RefusedRequestException 409 when the key of a message stands for another one
   */
  public static Appended checkSame(Appended appended, InboundMessage message)
      throws RefusedRequestException {
    return checkSame(appended, message, MessageOptions.NONE);
  }

  /** As {@link #checkSame(Appended, InboundMessage)}, with what it says besides its words. */
  static Appended checkSame(Appended appended, InboundMessage message, MessageOptions options)
      throws RefusedRequestException {
    String payload = InboundPayload.write(message, options);
    String known = appended.event().payload();
    if (appended.duplicate()
        && !known.equals(payload)
        && !known.equals(InboundPayload.withoutWords(payload))) { // as a deletion leaves it
      throw new RefusedRequestException(
          409, FailureCode.INVALID_REQUEST, "this key was used with another message");
    }
    return appended;
  }

  /** A thread for a message that names none: the same one when the request is sent again. */
  public static String newThread(ApiRequest request) {
    return request.idempotencyKey().isEmpty()
        ? UUID.randomUUID().toString()
        : "chat-" + hash(scope(request, ""));
  }

  /** A key has no blanks, nor has a name, so that none of the three can move into the next. */
  private static String scope(ApiRequest request, String threadId) {
    return request.idempotencyKey() + ' ' + request.caller().name() + ' ' + threadId;
  }

  /** What the keys of a client's messages begin with whose own key is {@code given}. */
  public static String keyStart(String given) {
    return given + OF;
  }

  /** An event's key as its sender gave it. */
  public static String givenKey(String threadId, String dedupeKey) {
    int of = dedupeKey.length() - HASH_CHARACTERS - OF.length();
    boolean ours = threadId.startsWith(PREFIX) && of > 0 && dedupeKey.startsWith(OF, of);
    return ours ? dedupeKey.substring(0, of) : dedupeKey;
  }

  private static String hash(String scope) {
    byte[] digest = Tokens.sha256(scope.getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(digest, 0, HASH_CHARACTERS / 2);
  }
}
