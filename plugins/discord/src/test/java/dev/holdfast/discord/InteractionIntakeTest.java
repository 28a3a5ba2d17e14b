package dev.holdfast.discord;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Click;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.kit.JsonText;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InteractionIntakeTest {
  private static final String PING = "{\"type\":1}";

  /** Of the ping at 1700000000 by the key of RFC 8032; the vendor's verifier takes it. */
  private static final String PING_SIGNATURE =
      "1695961a47c91a1ec033b819b7e87e3dbc583dd0cee6d1fd0216f58ac87b6228"
          + "ae531ddbf91fb7bc28d7edf7f08604da16f54624f38a6bc0614e4dc13cd47f0f";

  private static final String OTHER_SEED =
      "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb";
  private static final String ASK = JsonText.write(DiscordRig.ask("3000", "what now"));

  @TempDir private Path folder;
  private DiscordRig rig;

  @BeforeEach
  void start() {
    rig = DiscordRig.interactions(folder);
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private static Map<String, List<String>> headers(String signature) {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    headers.put("content-type", List.of("application/json"));
    headers.put("x-signature-timestamp", List.of("1700000000"));
    headers.put("x-signature-ed25519", List.of(signature));
    return headers;
  }

  private static WebhookVerdict.Answer json(String body) {
    return new WebhookVerdict.Answer(200, "application/json", body);
  }

  @Test
  void thePublishedPingIsBelievedAndAnswered() throws Exception {
    assertThat(rig.receive(DiscordRig.request(headers(PING_SIGNATURE), PING)))
        .isEqualTo(json(PING));
    assertThat(DiscordRig.signature(PING, DiscordRig.SEED, DiscordRig.NOW))
        .isEqualTo(PING_SIGNATURE);
    assertThat(rig.calls()).isEmpty();
  }

  private void assertRefused(WebhookRequest request) throws InterruptedException {
    assertThat(rig.receive(request)).isInstanceOf(WebhookVerdict.Refused.class);
    assertThat(rig.calls()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00",
        "zz95961a47c91a1ec033b819b7e87e3dbc583dd0cee6d1fd0216f58ac87b6228ae531ddbf91fb7bc28d7edf7f08604da16f54624f38a6bc0614e4dc13cd47f0f",
        "1695961a47c91a1ec033b819b7e87e3dbc583dd0cee6d1fd0216f58ac87b6228ae531ddbf91fb7bc28d7edf7f08604da16f54624f38a6bc0614e4dc13cd47f0e",
        "1695961a47c91a1ec033b819b7e87e3dbc583dd0cee6d1fd0216f58ac87b6228ae531ddbf91fb7bc28d7edf7f08604da16f54624f38a6bc0614e4dc13cd47f0f00",
        "FpWWGkfJGh7AM7gZt+h+PbxYPdDO5tH9AhbyWMh7Yiiu..."
      })
  void aWrongSignatureIsRefusedAlsoOfAPing(String signature) throws Exception {
    assertRefused(DiscordRig.request(headers(signature), PING));
  }

  @Test
  void aMissingOrRepeatedHeaderIsRefused() throws Exception {
    for (String name : List.of("x-signature-ed25519", "x-signature-timestamp")) {
      Map<String, List<String>> without = headers(PING_SIGNATURE);
      without.remove(name);
      assertRefused(DiscordRig.request(without, PING));
      Map<String, List<String>> twice = headers(PING_SIGNATURE);
      String value = String.join("", twice.getOrDefault(name, List.of()));
      twice.put(name, List.of(value, value));
      assertRefused(DiscordRig.request(twice, PING));
    }
  }

  @Test
  void aStaleOrFutureRequestIsRefusedAlthoughItIsSigned() throws Exception {
    for (int seconds : new int[] {-301, 301, -86_400, 86_400}) {
      Instant at = DiscordRig.NOW.plusSeconds(seconds);
      assertRefused(DiscordRig.signed(ASK, DiscordRig.SEED, at));
    }
    for (int seconds : new int[] {-300, 300}) {
      Instant at = DiscordRig.NOW.plusSeconds(seconds);
      assertThat(rig.receive(DiscordRig.signed(ASK, DiscordRig.SEED, at)))
          .isInstanceOf(WebhookVerdict.Messages.class);
    }
  }

  @Test
  void theSignatureOfAnotherApplicationIsRefused() throws Exception {
    assertRefused(DiscordRig.signed(ASK, OTHER_SEED, DiscordRig.NOW));
  }

  @Test
  void theSameJsonInOtherBytesIsRefused() throws Exception {
    String body = JsonText.write(DiscordRig.ask("3000", "hé"));
    WebhookRequest signed = DiscordRig.signed(body);
    assertThat(rig.receive(signed)).isInstanceOf(WebhookVerdict.Messages.class);
    for (String other : List.of(body.replace("é", "\\u00e9"), body + " ")) {
      assertThat(rig.receive(DiscordRig.request(signed.headers(), other)))
          .isInstanceOf(WebhookVerdict.Refused.class);
    }
  }

  @Test
  void aCommandIsAMessageAndDeferred() throws Exception {
    WebhookVerdict.Messages verdict = (WebhookVerdict.Messages) rig.receive(DiscordRig.signed(ASK));
    InboundMessage message = verdict.messages().getFirst();
    assertThat(message.text()).isEqualTo("what now");
    assertThat(message.thread()).isEqualTo("50");
    assertThat(message.sender()).isEqualTo("7");
    assertThat(message.dedupeKey()).isEqualTo("interaction:3000");
    assertThat(message.origin())
        .isEqualTo(new Origin(Origin.Place.GROUP, "50", "70", "ann", false, true));
    assertThat(verdict.answer()).contains(json("{\"type\":5}"));
    assertThat(rig.receive(DiscordRig.signed(ASK))).as("a replay").isEqualTo(verdict);
  }

  @Test
  void whoIsNotSurelyAllowedThinksInPrivate() throws Exception {
    rig.close();
    rig =
        DiscordRig.with(
            Map.of(
                "public_key",
                DiscordRig.PUBLIC_KEY,
                "mode",
                "interactions",
                "allow",
                Map.of("users", List.of("8", "ann"))),
            folder);
    WebhookVerdict.Messages verdict = (WebhookVerdict.Messages) rig.receive(DiscordRig.signed(ASK));
    assertThat(verdict.answer().orElseThrow().body()).contains("\"type\":5", "{\"flags\":64}");
    assertThat(verdict.messages().getFirst().dedupeKey()).isEqualTo("private:3000");
  }

  private InboundMessage said(Map<String, Object> interaction) throws InterruptedException {
    return ((WebhookVerdict.Messages) rig.receive(DiscordRig.signed(JsonText.write(interaction))))
        .messages()
        .getFirst();
  }

  @ParameterizedTest
  @CsvSource({"stop,/stop", "new,/new", "status,/status", "help,/help"})
  void otherCommandsAreThoseOfTheServer(String name, String text) throws Exception {
    assertThat(said(DiscordRig.interaction("3000", 2, Map.of("type", 1, "name", name))).text())
        .isEqualTo(text);
  }

  @Test
  void stopTakesAllToo() throws Exception {
    Map<String, ?> data =
        Map.of("type", 1, "name", "stop", "options", List.of(Map.of("name", "all", "value", true)));
    assertThat(said(DiscordRig.interaction("3000", 2, data)).text()).isEqualTo("/stop all");
  }

  @Test
  void aFileComesWithAQuestion() throws Exception {
    Map<String, ?> data =
        Map.of(
            "type",
            1,
            "name",
            "ask",
            "options",
            List.of(
                Map.of("name", "text", "value", "what is it"),
                Map.of("name", "file", "value", "9")),
            "resolved",
            Map.of(
                "attachments",
                Map.of(
                    "9",
                    Map.of(
                        "id",
                        "9",
                        "filename",
                        "a.png",
                        "size",
                        3,
                        "url",
                        "https://cdn.example/a"))));
    assertThat(said(DiscordRig.interaction("3000", 2, data)).attachments())
        .singleElement()
        .satisfies(file -> assertThat(file.name()).isEqualTo("a.png"));
  }

  @Test
  void inAThreadOrAlonePlaceAndChatAreTold() throws Exception {
    Map<String, Object> inThread = DiscordRig.ask("3000", "hi");
    inThread.put("channel", Map.of("id", "50", "type", 11, "parent_id", "40"));
    assertThat(said(inThread).origin().place()).isEqualTo(Origin.Place.THREAD);
    assertThat(said(inThread).origin().chat()).isEqualTo("40");
    Map<String, Object> direct = DiscordRig.ask("3001", "hi");
    direct.remove("guild_id");
    direct.remove("member");
    direct.put("user", Map.of("id", "7", "global_name", "Ann"));
    assertThat(said(direct).origin())
        .isEqualTo(new Origin(Origin.Place.DIRECT, "", "", "Ann", false, true));
  }

  @Test
  void aClickBringsTheTokenAlone() throws Exception {
    String token = "abcdefghijklmnopqrst_-";
    String body = JsonText.write(DiscordRig.interaction("3000", 3, Map.of("custom_id", token)));
    WebhookVerdict.Clicked verdict = (WebhookVerdict.Clicked) rig.receive(DiscordRig.signed(body));
    assertThat(verdict.click())
        .isEqualTo(new Click("main", "50", "7", token, "/webhooks/901/tok_3000"));
    assertThat(verdict.answer()).isEqualTo(Optional.of(json("{\"type\":6}")));
    rig.channel().answerClick(verdict.click(), "Approved.");
    assertThat(rig.bodies("POST /webhooks/901/tok_3000").getFirst())
        .containsEntry("content", "Approved.")
        .containsEntry("flags", 64L);
    assertThat(rig.asked("POST /webhooks/901/tok_3000").getFirst().headers())
        .doesNotContainKey("authorization");
  }

  @Test
  void whatIsNotOursIsToldToThePersonAlone() throws Exception {
    for (Map<String, Object> other :
        List.of(
            DiscordRig.interaction("3000", 3, Map.of("custom_id", "something")),
            DiscordRig.interaction("3000", 2, Map.of("type", 1, "name", "ban")),
            DiscordRig.interaction("3000", 2, Map.of("type", 3, "name", "ask")))) {
      WebhookVerdict verdict = rig.receive(DiscordRig.signed(JsonText.write(other)));
      assertThat(((WebhookVerdict.Answer) verdict).body()).contains("\"flags\":64");
    }
  }

  @Test
  void anInteractionOfAnotherApplicationIsDropped() throws Exception {
    Map<String, Object> other = DiscordRig.ask("3000", "hi");
    other.put("application_id", "902");
    assertThat(rig.receive(DiscordRig.signed(JsonText.write(other))))
        .isEqualTo(new WebhookVerdict.Messages(List.of(), List.of(DropReason.NOT_ALLOWED)));
  }

  @Test
  void whatMakesNoSenseIsUnparsableOrIgnored() throws Exception {
    assertThat(rig.receive(DiscordRig.signed("[1]"))).isInstanceOf(WebhookVerdict.Unparsable.class);
    WebhookRequest text = DiscordRig.signed(ASK);
    Map<String, List<String>> headers = new LinkedHashMap<>(text.headers());
    headers.put("content-type", List.of("text/plain"));
    assertThat(rig.receive(DiscordRig.request(headers, ASK)))
        .isInstanceOf(WebhookVerdict.Unparsable.class);
    Map<String, Object> evil = DiscordRig.ask("3000", "hi");
    evil.put("token", "../../channels/1");
    assertThat(rig.receive(DiscordRig.signed(JsonText.write(evil))))
        .isEqualTo(new WebhookVerdict.Messages(List.of()));
    evil = DiscordRig.ask("../1", "hi");
    assertThat(rig.receive(DiscordRig.signed(JsonText.write(evil))))
        .isEqualTo(new WebhookVerdict.Messages(List.of()));
  }

  @Test
  void whileItIsNotKnownWhoTheBotIsNothingIsTaken() throws Exception {
    rig.always("GET /users/@me", DiscordRig.error(500, 0));
    assertThat(rig.receive(DiscordRig.signed(ASK)))
        .isEqualTo(new WebhookVerdict.Answer(503, "text/plain", ""));
  }

  @Test
  void anUnknownAccountIsNone() throws Exception {
    WebhookRequest request = DiscordRig.signed(ASK);
    assertThat(
            rig.receive(
                new WebhookRequest(
                    "POST",
                    "other",
                    request.headers(),
                    Map.of(),
                    request.body(),
                    request.receivedAt())))
        .isInstanceOf(WebhookVerdict.NoAccount.class);
  }
}
