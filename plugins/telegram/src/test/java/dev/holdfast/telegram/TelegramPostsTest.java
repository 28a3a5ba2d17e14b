package dev.holdfast.telegram;

import static dev.holdfast.telegram.TelegramRig.refused;
import static dev.holdfast.telegram.TelegramRig.reply;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Choice;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.SettledPost;
import dev.holdfast.api.StoredFile;
import dev.holdfast.kit.testing.HttpDouble.Said;
import dev.holdfast.telegram.TelegramRig.Called;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TelegramPostsTest {
  private static final String CANNOT_PARSE =
      "Bad Request: can't parse entities: Unsupported start tag";

  @TempDir private Path folder;
  private TelegramRig rig;

  @BeforeEach
  void start() {
    rig = TelegramRig.polling(folder);
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private PostOutcome post(OutboundReply reply) throws Exception {
    return rig.channel().post(reply);
  }

  private PostOutcome post(Said said) throws Exception {
    rig.next("sendMessage", said);
    return post(reply("7", "hello"));
  }

  private static Failure notDelivered(PostOutcome outcome) {
    assertThat(outcome).isInstanceOf(PostOutcome.NotDelivered.class);
    return ((PostOutcome.NotDelivered) outcome).failure();
  }

  private Map<String, Object> last() {
    return rig.called("sendMessage", "editMessageText").getLast().parameters();
  }

  private static OutboundReply with(List<StoredFile> files, List<Choice> choices, String text) {
    return new OutboundReply("r1", "e1", "main", "7", "7:1001", text, 1, 1, false, files, choices);
  }

  private StoredFile file(String name, String mediaType, String content) throws IOException {
    Path file = Files.writeString(folder.resolve("file-" + name.hashCode()), content);
    return new StoredFile(name, mediaType, file, content.length());
  }

  @Test
  void aReplyIsSentAsHtmlWithoutPreviews() throws Exception {
    rig.context().rendered((markdown, markup) -> "<b>" + markdown + "</b> " + markup);
    assertThat(post(reply("7", "hello"))).isEqualTo(new PostOutcome.Sent("7:501"));
    assertThat(last())
        .containsEntry("chat_id", 7L)
        .containsEntry("text", "<b>hello</b> TELEGRAM_HTML")
        .containsEntry("parse_mode", "HTML")
        .containsEntry("link_preview_options", Map.of("is_disabled", true))
        .doesNotContainKeys("reply_parameters", "message_thread_id", "reply_markup");
  }

  @Test
  void inAGroupTheFirstPartRepliesToWhatItAnswers() throws Exception {
    post(reply("-100/42", "hello"));
    assertThat(last())
        .containsEntry("chat_id", -100L)
        .containsEntry("message_thread_id", 42L)
        .containsEntry(
            "reply_parameters", Map.of("message_id", 1001L, "allow_sending_without_reply", true));
    post(new OutboundReply("r2", "e1", "main", "-100", "-100:1001", "more", 2, 2, false));
    assertThat(last()).doesNotContainKey("reply_parameters");
    post(new OutboundReply("r3", "e2", "main", "-100", "schedule:x", "tick", 1, 1, false));
    assertThat(last()).doesNotContainKey("reply_parameters");
  }

  @Test
  void whatTelegramCannotReadAsHtmlGoesAsItWasWritten() throws Exception {
    rig.context().rendered((_, _) -> "<q>a &lt; b</q>");
    rig.next("sendMessage", refused(400, CANNOT_PARSE));
    assertThat(post(reply("7", "*a < b*"))).isInstanceOf(PostOutcome.Sent.class);
    assertThat(rig.called("sendMessage")).hasSize(2);
    assertThat(last()).containsEntry("text", "*a < b*").doesNotContainKey("parse_mode");
  }

  @Test
  void aTextThatRenderingMakesTooLongGoesAsItWasWritten() throws Exception {
    String most = "x".repeat(PostText.UNITS_MAX);
    rig.context().rendered((markdown, _) -> "<b>" + markdown + "</b>&amp;");
    post(reply("7", most));
    assertThat(last()).containsEntry("text", most).doesNotContainKey("parse_mode");
    rig.context().rendered((markdown, _) -> "<b>" + markdown.substring(1) + "</b>&amp;");
    post(reply("7", most));
    assertThat(last()).containsEntry("parse_mode", "HTML"); // people see 4,096 units
    rig.context().rendered((_, _) -> "<b></b>".repeat(5000) + "x");
    post(reply("7", most));
    assertThat(last()).containsEntry("text", most); // its markup alone is too much
    rig.context().rendered((_, _) -> "<a href=\"x\"></a>");
    post(reply("7", "[](x)"));
    assertThat(last()).containsEntry("text", "[](x)"); // nothing would be seen
  }

  @Test
  void aLimitIsToldWithItsWait() throws Exception {
    Failure failure =
        notDelivered(post(refused(429, "Too Many Requests: retry", "{\"retry_after\":35}")));
    assertThat(failure.code()).isEqualTo(FailureCode.RATE_LIMITED);
    assertThat(failure.retryAfter()).isEqualTo(Duration.ofSeconds(35));
  }

  @Test
  void anAbsurdWaitIsAtMostAYear() throws Exception {
    assertThat(
            notDelivered(post(refused(429, "x", "{\"retry_after\":" + Long.MAX_VALUE + "}")))
                .retryAfter())
        .isEqualTo(Duration.ofDays(365));
    assertThat(notDelivered(post(refused(429, "x", "{\"retry_after\":-5}"))).retryAfter()).isZero();
  }

  @Test
  void aChatThatRefusesTheBotSaysNothingOfTheAccount() throws Exception {
    Failure blocked = notDelivered(post(refused(403, "Forbidden: bot was blocked by the user")));
    assertThat(blocked.code()).isEqualTo(FailureCode.INVALID_REQUEST);
    assertThat(blocked.kind()).isEqualTo(FailureKind.PERMANENT);
    assertThat(blocked.message()).contains("bot was blocked by the user");
    Failure absent = notDelivered(post(refused(400, "Bad Request: chat not found")));
    assertThat(absent.isPassing()).isFalse();
    assertThat(rig.called("sendMessage")).hasSize(2);
  }

  @Test
  void aRefusedTokenIsToldWithoutIt() throws Exception {
    Failure refused = notDelivered(post(refused(401, "Unauthorized " + TelegramRig.TOKEN)));
    assertThat(refused.code()).isEqualTo(FailureCode.AUTH);
    assertThat(refused.toString()).doesNotContain(TelegramRig.TOKEN);
    assertThat(post(refused(400, "Bad Request: /bot" + TelegramRig.TOKEN)).toString())
        .doesNotContain(TelegramRig.TOKEN);
  }

  @Test
  void whatLeavesADoubtIsUnknown() throws Exception {
    for (Said said :
        List.of(
            Said.nothing(),
            Said.json(502, "<html>Bad Gateway</html>"),
            refused(500, "Internal Server Error"),
            Said.json(200, "<html>sign in</html>"),
            Said.json(200, "{}"),
            new Said(204, Map.of(), ""),
            TelegramRig.ok("true"),
            TelegramRig.ok("{}"))) {
      assertThat(post(said)).isInstanceOf(PostOutcome.Unknown.class);
    }
    assertThat(rig.called("sendMessage")).hasSize(8);
    assertThat(notDelivered(post(Said.json(503, ""))).isPassing()).isTrue();
  }

  @Test
  void nobodyWhoListensIsNotDelivered() throws Exception {
    rig.close();
    assertThat(notDelivered(post(reply("7", "hello"))).code()).isEqualTo(FailureCode.NETWORK);
  }

  @Test
  void aGroupThatBecameASupergroupIsPostedToUnderItsNewId() throws Exception {
    rig.next(
        "sendMessage",
        refused(
            400,
            "Bad Request: group chat was upgraded to a supergroup chat",
            "{\"migrate_to_chat_id\":-1005}"));
    assertThat(post(reply("-5", "hello"))).isEqualTo(new PostOutcome.Sent("-1005:501"));
    assertThat(last()).containsEntry("chat_id", -1005L);
    rig.start();
    post(reply("-5", "again"));
    assertThat(rig.called("sendMessage")).hasSize(3);
    assertThat(last()).containsEntry("chat_id", -1005L);
  }

  @Test
  void choicesAreButtonsThatCarryTheirTokensOnly() throws Exception {
    List<Choice> choices =
        List.of(
            new Choice("Allow", "a".repeat(22), true),
            new Choice("Always", "b".repeat(22), true),
            new Choice("Deny", "c".repeat(22), false));
    post(with(List.of(), choices, "May I?"));
    assertThat(last().get("reply_markup"))
        .isEqualTo(
            Map.of(
                "inline_keyboard",
                List.of(
                    List.of(
                        Map.of("text", "Allow", "callback_data", "a".repeat(22)),
                        Map.of("text", "Always", "callback_data", "b".repeat(22))),
                    List.of(Map.of("text", "Deny", "callback_data", "c".repeat(22))))));
  }

  @Test
  void aSettledPostHasItsOutcomeAndNoButtons() throws Exception {
    rig.channel().settle(new SettledPost("main", "-5", "-1005:77", "Allowed by Ann."));
    assertThat(last())
        .containsEntry("chat_id", -1005L)
        .containsEntry("message_id", 77L)
        .containsEntry("text", "Allowed by Ann.")
        .doesNotContainKey("reply_markup");
    rig.next("editMessageText", refused(400, "Bad Request: message to edit not found"));
    rig.channel().settle(new SettledPost("main", "-5", "-1005:77", "Again."));
    rig.channel().settle(new SettledPost("main", "-5", "", "Nowhere."));
    assertThat(rig.called("editMessageText")).hasSize(2);
  }

  @Test
  void filesComeBehindTheTextEachInAMessageOfItsOwn() throws Exception {
    post(
        with(
            List.of(
                file("plan.pdf", "application/pdf", "PDF"), file("cat.png", "image/png", "PNG")),
            List.of(),
            "here"));
    List<Called> calls = rig.called("sendMessage", "sendDocument", "sendPhoto");
    assertThat(calls)
        .extracting(Called::method)
        .containsExactly("sendMessage", "sendDocument", "sendPhoto");
    assertThat(calls.get(1).body())
        .contains("name=\"chat_id\"\r\n\r\n7\r\n", "filename=\"plan.pdf\"", "\r\n\r\nPDF\r\n");
  }

  @Test
  void ofAPartWithFilesNothingThatArrivedIsPostedAgain() throws Exception {
    OutboundReply reply =
        with(
            List.of(file("a", "text/plain", "A"), file("b", "text/plain", "B")), List.of(), "here");
    rig.next(
        "sendDocument",
        refused(429, "slow", "{\"retry_after\":1}"),
        TelegramRig.ok("{\"message_id\":1}"),
        Said.nothing());
    assertThat(notDelivered(post(reply)).code()).isEqualTo(FailureCode.RATE_LIMITED);
    assertThat(post(reply)).isInstanceOf(PostOutcome.Unknown.class);
    rig.start(); // what was posted outlives a restart
    assertThat(post(reply)).isEqualTo(new PostOutcome.Sent("7:501"));
    assertThat(rig.called("sendMessage")).hasSize(1);
    List<String> files =
        rig.called("sendDocument").stream()
            .map(call -> call.body().contains("filename=\"a\"") ? "a" : "b")
            .toList();
    assertThat(files).isEqualTo(Arrays.asList("a", "a", "b", "b")); // refused, there, lost, there
    assertThat(folder.resolve("posts.json")).content().isEqualTo("{}");
  }

  @Test
  void aPhotoThatTelegramDoesNotTakeGoesAsADocument() throws Exception {
    rig.next("sendPhoto", refused(400, "Bad Request: PHOTO_INVALID_DIMENSIONS"));
    assertThat(post(with(List.of(file("wide.png", "image/png", "P")), List.of(), "")))
        .isInstanceOf(PostOutcome.Sent.class);
    assertThat(rig.called("sendDocument")).hasSize(1);
  }

  @Test
  void inPlaceOfAFileThatCannotBeSentASentenceSaysSo() throws Exception {
    StoredFile gone = new StoredFile("gone.txt", "text/plain", folder.resolve("none"), 3);
    StoredFile large =
        new StoredFile("large.bin", "text/plain", folder.resolve("none"), FileUpload.BYTES_MAX + 1);
    rig.next("sendDocument", refused(413, "Request Entity Too Large"));
    assertThat(post(with(List.of(gone, large, file("x", "text/plain", "X")), List.of(), "here")))
        .isInstanceOf(PostOutcome.Sent.class);
    assertThat(rig.called("sendMessage"))
        .extracting(Called::text)
        .containsExactly(
            "here",
            "The file gone.txt could not be sent: it is gone.",
            "The file large.bin could not be sent: it has more than 50 MB, and Telegram takes no"
                + " more of a bot.",
            "The file x could not be sent: Telegram does not take it.");
  }

  @Test
  void aReplyWithNothingInItIsNotPosted() throws Exception {
    assertThat(post(reply("7", " \n"))).isEqualTo(new PostOutcome.Sent(""));
    assertThat(rig.called("sendMessage")).isEmpty();
  }

  @Test
  void noRequestNamesTheTokenButInItsPath() throws Exception {
    post(reply("7", "hello"));
    assertThat(rig.called("sendMessage").getFirst().body()).doesNotContain(TelegramRig.TOKEN);
  }
}
