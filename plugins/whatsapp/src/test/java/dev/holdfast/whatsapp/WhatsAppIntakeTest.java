package dev.holdfast.whatsapp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Click;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.kit.JsonText;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
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
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class WhatsAppIntakeTest {
  /** Published by GitHub for the same scheme. */
  private static final String PUBLISHED = "Hello, World!";

  private static final String PUBLISHED_SIGNATURE =
      "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

  private static final String HELLO =
      WhatsAppRig.delivery(
          WhatsAppRig.NUMBER, "messages", List.of(WhatsAppRig.text("wamid.1", "hello")));

  private static final String TOKEN = "abcdefghijklmnopqrst-_";

  @TempDir private Path folder;
  private WhatsAppRig rig;

  @BeforeEach
  void start() {
    rig = WhatsAppRig.open(folder);
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private void assertRefused(WebhookRequest request) throws InterruptedException {
    assertThat(rig.receive(request)).isInstanceOf(WebhookVerdict.Refused.class);
    assertThat(rig.asked("messages")).isEmpty();
  }

  private static List<InboundMessage> messages(WebhookVerdict verdict) {
    return ((WebhookVerdict.Messages) verdict).messages();
  }

  @Test
  void thePublishedSignatureIsBelieved() throws Exception {
    rig.close();
    Map<String, ?> secret = Map.of("app_secret", "It's a Secret to Everybody");
    rig = new WhatsAppRig(secret, Map.of(), folder);
    assertThat(rig.receive(WhatsAppRig.request(PUBLISHED_SIGNATURE, PUBLISHED)))
        .isEqualTo(new WebhookVerdict.Unparsable("the body is not what its content type says"));
    assertRefused(WhatsAppRig.request(PUBLISHED_SIGNATURE, PUBLISHED + " "));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "sha256=",
        "sha256=00",
        "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
        "sha1=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
        "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e18",
        "sha256= 757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
        "sha256=dXEH6g6yUJ/CESIczphLijdXC211hsIsRvQ3nIsEPhc="
      })
  void aWrongSignatureIsRefused(String signature) throws Exception {
    assertRefused(WhatsAppRig.request(signature, PUBLISHED));
  }

  @Test
  void aMissingOrRepeatedSignatureIsRefused() throws Exception {
    Map<String, List<String>> headers =
        new LinkedHashMap<>(Map.of("content-type", List.of("application/json")));
    assertRefused(WhatsAppRig.request(headers, HELLO));
    String signature = WhatsAppRig.signature(HELLO);
    headers.put("x-hub-signature-256", List.of(signature, signature));
    assertRefused(WhatsAppRig.request(headers, HELLO));
    headers.remove("x-hub-signature-256");
    headers.put("x-hub-signature", List.of(signature)); // the older one, of SHA-1
    assertRefused(WhatsAppRig.request(headers, HELLO));
  }

  @Test
  void theSignatureOfAnotherAppIsRefused() throws Exception {
    assertRefused(WhatsAppRig.request(WhatsAppRig.signature("another app", HELLO), HELLO));
  }

  @Test
  void whatMetaEscapedIsVerifiedAsItCame() throws Exception {
    String escaped = HELLO.replace("hello", "h\\u00e9 \\ud83d\\ude00 a\\/b");
    assertThat(messages(rig.receive(WhatsAppRig.signed(escaped))).getFirst().text())
        .isEqualTo("hé 😀 a/b");
    String signature = WhatsAppRig.signature(escaped);
    for (String reEncoded :
        List.of(
            escaped.replace("\\u00e9", "é"),
            escaped.replace("\\u00e9", "\\u00E9"),
            escaped.replace("\\/", "/"),
            escaped + "\n",
            JsonText.write(JsonText.object(escaped)))) {
      assertRefused(WhatsAppRig.request(signature, reEncoded));
    }
  }

  private static Map<String, Object> at(Instant time) {
    Map<String, Object> message = WhatsAppRig.text("wamid.1", "hello");
    message.put("timestamp", Long.toString(time.getEpochSecond()));
    return message;
  }

  @Test
  void whatMayBeAReplayIsLeftOutByTheTimeInTheMessage() throws Exception {
    Instant now = WhatsAppRig.NOW;
    Duration week = Duration.ofDays(7);
    for (Instant time :
        List.of(now.minus(week).minusSeconds(1), now.plusSeconds(301), now.plus(week))) {
      assertThat(rig.receive(at(time)))
          .as("Meta would send it for a week if it were refused")
          .isEqualTo(new WebhookVerdict.Messages(List.of(), List.of(DropReason.UNTIMELY)));
    }
    assertThat(rig.context().warnings())
        .hasSize(3)
        .allMatch(line -> line.contains("main: messages") && line.contains("1, because its time"));
    for (Instant time : List.of(now.minus(week), now.plusSeconds(300))) {
      assertThat(messages(rig.receive(at(time)))).hasSize(1);
    }
    Map<String, Object> timeless = WhatsAppRig.text("wamid.1", "hello");
    timeless.remove("timestamp");
    assertThat(rig.receive(timeless))
        .isEqualTo(new WebhookVerdict.Messages(List.of(), List.of(DropReason.UNREADABLE)));
  }

  private static Map<String, Object> with(String key, Object value) {
    Map<String, Object> message = WhatsAppRig.text("wamid.bad", "bad");
    message.put(key, value);
    return message;
  }

  private static List<Map<String, Object>> unfit() {
    return List.of(
        with(
            "timestamp", Long.toString(WhatsAppRig.NOW.minus(Duration.ofDays(8)).getEpochSecond())),
        with("timestamp", Long.toString(WhatsAppRig.NOW.plusSeconds(3600).getEpochSecond())),
        with("timestamp", ""),
        with("timestamp", "abc"),
        with("timestamp", "-5"),
        with("timestamp", -5),
        with("timestamp", "9".repeat(30)),
        with("timestamp", List.of()),
        with("id", ""),
        with("id", "."),
        with("id", 5),
        with("id", "w".repeat(2001)),
        with("id", "wamid.\n\u0000<x>"),
        with("text", Map.of("body", "a".repeat(1_048_577))),
        WhatsAppRig.message(
            "wamid.bad", "document", Map.of("id", "77", "mime_type", "text/" + "w".repeat(8193))));
  }

  @ParameterizedTest
  @MethodSource("unfit")
  void aMessageThatCannotBeTakenCostsItselfAlone(Map<String, Object> bad) throws Exception {
    WebhookVerdict verdict =
        rig.receive(
            WhatsAppRig.text("wamid.1", "before"), bad, WhatsAppRig.text("wamid.2", "behind"));
    assertThat(messages(verdict).stream().map(InboundMessage::text))
        .containsExactly("before", "behind");
    assertThat(((WebhookVerdict.Messages) verdict).dropped())
        .singleElement()
        .isIn(DropReason.UNREADABLE, DropReason.UNTIMELY);
    assertThat(((WebhookVerdict.Messages) verdict).answer()).as("a plain 200").isEmpty();
    assertThat(rig.context().warnings())
        .singleElement()
        .asString()
        .contains("1, because its")
        .doesNotContain("bad", "www");
  }

  @Test
  void manyMessagesThatCannotBeTakenAreOneLineForEachReason() throws Exception {
    List<Map<String, Object>> many =
        java.util.stream.IntStream.range(0, 500)
            .mapToObj(at -> at % 2 == 0 ? with("timestamp", "abc") : with("id", ""))
            .toList();
    WebhookVerdict verdict =
        rig.receive(WhatsAppRig.signed(WhatsAppRig.delivery(WhatsAppRig.NUMBER, "messages", many)));
    assertThat(((WebhookVerdict.Messages) verdict).dropped()).hasSize(500);
    assertThat(rig.context().warnings()).hasSize(2).allMatch(line -> line.contains("250, because"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"\\ud800 lone\"", "NaN", "1e999", "\"a\u0001b\"", "01", "\"a\\xb\""})
  void aTextThatJsonDoesNotAllowCostsItselfAtMost(String odd) throws Exception {
    String body =
        WhatsAppRig.delivery(
                WhatsAppRig.NUMBER,
                "messages",
                List.of(
                    WhatsAppRig.text("wamid.1", "before"),
                    WhatsAppRig.text("wamid.2", "odd"),
                    WhatsAppRig.text("wamid.3", "behind")))
            .replace("\"odd\"", odd);
    assertThat(messages(rig.receive(WhatsAppRig.signed(body))).stream().map(InboundMessage::text))
        .contains("before", "behind");
  }

  @Test
  void aReplayHasTheKeyOfTheFirst() throws Exception {
    WebhookRequest request = WhatsAppRig.signed(HELLO);
    assertThat(rig.receive(request)).isEqualTo(rig.receive(request));
    assertThat(messages(rig.receive(request)).getFirst().dedupeKey()).isEqualTo("wamid.1");
  }

  private static WebhookRequest handshake(Map<String, List<String>> query) {
    return new WebhookRequest("GET", "main", Map.of(), query, new byte[0], WhatsAppRig.NOW);
  }

  private static Map<String, List<String>> query(String mode, String token, String challenge) {
    Map<String, List<String>> query = new LinkedHashMap<>();
    query.put("hub.mode", List.of(mode));
    query.put("hub.verify_token", List.of(token));
    query.put("hub.challenge", List.of(challenge));
    return query;
  }

  @Test
  void theChallengeIsAnsweredToWhoeverKnowsTheVerifyToken() throws Exception {
    assertThat(rig.receive(handshake(query("subscribe", WhatsAppRig.VERIFY_TOKEN, "1158201444"))))
        .isEqualTo(new WebhookVerdict.Answer(200, "text/plain", "1158201444"));
    assertRefused(handshake(Map.of()));
    assertRefused(handshake(query("subscribe", "", "1")));
    assertRefused(handshake(query("subscribe", "wrong", "1")));
    assertRefused(handshake(query("unsubscribe", WhatsAppRig.VERIFY_TOKEN, "1")));
    Map<String, List<String>> twice = query("subscribe", WhatsAppRig.VERIFY_TOKEN, "1");
    twice.put("hub.verify_token", List.of("wrong", WhatsAppRig.VERIFY_TOKEN));
    assertRefused(handshake(twice));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "<script>alert(1)</script>", "a b", "1\r\nSet-Cookie: a=b"})
  void whatIsNoChallengeIsNotEchoed(String challenge) throws Exception {
    assertThat(rig.receive(handshake(query("subscribe", WhatsAppRig.VERIFY_TOKEN, challenge))))
        .isInstanceOf(WebhookVerdict.Unparsable.class);
  }

  @Test
  void aDeliveryIsNoHandshake() throws Exception {
    Map<String, List<String>> headers = Map.of("content-type", List.of("application/json"));
    WebhookRequest unsigned =
        new WebhookRequest(
            "POST",
            "main",
            headers,
            query("subscribe", WhatsAppRig.VERIFY_TOKEN, "1"),
            HELLO.getBytes(StandardCharsets.UTF_8),
            WhatsAppRig.NOW);
    assertRefused(unsigned);
  }

  @Test
  void whatIsSignedAndMakesNoSenseIsUnparsable() throws Exception {
    for (String body : List.of("", "[]", "{", "{\"object\":", "\u0000", "[" + HELLO + "]")) {
      assertThat(rig.receive(WhatsAppRig.signed(body)))
          .isInstanceOf(WebhookVerdict.Unparsable.class);
    }
    Map<String, List<String>> headers = new LinkedHashMap<>();
    headers.put("x-hub-signature-256", List.of(WhatsAppRig.signature(HELLO)));
    for (List<String> type : List.of(List.<String>of(), List.of("text/plain"))) {
      headers.put("content-type", type);
      assertThat(rig.receive(WhatsAppRig.request(headers, HELLO)))
          .isInstanceOf(WebhookVerdict.Unparsable.class);
    }
    headers.put("content-type", List.of("Application/JSON; charset=utf-8"));
    assertThat(messages(rig.receive(WhatsAppRig.request(headers, HELLO)))).hasSize(1);
  }

  @Test
  void whatIsSignedAndOfAnotherKindIsAcknowledged() throws Exception {
    WebhookVerdict nothing = new WebhookVerdict.Messages(List.of());
    for (String body :
        List.of(
            "{}",
            "{\"object\":\"page\",\"entry\":[]}",
            "{\"object\":\"whatsapp_business_account\",\"entry\":[1,{}]}",
            WhatsAppRig.change("account_update", Map.of("event", "VERIFIED_ACCOUNT")))) {
      assertThat(rig.receive(WhatsAppRig.signed(body))).isEqualTo(nothing);
    }
  }

  @Test
  void aMebibyteIsReadInTime() throws Exception {
    String text = "é".repeat((1024 * 1024 - 800) / 2);
    String body = HELLO.replace("hello", text);
    assertThat(body.getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(1024 * 1024);
    assertThat(messages(rig.receive(WhatsAppRig.signed(body))).getFirst().text()).isEqualTo(text);
  }

  @Test
  void anUnknownAccountHasNoWebhook() throws Exception {
    WebhookRequest signed = WhatsAppRig.signed(HELLO);
    for (String account : List.of("", "other")) {
      assertThat(
              rig.receive(
                  new WebhookRequest(
                      "POST", account, signed.headers(), Map.of(), signed.body(), WhatsAppRig.NOW)))
          .isInstanceOf(WebhookVerdict.NoAccount.class);
    }
  }

  @Test
  void theNumberOfAnotherTenantIsDroppedAndCounted() throws Exception {
    String foreign = HELLO.replace(WhatsAppRig.NUMBER, "999");
    assertThat(rig.receive(WhatsAppRig.signed(foreign)))
        .isEqualTo(new WebhookVerdict.Messages(List.of(), List.of(DropReason.NOT_ALLOWED)));
  }

  @Test
  void numbersOfOneAppShareItsWebhookAndThoseOfAnotherDoNot() throws Exception {
    Map<String, ?> more =
        Map.of(
            "same", WhatsAppRig.account(Map.of("phone_number_id", "222")),
            "foreign",
                WhatsAppRig.account(Map.of("phone_number_id", "333", "app_secret", "another")));
    try (WhatsAppRig several = new WhatsAppRig(Map.of(), more, folder)) {
      String same = HELLO.replace(WhatsAppRig.NUMBER, "222");
      assertThat(messages(several.receive(WhatsAppRig.signed(same))))
          .singleElement()
          .satisfies(message -> assertThat(message.account()).isEqualTo("same"));
      String foreign = HELLO.replace(WhatsAppRig.NUMBER, "333");
      assertThat(several.receive(WhatsAppRig.signed(foreign)))
          .isEqualTo(new WebhookVerdict.Messages(List.of(), List.of(DropReason.NOT_ALLOWED)));
    }
  }

  @Test
  void allMessagesOfADeliveryAreTakenInTheirOrder() throws Exception {
    Map<String, Object> first =
        WhatsAppRig.value(
            WhatsAppRig.NUMBER,
            "messages",
            List.of(WhatsAppRig.text("wamid.1", "one"), WhatsAppRig.text("wamid.2", "two")));
    Map<String, Object> second =
        WhatsAppRig.value(
            WhatsAppRig.NUMBER, "messages", List.of(WhatsAppRig.text("wamid.3", "three")));
    String body =
        JsonText.write(
            Map.of(
                "object",
                "whatsapp_business_account",
                "entry",
                List.of(
                    Map.of("changes", List.of(Map.of("field", "messages", "value", first))),
                    Map.of(
                        "changes",
                        List.of(
                            Map.of("field", "messages", "value", second),
                            Map.of(
                                "field",
                                "messages",
                                "value",
                                WhatsAppRig.value(
                                    "999",
                                    "messages",
                                    List.of(WhatsAppRig.text("wamid.4", "four")))))))));
    WebhookVerdict.Messages verdict =
        (WebhookVerdict.Messages) rig.receive(WhatsAppRig.signed(body));
    assertThat(verdict.messages().stream().map(InboundMessage::text))
        .containsExactly("one", "two", "three");
    assertThat(verdict.dropped()).containsExactly(DropReason.NOT_ALLOWED);
    assertThat(verdict.answer()).isEmpty();
  }

  @Test
  void moreThanAThousandMessagesAreNotTaken() throws Exception {
    List<Map<String, Object>> many =
        java.util.stream.IntStream.rangeClosed(0, 1000)
            .mapToObj(number -> WhatsAppRig.text("wamid." + number, "x"))
            .toList();
    assertThat(
            rig.receive(
                WhatsAppRig.signed(WhatsAppRig.delivery(WhatsAppRig.NUMBER, "messages", many))))
        .isInstanceOf(WebhookVerdict.Unparsable.class);
  }

  private static Click click(String message) {
    return new Click("main", WhatsAppRig.USER, WhatsAppRig.USER, TOKEN, message);
  }

  @Test
  void aButtonIsAClickAndItsRedeliveryIsNoneOnceItsPersonWasTold() throws Exception {
    WebhookVerdict.Clicked clicked = new WebhookVerdict.Clicked(click("wamid.1"), Optional.empty());
    assertThat(rig.receive(WhatsAppRig.pressed("wamid.1", TOKEN))).isEqualTo(clicked);
    assertThat(rig.receive(WhatsAppRig.pressed("wamid.1", TOKEN)))
        .as("nobody was told yet: it may not be on disk")
        .isEqualTo(clicked);
    rig.channel().answerClick(clicked.click(), "Approved.");
    rig.channel().answerClick(clicked.click(), "This was already approved.");
    assertThat(rig.posted())
        .singleElement()
        .satisfies(
            message -> {
              assertThat(message).containsEntry("recipient", WhatsAppRig.USER);
              assertThat(JsonText.map(message, "context")).containsEntry("message_id", "wamid.1");
              assertThat(JsonText.map(message, "text")).containsEntry("body", "Approved.");
            });
    assertThat(rig.receive(WhatsAppRig.pressed("wamid.1", TOKEN)))
        .isEqualTo(new WebhookVerdict.Messages(List.of()));
  }

  @Test
  void clicksAmongOthersAreTakenOneByOneAndMessagesLast() throws Exception {
    Map<?, ?>[] all = {
      WhatsAppRig.text("wamid.1", "before"),
      WhatsAppRig.pressed("wamid.2", TOKEN),
      WhatsAppRig.pressed("wamid.3", TOKEN)
    };
    WebhookVerdict.Answer again = new WebhookVerdict.Answer(503, "text/plain", "");
    for (String id : List.of("wamid.2", "wamid.3")) {
      assertThat(rig.receive(all))
          .isEqualTo(new WebhookVerdict.Clicked(click(id), Optional.of(again)));
      rig.channel().answerClick(click(id), "Approved.");
    }
    assertThat(messages(rig.receive(all)).stream().map(InboundMessage::text))
        .containsExactly("before");
  }

  @Test
  void aButtonOfSomebodyElsesIsAMessage() throws Exception {
    assertThat(messages(rig.receive(WhatsAppRig.pressed("wamid.1", "buy-now"))))
        .singleElement()
        .satisfies(message -> assertThat(message.text()).isEqualTo("Approve"));
  }
}
