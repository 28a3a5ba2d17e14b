package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.tests.channels.HomeserverDouble.Harm;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The bundled plugin in the real server, against a double of a homeserver. */
@Timeout(120)
class MatrixTest {
  private static final Path JAR = Path.of("../plugins/bundled/matrix-0.1.0.jar");
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String ANN = "@ann:hs.test";
  private static final String BOB = "@bob:hs.test";

  private HomeserverDouble homeserver;
  private ServerRig rig;

  @BeforeEach
  void open() throws Exception {
    homeserver = new HomeserverDouble();
    rig = new ServerRig();
    Path plugins = Files.createDirectories(rig.folder().resolve("plugins"));
    Files.copy(JAR, plugins.resolve("matrix-0.1.0.jar"));
    rig.setup()
        .set("server.plugins_dir", plugins.toString())
        .set("channels.matrix.base_url", homeserver.url())
        .set("channels.matrix.sync_secs", 2)
        .setNamed(
            "channels.matrix.accounts",
            "main",
            Map.of(
                "access_token",
                HomeserverDouble.TOKEN,
                "allow",
                Map.of("users", List.of(ANN, BOB))));
    rig.start();
  }

  @AfterEach
  void close() throws Exception {
    try {
      assertThat(rig.server().output()).doesNotContain(HomeserverDouble.TOKEN);
    } finally {
      rig.close();
      homeserver.close();
    }
  }

  private void awaitSync() {
    long before = homeserver.count("/sync");
    Await.until("it listens", LIMIT, () -> homeserver.count("/sync") > before + 1);
  }

  private void awaitShown(String room, List<String> texts) {
    Await.until("this stands there: " + texts, LIMIT, () -> homeserver.shown(room).equals(texts));
  }

  @Test
  void aPersonIsAnsweredAloneInAGroupAndInAThread() {
    String direct = homeserver.room("direct", ANN);
    String group = homeserver.room("group", ANN, BOB);
    String _ = homeserver.say(direct, ANN, "from before");
    awaitSync();
    String _ = homeserver.say(direct, ANN, "good morning");
    awaitShown(direct, List.of("echo: good morning"));
    assertThat(
            homeserver.written(direct).getFirst().path("content").path("formatted_body").asText())
        .contains("good morning");
    String _ = homeserver.say(group, ANN, "not for you");
    String _ = homeserver.say(group, BOB, "Bot: hello", mention());
    awaitShown(group, List.of("echo: Bot: hello"));
    ObjectNode inThread = mention();
    inThread.putObject("m.relates_to").put("rel_type", "m.thread").put("event_id", "$root");
    String _ = homeserver.say(group, ANN, "and here?", inThread);
    awaitShown(group, List.of("echo: Bot: hello", "echo: and here?"));
    JsonNode relation = homeserver.written(group).getLast().path("content").path("m.relates_to");
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
    awaitSync();
    String strangers = homeserver.invite("strangers", "@mallory:evil.test");
    String own = homeserver.invite("own", ANN);
    Await.until("it has joined", LIMIT, () -> homeserver.hasJoined(own));
    String _ = homeserver.say(own, ANN, "hello");
    awaitShown(own, List.of("echo: hello"));
    assertThat(homeserver.hasJoined(strangers)).isFalse();
  }

  @Test
  void aDraftIsEditedAndBecomesTheReplyAlsoWhenTheServerIsKilledBetween() {
    String direct = homeserver.room("direct", ANN);
    rig.setup().set("tools.shell.enabled", true);
    rig.restart();
    awaitSync();
    String key = homeserver.say(direct, ANN, ShellRig.command("sleep 8; echo done"));
    Await.until("a draft is there", LIMIT, () -> !homeserver.shown(direct).isEmpty());
    rig.restart();
    rig.api().awaitState(key, ServerApi.FINAL, LIMIT);
    rig.api().awaitQuiet(LIMIT);
    assertThat(homeserver.shown(direct)).hasSize(1);
    List<JsonNode> written = homeserver.written(direct);
    assertThat(written.getLast().path("content").path("m.relates_to").path("rel_type").asText())
        .isEqualTo("m.replace");
  }

  @Test
  void whatCameBetweenDeliveryAndCommitComesAgainAndIsAnsweredOnce() throws Exception {
    String direct = homeserver.room("direct", ANN);
    awaitSync();
    for (int i = 0; i < 3; i++) {
      String key = homeserver.say(direct, ANN, "message " + i);
      Await.pause(Duration.ofMillis(5L * i));
      rig.server().kill9();
      String missed = homeserver.say(direct, ANN, "missed " + i);
      rig.start();
      rig.api().awaitState(key, ServerApi.FINAL, LIMIT);
      rig.api().awaitState(missed, ServerApi.FINAL, LIMIT);
      rig.api().awaitQuiet(LIMIT);
    }
    assertThat(homeserver.shown(direct))
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
    String direct = homeserver.room("direct", ANN);
    awaitSync();
    rig.server().kill9();
    String last = "";
    for (int i = 0; i < 120; i++) {
      last = homeserver.say(direct, i % 2 == 0 ? ANN : BOB, "message " + i);
    }
    rig.setup().set("channels.matrix.accounts.main.person_per_minute", 1000);
    rig.start();
    rig.api().awaitState(last, ServerApi.FINAL, LIMIT);
    rig.api().awaitQuiet(LIMIT);
    String all = String.join("\n", homeserver.shown(direct));
    assertThat(homeserver.count("/messages")).isPositive();
    assertThat(all).contains("message 0", "message 69", "message 119");
  }

  @Test
  void aReplyWhoseAnswerWasLostIsFoundInTheRoom() throws Exception {
    String direct = homeserver.room("direct", ANN);
    awaitSync();
    AtomicInteger sent = new AtomicInteger();
    homeserver.harm(
        Harm.LOSE_ANSWER, line -> line.contains("/send/") && sent.incrementAndGet() == 1);
    String _ = homeserver.say(direct, ANN, "hello");
    Await.until("it was looked for", LIMIT, () -> homeserver.count("/messages") > 0);
    rig.api().awaitQuiet(LIMIT);
    assertThat(homeserver.shown(direct)).containsExactly("echo: hello");
    assertThat(sent).hasValue(1);
  }

  @Test
  void whenItCannotBeLookedForTheHomeserverDropsTheRepeat() throws Exception {
    String direct = homeserver.room("direct", ANN);
    awaitSync();
    homeserver.harm(Harm.LIMIT, line -> line.contains("/messages"));
    AtomicInteger sent = new AtomicInteger();
    homeserver.harm(
        Harm.LOSE_ANSWER, line -> line.contains("/send/") && sent.incrementAndGet() == 1);
    String _ = homeserver.say(direct, ANN, "hello");
    Await.until("it was sent again", LIMIT, () -> sent.get() == 2);
    rig.api().awaitQuiet(LIMIT);
    assertThat(homeserver.written(direct)).hasSize(1);
  }

  @Test
  void aRevokedTokenIsNamedAndNotTriedInALoop() {
    awaitSync();
    long before = homeserver.count("/sync");
    homeserver.harm(Harm.REVOKE, _ -> true);
    Await.until(
        "it is named",
        LIMIT,
        () ->
            rig.api().get("/ready").body().contains("(AUTH)")
                && rig.server().output().contains("the access token is not valid"));
    assertThat(homeserver.count("/sync") - before).isLessThan(10);
  }

  @Test
  void aLimitPostponesAReply() throws Exception {
    String direct = homeserver.room("direct", ANN);
    awaitSync();
    AtomicInteger limits = new AtomicInteger();
    homeserver.harm(Harm.LIMIT, line -> line.contains("/send/") && limits.incrementAndGet() <= 2);
    String _ = homeserver.say(direct, ANN, "hello");
    awaitShown(direct, List.of("echo: hello"));
  }

  @Test
  void theChecksLookAtTheRooms() throws Exception {
    String direct = homeserver.room("direct", ANN);
    awaitSync();
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
