package dev.holdfast.discord;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.RetryAfter;
import dev.holdfast.api.channels.HttpOutcome;
import dev.holdfast.kit.JsonAnswer;
import dev.holdfast.kit.JsonText;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the API said to a call.
 *
 * @param body empty when it was no JSON; of an array, its objects under {@link #LIST}
 */
record DiscordAnswer(
    int status, Map<String, List<String>> headers, Map<String, Object> body, Instant at) {
  static final long UNKNOWN_CHANNEL = 10003;
  static final long UNKNOWN_MESSAGE = 10008;
  static final long ARCHIVED = 50083;
  private static final String LIST = "list";
  private static final Duration WAIT_USUAL = Duration.ofSeconds(5);
  private static final double WAIT_MAX = 31_536_000;
  private static final int DETAIL_MAX = 200;
  private static final int NESTING_MAX = 10;

  static DiscordAnswer of(PluginHttp.Answer answer, Instant at) {
    String text = new String(answer.body(), StandardCharsets.UTF_8);
    byte[] object =
        text.startsWith("[")
            ? ("{\"" + LIST + "\":" + text + "}").getBytes(StandardCharsets.UTF_8)
            : answer.body();
    return new DiscordAnswer(
        answer.status(),
        answer.headers(),
        new JsonAnswer(answer.status(), answer.headers(), object).object(),
        at);
  }

  boolean isOk() {
    return status >= 200 && status < 300;
  }

  /** The objects of an answer that is an array, or the failure. */
  List<Map<String, Object>> listOrThrow() throws CallFailedException {
    Map<String, Object> said = orThrow();
    if (!said.containsKey(LIST)) {
      throw new CallFailedException(notTheApi());
    }
    return JsonText.maps(said, LIST);
  }

  /**
   * The id of the message that it is; empty when it is none of that channel: what answers may be
   * the page of a proxy.
   */
  Optional<String> message(String channel) {
    String id = JsonText.id(body, "id");
    return isOk()
            && DiscordMessageReader.isId(id)
            && JsonText.id(body, "channel_id").equals(channel)
        ? Optional.of(id)
        : Optional.empty();
  }

  /** Discord's code for what is wrong; 0 when it named none. */
  long code() {
    return isOk() ? 0 : JsonText.whole(body, "code", 0);
  }

  /** Whether the message, the interaction or its token is no more. */
  boolean isGone() {
    return status == 404 || code() == 50027;
  }

  /** The body, or the failure: also when it has none, or one that is no JSON. */
  Map<String, Object> orThrow() throws CallFailedException {
    if (!isOk() || body.isEmpty()) {
      throw new CallFailedException(failure());
    }
    return body;
  }

  /** What became of a post in a channel, or of an edit there, which it answers. */
  PostOutcome outcome(String channel) {
    if (isOk()) {
      Optional<String> id = message(channel);
      return id.isPresent() ? new PostOutcome.Sent(id.get()) : new PostOutcome.Unknown(failure());
    }
    return status >= 500 && status != 503
        ? new PostOutcome.Unknown(failure())
        : new PostOutcome.NotDelivered(failure());
  }

  /** What became of the edit of a message, which it answers. */
  PostOutcome edited(String channel, String id) {
    return isOk() && !isMessage(channel, id)
        ? new PostOutcome.Unknown(failure())
        : outcome(channel);
  }

  boolean isMessage(String channel, String id) {
    return message(channel).filter(id::equals).isPresent();
  }

  /** Whether a wait that is asked for is one of all calls: the body of a proxy has none. */
  boolean isGlobalLimit() {
    return status == 429
        && (body.isEmpty()
            || JsonText.flag(body, "global")
            || header("x-ratelimit-scope").equals("global"));
  }

  /** How long the calls of the same kind have to wait; zero when they need not. */
  Duration waitAsked() {
    if (status == 429 || code() == 20028) {
      return limited();
    }
    return header("x-ratelimit-remaining").equals("0")
        ? RetryAfter.ofText(header("x-ratelimit-reset-after") + "s")
        : Duration.ZERO;
  }

  private Duration limited() {
    double seconds = JsonText.number(body, "retry_after", 0);
    if (seconds > 0) {
      return Duration.ofMillis((long) Math.ceil(Math.min(seconds, WAIT_MAX) * 1000));
    }
    Duration asked = RetryAfter.ofRateLimit(headers, at);
    return asked.isZero() ? WAIT_USUAL : asked;
  }

  private String header(String name) {
    List<String> values = headers.getOrDefault(name, List.of());
    return values.isEmpty() ? "" : values.getFirst().strip();
  }

  /** Why it is not ok. */
  Failure failure() {
    Failure failure =
        switch (status) {
          case 401 ->
              Failure.of(
                  FailureCode.AUTH,
                  "the bot token is not valid: take a new one under Bot, Reset Token, and write it"
                      + " into the configuration");
          case 429 ->
              Failure.of(FailureCode.RATE_LIMITED, "Discord asks to wait (" + limit() + ")");
          case 413 ->
              Failure.of(FailureCode.INVALID_REQUEST, "Discord takes no files of this size");
          default -> code() == 0 ? withoutCode() : byCode();
        };
    Duration wait = waitAsked();
    return (wait.isZero()
            ? failure.withRetryAfter(RetryAfter.ofHeaders(headers, at))
            : failure.withRetryAfter(wait))
        .withContext(Map.of("status", Integer.toString(status)));
  }

  private String limit() {
    String scope = header("x-ratelimit-scope").replaceAll("[^a-z]", "");
    return body.isEmpty()
        ? "429, before its API"
        : isGlobalLimit() ? "429, all calls" : scope.isEmpty() ? "429" : "429, " + scope;
  }

  private Failure byCode() {
    return switch ((int) code()) {
      case 20028, 20016, 20022 ->
          Failure.of(FailureCode.RATE_LIMITED, "Discord asks to wait before more is written there");
      case 40333 ->
          Failure.of(
              FailureCode.BACKEND_FAILURE,
              "Discord's proxy refuses requests of this server (40333)");
      case 130000 -> Failure.of(FailureCode.OVERLOADED, "Discord is overloaded (130000)");
      case 40002 ->
          Failure.of(FailureCode.AUTH, "Discord wants the account of the bot verified (40002)");
      default ->
          status >= 500 ? withoutCode() : Failure.of(FailureCode.INVALID_REQUEST, ofConversation());
    };
  }

  private String ofConversation() {
    return switch ((int) code()) {
      case 10003 ->
          "the channel is gone, or the bot was removed from its server: invite it again (10003)";
      case 10004 -> "the bot was removed from the server: invite it again (10004)";
      case 10008 -> "the message was deleted (10008)";
      case 10015, 10062, 50027 -> "the interaction is over (" + code() + ")";
      case 50001 ->
          "the bot does not see the channel: let it have View Channel there, or invite it again"
              + " (50001)";
      case 50007 ->
          "the person takes no direct messages of the bot: they have to share a server with it, and"
              + " allow messages from its members (50007)";
      case 50013 ->
          "the bot lacks a permission there: Send Messages, Send Messages in Threads, Attach Files"
              + " or Read Message History (50013)";
      case 50035 -> "Discord does not take the form of it (50035" + detail() + ")";
      case 50083, 160005 -> "the thread is closed (" + code() + ")";
      case 40005 -> "Discord takes no files of this size (40005)";
      default -> "Discord refused it (" + code() + ")";
    };
  }

  private String detail() {
    String found = detail(JsonText.map(body, "errors"), 0);
    return found.isEmpty() ? "" : ", " + found;
  }

  /** The first of the errors, which stand at the leaves. */
  private static String detail(Map<String, Object> errors, int depth) {
    for (String key : errors.keySet()) {
      if (key.equals("_errors")) {
        List<Map<String, Object>> said = JsonText.maps(errors, key);
        String message = said.isEmpty() ? "" : JsonText.text(said.getFirst(), "message");
        return message
            .substring(0, Math.min(message.length(), DETAIL_MAX))
            .replaceAll("\\p{C}", "?");
      }
      String below = depth < NESTING_MAX ? detail(JsonText.map(errors, key), depth + 1) : "";
      if (!below.isEmpty()) {
        return (depth == 0 ? key.replaceAll("[^a-z0-9_]", "") + ": " : "") + below;
      }
    }
    return "";
  }

  private Failure withoutCode() {
    return switch (HttpOutcome.of(status, headers, "", at)) {
      case PostOutcome.NotDelivered(Failure failure) -> failure;
      case PostOutcome.Unknown(Failure failure) -> failure;
      case PostOutcome.Sent _ -> notTheApi();
    };
  }

  private static Failure notTheApi() {
    return Failure.of(
        FailureCode.BACKEND_FAILURE,
        "what answered is not Discord's API: check base_url, and the proxies on the way");
  }
}
