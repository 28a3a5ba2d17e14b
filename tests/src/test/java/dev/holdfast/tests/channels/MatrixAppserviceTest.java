package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The bundled plugin as an application service, in the real server. */
@Timeout(120)
class MatrixAppserviceTest {
  private static final Path JAR = Path.of("../plugins/bundled/matrix-0.1.0.jar");
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String HS_TOKEN = "canary-of-the-homeserver";
  private static final String ANN = "@ann:hs.test";

  private HomeserverDouble homeserver;
  private ServerRig rig;
  private String url;

  @BeforeEach
  void open() throws Exception {
    homeserver = new HomeserverDouble();
    rig = new ServerRig();
    Path plugins = Files.createDirectories(rig.folder().resolve("plugins"));
    Files.copy(JAR, plugins.resolve("matrix-0.1.0.jar"));
    rig.setup()
        .set("server.plugins_dir", plugins.toString())
        .set("channels.matrix.base_url", homeserver.url())
        .setNamed(
            "channels.matrix.accounts",
            "main",
            Map.of(
                "access_token",
                HomeserverDouble.TOKEN,
                "mode",
                "appservice",
                "hs_token",
                HS_TOKEN,
                "allow",
                Map.of("users", List.of(ANN))));
    url = rig.setup().url("/webhooks/matrix/main");
    rig.start();
    Await.until(
        "the channel is there",
        LIMIT,
        () -> rig.api().get("/api/v1/plugins").body().contains("channel matrix"));
  }

  @AfterEach
  void close() throws Exception {
    try {
      assertThat(rig.server().output()).doesNotContain(HomeserverDouble.TOKEN, HS_TOKEN);
    } finally {
      rig.close();
      homeserver.close();
    }
  }

  @Test
  void whatTheHomeserverSendsIsAnsweredOnceAlsoWhenTheServerIsKilledBetween() throws Exception {
    String direct = homeserver.room("direct", ANN);
    homeserver.pushTo(url, HS_TOKEN);
    List<String> answers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      String key = homeserver.say(direct, ANN, "message " + i);
      answers.add("echo: message " + i);
      if (i > 0) {
        Await.pause(Duration.ofMillis(6L * (i - 1)));
        rig.restart();
      }
      rig.api().awaitState(key, ServerApi.FINAL, LIMIT);
    }
    rig.api().awaitQuiet(LIMIT);
    assertThat(homeserver.shown(direct)).isEqualTo(answers);
  }

  @Test
  void onlyTheHomeserverIsBelieved() throws Exception {
    String direct = homeserver.room("direct", ANN);
    ObjectNode body = Json.object();
    ObjectNode event = body.putArray("events").addObject();
    event.put("type", "m.room.message").put("event_id", "$x").put("room_id", direct);
    event.put("sender", ANN).putObject("content").put("msgtype", "m.text").put("body", "forged");
    String transactions = url + "/_matrix/app/v1/transactions/1";
    assertThat(homeserver.toService("PUT", transactions, "wrong", body)).isEqualTo(401);
    assertThat(homeserver.toService("PUT", transactions + "?access_token=" + HS_TOKEN, "", body))
        .isEqualTo(401);
    String other = rig.setup().url("/webhooks/matrix/other/_matrix/app/v1/transactions/1");
    assertThat(homeserver.toService("PUT", other, HS_TOKEN, body)).isEqualTo(401);
    ((ObjectNode) event.get("content")).put("body", "x".repeat(1_048_576));
    assertThat(homeserver.toService("PUT", transactions, HS_TOKEN, body)).isEqualTo(413);
    String ping = url + "/_matrix/app/v1/ping";
    assertThat(homeserver.toService("POST", ping, HS_TOKEN, Json.object())).isEqualTo(200);
    String users = url + "/_matrix/app/v1/users/@ann:hs.test";
    assertThat(homeserver.toService("GET", users, HS_TOKEN, Json.object())).isEqualTo(404);
    assertThat(homeserver.shown(direct)).isEmpty();
    assertThat(rig.api().status().path("inbox").path("depth").asInt()).isZero();
  }
}
