package dev.holdfast.tests.channels;

import static dev.holdfast.tests.channels.WhatsAppSetup.ANN;
import static dev.holdfast.tests.channels.WhatsAppSetup.BOB;
import static dev.holdfast.tests.channels.WhatsAppSetup.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.testing.GraphApiDouble;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.BoardRig;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Setup;
import dev.holdfast.tests.harness.ShellRig;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Approvals by WhatsApp's reply buttons. */
@Timeout(200)
@Outside(
    covers = {
      "plugins/whatsapp/src/main",
      "plugins/kit/src/main",
      "server/src/main/java/dev/holdfast/channels",
      "server/src/main/java/dev/holdfast/replies"
    })
class WhatsAppApprovalTest {
  private static final GraphApiDouble META = new GraphApiDouble();

  @SuppressWarnings("NullAway.Init") // when the server is configured
  private static BoardRig board;

  @RegisterExtension
  static final Served SERVED =
      Served.alone(
          rig -> {
            board = new BoardRig(rig);
            Setup _ = WhatsAppSetup.configure(rig.setup(), META);
          });

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

  private Map<String, Object> ask(String name) {
    String _ = META.say(ANN, ShellRig.call("stamp", Map.of("name", name)));
    Map<String, Object> question =
        Await.value(
            "a question with buttons",
            LIMIT,
            () ->
                META.sent().stream()
                    .filter(message -> message.containsKey("interactive"))
                    .reduce((_, later) -> later));
    Await.until(
        "the server knows that it arrived",
        LIMIT,
        () -> rig.api().status().path("outbox_depth").asInt() == 0);
    return question;
  }

  private static String token(Map<String, Object> question, String title) {
    Map<String, Object> action = JsonText.map(JsonText.map(question, "interactive"), "action");
    return JsonText.maps(action, "buttons").stream()
        .map(button -> JsonText.map(button, "reply"))
        .filter(reply -> JsonText.text(reply, "title").equals(title))
        .map(reply -> JsonText.text(reply, "id"))
        .findFirst()
        .orElseThrow();
  }

  private void awaitText(String person, String text) {
    Await.until(text, LIMIT, () -> META.texts(person).contains(text));
  }

  @Test
  void aButtonOfBeforeAKillLetsItRunOnceForThePersonWhoWasAsked() throws Exception {
    Map<String, Object> question = ask("one");
    assertThat(JsonText.text(question, "recipient")).isEqualTo(ANN);
    String approve = token(question, "Approve");
    rig.restart();
    rig.api().awaitChannel("whatsapp");
    String _ = META.press(BOB, approve);
    awaitText(BOB, "Only the person who was asked may decide this.");
    assertThat(board.runs("one")).isZero();
    String press = META.press(ANN, approve);
    awaitText(ANN, "Approved.");
    Await.until("it ran", LIMIT, () -> board.runs("one") == 1);
    assertThat(META.sent())
        .filteredOn(
            message -> JsonText.text(JsonText.map(message, "text"), "body").equals("Approved."))
        .first()
        .satisfies(told -> assertThat(told).containsEntry("context", Map.of("message_id", press)));
    String _ = META.press(ANN, token(question, "Deny"));
    awaitText(ANN, "This was already approved.");
    rig.api().awaitQuiet(LIMIT);
    assertThat(board.runs("one")).isEqualTo(1);
    Await.until("all was taken", LIMIT, META::isAllDelivered);
  }
}
