package dev.holdfast.slack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.DropReason;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SlackIntakeTest {
  private static final String JSON = "application/json";
  private static final String FORM = "application/x-www-form-urlencoded";

  /** From Slack's documentation, with its signature. */
  private static final String PUBLISHED =
      "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow"
          + "&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner"
          + "&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands"
          + "%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN"
          + "&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";

  private static final String PUBLISHED_SIGNATURE =
      "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";

  private static final String HELLO =
      SlackRig.callback(SlackRig.message("C1", "10.000001", "U1", "hello"));

  @TempDir private Path folder;
  private SlackRig rig;

  @BeforeEach
  void start() {
    rig = SlackRig.events(folder);
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private static Map<String, List<String>> headers(String signature) {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    headers.put("content-type", List.of(FORM));
    headers.put("x-slack-request-timestamp", List.of("1531420618"));
    headers.put("x-slack-signature", List.of(signature));
    return headers;
  }

  @Test
  void thePublishedRequestIsBelieved() throws Exception {
    rig.always(
        "auth.test",
        SlackRig.ok("\"user_id\":\"UBOT\",\"bot_id\":\"BBOT\",\"team_id\":\"T1DC2JH3J\""));
    WebhookVerdict verdict = rig.receive(SlackRig.request(headers(PUBLISHED_SIGNATURE), PUBLISHED));
    assertThat(((WebhookVerdict.Messages) verdict).messages())
        .singleElement()
        .satisfies(
            message -> {
              assertThat(message.thread()).isEqualTo("G8PSS9T3V");
              assertThat(message.sender()).isEqualTo("U2CERLKJA");
              assertThat(message.text()).isEqualTo("/help");
            });
  }

  private void assertRefused(WebhookRequest request) throws InterruptedException {
    assertThat(rig.receive(request)).isInstanceOf(WebhookVerdict.Refused.class);
    assertThat(rig.methods()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "v0=",
        "v0=00",
        "a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
        "v1=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
        "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b504",
        "v0= a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
        "v0=ohFNV7SOrDm5rRid2DFiNae0qNIaEL0nUZZmSJxptQM="
      })
  void aWrongSignatureIsRefused(String signature) throws Exception {
    assertRefused(SlackRig.request(headers(signature), PUBLISHED));
  }

  @Test
  void aMissingOrRepeatedHeaderIsRefused() throws Exception {
    for (String name : List.of("x-slack-signature", "x-slack-request-timestamp")) {
      Map<String, List<String>> without = headers(PUBLISHED_SIGNATURE);
      without.remove(name);
      assertRefused(SlackRig.request(without, PUBLISHED));
      Map<String, List<String>> twice = headers(PUBLISHED_SIGNATURE);
      String value = String.join("", twice.getOrDefault(name, List.of()));
      twice.put(name, List.of(value, value));
      assertRefused(SlackRig.request(twice, PUBLISHED));
    }
  }

  @Test
  void aStaleOrFutureRequestIsRefusedAlthoughItIsSigned() throws Exception {
    for (int seconds : new int[] {-301, 301, -86_400, 86_400}) {
      Instant at = SlackRig.NOW.plusSeconds(seconds);
      assertRefused(SlackRig.signed(JSON, HELLO, SlackRig.SECRET, at));
    }
    for (int seconds : new int[] {-300, 300}) {
      Instant at = SlackRig.NOW.plusSeconds(seconds);
      assertThat(rig.receive(SlackRig.signed(JSON, HELLO, SlackRig.SECRET, at)))
          .isInstanceOf(WebhookVerdict.Messages.class);
    }
  }

  @Test
  void theSignatureOfAnotherAppIsRefused() throws Exception {
    assertRefused(SlackRig.signed(JSON, HELLO, "another secret", SlackRig.NOW));
  }

  @Test
  void theSameJsonInOtherBytesIsRefused() throws Exception {
    String escaped = SlackRig.callback(SlackRig.message("C1", "10.000001", "U1", "hé"));
    WebhookRequest signed = SlackRig.signed(JSON, escaped);
    assertThat(rig.receive(signed)).isInstanceOf(WebhookVerdict.Messages.class);
    String reEncoded = escaped.replace("é", "\\u00e9");
    assertThat(rig.receive(SlackRig.request(signed.headers(), reEncoded)))
        .isInstanceOf(WebhookVerdict.Refused.class);
    assertThat(rig.receive(SlackRig.request(signed.headers(), escaped + " ")))
        .isInstanceOf(WebhookVerdict.Refused.class);
  }

  @Test
  void aReplayHasTheKeyOfTheFirst() throws Exception {
    WebhookRequest request = SlackRig.signed(JSON, HELLO);
    assertThat(rig.receive(request)).isEqualTo(rig.receive(request));
  }

  @Test
  void theChallengeIsAnsweredWhenItIsSigned() throws Exception {
    String challenge = "{\"type\":\"url_verification\",\"challenge\":\"3eZbrw1a\"}";
    assertThat(rig.receive(SlackRig.signed(JSON, challenge)))
        .isEqualTo(new WebhookVerdict.Answer(200, "text/plain", "3eZbrw1a"));
    assertRefused(SlackRig.request(Map.of("content-type", List.of(JSON)), challenge));
  }

  @Test
  void anEventOfAnotherWorkspaceIsDropped() throws Exception {
    String foreign = HELLO.replace("\"team_id\":\"T1\"", "\"team_id\":\"T2\"");
    assertThat(rig.receive(SlackRig.signed(JSON, foreign)))
        .isEqualTo(new WebhookVerdict.Messages(List.of(), List.of(DropReason.NOT_ALLOWED)));
  }

  @Test
  void anEventOfAnAllowedWorkspaceIsTaken() throws Exception {
    try (SlackRig grid =
        SlackRig.with(
            Map.of("signing_secret", SlackRig.SECRET, "allow", Map.of("teams", List.of("T2"))),
            folder)) {
      String foreign = HELLO.replace("\"team_id\":\"T1\"", "\"team_id\":\"T2\"");
      WebhookVerdict verdict = grid.receive(SlackRig.signed(JSON, foreign));
      assertThat(((WebhookVerdict.Messages) verdict).messages().getFirst().origin().team())
          .isEqualTo("T2");
    }
  }

  @Test
  void whileNobodyKnowsWhoTheAppIsAnEventHasToComeAgain() throws Exception {
    rig.always("auth.test", SlackRig.error("internal_error"));
    assertThat(rig.receive(SlackRig.signed(JSON, HELLO)))
        .isEqualTo(new WebhookVerdict.Answer(503, "text/plain", ""));
    assertThat(rig.receive(SlackRig.signed(JSON, HELLO))).isInstanceOf(WebhookVerdict.Answer.class);
    assertThat(rig.calls("auth.test")).as("not asked for each event").hasSize(1);
    rig.always("auth.test", SlackRig.ok("\"user_id\":\"UBOT\",\"team_id\":\"T1\""));
    rig.context().advance(Duration.ofSeconds(3));
    assertThat(rig.receive(SlackRig.signed(JSON, HELLO)))
        .isInstanceOf(WebhookVerdict.Messages.class);
  }

  @Test
  void whatIsSignedAndMakesNoSenseIsUnparsable() throws Exception {
    for (String body : List.of("", "[]", "{", "{\"type\":", "\u0000")) {
      assertThat(rig.receive(SlackRig.signed(JSON, body)))
          .isInstanceOf(WebhookVerdict.Unparsable.class);
    }
    assertThat(rig.receive(SlackRig.signed("text/plain", HELLO)))
        .isInstanceOf(WebhookVerdict.Unparsable.class);
    assertThat(rig.receive(SlackRig.signed(FORM, "a=%zz&payload=%zz")))
        .isInstanceOf(WebhookVerdict.Unparsable.class);
    assertThat(rig.receive(SlackRig.signed(FORM, "a=b")))
        .isInstanceOf(WebhookVerdict.Unparsable.class);
    assertThat(rig.receive(SlackRig.signed(JSON, "{\"type\":\"tokens\\u0007\"}")))
        .isEqualTo(
            new WebhookVerdict.UnknownType(
                "tokens?", List.of("event_callback", "url_verification", "app_rate_limited")));
  }

  @Test
  void aMebibyteIsReadInTime() throws Exception {
    String text = "é".repeat((1024 * 1024 - 400) / 2);
    String body = SlackRig.callback(SlackRig.message("C1", "10.000001", "U1", text));
    assertThat(body.getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(1024 * 1024);
    WebhookVerdict verdict = rig.receive(SlackRig.signed(JSON, body));
    assertThat(((WebhookVerdict.Messages) verdict).messages().getFirst().text()).isEqualTo(text);
  }

  @Test
  void heldBackEventsAndTheCheckOfCertificatesAreAcknowledged() throws Exception {
    assertThat(rig.receive(SlackRig.signed(JSON, "{\"type\":\"app_rate_limited\"}")))
        .isEqualTo(new WebhookVerdict.Messages(List.of()));
    assertThat(rig.receive(SlackRig.signed(FORM, "ssl_check=1&token=x")))
        .isEqualTo(new WebhookVerdict.Messages(List.of()));
  }

  @Test
  void anUnknownAccountAndOneWithSocketsHaveNoWebhook() throws Exception {
    WebhookRequest signed = SlackRig.signed(JSON, HELLO);
    WebhookRequest other =
        new WebhookRequest(
            "POST", "other", signed.headers(), Map.of(), signed.body(), SlackRig.NOW);
    assertThat(rig.receive(other)).isInstanceOf(WebhookVerdict.NoAccount.class);
    try (SlackRig sockets = SlackRig.socket(folder)) {
      assertThat(sockets.receive(signed)).isInstanceOf(WebhookVerdict.NoAccount.class);
    }
  }
}
