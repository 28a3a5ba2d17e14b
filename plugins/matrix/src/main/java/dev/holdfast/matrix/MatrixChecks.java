package dev.holdfast.matrix;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelCheck;
import dev.holdfast.api.Failure;
import dev.holdfast.kit.JsonText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Whether an account has what it needs. Blocks the calling thread. For one look. */
final class MatrixChecks {
  private static final Duration ASK_MAX = Duration.ofSeconds(5);
  private static final Duration LOOK_MAX = Duration.ofSeconds(12);
  private static final int ROOMS_MAX = 20;
  private static final int LEVEL_MOST = 100;
  private static final int NOT_FOUND = 404;

  private final MatrixBot bot;
  private final List<ChannelCheck> checks = new ArrayList<>();

  private MatrixChecks(MatrixBot bot) {
    this.bot = bot;
  }

  static List<ChannelCheck> of(MatrixBot bot) throws InterruptedException {
    MatrixChecks checks = new MatrixChecks(bot);
    checks.look();
    return List.copyOf(checks.checks);
  }

  private void look() throws InterruptedException {
    try {
      checkVersions();
    } catch (CallFailedException e) {
      add("the homeserver can be reached at " + bot.account().baseUrl(), e.failure());
      return;
    }
    String me;
    try {
      MatrixAnswer whoami = bot.api().get(MatrixBot.WHOAMI, ASK_MAX);
      me = bot.identity(whoami);
      String device = JsonText.text(whoami.body(), "device_id").replaceAll("[^A-Za-z0-9_-]", "?");
      checks.add(
          ChannelCheck.met(
              "the access token is valid, for %s%s"
                  .formatted(me, device.isEmpty() ? "" : " (device " + device + ")")));
    } catch (CallFailedException e) {
      add("the access token is valid", e.failure());
      return;
    }
    checkWayIn();
    checkRooms(me);
  }

  private void add(String what, Failure failure) {
    String said = failure.message();
    checks.add(
        ChannelCheck.missing(
            what, said.substring(0, 1).toUpperCase(Locale.ROOT) + said.substring(1)));
  }

  private void checkVersions() throws CallFailedException, InterruptedException {
    Map<String, Object> body = bot.api().get("/_matrix/client/versions", ASK_MAX).orThrow();
    List<String> versions =
        body.get("versions") instanceof List<?> all
            ? all.stream()
                .map(String::valueOf)
                .filter(each -> each.matches("v1\\.[0-9]{1,3}"))
                .toList()
            : List.of();
    String what = "the homeserver speaks the client-server API v1.1 or later";
    checks.add(
        versions.isEmpty()
            ? ChannelCheck.missing(
                what, "Update the homeserver, or correct base_url: it names no such version")
            : ChannelCheck.met(what + " (it names " + versions.getLast() + ")"));
  }

  private void checkWayIn() throws InterruptedException {
    MatrixAccount account = bot.account();
    String what = account.listens() ? "/sync answers" : "the homeserver reaches this server";
    try {
      if (account.listens()) {
        String path =
            MatrixApi.CLIENT + "/sync?timeout=0&filter=" + MatrixIds.encoded(SyncFilter.none());
        Map<String, Object> _ = bot.api().get(path, ASK_MAX).orThrow();
      } else if (account.appserviceId().isEmpty()) {
        checks.add(
            ChannelCheck.met(
                "an hs_token is configured; with appservice_id it is checked whether the homeserver"
                    + " reaches this server"));
        return;
      } else {
        String path =
            "/_matrix/client/v1/appservice/" + MatrixIds.encoded(account.appserviceId()) + "/ping";
        Map<String, Object> _ = bot.api().post(path, Map.of(), ASK_MAX).orThrow();
      }
      checks.add(ChannelCheck.met(what));
    } catch (CallFailedException e) {
      add(what, e.failure());
    }
  }

  private void checkRooms(String me) throws InterruptedException {
    long until = bot.context().nanos() + LOOK_MAX.toNanos();
    try {
      Map<String, Object> body =
          bot.api().get(MatrixApi.CLIENT + "/joined_rooms", ASK_MAX).orThrow();
      List<String> rooms =
          body.get("joined_rooms") instanceof List<?> all
              ? all.stream().map(String::valueOf).filter(MatrixIds::isRoom).toList()
              : List.of();
      String what = "the account is in a room";
      checks.add(
          rooms.isEmpty()
              ? ChannelCheck.missing(what, "Invite " + me + " to a room without encryption")
              : ChannelCheck.met(what + " (" + rooms.size() + ")"));
      int looked = 0;
      for (String room : rooms) {
        if (looked == ROOMS_MAX || bot.context().nanos() - until >= 0) {
          checks.add(ChannelCheck.met((rooms.size() - looked) + " more rooms were not looked at"));
          return;
        }
        checkRoom(room, me);
        looked++;
      }
    } catch (CallFailedException e) {
      add("the rooms can be looked at", e.failure());
    }
  }

  private void checkRoom(String room, String me) throws CallFailedException, InterruptedException {
    if (state(room, "m.room.encryption").isOk()) {
      checks.add(
          ChannelCheck.missing(
              room + " can be read",
              "It is encrypted, and encryption cannot be turned off: use a room without it"));
      return;
    }
    MatrixAnswer answer = state(room, "m.room.power_levels");
    if (!answer.isOk() && answer.status() != NOT_FOUND) {
      throw new CallFailedException(answer.failure());
    }
    Map<String, Object> levels = answer.isOk() ? answer.body() : Map.of();
    long own =
        JsonText.whole(
            JsonText.map(levels, "users"), me, JsonText.whole(levels, "users_default", 0));
    long needed =
        JsonText.whole(
            JsonText.map(levels, "events"),
            "m.room.message",
            JsonText.whole(levels, "events_default", 0));
    String what = room + " lets the account write";
    checks.add(
        own >= needed
            ? ChannelCheck.met(what)
            : ChannelCheck.missing(
                what,
                "Its power level there is %d and must be at least %d: raise it in the room's settings"
                    .formatted(own, Math.min(needed, LEVEL_MOST))));
  }

  private MatrixAnswer state(String room, String type)
      throws CallFailedException, InterruptedException {
    return bot.api().get(MatrixApi.room(room, "/state/" + type), ASK_MAX);
  }
}
