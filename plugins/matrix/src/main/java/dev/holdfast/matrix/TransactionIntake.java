package dev.holdfast.matrix;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.api.channels.ConstantTime;
import dev.holdfast.kit.JsonText;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What a homeserver sends to an application service. A transaction that came before does no harm:
 * its messages are known by their keys. Thread-safe.
 *
 * <p>Source: spec.matrix.org, Application Service API v1.11.
 */
final class TransactionIntake {
  private static final String ROOT = "_matrix/app/v1/";
  private static final String BEARER = "Bearer ";
  private static final String JSON = "application/json";

  /** The server gives 2.5 s to all of it. */
  private static final Duration ASK_MAX = Duration.ofMillis(1500);

  private final MatrixBot bot;
  private final MatrixEventReader reader;
  private final RoomInvites invites;
  private final EncryptedRooms encrypted;

  TransactionIntake(MatrixChannel.ServedUser user) {
    this.bot = user.bot();
    this.reader = user.reader();
    this.invites = user.invites();
    this.encrypted = user.encrypted();
  }

  WebhookVerdict receive(WebhookRequest request) throws InterruptedException {
    if (!isHomeserver(request.onlyHeader("authorization"))) {
      return new WebhookVerdict.Refused("its hs_token is missing or wrong");
    }
    String path = request.path();
    if (!path.startsWith(ROOT)) {
      return refused("M_UNRECOGNIZED");
    }
    String what = path.substring(ROOT.length());
    if (request.method().equals("PUT") && what.matches("transactions/[^/]+")) {
      return transaction(new String(request.body(), StandardCharsets.UTF_8));
    }
    if (request.method().equals("POST") && what.equals("ping")) {
      return new WebhookVerdict.Answer(200, JSON, "{}");
    }
    // Users, rooms and networks that it would have to make.
    return refused(request.method().equals("GET") ? "M_NOT_FOUND" : "M_UNRECOGNIZED");
  }

  /** The old form, a token in the address, is not believed: addresses end in logs. */
  private boolean isHomeserver(String authorization) {
    return authorization.startsWith(BEARER)
        && ConstantTime.equal(bot.account().hsToken(), authorization.substring(BEARER.length()));
  }

  private static WebhookVerdict refused(String code) {
    return new WebhookVerdict.Answer(
        404, JSON, "{\"errcode\":\"" + code + "\",\"error\":\"there is none\"}");
  }

  private WebhookVerdict transaction(String body) throws InterruptedException {
    Map<String, Object> transaction;
    try {
      transaction = JsonText.object(body);
    } catch (IllegalArgumentException e) {
      return unreadable(body, e);
    }
    try {
      return read(JsonText.maps(transaction, "events"), bot.user(ASK_MAX));
    } catch (CallFailedException e) {
      bot.context()
          .logger()
          .log(
              Level.WARNING,
              "account {0}: a transaction has to come again: {1}",
              bot.name(),
              e.failure().summary());
      return new WebhookVerdict.Answer(
          503, JSON, "{\"errcode\":\"M_UNKNOWN\",\"error\":\"later\"}");
    }
  }

  /** A whole one that cannot be read would come again and again, and all behind it never. */
  private WebhookVerdict unreadable(String body, IllegalArgumentException why) {
    String object = body.strip();
    if (!object.startsWith("{") || !object.endsWith("}")) {
      return new WebhookVerdict.Unparsable("the transaction is no JSON object");
    }
    bot.context()
        .logger()
        .log(
            Level.WARNING,
            "account {0}: a transaction cannot be read and is skipped with all its messages: {1}",
            bot.name(),
            why.getMessage());
    return new WebhookVerdict.Messages(List.of(), List.of(DropReason.UNREADABLE));
  }

  private WebhookVerdict read(List<Map<String, Object>> events, String me)
      throws CallFailedException, InterruptedException {
    List<InboundMessage> messages = new ArrayList<>();
    List<DropReason> dropped = new ArrayList<>();
    for (Map<String, Object> event : events) {
      switch (reader.read(JsonText.text(event, "room_id"), event, me, ASK_MAX)) {
        case MatrixEvent.Said(InboundMessage message) -> messages.add(message);
        case MatrixEvent.Dropped(DropReason reason) -> dropped.add(reason);
        case MatrixEvent.Encrypted(String room) -> encrypted.noticed(bot, room);
        case MatrixEvent.Invited invite -> {
          if (!invites.consider(invite)) {
            dropped.add(DropReason.NOT_ALLOWED);
          }
        }
        case MatrixEvent.Left(String room, String membership) ->
            bot.context()
                .logger()
                .log(
                    Level.INFO,
                    "account {0}: is no member of {1} any more ({2})",
                    bot.name(),
                    room,
                    membership);
        case MatrixEvent.Ignored _ -> {}
      }
    }
    return new WebhookVerdict.Messages(messages, dropped);
  }
}
