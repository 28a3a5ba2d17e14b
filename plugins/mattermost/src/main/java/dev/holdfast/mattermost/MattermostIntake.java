package dev.holdfast.mattermost;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Click;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.api.channels.ConstantTime;
import dev.holdfast.kit.JsonText;
import java.lang.System.Logger.Level;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What Mattermost posts to one account: slash commands, outgoing webhooks and clicks. It signs none
 * of them: a token in the body proves the first two, and what a button carries the third. It sends
 * nothing twice, so what fails here is lost. Thread-safe.
 */
final class MattermostIntake {
  private static final Duration IDENTITY_MAX = Duration.ofSeconds(1);
  private static final Duration POST_MAX = Duration.ofSeconds(1);
  private static final int FIELDS_MAX = 100;
  private static final String SCHEME = "Token ";
  private static final String JSON = "application/json";

  /** To a command: a text would be shown; and what is no JSON is an error. */
  private static final WebhookVerdict.Answer COMMAND_TAKEN =
      new WebhookVerdict.Answer(200, JSON, "{\"response_type\":\"ephemeral\",\"text\":\"\"}");

  /** To a click, and to an outgoing webhook: of any text, even an empty one, it makes a post. */
  private static final WebhookVerdict.Answer TAKEN = new WebhookVerdict.Answer(200, JSON, "{}");

  private final MattermostBot bot;
  private final ClickSignature clicks;

  MattermostIntake(MattermostBot bot, ClickSignature clicks) {
    this.bot = bot;
    this.clicks = clicks;
  }

  WebhookVerdict receive(WebhookRequest request) throws InterruptedException {
    // What cannot be read has no token in it: there is nobody to be told more.
    Map<String, Object> fields = fields(request);
    if (fields.containsKey("context")) {
      return clicked(fields);
    }
    String token = JsonText.text(fields, "token");
    MattermostAccount account = bot.account();
    if (isSlash(request, token, account.slashTokens())) {
      return command(fields);
    }
    return isOneOf(account.hookTokens(), token)
        ? hook(fields)
        : new WebhookVerdict.Refused("its token is missing, wrong or there twice");
  }

  /** Compares with each, so that the time that it takes says nothing. */
  private static boolean isOneOf(List<String> expected, String presented) {
    boolean isFound = false;
    for (String each : expected) {
      isFound |= ConstantTime.equal(each, presented);
    }
    return isFound && !presented.isEmpty();
  }

  /** A command has its token in a header too. */
  private static boolean isSlash(WebhookRequest request, String token, List<String> expected) {
    String header = request.onlyHeader("authorization");
    return header.startsWith(SCHEME)
        && isOneOf(expected, token)
        && ConstantTime.equal(token, header.substring(SCHEME.length()));
  }

  private static Map<String, Object> fields(WebhookRequest request) {
    String body = new String(request.body(), StandardCharsets.UTF_8);
    try {
      return switch (mediaType(request)) {
        case JSON -> JsonText.object(body);
        case "application/x-www-form-urlencoded" -> form(body);
        default -> Map.of();
      };
    } catch (IllegalArgumentException _) {
      return Map.of();
    }
  }

  private static String mediaType(WebhookRequest request) {
    String type = request.onlyHeader("content-type");
    int semicolon = type.indexOf(';');
    return (semicolon < 0 ? type : type.substring(0, semicolon)).strip().toLowerCase(Locale.ROOT);
  }

  /** A field that is there twice counts as empty: another reader may believe the other one. */
  private static Map<String, Object> form(String body) {
    Map<String, Object> fields = new LinkedHashMap<>();
    for (String pair : body.split("&", FIELDS_MAX)) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        String name = decoded(pair.substring(0, equals));
        boolean isFirst = !fields.containsKey(name);
        fields.put(name, isFirst ? decoded(pair.substring(equals + 1)) : "");
      }
    }
    return fields;
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  private WebhookVerdict clicked(Map<String, Object> fields) {
    Optional<ClickSignature.SignedChoice> choice = clicks.read(JsonText.map(fields, "context"));
    if (choice.isEmpty()) {
      return new WebhookVerdict.Refused("what the button carries is missing or wrong");
    }
    MattermostPlace at = choice.get().place();
    String user = JsonText.text(fields, "user_id");
    if (!MattermostPlace.isId(user) || !at.channel().equals(JsonText.text(fields, "channel_id"))) {
      return new WebhookVerdict.Unparsable("the click names no person, or another channel");
    }
    return new WebhookVerdict.Clicked(
        new Click(bot.name(), at.thread(), user, choice.get().token(), ""), Optional.of(TAKEN));
  }

  private WebhookVerdict command(Map<String, Object> fields) throws InterruptedException {
    Optional<MattermostIdentity> me = me();
    return me.isEmpty()
        ? unready()
        : verdict(bot.reader().command(fields, me.get()), "the command", COMMAND_TAKEN);
  }

  private WebhookVerdict hook(Map<String, Object> fields) throws InterruptedException {
    Optional<MattermostIdentity> me = me();
    if (me.isEmpty()) {
      return unready();
    }
    String id = JsonText.text(fields, "post_id");
    String channel = JsonText.text(fields, "channel_id");
    String user = JsonText.text(fields, "user_id");
    if (!MattermostPlace.isId(id)
        || !MattermostPlace.isId(channel)
        || !MattermostPlace.isId(user)) {
      return new WebhookVerdict.Unparsable("the webhook names no post");
    }
    Optional<Map<String, Object>> read = post(id, channel, user, fields);
    if (read.isEmpty()) {
      return new WebhookVerdict.Messages(List.of(), List.of(), Optional.of(TAKEN));
    }
    Map<String, Object> post = read.get();
    String trigger = JsonText.text(fields, "trigger_word");
    String message = JsonText.text(post, "message");
    if (!trigger.isEmpty() && message.startsWith(trigger)) {
      post.put("message", message.substring(trigger.length()));
    }
    ChannelKind kind = ChannelKind.ofTeam(JsonText.text(fields, "team_id"));
    String name = JsonText.text(fields, "user_name");
    MattermostEvent event = bot.reader().post(post, kind, name, !trigger.isEmpty(), me.get());
    return verdict(event, "the post of the webhook", TAKEN);
  }

  /**
   * The post as Mattermost has it, with its thread, which the webhook does not name; empty when it
   * is left to the socket: with what the webhook says of it, it would be taken without its thread,
   * and the right copy for a repeat.
   */
  private Optional<Map<String, Object>> post(
      String id, String channel, String user, Map<String, Object> fields)
      throws InterruptedException {
    boolean mayComeBySocket = bot.account().listens();
    try {
      MattermostAnswer answer = bot.api().get("/posts/" + id, POST_MAX);
      boolean isSame =
          JsonText.text(answer.body(), "id").equals(id)
              && JsonText.text(answer.body(), "channel_id").equals(channel)
              && JsonText.text(answer.body(), "user_id").equals(user);
      if (answer.isOk() && isSame) {
        return Optional.of(new LinkedHashMap<>(answer.body()));
      }
      mayComeBySocket &= !answer.isForbidden(); // then the bot is not told of it either
    } catch (CallFailedException e) {
      bot.context()
          .logger()
          .log(Level.DEBUG, "account {0}: {1}", bot.name(), e.failure().summary());
    }
    if (mayComeBySocket) {
      bot.warn("the post of a webhook cannot be read for now: it is left to the WebSocket");
      return Optional.empty();
    }
    // What was sent has to do.
    Map<String, Object> post = new LinkedHashMap<>();
    post.put("id", id);
    post.put("channel_id", channel);
    post.put("user_id", user);
    post.put("message", JsonText.text(fields, "text"));
    String files = JsonText.text(fields, "file_ids");
    post.put("file_ids", files.isEmpty() ? List.of() : List.of(files.split(",", FIELDS_MAX)));
    return Optional.of(post);
  }

  private Optional<MattermostIdentity> me() throws InterruptedException {
    try {
      return Optional.of(bot.identity(IDENTITY_MAX));
    } catch (CallFailedException e) {
      bot.warn("a request cannot be taken: " + e.failure().summary());
      return Optional.empty();
    }
  }

  /** Mattermost shows whoever wrote the command that it failed. */
  private static WebhookVerdict unready() {
    return new WebhookVerdict.Answer(503, "text/plain", "");
  }

  private static WebhookVerdict verdict(
      MattermostEvent event, String what, WebhookVerdict.Answer answer) {
    return switch (event) {
      case MattermostEvent.Said(InboundMessage message) ->
          new WebhookVerdict.Messages(List.of(message), List.of(), Optional.of(answer));
      case MattermostEvent.Dropped(DropReason reason) ->
          new WebhookVerdict.Messages(List.of(), List.of(reason), Optional.of(answer));
      case MattermostEvent.Ignored _ -> new WebhookVerdict.Unparsable(what + " makes no sense");
    };
  }
}
