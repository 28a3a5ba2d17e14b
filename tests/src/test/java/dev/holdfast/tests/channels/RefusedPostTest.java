package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.kit.testing.GraphApiDouble;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What platforms refuse posts with, each in its own form, by WireMock in front of their doubles: a
 * wait that is asked for is waited, and then the reply stands there once; what is refused for good
 * is asked once, and ends in the dead letters with what is wrong.
 */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
@Outside(
    covers = {
      "plugins/discord/src/main",
      "plugins/github/src/main",
      "plugins/matrix/src/main",
      "plugins/mattermost/src/main",
      "plugins/slack/src/main",
      "plugins/telegram/src/main",
      "plugins/whatsapp/src/main",
      "plugins/kit/src/main",
      "server/src/main/java/dev/holdfast/channels",
      "server/src/main/java/dev/holdfast/replies"
    })
class RefusedPostTest {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  /** How long nothing more may come. */
  private static final Duration WATCHED = Duration.ofSeconds(2);

  /** What the waits are rounded to on their way. */
  private static final Duration ROUNDING = Duration.ofMillis(20);

  /** On a slow machine a draft goes before a reply, which is an edit then: it is tried again. */
  private static final int TRIES = 5;

  private static final Map<String, String> NONE = Map.of();

  /** The platforms, with what they say. */
  private enum Vendor {
    TELEGRAM("POST", "/bot[^/]+/sendMessage", ""),
    SLACK("POST", "/api/chat\\.postMessage", "holdfast_reply"),
    DISCORD("POST", "/api/v10/channels/[0-9]+/messages", "nonce"),
    MATTERMOST("POST", "/api/v4/posts", "holdfast_reply"),
    GITHUB("POST", "/repos/octocat/hello/issues/[0-9]+/comments", ""),
    MATRIX(
        "PUT", "/_matrix/client/v3/rooms/[^/]+/send/m\\.room\\.message/.*", "dev.holdfast.reply"),
    WHATSAPP("POST", "/v[0-9.]+/" + GraphApiDouble.NUMBER + "/messages", "");

    private final String method;
    private final String path;
    private final String mark;

    Vendor(String method, String path, String mark) {
      this.method = method;
      this.path = path;
      this.mark = mark;
    }

    ServedPlatform open() throws Exception {
      return switch (this) {
        case TELEGRAM -> Platforms.TELEGRAM_POLL.open();
        case SLACK -> Platforms.SLACK_SOCKET.open();
        case DISCORD -> Platforms.DISCORD_GATEWAY.open();
        case MATTERMOST -> new MattermostCommands();
        case GITHUB -> new GithubComments();
        case MATRIX -> Platforms.MATRIX_SYNC.open();
        case WHATSAPP -> Platforms.WHATSAPP.open();
      };
    }

    RefusalFront inFrontOf(ServedPlatform platform) {
      return new RefusalFront(platform.origin(), method, path, mark);
    }

    /** As their documentation has them. */
    List<PostRefusal> limits() {
      return switch (this) {
        case TELEGRAM ->
            List.of(
                PostRefusal.limit(
                    "seconds",
                    429,
                    NONE,
                    "{\"ok\":false,\"error_code\":429,\"description\":\"Too Many Requests: retry"
                        + " after 3\",\"parameters\":{\"retry_after\":3}}",
                    Duration.ofSeconds(3)));
        case SLACK ->
            List.of(
                PostRefusal.limit(
                    "seconds",
                    429,
                    Map.of("Retry-After", "3"),
                    "{\"ok\":false,\"error\":\"ratelimited\"}",
                    Duration.ofSeconds(3)));
        case DISCORD -> List.of(discord("bucket", false), discord("global", true));
        case MATTERMOST ->
            List.of(
                PostRefusal.limit(
                    "reset",
                    429,
                    Map.of(
                        "X-Ratelimit-Limit",
                        "11",
                        "X-Ratelimit-Remaining",
                        "0",
                        "X-Ratelimit-Reset",
                        "3"),
                    "limit exceeded",
                    Duration.ofSeconds(3)));
        case GITHUB ->
            List.of(
                PostRefusal.limit(
                    "reset",
                    403,
                    Map.of(
                        "X-RateLimit-Limit",
                        "5000",
                        "X-RateLimit-Remaining",
                        "0",
                        "X-RateLimit-Reset",
                        Long.toString(Instant.now().plusSeconds(8).getEpochSecond())),
                    "{\"message\":\"API rate limit exceeded for user ID 900.\"}",
                    Duration.ZERO),
                PostRefusal.limit(
                    "secondary",
                    403,
                    Map.of("Retry-After", "3"),
                    "{\"message\":\"You have exceeded a secondary rate limit. Please wait a few"
                        + " minutes before you try again.\"}",
                    Duration.ofSeconds(3)));
        case MATRIX ->
            List.of(
                PostRefusal.limit(
                    "millis",
                    429,
                    NONE,
                    "{\"errcode\":\"M_LIMIT_EXCEEDED\",\"error\":\"Too Many Requests\","
                        + "\"retry_after_ms\":2600}",
                    Duration.ofMillis(2600)));
        case WHATSAPP ->
            List.of(
                PostRefusal.limit(
                    "throughput",
                    429,
                    NONE,
                    meta(130429, "Rate limit hit"),
                    Duration.ofMillis(500)),
                PostRefusal.limit(
                    "pair",
                    400,
                    NONE,
                    meta(131056, "(Business Account, Consumer Account) pair rate limit hit"),
                    Duration.ofSeconds(6)));
      };
    }

    List<PostRefusal> lasting() {
      return switch (this) {
        case TELEGRAM ->
            List.of(
                PostRefusal.lasting(
                    "blocked",
                    403,
                    "{\"ok\":false,\"error_code\":403,\"description\":\"Forbidden: bot was blocked"
                        + " by the user\"}",
                    "Telegram: Forbidden: bot was blocked by the user"));
        case SLACK ->
            List.of(
                PostRefusal.lasting(
                    "gone",
                    200,
                    "{\"ok\":false,\"error\":\"channel_not_found\"}",
                    "Slack does not show this conversation to the app: invite it"
                        + " (channel_not_found)"));
        case DISCORD ->
            List.of(
                PostRefusal.lasting(
                    "access",
                    403,
                    "{\"message\":\"Missing Access\",\"code\":50001}",
                    "the bot does not see the channel: let it have View Channel there"),
                PostRefusal.lasting(
                    "gone",
                    404,
                    "{\"message\":\"Unknown Channel\",\"code\":10003}",
                    "the channel is gone, or the bot was removed from its server"));
        case MATTERMOST ->
            List.of(
                PostRefusal.lasting(
                    "forbidden",
                    403,
                    "{\"id\":\"api.context.permissions.app_error\",\"message\":\"You do not have"
                        + " the appropriate permissions.\",\"status_code\":403}",
                    "Mattermost does not let the bot do this (api.context.permissions.app_error)"));
        case GITHUB ->
            List.of(
                PostRefusal.lasting(
                    "missing",
                    404,
                    "{\"message\":\"Not Found\"}",
                    "the token does not reach the repository"),
                PostRefusal.lasting(
                    "deleted",
                    410,
                    "{\"message\":\"This issue was deleted\"}",
                    "it was deleted, or the repository has issues turned off (410)"),
                PostRefusal.lasting(
                    "locked",
                    403,
                    "{\"message\":\"Unable to create comment because issue is locked.\"}",
                    "the conversation is locked (403)"));
        case MATRIX ->
            List.of(
                PostRefusal.lasting(
                    "forbidden",
                    403,
                    "{\"errcode\":\"M_FORBIDDEN\",\"error\":\"User is not in the room\"}",
                    "the room does not let the account do this (M_FORBIDDEN)"));
        case WHATSAPP ->
            List.of(
                PostRefusal.lasting(
                    "person",
                    400,
                    meta(131026, "Message undeliverable"),
                    "WhatsApp cannot deliver it to this person"),
                PostRefusal.lasting(
                    "window",
                    400,
                    meta(131047, "Re-engagement message"),
                    "the person last wrote more than 24 hours ago"));
      };
    }

    private static PostRefusal discord(String name, boolean isGlobal) {
      return PostRefusal.limit(
          name,
          429,
          Map.of(
              "Retry-After",
              "3",
              isGlobal ? "X-RateLimit-Global" : "X-RateLimit-Bucket",
              isGlobal ? "true" : "abcd1234",
              "X-RateLimit-Scope",
              isGlobal ? "global" : "user"),
          "{\"message\":\"You are being rate limited.\",\"retry_after\":2.6,\"global\":%s}"
              .formatted(isGlobal),
          Duration.ofMillis(2600));
    }

    private static String meta(int code, String message) {
      return Json.write(
          Map.of(
              "error",
              Map.of(
                  "message",
                  "(#%d) %s".formatted(code, message),
                  "type",
                  "OAuthException",
                  "code",
                  code)));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aWaitIsWaitedAndWhatIsForGoodIsADeadLetterAtOnce(Vendor vendor) throws Exception {
    try (ServedPlatform platform = vendor.open();
        RefusalFront front = vendor.inFrontOf(platform);
        ServerRig rig = new ServerRig()) {
      start(rig, platform, front);
      int person = 0;
      for (PostRefusal limit : vendor.limits()) {
        waits(platform, front, person++, limit);
      }
      for (PostRefusal lasting : vendor.lasting()) {
        ends(rig, platform, front, person++, lasting);
      }
      String last = "last-" + vendor.name();
      say(platform, person, last);
      awaitShown(platform, person, last);
      assertThat(rig.server().stop()).isZero();
    }
  }

  private static void start(ServerRig rig, ServedPlatform platform, RefusalFront front)
      throws IOException {
    rig.setup().plugin(platform.plugin());
    platform.configure(rig.setup(), front.origin());
    rig.start();
    rig.api().awaitChannel(platform.plugin());
  }

  private static void waits(
      ServedPlatform platform, RefusalFront front, int person, PostRefusal limit) throws Exception {
    for (int tries = 1; ; tries++) {
      String words = "limit-" + limit.name() + "-" + tries;
      front.refuseOnce(words, limit);
      say(platform, person, words);
      awaitShown(platform, person, words);
      Await.until(
          words + " was posted twice",
          LIMIT,
          () -> front.posts(words).size() > 1 || front.hasDraft(words));
      if (!front.hasDraft(words) || tries == TRIES) {
        judgeWait(front, words, limit);
        assertThat(count(platform, person, words)).isOne();
        return;
      }
    }
  }

  private static void judgeWait(RefusalFront front, String words, PostRefusal limit)
      throws Exception {
    List<Instant> posts = front.posts(words);
    Duration waited = Duration.between(posts.getFirst(), posts.getLast());
    System.out.printf("refused posts: %s: %s%n", words, waited);
    assertThat(waited).as(words).isGreaterThanOrEqualTo(limit.asked().minus(ROUNDING));
    @Nullable String reset = limit.headers().get("X-RateLimit-Reset");
    if (reset != null) {
      assertThat(posts.getLast()).isAfterOrEqualTo(Instant.ofEpochSecond(Long.parseLong(reset)));
    }
    Await.throughout(words + " stands there once", WATCHED, () -> front.posts(words).size() == 2);
  }

  private static void ends(
      ServerRig rig, ServedPlatform platform, RefusalFront front, int person, PostRefusal lasting)
      throws Exception {
    for (int tries = 1; ; tries++) {
      String words = "lasting-" + lasting.name() + "-" + tries;
      int before = letters(rig).size();
      front.refuseAlways(words, lasting);
      say(platform, person, words);
      Await.until(words + " is a dead letter", LIMIT, () -> letters(rig).size() > before);
      assertThat(letters(rig).toString()).contains(lasting.sentence());
      if (!front.hasDraft(words) || tries == TRIES) {
        Await.throughout(words + " is asked once", WATCHED, () -> front.posts(words).size() == 1);
        assertThat(letters(rig)).as(words).hasSize(before + 1);
        assertThat(count(platform, person, words)).isZero();
        return;
      }
    }
  }

  private static JsonNode letters(ServerRig rig) throws IOException {
    return rig.api().get("/api/v1/dead-letters").json().path("dead_letters");
  }

  /** What a platform is told has not been taken, a person says again. */
  private static void say(ServedPlatform platform, int person, String words) {
    Await.until(
        words + " is taken",
        LIMIT,
        () -> {
          String _ = platform.say(person, words);
          return true;
        });
  }

  private static void awaitShown(ServedPlatform platform, int person, String words) {
    Await.until(words + " stands there", LIMIT, () -> count(platform, person, words) > 0);
  }

  private static long count(ServedPlatform platform, int person, String words) {
    return platform.shown(person).stream().filter(text -> text.contains(words)).count();
  }

  /** Discord says with each answer how many more posts of the channel it takes, and when. */
  @Test
  void thePostAfterTheLastThatDiscordTakesWaitsForItsReset() throws Exception {
    try (ServedPlatform platform = Vendor.DISCORD.open();
        RefusalFront front = Vendor.DISCORD.inFrontOf(platform);
        ServerRig rig = new ServerRig()) {
      start(rig, platform, front);
      Duration reset = Duration.ofMillis(2600);
      front.refuseOnce(
          "used-up",
          PostRefusal.limit(
              "none left",
              200,
              Map.of(
                  "X-RateLimit-Limit",
                  "5",
                  "X-RateLimit-Remaining",
                  "0",
                  "X-RateLimit-Reset-After",
                  "2.6",
                  "X-RateLimit-Bucket",
                  "abcd1234"),
              "{\"id\":\"77\",\"channel_id\":\"80\"}",
              reset));
      say(platform, 0, "used-up");
      Await.until("it is posted", LIMIT, () -> !front.posts("used-up").isEmpty());
      say(platform, 0, "one-more");
      awaitShown(platform, 0, "one-more");
      Await.until("it was posted", LIMIT, () -> front.posts("one-more").size() == 1);
      List<Instant> more = front.posts("one-more");
      assertThat(Duration.between(front.posts("used-up").getFirst(), more.getFirst()))
          .isGreaterThanOrEqualTo(reset.minus(ROUNDING));
    }
  }
}
