package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.testing.HomeserverDouble;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
  private static final String ANN = "@ann:hs.example";
  private static final String BOB = "@bob:hs.example";

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
    HOMESERVER.reset();
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
    long before = HOMESERVER.asked("/sync").size();
    Await.until("it listens", LIMIT, () -> HOMESERVER.asked("/sync").size() > before + 1);
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
    assertThat(JsonText.text(HOMESERVER.written(old).getFirst(), "formatted_body"))
        .contains("good morning");
    String _ = HOMESERVER.say(group, ANN, "not for you");
    String _ = HOMESERVER.say(group, BOB, "Bot: hello", mention());
    awaitShown(group, List.of("echo: Bot: hello"));
    Map<String, Object> inThread = new LinkedHashMap<>(mention());
    inThread.put("m.relates_to", Map.of("rel_type", "m.thread", "event_id", "$root"));
    String _ = HOMESERVER.say(group, ANN, "and here?", inThread);
    awaitShown(group, List.of("echo: Bot: hello", "echo: and here?"));
    assertThat(JsonText.map(HOMESERVER.written(group).getLast(), "m.relates_to"))
        .containsEntry("rel_type", "m.thread")
        .containsEntry("event_id", "$root");
  }

  private static Map<String, ?> mention() {
    return Map.of("m.mentions", Map.of("user_ids", List.of(HomeserverDouble.BOT)));
  }

  @Test
  void aDraftIsEditedAndBecomesTheReplyAlsoWhenTheServerIsKilledBetween() {
    String key = HOMESERVER.say(direct, ANN, ShellRig.command("sleep 8; echo done"));
    Await.until("a draft is there", LIMIT, () -> !HOMESERVER.shown(direct).isEmpty());
    rig.restart();
    rig.api().awaitState(key, ServerApi.FINAL, LIMIT);
    rig.api().awaitQuiet(LIMIT);
    assertThat(HOMESERVER.shown(direct)).hasSize(1);
    assertThat(JsonText.map(HOMESERVER.written(direct).getLast(), "m.relates_to"))
        .containsEntry("rel_type", "m.replace");
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
  void aReplyWhoseAnswerWasLostIsFoundInTheRoom() throws Exception {
    HOMESERVER.loseNextAnswer();
    String _ = HOMESERVER.say(direct, ANN, "hello");
    Await.until("it was looked for", LIMIT, () -> !HOMESERVER.asked("/messages").isEmpty());
    rig.api().awaitQuiet(LIMIT);
    assertThat(HOMESERVER.shown(direct)).containsExactly("echo: hello");
    assertThat(HOMESERVER.asked("/send/")).hasSize(1);
  }
}
