package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.tests.channels.HomeserverDouble.Harm;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The bundled plugin in the real server, against a double of a homeserver. */
@Timeout(120)
@Outside(
    covers = {
      "plugins/matrix/src/main",
      "plugins/kit/src/main",
      "server/src/main/java/dev/holdfast/channels",
      "server/src/main/java/dev/holdfast/replies"
    })
class MatrixTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String ANN = "@ann:hs.test";
  private static final String BOB = "@bob:hs.test";

  private static final HomeserverDouble HOMESERVER = new HomeserverDouble();

  @RegisterExtension
  static final Served SERVED =
      Served.alone(
          rig -> {
            rig.setup()
                .timeScale(3)
                .plugin("matrix")
                .set("tools.shell.enabled", true)
                .set("channels.matrix.base_url", HOMESERVER.url())
                .set("channels.matrix.sync_secs", 1)
                .setNamed(
                    "channels.matrix.accounts",
                    "main",
                    Map.of(
                        "access_token",
                        HomeserverDouble.TOKEN,
                        "person_per_minute",
                        1000,
                        "allow",
                        Map.of("users", List.of(ANN, BOB))));
            String _ = HOMESERVER.say(HOMESERVER.room("old", ANN), ANN, "from before");
          });

  private ServerRig rig;
  private String direct;

  @BeforeEach
  void open() {
    rig = SERVED.rig();
    direct = HOMESERVER.room(SERVED.thread(), ANN);
    HOMESERVER.heal();
    awaitSync();
  }

  @AfterEach
  void theTokenIsNotShown() {
    assertThat(rig.server().output()).doesNotContain(HomeserverDouble.TOKEN);
  }

  @AfterAll
  static void close() {
    HOMESERVER.close();
  }

  private void awaitSync() {
    long before = HOMESERVER.count("/sync");
    Await.until("it listens", LIMIT, () -> HOMESERVER.count("/sync") > before + 1);
  }

  private void awaitShown(String room, List<String> texts) {
    Await.until("this stands there: " + texts, LIMIT, () -> HOMESERVER.shown(room).equals(texts));
  }

  @Test
  void aPersonIsAnsweredAloneInAGroupAndInAThread() {
    String old = HOMESERVER.room("old", ANN);
    String group = HOMESERVER.room("group", ANN, BOB);
    String _ = HOMESERVER.say(old, ANN, "good morning");
    awaitShown(old, List.of("echo: good morning"));
    assertThat(HOMESERVER.written(old).getFirst().path("content").path("formatted_body").asText())
        .contains("good morning");
    String _ = HOMESERVER.say(group, ANN, "not for you");
    String _ = HOMESERVER.say(group, BOB, "Bot: hello", mention());
    awaitShown(group, List.of("echo: Bot: hello"));
    ObjectNode inThread = mention();
    inThread.putObject("m.relates_to").put("rel_type", "m.thread").put("event_id", "$root");
    String _ = HOMESERVER.say(group, ANN, "and here?", inThread);
    awaitShown(group, List.of("echo: Bot: hello", "echo: and here?"));
    JsonNode relation = HOMESERVER.written(group).getLast().path("content").path("m.relates_to");
    assertThat(relation.path("rel_type").asText()).isEqualTo("m.thread");
    assertThat(relation.path("event_id").asText()).isEqualTo("$root");
  }

  private static ObjectNode mention() {
    ObjectNode more = Json.object();
    more.putObject("m.mentions").putArray("user_ids").add(HomeserverDouble.BOT);
    return more;
  }

  @Test
  void anInvitationOfAnAllowedPersonIsAcceptedAndAnotherIsNot() {
    String strangers = HOMESERVER.invite("strangers", "@mallory:evil.test");
    String own = HOMESERVER.invite("own", ANN);
    Await.until("it has joined", LIMIT, () -> HOMESERVER.hasJoined(own));
    String _ = HOMESERVER.say(own, ANN, "hello");
    awaitShown(own, List.of("echo: hello"));
    assertThat(HOMESERVER.hasJoined(strangers)).isFalse();
  }

  @Test
  void aDraftIsEditedAndBecomesTheReplyAlsoWhenTheServerIsKilledBetween() {
    String key = HOMESERVER.say(direct, ANN, ShellRig.command("sleep 8; echo done"));
    Await.until("a draft is there", LIMIT, () -> !HOMESERVER.shown(direct).isEmpty());
    rig.restart();
    rig.api().awaitState(key, ServerApi.FINAL, LIMIT);
    rig.api().awaitQuiet(LIMIT);
    assertThat(HOMESERVER.shown(direct)).hasSize(1);
    List<JsonNode> written = HOMESERVER.written(direct);
    assertThat(written.getLast().path("content").path("m.relates_to").path("rel_type").asText())
        .isEqualTo("m.replace");
  }

  @Test
  void whatCameBetweenDeliveryAndCommitComesAgainAndIsAnsweredOnce() throws Exception {
    for (int i = 0; i < 3; i++) {
      String key = HOMESERVER.say(direct, ANN, "message " + i);
      Await.pause(Duration.ofMillis(5L * i));
      rig.server().kill9();
      String missed = HOMESERVER.say(direct, ANN, "missed " + i);
      rig.start();
      rig.api().awaitState(key, ServerApi.FINAL, LIMIT);
      rig.api().awaitState(missed, ServerApi.FINAL, LIMIT);
      rig.api().awaitQuiet(LIMIT);
    }
    assertThat(HOMESERVER.shown(direct))
        .containsExactly(
            "echo: message 0",
            "echo: missed 0",
            "echo: message 1",
            "echo: missed 1",
            "echo: message 2",
            "echo: missed 2");
  }

  @Test
  void moreThanOneSyncBringsIsAnsweredAfterAnOutage() throws Exception {
    rig.server().kill9();
    String last = "";
    for (int i = 0; i < 120; i++) {
      last = HOMESERVER.say(direct, i % 2 == 0 ? ANN : BOB, "message " + i);
    }
    rig.start();
    rig.api().awaitState(last, ServerApi.FINAL, LIMIT);
    rig.api().awaitQuiet(LIMIT);
    String all = String.join("\n", HOMESERVER.shown(direct));
    assertThat(HOMESERVER.count("/messages")).isPositive();
    assertThat(all).contains("message 0", "message 69", "message 119");
  }

  @Test
  void aReplyWhoseAnswerWasLostIsFoundInTheRoom() throws Exception {
    AtomicInteger sent = new AtomicInteger();
    HOMESERVER.harm(
        Harm.LOSE_ANSWER, line -> line.contains("/send/") && sent.incrementAndGet() == 1);
    String _ = HOMESERVER.say(direct, ANN, "hello");
    Await.until("it was looked for", LIMIT, () -> HOMESERVER.count("/messages") > 0);
    rig.api().awaitQuiet(LIMIT);
    assertThat(HOMESERVER.shown(direct)).containsExactly("echo: hello");
    assertThat(sent).hasValue(1);
  }

  @Test
  void whenItCannotBeLookedForTheHomeserverDropsTheRepeat() throws Exception {
    HOMESERVER.harm(Harm.LIMIT, line -> line.contains("/messages"));
    AtomicInteger sent = new AtomicInteger();
    HOMESERVER.harm(
        Harm.LOSE_ANSWER, line -> line.contains("/send/") && sent.incrementAndGet() == 1);
    String _ = HOMESERVER.say(direct, ANN, "hello");
    Await.until("it was sent again", LIMIT, () -> sent.get() == 2);
    rig.api().awaitQuiet(LIMIT);
    assertThat(HOMESERVER.written(direct)).hasSize(1);
  }

  @Test
  void aRevokedTokenIsNamedAndNotTriedInALoop() {
    long before = HOMESERVER.count("/sync");
    HOMESERVER.harm(Harm.REVOKE, _ -> true);
    Await.until(
        "it is named",
        LIMIT,
        () ->
            rig.api().get("/ready").body().contains("(AUTH)")
                && rig.server().output().contains("the access token is not valid"));
    assertThat(HOMESERVER.count("/sync") - before).isLessThan(10);
    HOMESERVER.heal();
    rig.restart(); // or it would be minutes until it asks again
  }

  @Test
  void aLimitPostponesAReply() throws Exception {
    AtomicInteger limits = new AtomicInteger();
    HOMESERVER.harm(Harm.LIMIT, line -> line.contains("/send/") && limits.incrementAndGet() <= 2);
    String _ = HOMESERVER.say(direct, ANN, "hello");
    awaitShown(direct, List.of("echo: hello"));
  }

  @Test
  void theChecksLookAtTheRooms() throws Exception {
    Await.until(
        "the checks are there",
        LIMIT,
        () -> {
          String checks = rig.api().post("/api/v1/channels/matrix/check", Map.of()).body();
          return checks.contains("the access token is valid, for @bot:hs.test")
              && checks.contains(direct + " lets the account write");
        });
  }
}
