package dev.holdfast.tests.channels;

import static dev.holdfast.tests.channels.WhatsAppSetup.ANN;
import static dev.holdfast.tests.channels.WhatsAppSetup.BOB;
import static dev.holdfast.tests.channels.WhatsAppSetup.LIMIT;
import static dev.holdfast.tests.channels.WhatsAppSetup.awaitTexts;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.testing.GraphApiDouble;
import dev.holdfast.kit.testing.HttpDouble.Said;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The bundled channel, in the real server, against a double of Meta's Graph API. */
@Timeout(240)
@Outside(
    covers = {
      "plugins/whatsapp/src/main",
      "plugins/kit/src/main",
      "server/src/main/java/dev/holdfast/channels",
      "server/src/main/java/dev/holdfast/replies"
    })
class WhatsAppTest {
  private static final int KILLS = 4;

  /** The server looks for a lost reply after a minute. */
  private static final Duration LOOK_UP = Duration.ofSeconds(100);

  private static final GraphApiDouble META = new GraphApiDouble();

  @RegisterExtension
  static final Served SERVED =
      Served.alone(rig -> WhatsAppSetup.configure(rig.setup().timeScale(5), META));

  private ServerRig rig;

  @BeforeEach
  void open() {
    rig = SERVED.rig();
    META.reset();
    rig.api().awaitChannel("whatsapp");
  }

  @AfterAll
  static void close() {
    META.close();
  }

  @Test
  void aMessageIsAnsweredOnceHoweverOftenItIsDelivered() throws Exception {
    String one =
        GraphApiDouble.delivery(
            "messages",
            List.of(
                GraphApiDouble.text(ANN, "wamid.a", "grüße 😀"),
                GraphApiDouble.text(BOB, "wamid.b", "by number"),
                GraphApiDouble.text("US.9", "wamid.c", "a stranger")));
    for (int delivery = 1; delivery <= 3; delivery++) {
      assertThat(META.deliver(one).status()).isEqualTo(200);
    }
    awaitTexts(META, ANN, List.of("echo: grüße 😀"));
    awaitTexts(META, BOB, List.of("echo: by number"));
    rig.api().awaitQuiet(LIMIT);
    assertThat(META.sent()).hasSize(2);
    assertThat(META.sent().stream().map(sent -> sent.get("context")))
        .containsExactlyInAnyOrder(
            Map.of("message_id", "wamid.a"), Map.of("message_id", "wamid.b"));
    assertThat(rig.api().event("wamid.c").has("state")).as("nothing is stored").isFalse();
  }

  @Test
  void whatWasTakenIsAnsweredOnceAfterAKill() {
    List<String> answers = new ArrayList<>();
    for (int i = 0; i < KILLS; i++) {
      String text = "message " + i;
      String id = META.say(ANN, text);
      // Somewhere between delivery, commit, answer and post.
      Await.pause(Duration.ofMillis(6L * i));
      rig.restart();
      answers.add("echo: " + text);
      Await.until(
          "it is answered: " + text,
          LOOK_UP, // if the kill cut off a post
          () -> META.texts(ANN).containsAll(answers) && META.isAllDelivered());
      rig.api().awaitState(id, ServerApi.FINAL, LIMIT);
    }
    assertThat(META.texts(ANN).size())
        .as("a post that a kill cut off may come once more")
        .isBetween(KILLS, 2 * KILLS);
  }

  @Test
  void theHandshakeIsAnsweredAndTheChecksAreMet() throws Exception {
    String url = rig.setup().url("/webhooks/whatsapp/main");
    Http http = new Http();
    String query = "?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=";
    Answer answer = http.get(url + query + WhatsAppSetup.VERIFY_TOKEN, Map.of());
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("1158201444");
    assertThat(http.get(url + query + "wrong", Map.of()).status()).isEqualTo(401);
    assertThat(http.get(url, Map.of()).status()).isEqualTo(401);
    JsonNode checks = rig.api().post("/api/v1/channels/whatsapp/check", Map.of()).json();
    assertThat(checks.findValuesAsText("met")).as(checks.toString()).containsOnly("true");
  }

  @Test
  void aRevokedTokenIsNamedAndNotTriedAgainAndAgain() throws Exception {
    META.harm(GraphApiDouble.error(401, 190), false, _ -> true);
    String id = META.say(ANN, "hello");
    Await.until(
        "it is named",
        LIMIT,
        () -> {
          String conditions = rig.api().get("/api/v1/conditions").body();
          return conditions.contains("channel/whatsapp:main") && conditions.contains("\"refused\"");
        });
    assertThat(new Http().get(rig.setup().url("/ready"), Map.of()).body())
        .contains("channel/whatsapp:main");
    rig.api().awaitState(id, ServerApi.FINAL, LIMIT);
    assertThat(META.harms()).isEqualTo(1);
    assertThat(rig.server().output())
        .contains("the token is not valid (190)")
        .doesNotContain(GraphApiDouble.TOKEN, GraphApiDouble.APP_SECRET);
    META.reset();
    String _ = META.say(ANN, "again");
    awaitTexts(META, ANN, List.of("echo: again"));
    Await.until(
        "it is over",
        LIMIT,
        () -> !rig.api().get("/api/v1/conditions").body().contains("\"refused\""));
  }

  /** The status of a message names the reply, so that it is not posted again. */
  @Test
  void aPostOfUnknownOutcomeIsLookedForInWhatMetaTells() throws Exception {
    int[] harms = {1, 1};
    META.harm(Said.nothing(), true, message -> body(message).endsWith("broken") && harms[0]-- > 0);
    String broken = META.say(ANN, "broken");
    awaitUnknown(broken);
    META.harm(
        GraphApiDouble.error(500, 131000),
        true,
        message -> body(message).endsWith("failed") && harms[1]-- > 0);
    String failed = META.say(BOB, "failed");
    awaitUnknown(failed);
    rig.api().awaitQuiet(LOOK_UP);
    for (String id : List.of(broken, failed)) {
      assertThat(rig.api().state(id)).isEqualTo("answered");
    }
    assertThat(META.texts(ANN)).containsExactly("echo: broken");
    assertThat(META.texts(BOB)).containsExactly("echo: failed");
  }

  private void awaitUnknown(String id) {
    Await.until(
        "its answer is lost",
        LIMIT,
        () -> rig.api().event(id).path("replies").path(0).path("unknowns").asInt() == 1);
  }

  private static String body(Map<String, Object> message) {
    return JsonText.text(JsonText.map(message, "text"), "body");
  }
}
