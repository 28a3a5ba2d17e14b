package dev.holdfast.tests.channels;

import static dev.holdfast.tests.channels.TelegramSetup.ANN;
import static dev.holdfast.tests.channels.TelegramSetup.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.kit.testing.BotApiDouble;
import dev.holdfast.tests.harness.AgentScript;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Post;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A restored copy beside its original: same bots, same tokens, same open messages. */
@Timeout(180)
class RestoredCopyTest {
  private static final String EXTENSION = "worker";
  private final BotApiDouble api = new BotApiDouble();

  @Test
  void aCopyReachesNobodyUntilItIsPromotedAndThenAnswersWhatIsOpenOnce() throws Exception {
    try (api;
        ServerRig original = TelegramSetup.withWebhook(api);
        ServerRig copy = new ServerRig()) {
      Await.until("the webhook is set", LIMIT, () -> !api.calls("setWebhook").isEmpty());
      String open = openWork(original);
      Path file = original.folder().resolve("backup.zip");
      run(original, "backup", file.toString());

      assertThat(restore(copy, file, original).err()).contains("holdfast promote");
      List<String> before = traffic(original);
      copy.start();
      assertHeld(copy, open);
      run(copy, "mode", "auto"); // is no leave to reach anybody
      Await.until("the wake-up is due", LIMIT, () -> Instant.now().isAfter(due(copy)));
      copy.restart();
      assertHeld(copy, open);
      assertThat(traffic(original)).as("no call to a platform").isEqualTo(before);

      original.server().kill9();
      assertThat(run(copy, "promote").out()).contains("promoted");
      assertThat(copy.api().get("/api/v1/extensions/" + EXTENSION).status()).isEqualTo(200);
      copy.restart();
      copy.api().awaitChannel("telegram");
      assertThat(run(copy, "promote").out()).contains("nothing has changed");
      run(copy, "mode", "auto"); // the original was stopped by hand, and so is what was promoted
      copy.api().awaitState(open, ServerApi.FINAL, LIMIT);
      copy.api().awaitState("w1", ServerApi.FINAL, LIMIT);
      api.awaitShown(ANN, "echo: still open", LIMIT);
      original.platform().awaitText("w1", "echo: still open too", LIMIT);
      original.platform().awaitSaid("echo: [wake-up", LIMIT);
      String later = api.say(78, "who is there?");
      copy.api().awaitState(later, ServerApi.FINAL, LIMIT);
      assertThat(api.shown(ANN, "echo: still open")).hasSize(1);
      assertThat(original.platform().shownFor("w1").stream().map(Post::replyId).distinct())
          .as("it is kept; the answer, once more if the restart has cut off its post")
          .hasSize(2);
      assertThat(conditions(copy)).doesNotContain("copy");
    }
  }

  @Test
  void whatWasOpenCanBecomeDeadLettersInPlaceOfBeingSent() throws Exception {
    try (api;
        ServerRig original = new ServerRig().start();
        ServerRig copy = new ServerRig()) {
      run(original, "mode", "safe");
      original.accept("w1", "t", "no longer wanted");
      original.platform().awaitPost("w1", LIMIT);
      Path file = original.folder().resolve("backup.zip");
      run(original, "backup", file.toString());
      original.server().kill9();
      assertThat(restore(copy, file, original).exitCode()).isZero();
      copy.start();
      assertThat(run(copy, "promote", "--discard").out()).contains("1 messages");
      run(copy, "mode", "auto");
      assertThat(copy.api().state("w1")).isEqualTo("dead_lettered");
      copy.accept("w2", "t", "wanted");
      assertThat(original.platform().awaitPost("w2", LIMIT).text()).isEqualTo("echo: wanted");
      assertThat(original.platform().shownFor("w1")).as("that it is kept").hasSize(1);
    }
  }

  /** One that an operator has stopped amid its work. Returns a message to the bot that is open. */
  private String openWork(ServerRig original) throws IOException {
    String soon = Instant.now().plusSeconds(30).toString();
    Post set =
        original.converse(
            "w0",
            "t",
            "!tool schedule "
                + Json.write(Json.of(Map.of("action", "add", "at", soon, "text", "look"))));
    assertThat(set.text()).startsWith("echo: Wake-up ");
    run(original, "mode", "safe");
    String open = api.say(ANN, "still open");
    original.accept("w1", "t", "still open too");
    Await.until("the bot has it", LIMIT, () -> original.api().state(open).equals("pending"));
    Await.until(
        "its person knows", LIMIT, () -> !api.shown(ANN, "An operator has paused me").isEmpty());
    original.platform().awaitPost("w1", LIMIT);
    return open;
  }

  /** The same configuration, but for its own port and folder. */
  private HoldfastCommand.Result restore(ServerRig copy, Path file, ServerRig original)
      throws IOException {
    TelegramSetup.configure(copy, api.url(), Map.of("mode", "webhook"))
        .setNamed(
            "channels.webhook.accounts",
            "ci",
            Map.of(
                "secret",
                ServerRig.SECRET,
                "reply_url",
                original.platform().replyUrl(),
                "allow",
                List.of("*")))
        .set("extensions", List.of(new AgentScript(copy, EXTENSION).declaration()));
    return HoldfastCommand.run(copy.setup(), "restore", file.toString());
  }

  private static void assertHeld(ServerRig copy, String open) throws IOException {
    Await.until(
        "the plugin is kept out", LIMIT, () -> conditions(copy).contains("plugin/telegram"));
    assertThat(conditions(copy)).contains("copy", "mode");
    assertThat(run(copy, "status").out()).contains("restored copy", "holdfast promote");
    assertThat(copy.api().state(open)).isEqualTo("pending");
    assertThat(copy.api().state("w1")).isEqualTo("pending");
    assertThat(accepted(copy)).as("no wake-up").isEqualTo(3);
    assertThat(copy.api().get("/api/v1/extensions/" + EXTENSION).status()).isEqualTo(404);
    assertThat(copy.api().get("/api/v1/incidents").json().path("incidents"))
        .as("nothing is wrong")
        .extracting(incident -> incident.path("severity").asText())
        .doesNotContain("critical");
  }

  private static Instant due(ServerRig rig) throws IOException {
    JsonNode schedule = rig.api().get("/api/v1/schedules").json().path("schedules").path(0);
    return Instant.parse(schedule.path("next_at").asText());
  }

  private static int accepted(ServerRig rig) throws IOException {
    return rig.api().status().path("counts").path("accepted").asInt();
  }

  private static List<String> conditions(ServerRig rig) throws IOException {
    List<String> types = new ArrayList<>();
    for (JsonNode condition : rig.api().get("/api/v1/conditions").json().path("conditions")) {
      types.add(condition.path("type").asText());
    }
    return types;
  }

  /** Everything that any server has sent to a platform. */
  private List<String> traffic(ServerRig original) {
    List<String> all = new ArrayList<>();
    for (String method : List.of("setWebhook", "setMyCommands", "sendMessage", "getUpdates")) {
      api.calls(method).forEach(call -> all.add(method + " " + call.parameters()));
    }
    original.platform().posts().forEach(post -> all.add(post.toString()));
    return all;
  }

  private static HoldfastCommand.Result run(ServerRig rig, String... command) {
    HoldfastCommand.Result result = HoldfastCommand.run(rig.setup(), command);
    assertThat(result.exitCode()).as("%s: %s", List.of(command), result.err()).isZero();
    return result;
  }
}
