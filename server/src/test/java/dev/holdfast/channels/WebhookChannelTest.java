package dev.holdfast.channels;

import static dev.holdfast.channels.Requests.NOW;
import static dev.holdfast.channels.Requests.OTHER_SECRET;
import static dev.holdfast.channels.Requests.SECRET;
import static dev.holdfast.channels.Requests.keys;
import static dev.holdfast.channels.Requests.request;
import static dev.holdfast.channels.Requests.signed;
import static dev.holdfast.channels.Requests.with;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.config.Secret;
import dev.holdfast.net.HttpCaller;
import dev.holdfast.net.HttpFailedException;
import dev.holdfast.time.ManualTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebhookChannelTest {
  private final ManualTime time = new ManualTime();
  private final List<HttpCaller.Request> posted = new ArrayList<>();
  private WebhookPosts.HttpTransport transport = (_, _) -> answer(200);
  private final WebhookChannel channel =
      new WebhookChannel(
          new WebhookConfig(
              Map.of(
                  "ci", account(SECRET, "https://ci.example.org/in", "*"),
                  "ops", account(OTHER_SECRET, "", "ann", "bob"))),
          (request, limits) -> {
            posted.add(request);
            return transport.send(request, limits);
          },
          time);

  @Test
  void readsAMessageWithItsAttachments() {
    WebhookVerdict verdict =
        channel.receive(
            signed(
                "m1",
                """
                {"thread":"t1","sender":"ann","text":"hé 😀","more":{"a":[1]},
                 "attachments":[{"name":"a.png","media_type":"image/png","url":"https://x.example/a","bytes":12},
                                {"url":"http://x.example/b"}]}"""));
    assertThat(verdict)
        .isEqualTo(
            new WebhookVerdict.Messages(
                List.of(
                    new InboundMessage(
                        "ci",
                        "t1",
                        "ann",
                        "hé 😀",
                        List.of(
                            new Attachment("a.png", "image/png", "https://x.example/a", 12),
                            new Attachment("", "", "http://x.example/b", -1)),
                        "m1"))));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "1",
        "null",
        "\"a\"",
        "{",
        "{}",
        "nonsense",
        "{\"thread\":\"t\",\"text\":\"x\"}",
        "{\"thread\":\"\",\"sender\":\"s\",\"text\":\"x\"}",
        "{\"thread\":\" \",\"sender\":\"s\",\"text\":\"x\"}",
        "{\"thread\":1,\"sender\":\"s\",\"text\":\"x\"}",
        "{\"thread\":\"t\",\"sender\":\"s\",\"text\":1}",
        "{\"thread\":\"t\",\"sender\":\"s\",\"text\":\"x\"} {}",
        "{\"thread\":\"t\",\"thread\":\"u\",\"sender\":\"s\",\"text\":\"x\"}",
        "{\"thread\":\"t\",\"sender\":\"s\",\"text\":\"a\\u0000b\"}",
        "{\"thread\":\"t\",\"sender\":\"s\",\"text\":\"a\\ud800b\"}",
        "{\"thread\":\"t\",\"sender\":\"s\",\"text\":\"a\\udc00\"}",
        "{\"thread\":\"t\\r\\nx: y\",\"sender\":\"s\",\"text\":\"x\"}",
        "{\"thread\":\"t\",\"sender\":\"s\",\"text\":NaN}",
        "{\"thread\":\"t\",\"sender\":\"s\",\"text\":\"x\",}",
        "\ufeff{\"thread\":\"t\",\"sender\":\"s\",\"text\":\"x\"}",
        "{\"thread\":\"t\",\"sender\":\"s\",\"attachments\":{}}",
        "{\"thread\":\"t\",\"sender\":\"s\",\"attachments\":[{\"url\":\"file:///etc/passwd\"}]}",
        "{\"thread\":\"t\",\"sender\":\"s\",\"attachments\":[{\"url\":\"https://x\",\"bytes\":-1}]}",
        "{\"thread\":\"t\",\"sender\":\"s\",\"attachments\":[{\"url\":\"https://x\",\"bytes\":1e99}]}"
      })
  void whatIsNoMessageIsUnparsable(String body) {
    assertThat(channel.receive(signed("m1", body))).isInstanceOf(WebhookVerdict.Unparsable.class);
  }

  @Test
  void boundsLengthsDepthAndCount() {
    assertUnparsable(message("t".repeat(1001), "s", "x"));
    assertTaken(message("t".repeat(1000), "s".repeat(512), "x"));
    assertUnparsable(message("t", "s".repeat(513), "x"));
    assertUnparsable(message("t", "s", "x".repeat(1_048_577)));
    String message = message("t", "s", "x");
    String open = message.substring(0, message.length() - 1);
    assertTaken(open + ",\"d\":" + "[".repeat(60) + "]".repeat(60) + "}");
    assertUnparsable(open + ",\"d\":" + "[".repeat(64) + "]".repeat(64) + "}");
    assertUnparsable(open + ",\"d\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}");
    assertUnparsable(open + ",\"d\":" + "9".repeat(100_000) + "}");
    assertUnparsable(
        open
            + ",\"attachments\":["
            + "{\"url\":\"https://x\"},".repeat(32)
            + "{\"url\":\"https://x\"}]}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"message\"", "null", "\"\""})
  void aMessageMaySayThatItIsOne(String type) {
    String message = message("t", "s", "x");
    assertTaken(message.substring(0, message.length() - 1) + ",\"type\":" + type + "}");
  }

  @Test
  void anotherTypeIsToldBackAsItMayBeShown() {
    assertThat(channel.receive(signed("m1", "{\"type\":\"martian\"}")))
        .isEqualTo(new WebhookVerdict.UnknownType("martian", List.of("message")));
    String hostile = "{\"type\":\"a\\r\\n\\u001b[2J" + "y".repeat(5000) + "\"}";
    assertThat(channel.receive(signed("m1", hostile)))
        .isEqualTo(new WebhookVerdict.UnknownType("a???[2J" + "y".repeat(93), List.of("message")));
    assertUnparsable("{\"type\":7,\"thread\":\"t\",\"sender\":\"s\",\"text\":\"x\"}");
  }

  /** A number costs a hundred times what a letter does. */
  @Test
  void aMegabyteOfNumbersIsNoMessage() {
    String message = message("t", "s", "x");
    String open = message.substring(0, message.length() - 1) + ",\"more\":[";
    assertTaken(open + "1.5,".repeat(1_000) + "1]}");
    assertUnparsable(open + "1.5,".repeat(250_000) + "1]}");
  }

  @Test
  void hostileBodiesAreRefusedInNoTime() {
    StringBuilder keys = new StringBuilder("{\"thread\":\"t\",\"sender\":\"s\",\"text\":\"x\"");
    for (int i = 0; i < 60_000; i++) {
      keys.append(",\"").append(colliding(i)).append("\":1");
    }
    byte[] many = keys.append('}').toString().getBytes(UTF_8);
    WebhookRequest request = signed("m1", many);
    org.junit.jupiter.api.Assertions.assertTimeout(
        Duration.ofSeconds(2), () -> assertThat(channel.receive(request)).isNotNull());
  }

  @Test
  void onlyUtf8IsAgreedOn() {
    String body = message("t", "s", "x");
    assertThat(channel.receive(signed("m1", body.getBytes(StandardCharsets.UTF_16))))
        .isInstanceOf(WebhookVerdict.Unparsable.class);
    assertThat(channel.receive(signed("m1", body.getBytes(StandardCharsets.UTF_16LE))))
        .isInstanceOf(WebhookVerdict.Unparsable.class);
    byte[] broken = body.getBytes(UTF_8);
    broken[11] = (byte) 0xff;
    assertThat(channel.receive(signed("m1", broken))).isInstanceOf(WebhookVerdict.Unparsable.class);
  }

  @Test
  void nothingIsReadBeforeTheSignatureFits() {
    WebhookRequest forged =
        request(keys(OTHER_SECRET).sign("m1", NOW, "{".getBytes(UTF_8)), "{".getBytes(UTF_8));
    assertThat(channel.receive(forged)).isInstanceOf(WebhookVerdict.Refused.class);
  }

  @Test
  void aSecretOpensItsOwnAccountOnly() {
    WebhookRequest forCi = signed("m1", message("t", "ann", "x"));
    assertThat(channel.receive(on("ops", forCi))).isInstanceOf(WebhookVerdict.Refused.class);
    assertThat(channel.receive(on("nobody", forCi))).isInstanceOf(WebhookVerdict.NoAccount.class);
    assertThat(channel.receive(on("", forCi))).isInstanceOf(WebhookVerdict.NoAccount.class);
  }

  @Test
  void aPathWithoutAccountMeansTheOnlyOne() {
    WebhookChannel single =
        new WebhookChannel(
            new WebhookConfig(Map.of("ci", account(SECRET, "", "*"))), transport, time);
    assertThat(single.receive(on("", signed("m1", message("t", "ann", "x")))))
        .isInstanceOf(WebhookVerdict.Messages.class);
  }

  @Test
  void otherMethodsAndTypesAreRefused() {
    WebhookRequest good = signed("m1", message("t", "ann", "x"));
    WebhookRequest put =
        new WebhookRequest("PUT", "ci", good.headers(), Map.of(), good.body(), NOW);
    assertThat(channel.receive(put)).isEqualTo(new WebhookVerdict.Answer(405, "text/plain", ""));
    for (String type : List.of("text/plain", "application/x-www-form-urlencoded", "")) {
      assertThat(channel.receive(with(good, "content-type", type)))
          .isEqualTo(new WebhookVerdict.Answer(415, "text/plain", ""));
    }
    for (String type :
        List.of(
            "application/json",
            "Application/JSON; charset=utf-8",
            "application/cloudevents+json")) {
      assertThat(channel.receive(with(good, "content-type", type)))
          .isInstanceOf(WebhookVerdict.Messages.class);
    }
  }

  @Test
  void whatIsFilteredIsAcknowledgedAndToldToBeCounted() {
    byte[] carol = message("t", "carol", "x").getBytes(UTF_8);
    WebhookRequest request = request(keys(OTHER_SECRET).sign("m1", NOW, carol), carol);
    assertThat(channel.receive(on("ops", request)))
        .isEqualTo(new WebhookVerdict.Messages(List.of(), List.of(DropReason.NOT_ALLOWED)));
    assertThat(channel.receive(signed("m2", message("t", "ann", " \n"))))
        .isEqualTo(new WebhookVerdict.Messages(List.of(), List.of(DropReason.EMPTY)));
    byte[] bob = message("t", "bob", "x").getBytes(UTF_8);
    WebhookRequest allowed = request(keys(OTHER_SECRET).sign("m3", NOW, bob), bob);
    assertThat(channel.receive(on("ops", allowed)))
        .isInstanceOfSatisfying(
            WebhookVerdict.Messages.class, m -> assertThat(m.messages()).hasSize(1));
  }

  @Test
  void postsWhatThePlatformCanVerify() throws Exception {
    assertThat(channel.post(reply("ci"))).isEqualTo(new PostOutcome.Sent(""));
    HttpCaller.Request post = posted.getFirst();
    assertThat(post.url()).isEqualTo("https://ci.example.org/in");
    assertThat(post.headers())
        .containsEntry("webhook-id", "e1.a.1")
        .containsEntry("content-type", "application/json");
    assertThat(new String(post.body(), UTF_8))
        .isEqualTo(
            "{\"event_id\":\"e1\",\"thread\":\"t1\",\"in_reply_to\":\"m1\",\"text\":\"hi \\\"you\\\"\",\"part\":1,\"parts\":2}");
    WebhookRequest back = Requests.at(request(post.headers(), post.body()), time.now());
    assertThat(keys(SECRET).verify(back)).isEqualTo(new StandardWebhooks.Check.Verified("e1.a.1"));
  }

  @Test
  void theWaitThatAPlatformAsksForIsPassedOn() throws Exception {
    transport = (_, _) -> answer(429, "retry-after", "120");
    assertThat(retryAfter()).isEqualTo(Duration.ofMinutes(2));
    transport = (_, _) -> answer(503, "retry-after", "Thu, 01 Jan 2026 00:01:30 GMT");
    assertThat(retryAfter()).isEqualTo(Duration.ofSeconds(90));
    transport = (_, _) -> answer(429, "retry-after", "soon");
    assertThat(retryAfter()).isZero();
  }

  @Test
  void aLostAnswerIsUnknownAndARefusedConnectionIsNot() throws Exception {
    transport = (_, _) -> fail(false);
    assertThat(channel.post(reply("ci"))).isInstanceOf(PostOutcome.Unknown.class);
    transport = (_, _) -> fail(true);
    assertThat(channel.post(reply("ci"))).isInstanceOf(PostOutcome.NotDelivered.class);
  }

  @Test
  void anAccountWithoutReplyUrlRefusesForGood() throws Exception {
    assertThat(channel.post(reply("ops")))
        .isInstanceOfSatisfying(
            PostOutcome.NotDelivered.class,
            refused -> assertThat(refused.failure().kind()).isEqualTo(FailureKind.PERMANENT));
    assertThat(posted).isEmpty();
  }

  @Test
  void theConfigurationRefusesWhatCannotWork() {
    for (String url : List.of("ftp://x", "https://", "https://a@b/", "not a url", "/x")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> account(SECRET, url, "*"))
          .withMessageStartingWith("reply_url");
    }
    for (String name : List.of("", "a:b", "a/b", "..", "é", "x".repeat(65))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new WebhookConfig(Map.of(name, account(SECRET, "", "*"))))
          .withMessageStartingWith("accounts");
    }
  }

  @Test
  void thePageNeedsNoPosts() {
    WebChannel web = new WebChannel();
    assertThat(web.post(reply("main"))).isEqualTo(new PostOutcome.Sent(""));
    assertThat(web.receive(signed("m1", "{}"))).isInstanceOf(WebhookVerdict.NoAccount.class);
  }

  private static WebhookConfig.Account account(String secret, String url, String... allow) {
    return new WebhookConfig.Account(List.of(new Secret(secret)), url, List.of(allow));
  }

  private static OutboundReply reply(String account) {
    return new OutboundReply("e1.a.1", "e1", account, "t1", "m1", "hi \"you\"", 1, 2, false);
  }

  private static WebhookRequest on(String account, WebhookRequest request) {
    return new WebhookRequest(
        request.method(), account, request.headers(), request.query(), request.body(), NOW);
  }

  private static String message(String thread, String sender, String text) {
    String shown = text.replace("\n", "\\n");
    return "{\"thread\":\""
        + thread
        + "\",\"sender\":\""
        + sender
        + "\",\"text\":\""
        + shown
        + "\"}";
  }

  /**
   * Names of equal length whose {@code hashCode} is the same: each pair of letters is "Aa" or "BB".
   */
  private static String colliding(int number) {
    StringBuilder name = new StringBuilder();
    for (int bit = 0; bit < 16; bit++) {
      name.append((number >> bit & 1) == 0 ? "Aa" : "BB");
    }
    return name.toString();
  }

  private void assertTaken(String body) {
    assertThat(channel.receive(signed("m1", body))).isInstanceOf(WebhookVerdict.Messages.class);
  }

  private void assertUnparsable(String body) {
    assertThat(channel.receive(signed("m1", body))).isInstanceOf(WebhookVerdict.Unparsable.class);
  }

  private Duration retryAfter() throws InterruptedException {
    return ((PostOutcome.NotDelivered) channel.post(reply("ci"))).failure().retryAfter();
  }

  private static WebhookPosts.Answer answer(int status, String... header) {
    Map<String, List<String>> headers =
        header.length == 0 ? Map.of() : Map.of(header[0], List.of(header[1]));
    return new WebhookPosts.Answer(status, headers);
  }

  private static WebhookPosts.Answer fail(boolean surelyNotSent) throws HttpFailedException {
    throw new HttpFailedException(
        Failure.of(FailureCode.NETWORK, "refused"), surelyNotSent, new IOException("x"));
  }
}
