package dev.holdfast.whatsapp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Choice;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.FindOutcome;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.SettledPost;
import dev.holdfast.api.StoredFile;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.testing.FakeConfig;
import dev.holdfast.kit.testing.HttpDouble.Said;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WhatsAppPostsTest {
  private static final List<Choice> CHOICES =
      List.of(
          new Choice("Approve", "abcdefghijklmnopqrst-_", true),
          new Choice("Deny this and tell me why", "ABCDEFGHIJKLMNOPQRST-_", false));

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

  private PostOutcome post(OutboundReply reply) throws InterruptedException {
    return rig.channel().post(reply);
  }

  private PostOutcome post(String text) throws InterruptedException {
    return post(WhatsAppRig.reply(WhatsAppRig.USER, text));
  }

  @Test
  void anAnswerQuotesItsMessageAndGoesToTheUserId() throws Exception {
    rig.context().rendered((text, markup) -> text + " (" + markup + ")");
    assertThat(post("hello")).isEqualTo(new PostOutcome.Sent("wamid.HBgL1"));
    Map<String, Object> sent = rig.posted().getFirst();
    assertThat(sent)
        .containsEntry("messaging_product", "whatsapp")
        .containsEntry("recipient_type", "individual")
        .containsEntry("recipient", WhatsAppRig.USER)
        .containsEntry("type", "text")
        .containsEntry("biz_opaque_callback_data", "r1.1")
        .containsEntry("context", Map.of("message_id", "wamid.Q1"))
        .containsEntry("text", Map.of("preview_url", false, "body", "hello (WHATSAPP)"))
        .doesNotContainKey("to");
    assertThat(rig.asked("messages").getFirst().path())
        .isEqualTo("/v24.0/" + WhatsAppRig.NUMBER + "/messages");
    assertThat(rig.asked("messages").getFirst().headers())
        .containsEntry("authorization", "Bearer " + WhatsAppRig.TOKEN);
  }

  @Test
  void whoIsKnownByTheNumberGetsItThere() throws Exception {
    assertThat(post(WhatsAppRig.reply("4915112345678", "hello")))
        .isInstanceOf(PostOutcome.Sent.class);
    assertThat(rig.posted().getFirst())
        .containsEntry("to", "4915112345678")
        .doesNotContainKey("recipient");
  }

  @Test
  void whatMarksWouldMakeTooLongGoesAsItWasWritten() throws Exception {
    rig.context().rendered((text, _) -> text + "!");
    String longest = "x".repeat(rig.channel().textUnitsMax());
    assertThat(post(longest)).isInstanceOf(PostOutcome.Sent.class);
    assertThat(JsonText.map(rig.posted().getFirst(), "text")).containsEntry("body", longest);
  }

  @Test
  void aQuestionHasButtonsThatCarryTheirTokensAlone() throws Exception {
    assertThat(post(WhatsAppRig.reply(WhatsAppRig.USER, "May I?", List.of(), CHOICES)))
        .isInstanceOf(PostOutcome.Sent.class);
    Map<String, Object> interactive = JsonText.map(rig.posted().getFirst(), "interactive");
    assertThat(interactive)
        .containsEntry("type", "button")
        .containsEntry("body", Map.of("text", "May I?"));
    assertThat(JsonText.maps(JsonText.map(interactive, "action"), "buttons"))
        .containsExactly(
            button("abcdefghijklmnopqrst-_", "Approve"),
            button("ABCDEFGHIJKLMNOPQRST-_", "Deny this and tell m"));
  }

  private static Map<String, Object> button(String id, String title) {
    return Map.of("type", "reply", "reply", Map.of("id", id, "title", title));
  }

  @Test
  void aLongQuestionStandsBeforeItsButtons() throws Exception {
    String text = "y".repeat(1025);
    OutboundReply question = WhatsAppRig.reply(WhatsAppRig.USER, text, List.of(), CHOICES);
    rig.next("messages", Said.json(200, "{\"messages\":[{\"id\":\"wamid.A\"}]}"));
    rig.next("messages", WhatsAppRig.error(429, 130429));
    assertThat(post(question)).isInstanceOf(PostOutcome.NotDelivered.class);
    rig.start();
    assertThat(post(question)).isEqualTo(new PostOutcome.Sent("wamid.A"));
    assertThat(rig.posted().stream().map(sent -> JsonText.text(sent, "type")))
        .as("the text came once")
        .containsExactly("text", "interactive", "interactive");
  }

  @Test
  void aQuestionThatIsOverIsLeftAsItIs() throws Exception {
    rig.channel().settle(new SettledPost("main", WhatsAppRig.USER, "wamid.HBgL1", "Approved."));
    assertThat(rig.posted()).isEmpty();
  }

  private StoredFile file(String name, String type, String content) throws IOException {
    Path path = Files.writeString(folder.resolve(name), content);
    return new StoredFile(name, type, path, Files.size(path));
  }

  @Test
  void filesAreUploadedAndComeBehindTheText() throws Exception {
    OutboundReply reply =
        WhatsAppRig.reply(
            WhatsAppRig.USER,
            "see",
            List.of(
                file("a.png", "image/png", "png"),
                file("b.csv", "text/csv", "1,2"),
                file("c.ogg", "audio/ogg", "ogg"),
                file("d.mp4", "video/mp4", "mp4")),
            List.of());
    assertThat(post(reply)).isEqualTo(new PostOutcome.Sent("wamid.HBgL1"));
    assertThat(rig.posted().stream().map(sent -> JsonText.text(sent, "type")))
        .containsExactly("text", "image", "document", "audio", "video");
    assertThat(rig.posted().get(1)).containsEntry("image", Map.of("id", WhatsAppRig.FILE));
    assertThat(rig.posted().get(2))
        .containsEntry("document", Map.of("id", WhatsAppRig.FILE, "filename", "b.csv"));
    assertThat(rig.asked("media").get(1).body())
        .contains("name=\"messaging_product\"", "whatsapp", "filename=\"b.csv\"", "text/plain");
  }

  @Test
  void aFileThatIsNotTakenIsToldAndOneThatFailsForNowIsTriedAgainWithoutTheText() throws Exception {
    OutboundReply reply =
        WhatsAppRig.reply(
            WhatsAppRig.USER, "see", List.of(file("a.zip", "application/zip", "z")), List.of());
    rig.next("media", Said.nothing());
    assertThat(post(reply))
        .as("nobody sees an upload")
        .isInstanceOf(PostOutcome.NotDelivered.class);
    rig.next("media", WhatsAppRig.error(500, 131000));
    assertThat(post(reply)).isInstanceOf(PostOutcome.NotDelivered.class);
    rig.always("media", WhatsAppRig.error(400, 131053));
    assertThat(post(reply)).isInstanceOf(PostOutcome.Sent.class);
    assertThat(rig.posted().stream().map(sent -> JsonText.text(JsonText.map(sent, "text"), "body")))
        .containsExactly("see", "The file a.zip could not be sent: WhatsApp does not take it.");
  }

  @Test
  void aFileThatIsGoneIsTold() throws Exception {
    StoredFile gone = new StoredFile("a.png", "image/png", folder.resolve("nowhere"), 3);
    StoredFile large =
        new StoredFile("b.bin", "image/png", folder.resolve("nowhere"), 51L * 1024 * 1024);
    assertThat(post(WhatsAppRig.reply(WhatsAppRig.USER, "", List.of(gone, large), List.of())))
        .isInstanceOf(PostOutcome.Sent.class);
    assertThat(rig.posted().toString()).contains("it is gone", "more than 50 MB");
    assertThat(rig.asked("media")).isEmpty();
  }

  private Failure failure(PostOutcome outcome) {
    return switch (outcome) {
      case PostOutcome.NotDelivered(Failure failure) -> failure;
      case PostOutcome.Unknown(Failure failure) -> failure;
      case PostOutcome.Sent sent -> throw new AssertionError(sent.toString());
    };
  }

  @ParameterizedTest
  @CsvSource({
    "401,190,AUTH,PERMANENT,system user",
    "401,0,AUTH,PERMANENT,system user",
    "403,10,AUTH,PERMANENT,whatsapp_business_messaging",
    "403,200,AUTH,PERMANENT,whatsapp_business_messaging",
    "403,299,AUTH,PERMANENT,permission",
    "403,131005,AUTH,PERMANENT,whatsapp_business_messaging",
    "403,368,AUTH,PERMANENT,Business Support Home",
    "403,131031,AUTH,PERMANENT,Business Support Home",
    "400,131042,AUTH,PERMANENT,payment method",
    "400,33,AUTH,PERMANENT,register it",
    "400,133010,AUTH,PERMANENT,register it",
    "400,131037,AUTH,PERMANENT,display name",
    "429,4,RATE_LIMITED,TRANSIENT,wait",
    "400,17,RATE_LIMITED,TRANSIENT,wait",
    "400,32,RATE_LIMITED,TRANSIENT,wait",
    "400,341,RATE_LIMITED,TRANSIENT,wait",
    "400,613,RATE_LIMITED,TRANSIENT,wait",
    "429,80007,RATE_LIMITED,TRANSIENT,wait",
    "429,130429,RATE_LIMITED,TRANSIENT,wait",
    "400,130429,RATE_LIMITED,TRANSIENT,wait",
    "429,131048,RATE_LIMITED,TRANSIENT,quality",
    "429,131056,RATE_LIMITED,TRANSIENT,this person",
    "400,131047,INVALID_REQUEST,INVALID,template",
    "400,131026,INVALID_REQUEST,INVALID,cannot deliver",
    "400,131030,INVALID_REQUEST,INVALID,API Setup",
    "400,132001,INVALID_REQUEST,INVALID,template",
    "400,100,INVALID_REQUEST,INVALID,Said Meta",
    "503,2,OVERLOADED,TRANSIENT,unavailable",
    "503,131016,OVERLOADED,TRANSIENT,unavailable"
  })
  void aRefusalSaysWhatItIsAndWhatMendsIt(
      int status, long code, FailureCode kindOfCode, FailureKind kind, String words)
      throws Exception {
    rig.next("messages", WhatsAppRig.error(status, code));
    PostOutcome outcome = post("hello");
    assertThat(outcome).isInstanceOf(PostOutcome.NotDelivered.class);
    assertThat(failure(outcome).code()).isEqualTo(kindOfCode);
    assertThat(failure(outcome).kind()).isEqualTo(kind);
    assertThat(failure(outcome).message())
        .contains(words)
        .contains("(" + code + ")")
        .doesNotContain("\n", WhatsAppRig.TOKEN);
    assertThat(failure(outcome).context()).containsEntry("status", Integer.toString(status));
  }

  @Test
  void anExpiredTokenAndAHiddenNumberAreToldApart() throws Exception {
    rig.next(
        "messages",
        Said.json(401, "{\"error\":{\"code\":190,\"error_subcode\":463,\"message\":\"x\"}}"),
        Said.json(400, "{\"error\":{\"code\":100,\"error_subcode\":33,\"message\":\"x\"}}"));
    assertThat(failure(post("hello")).message()).startsWith("the token has expired (190)");
    assertThat(failure(post("hello")).message()).contains("phone_number_id");
  }

  @Test
  void whatLeavesADoubtIsUnknown() throws Exception {
    rig.next(
        "messages",
        WhatsAppRig.error(500, 131016),
        WhatsAppRig.error(500, 190),
        WhatsAppRig.error(400, 131000),
        WhatsAppRig.error(400, 1),
        Said.json(502, "<html>"),
        Said.json(504, ""),
        Said.json(200, "{}"),
        Said.json(200, "<html>"),
        new Said(204, Map.of(), ""),
        Said.json(200, "{\"error\":\"log in\"}"),
        Said.json(200, "{\"messages\":[{}]}"),
        Said.nothing());
    for (int call = 1; call <= 12; call++) {
      assertThat(post("hello")).as("call " + call).isInstanceOf(PostOutcome.Unknown.class);
    }
    rig.next("messages", Said.json(503, ""), Said.json(429, ""), Said.json(302, ""));
    for (int call = 1; call <= 3; call++) {
      assertThat(post("hello")).as("call " + call).isInstanceOf(PostOutcome.NotDelivered.class);
    }
  }

  @Test
  void waitsAreObeyedInEachFormOfMeta() throws Exception {
    String body = "{\"error\":{\"code\":80007,\"message\":\"x\"}}";
    rig.next(
        "messages",
        new Said(429, Map.of("retry-after", "7"), body),
        new Said(
            429,
            Map.of(
                "x-business-use-case-usage",
                "{\"1\":[{\"type\":\"messaging\",\"estimated_time_to_regain_access\":3}],"
                    + "\"2\":[{\"estimated_time_to_regain_access\":19}]}"),
            body),
        new Said(429, Map.of("x-business-use-case-usage", "none"), body),
        WhatsAppRig.error(400, 131056),
        WhatsAppRig.error(400, 131048));
    for (Duration wait :
        List.of(
            Duration.ofSeconds(7),
            Duration.ofMinutes(19),
            Duration.ZERO,
            Duration.ofSeconds(6),
            Duration.ofHours(1))) {
      assertThat(failure(post("hello")).retryAfter()).isEqualTo(wait);
    }
  }

  private void tell(String status, String reply, int code) throws InterruptedException {
    tell(status, reply, List.of(Map.of("code", code, "title", "x")));
  }

  private void tell(String status, String reply) throws InterruptedException {
    tell(status, reply, List.of());
  }

  private void tell(String status, String reply, List<?> errors) throws InterruptedException {
    Map<String, ?> item =
        Map.of(
            "id",
            "wamid.L1",
            "status",
            status,
            "timestamp",
            "1",
            "biz_opaque_callback_data",
            reply,
            "errors",
            errors);
    rig.receive(
        WhatsAppRig.signed(WhatsAppRig.delivery(WhatsAppRig.NUMBER, "statuses", List.of(item))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"sent", "delivered", "read"})
  void aLostAnswerIsFoundByWhatWhatsAppTellsOfThePost(String status) throws Exception {
    OutboundReply reply = WhatsAppRig.reply(WhatsAppRig.USER, "hello");
    assertThat(rig.channel().find(reply))
        .isInstanceOfSatisfying(
            FindOutcome.Failed.class, failed -> assertThat(failed.failure().isPassing()).isFalse());
    tell(status, "r2.1");
    assertThat(rig.channel().find(reply)).isInstanceOf(FindOutcome.Failed.class);
    tell(status, "r1.1");
    assertThat(rig.channel().find(reply)).isEqualTo(new FindOutcome.Found("wamid.L1"));
    OutboundReply several =
        WhatsAppRig.reply(
            WhatsAppRig.USER, "see", List.of(file("a.png", "image/png", "p")), List.of());
    assertThat(rig.channel().find(several))
        .as("which of its messages arrived, nobody knows")
        .isInstanceOf(FindOutcome.Failed.class);
  }

  @Test
  void aPostThatHasFailedIsNotFoundAsSent() throws Exception {
    OutboundReply reply = WhatsAppRig.reply(WhatsAppRig.USER, "hello");
    tell("sent", "r1.1");
    tell("failed", "r1.1", 131047);
    tell("sent", "r1.1");
    assertThat(rig.channel().find(reply))
        .isInstanceOfSatisfying(
            FindOutcome.Failed.class,
            failed -> assertThat(failed.failure().message()).contains("(131047)"));
    tell("failed", "r1.1");
    assertThat(rig.channel().find(reply)).isInstanceOf(FindOutcome.Failed.class);
  }

  @Test
  void aPostThatFailedOnlyForAWhileIsSurelyAbsent() throws Exception {
    tell("failed", "r1.1", 131016);
    assertThat(rig.channel().find(WhatsAppRig.reply(WhatsAppRig.USER, "hello")))
        .isEqualTo(new FindOutcome.Absent());
  }

  @Test
  void withoutAPlaceAFileComesLater() throws Exception {
    FakeConfig section = new FakeConfig(WhatsAppRig.account(Map.of()));
    BusinessNumber number =
        new BusinessNumber(
            rig.context(),
            WhatsAppAccount.read(section, "main", _ -> Optional.empty(), ""),
            rig.url(),
            "v24.0");
    MediaUploads full = new MediaUploads(number, new Semaphore(0), Duration.ZERO);
    PostOutcome outcome =
        full.post(file("a.png", "image/png", "p"), BusinessNumber.to(WhatsAppRig.USER));
    assertThat(outcome).isInstanceOf(PostOutcome.NotDelivered.class);
    assertThat(failure(outcome).code()).isEqualTo(FailureCode.BULKHEAD_FULL);
    assertThat(rig.asked("media")).isEmpty();
  }

  @Test
  void whatMetaCallsTransientPassesAndEach429IsALimit() throws Exception {
    rig.next(
        "messages",
        Said.json(400, "{\"error\":{\"code\":987,\"is_transient\":true,\"message\":\"x\"}}"),
        WhatsAppRig.error(429, 987),
        WhatsAppRig.error(400, 987));
    assertThat(failure(post("hello")).code()).isEqualTo(FailureCode.BACKEND_FAILURE);
    assertThat(failure(post("hello")).code()).isEqualTo(FailureCode.RATE_LIMITED);
    assertThat(failure(post("hello")).code()).isEqualTo(FailureCode.INVALID_REQUEST);
  }

  @Test
  void typingIsShownAsAnAnswerToWhatCameLastAndMarksItRead() throws Exception {
    rig.channel().showTyping("main", WhatsAppRig.USER);
    assertThat(rig.posted()).as("nothing came since the start").isEmpty();
    rig.receive(WhatsAppRig.text("wamid.1", "one"), WhatsAppRig.text("wamid.2", "two"));
    rig.channel().showTyping("main", WhatsAppRig.USER);
    assertThat(rig.posted())
        .containsExactly(
            Map.of(
                "messaging_product", "whatsapp",
                "status", "read",
                "message_id", "wamid.2",
                "typing_indicator", Map.of("type", "text")));
    rig.next("messages", WhatsAppRig.error(400, 100));
    assertThatThrownBy(() -> rig.channel().showTyping("main", WhatsAppRig.USER))
        .isInstanceOf(CallFailedException.class);
  }
}
