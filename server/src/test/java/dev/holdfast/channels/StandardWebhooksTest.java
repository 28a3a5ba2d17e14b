package dev.holdfast.channels;

import static dev.holdfast.channels.Requests.NOW;
import static dev.holdfast.channels.Requests.OTHER_SECRET;
import static dev.holdfast.channels.Requests.SECRET;
import static dev.holdfast.channels.Requests.at;
import static dev.holdfast.channels.Requests.keys;
import static dev.holdfast.channels.Requests.request;
import static dev.holdfast.channels.Requests.signed;
import static dev.holdfast.channels.Requests.with;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.standardwebhooks.Webhook;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.channels.StandardWebhooks.Check;
import dev.holdfast.config.Secret;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StandardWebhooksTest {
  private static final String BODY = "{\"test\": 2432232314}";

  private static final String OLD = "dGhlIG9sZCBzZWNyZXQgb2YgdGhlIGFjY291bnQ=";
  private static final String NEW = "dGhlIG5ldyBzZWNyZXQgb2YgdGhlIGFjY291bnQ=";

  private final StandardWebhooks ours = keys(SECRET);

  @Test
  void signsThePublishedVector() {
    assertThat(ours.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", NOW, BODY.getBytes(UTF_8)))
        .containsEntry("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        .containsEntry("webhook-timestamp", "1614265330");
  }

  @Test
  void believesWhatItSigned() {
    assertThat(ours.verify(signed("m1", BODY))).isEqualTo(new Check.Verified("m1"));
  }

  @Property(tries = 200)
  void thePublishedLibraryBelievesUs(
      @ForAll @StringLength(max = 200) String text, @ForAll @Size(min = 24, max = 64) byte[] key)
      throws Exception {
    String secret = "whsec_" + Base64.getEncoder().encodeToString(key);
    String body = new String(text.getBytes(UTF_8), UTF_8);
    Map<String, List<String>> headers = new HashMap<>();
    keys(secret)
        .sign("m1", Instant.now(), body.getBytes(UTF_8))
        .forEach((name, value) -> headers.put(name, List.of(value)));
    new Webhook(secret).verify(body, HttpHeaders.of(headers, (_, _) -> true));
  }

  @Property(tries = 200)
  void weBelieveThePublishedLibrary(
      @ForAll @StringLength(max = 200) String text, @ForAll @Size(min = 24, max = 64) byte[] key)
      throws Exception {
    String secret = "whsec_" + Base64.getEncoder().encodeToString(key);
    String body = new String(text.getBytes(UTF_8), UTF_8);
    String signature = new Webhook(secret).sign("m1", NOW.getEpochSecond(), body);
    assertThat(keys(secret).verify(request(headers(signature), body.getBytes(UTF_8))))
        .isEqualTo(new Check.Verified("m1"));
  }

  @Test
  void refusesAChangedByteAnywhere() {
    byte[] body = BODY.getBytes(UTF_8);
    for (int i = 0; i < body.length; i++) {
      WebhookRequest request = signed("m1", body.clone());
      request.body()[i] ^= 1;
      assertRefused(request);
    }
    assertRefused(with(signed("m1", BODY), "webhook-id", "m2"));
    assertRefused(with(signed("m1", BODY), "webhook-timestamp", "1614265331"));
    assertRefused(
        request(
            keys(SECRET).sign("m1", NOW, BODY.getBytes(UTF_8)), (BODY + "\r\n").getBytes(UTF_8)));
  }

  @Test
  void refusesTheSignatureOfAnotherSecret() {
    assertRefused(
        request(keys(OTHER_SECRET).sign("m1", NOW, BODY.getBytes(UTF_8)), BODY.getBytes(UTF_8)));
  }

  @Test
  void believesTheFormerSecretWhileItIsConfigured() {
    WebhookRequest old =
        request(keys(OLD).sign("m1", NOW, BODY.getBytes(UTF_8)), BODY.getBytes(UTF_8));
    assertThat(keys(NEW, OLD).verify(old)).isInstanceOf(Check.Verified.class);
    assertThat(keys(NEW).verify(old)).isInstanceOf(Check.Refused.class);
  }

  @Test
  void aReceiverWithEitherSecretBelievesUsDuringAChange() {
    WebhookRequest both =
        request(keys(NEW, OLD).sign("m1", NOW, BODY.getBytes(UTF_8)), BODY.getBytes(UTF_8));
    assertThat(keys(NEW).verify(both)).isInstanceOf(Check.Verified.class);
    assertThat(keys(OLD).verify(both)).isInstanceOf(Check.Verified.class);
  }

  @Test
  void takesAnyOfSeveralSignaturesAndLeavesOtherVersionsAlone() {
    String good = goodSignature();
    WebhookRequest request = signed("m1", BODY);
    assertVerified(with(request, "webhook-signature", "v1a,AAAA v1,AAAA " + good));
    assertRefused(with(request, "webhook-signature", good.replace("v1,", "v2,")));
    assertRefused(with(request, "webhook-signature", "v1,AAAA " + good.replace("v1,", "v1a,")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "v1",
        "v1,",
        "v0=abc",
        ",",
        "v1,AAAA,BBBB",
        "v1,AAAA, v1,BBBB",
        "v1,A  v1,B",
        "\u0000"
      })
  void refusesMalformedSignatures(String header) {
    assertRefused(with(signed("m1", BODY), "webhook-signature", header));
  }

  @Test
  void refusesAFoldedOrReencodedSignature() {
    String good = goodSignature();
    assertRefused(with(signed("m1", BODY), "webhook-signature", "v1,AAAA, " + good));
    assertRefused(with(signed("m1", BODY), "webhook-signature", good.replace("=", "")));
    assertRefused(with(signed("m1", BODY), "webhook-signature", good + "\r\n"));
    assertRefused(with(signed("m1", BODY), "webhook-signature", (good + " ").repeat(17).strip()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"webhook-id", "webhook-timestamp", "webhook-signature"})
  void refusesMissingAndDoubleHeaders(String header) {
    WebhookRequest good = signed("m1", BODY);
    String value = good.headers().getOrDefault(header, List.of()).getFirst();
    assertRefused(with(good, header));
    assertRefused(with(good, header, value, value));
    assertRefused(with(good, header, "", value));
    Map<String, List<String>> without = new HashMap<>(good.headers());
    without.remove(header);
    assertRefused(new WebhookRequest("POST", "ci", without, Map.of(), good.body(), NOW));
  }

  @Test
  void theWindowIsThreeHundredSecondsBothWays() {
    WebhookRequest good = signed("m1", BODY);
    assertVerified(at(good, NOW.plusSeconds(300)));
    assertVerified(at(good, NOW.minusSeconds(300)));
    assertRefused(at(good, NOW.plusSeconds(300).plusNanos(1)));
    assertRefused(at(good, NOW.minusSeconds(300).minusNanos(1)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-1",
        "0",
        "1e9",
        " 1614265330",
        "1614265330 ",
        "+1614265330",
        "01614265330",
        "9223372036854775808",
        "1614265330.0",
        "0x60377db2",
        "١٦١٤٢٦٥٣٣٠",
        "999999999999"
      })
  void refusesATimestampThatIsNoPlainNumberEvenWhenSigned(String timestamp) throws Exception {
    javax.crypto.Mac mac = javax.crypto.Mac.getInstance("HmacSHA256");
    byte[] key = Base64.getDecoder().decode(SECRET.substring(6));
    mac.init(new javax.crypto.spec.SecretKeySpec(key, "HmacSHA256"));
    byte[] sum = mac.doFinal(("m1." + timestamp + "." + BODY).getBytes(UTF_8));
    WebhookRequest request =
        request(headers("v1," + Base64.getEncoder().encodeToString(sum)), BODY.getBytes(UTF_8));
    assertRefused(with(request, "webhook-timestamp", timestamp));
  }

  @Test
  void refusesIdsThatDoNotFitIntoALine() {
    for (String id : List.of("a b", "a\nb", "é", "x".repeat(257))) {
      assertRefused(signed(id, BODY));
    }
    assertVerified(signed("x".repeat(256), BODY));
  }

  @Test
  void aSecretIsTheSameKeyWithAndWithoutItsPrefix() {
    WebhookRequest request = signed("m1", BODY);
    assertThat(keys(SECRET.substring("whsec_".length())).verify(request))
        .isEqualTo(new Check.Verified("m1"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "whsec_"})
  void refusesSecretsThatAreNoKeysWithoutShowingThem(String prefix) {
    String shortKey = Base64.getEncoder().encodeToString(new byte[23]);
    String longKey = Base64.getEncoder().encodeToString(new byte[65]);
    for (String secret : List.of("correct horse battery staple", "%%%", shortKey, longKey)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> keys(prefix + secret))
          .withMessageStartingWith("secret must be base64 of 24 to 64 bytes")
          .withMessageContaining("openssl rand -base64 32")
          .satisfies(e -> assertThat(e.toString()).doesNotContain(secret));
    }
  }

  @Test
  void refusesToHaveNoSecret() {
    for (List<Secret> none : List.of(List.<Secret>of(), List.of(new Secret("")))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> StandardWebhooks.of(none))
          .withMessage("secret must be set");
    }
  }

  @Test
  void verifiesAMegabyteQuickly() {
    byte[] body = new byte[1 << 20];
    WebhookRequest request = signed("m1", body);
    assertVerified(request);
    Instant start = Instant.now(); // how long a look takes
    for (int i = 0; i < 20; i++) {
      assertVerified(request);
    }
    assertThat(Duration.between(start, Instant.now())).isLessThan(Duration.ofSeconds(2));
  }

  private static Map<String, String> headers(String signature) {
    return Map.of(
        "webhook-id",
        "m1",
        "webhook-timestamp",
        Long.toString(NOW.getEpochSecond()),
        "webhook-signature",
        signature);
  }

  private String goodSignature() {
    return ours.sign("m1", NOW, BODY.getBytes(UTF_8)).getOrDefault("webhook-signature", "");
  }

  private void assertVerified(WebhookRequest request) {
    assertThat(ours.verify(request)).isInstanceOf(Check.Verified.class);
  }

  private void assertRefused(WebhookRequest request) {
    assertThat(ours.verify(request)).isInstanceOf(Check.Refused.class);
  }
}
