package dev.holdfast.tests.channels;

import static dev.holdfast.tests.channels.WhatsAppSetup.ANN;
import static dev.holdfast.tests.channels.WhatsAppSetup.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.CompiledPlugin;
import dev.holdfast.tests.harness.GraphApiDouble;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Approvals by WhatsApp's reply buttons. */
@Timeout(200)
class WhatsAppApprovalTest {
  private static final String BOB = "4915112345678";

  private final WhatsAppSetup setup = new WhatsAppSetup();
  private final GraphApiDouble meta = setup.meta;
  private final Path board = ServerRig.newFolder("holdfast-board");

  @BeforeEach
  void start() throws Exception {
    CompiledPlugin.ofResource("board", "Board")
        .into(Files.createDirectories(setup.rig.folder().resolve("plugins")));
    setup
        .rig
        .setup()
        .set("tools.autonomy", "supervised")
        .set("channels.board.folder", board.toString());
    setup.start();
  }

  @AfterEach
  void close() {
    setup.close();
    ServerRig.delete(board);
  }

  private long runs(String name) throws IOException {
    Path file = board.resolve("runs").resolve(name);
    return Files.exists(file) ? Files.readAllLines(file).size() : 0;
  }

  private JsonNode ask(String name) {
    String _ = meta.say(ANN, ShellRig.call("stamp", Map.of("name", name)));
    JsonNode question =
        Await.value(
            "a question with buttons",
            LIMIT,
            () ->
                meta.sent().stream()
                    .filter(message -> message.has("interactive"))
                    .reduce((_, later) -> later));
    Await.until(
        "the server knows that it arrived",
        LIMIT,
        () -> setup.rig.api().status().path("outbox_depth").asInt() == 0);
    return question;
  }

  private static String token(JsonNode question, String title) {
    for (JsonNode button : question.path("interactive").path("action").path("buttons")) {
      if (button.path("reply").path("title").asText().equals(title)) {
        return button.path("reply").path("id").asText();
      }
    }
    throw new AssertionError(question.toString());
  }

  private void awaitText(String person, String text) {
    Await.until(text, LIMIT, () -> meta.texts(person).contains(text));
  }

  @Test
  void aButtonOfBeforeAKillLetsItRunOnceForThePersonWhoWasAsked() throws Exception {
    JsonNode question = ask("one");
    assertThat(question.path("recipient").asText()).isEqualTo(ANN);
    String approve = token(question, "Approve");
    setup.rig.restart();
    setup.awaitChannel();
    String _ = meta.press(BOB, approve);
    awaitText(BOB, "Only the person who was asked may decide this.");
    assertThat(runs("one")).isZero();
    String press = meta.press(ANN, approve);
    awaitText(ANN, "Approved.");
    Await.until("it ran", LIMIT, () -> runs("one") == 1);
    Optional<JsonNode> told =
        meta.sent().stream()
            .filter(message -> message.path("text").path("body").asText().equals("Approved."))
            .findFirst();
    assertThat(told.orElseThrow().path("context").path("message_id").asText()).isEqualTo(press);
    String _ = meta.press(ANN, token(question, "Deny"));
    awaitText(ANN, "This was already approved.");
    setup.rig.api().awaitQuiet(LIMIT);
    assertThat(runs("one")).isEqualTo(1);
    Await.until("all was taken", LIMIT, meta::isAllDelivered);
  }

  @Test
  void aButtonAmongMessagesIsTakenFirstAndTheMessagesWithTheNextDelivery() throws Exception {
    String approve = token(ask("two"), "Approve");
    String body =
        GraphApiDouble.delivery(
            "messages",
            List.of(
                GraphApiDouble.text(BOB, "wamid.m", "meanwhile"),
                GraphApiDouble.press(ANN, "wamid.p", approve)));
    assertThat(meta.deliver(body).status()).isEqualTo(503);
    awaitText(ANN, "Approved.");
    assertThat(meta.texts(BOB)).isEmpty();
    assertThat(meta.deliver(body).status()).isEqualTo(200);
    awaitText(BOB, "echo: meanwhile");
    assertThat(meta.deliver(body).status()).isEqualTo(200);
    setup.rig.api().awaitQuiet(LIMIT);
    assertThat(runs("two")).isEqualTo(1);
    assertThat(meta.texts(BOB)).hasSize(1);
    assertThat(meta.texts(ANN)).containsOnlyOnce("Approved.");
  }
}
