package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kit.testing.HomeserverDouble;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The bundled plugin as an application service, in the real server. */
@Timeout(120)
@Outside(
    covers = {
      "plugins/matrix/src/main",
      "plugins/kit/src/main",
      "server/src/main/java/dev/holdfast/channels",
      "server/src/main/java/dev/holdfast/replies"
    })
class MatrixAppserviceTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String HS_TOKEN = "canary-of-the-homeserver";
  private static final String ANN = "@ann:hs.example";

  private static final HomeserverDouble HOMESERVER = new HomeserverDouble();

  @RegisterExtension
  static final Served SERVED =
      Served.alone(
          rig -> {
            rig.setup()
                .plugin("matrix")
                .set("channels.matrix.base_url", HOMESERVER.url())
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
            HOMESERVER.pushTo(rig.setup().url("/webhooks/matrix/main"), HS_TOKEN);
          });

  private ServerRig rig;
  private String direct;

  @BeforeEach
  void open() {
    rig = SERVED.rig();
    direct = HOMESERVER.room(SERVED.thread(), ANN);
    rig.api().awaitChannel("matrix");
  }

  @AfterEach
  void noTokenIsShown() {
    assertThat(rig.server().output()).doesNotContain(HomeserverDouble.TOKEN, HS_TOKEN);
  }

  @AfterAll
  static void close() {
    HOMESERVER.close();
  }

  @Test
  void whatTheHomeserverSendsIsAnsweredOnceAlsoWhenTheServerIsKilledBetween() throws Exception {
    List<String> answers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      String key = HOMESERVER.say(direct, ANN, "message " + i);
      answers.add("echo: message " + i);
      if (i > 0) {
        Await.pause(Duration.ofMillis(6L * (i - 1)));
        rig.restart();
      }
      rig.api().awaitState(key, ServerApi.FINAL, LIMIT);
    }
    rig.api().awaitQuiet(LIMIT);
    assertThat(HOMESERVER.shown(direct)).isEqualTo(answers);
  }
}
