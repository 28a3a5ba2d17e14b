package dev.holdfast.slack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Choice;
import dev.holdfast.api.Click;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.FindOutcome;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.SettledPost;
import dev.holdfast.api.StoredFile;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.testing.HttpDouble.Said;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SlackPostsTest {
  private static final String OURS =
      "{\"ts\":\"12.000001\",\"user\":\"%s\",\"metadata\":{\"event_type\":\"holdfast_reply\","
          + "\"event_payload\":{\"reply_id\":\"%s\"}}}";

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

  private PostOutcome post(String thread) throws InterruptedException {
    return rig.channel().post(SlackRig.reply(thread, "hi"));
  }

  @Test
  void aReplyGoesIntoItsThreadWithItsIdInTheMetadata() throws Exception {
    rig.context().rendered((markdown, markup) -> markup + "(" + markdown + ")");
    assertThat(post("C1:10.000001")).isEqualTo(new PostOutcome.Sent("101.000001"));
    SlackRig.Called call = rig.calls("chat.postMessage").getFirst();
    assertThat(call.parameters())
        .containsEntry("channel", "C1")
        .containsEntry("thread_ts", "10.000001")
        .containsEntry("text", "SLACK_MRKDWN(hi)")
        .containsEntry("unfurl_links", "false")
        .doesNotContainKey("blocks");
    assertThat(JsonText.object(call.get("metadata")))
        .isEqualTo(
            Map.of("event_type", "holdfast_reply", "event_payload", Map.of("reply_id", "r1.1")));
    assertThat(call.token()).isEqualTo("Bearer " + SlackRig.BOT_TOKEN);
  }

  @Test
  void aReplyToADirectMessageIsInNoThread() throws Exception {
    post("D1");
    assertThat(rig.calls("chat.postMessage").getFirst().parameters())
        .containsEntry("channel", "D1")
        .doesNotContainKey("thread_ts");
  }

  @ParameterizedTest
  @CsvSource({
    "not_in_channel,INVALID_REQUEST,INVALID",
    "channel_not_found,INVALID_REQUEST,INVALID",
    "is_archived,INVALID_REQUEST,INVALID",
    "thread_not_found,INVALID_REQUEST,INVALID",
    "msg_too_long,INVALID_REQUEST,INVALID",
    "no_text,INVALID_REQUEST,INVALID",
    "something_new,INVALID_REQUEST,INVALID",
    "invalid_auth,AUTH,PERMANENT",
    "token_revoked,AUTH,PERMANENT",
    "account_inactive,AUTH,PERMANENT",
    "missing_scope,AUTH,PERMANENT",
    "not_allowed_token_type,AUTH,PERMANENT",
    "service_unavailable,OVERLOADED,TRANSIENT",
    "ratelimited,RATE_LIMITED,TRANSIENT"
  })
  void whatSlackRefusesWasNotDelivered(String error, FailureCode code, FailureKind kind)
      throws Exception {
    rig.always("chat.postMessage", SlackRig.error(error));
    PostOutcome.NotDelivered outcome = (PostOutcome.NotDelivered) post("C1:10.000001");
    assertThat(outcome.failure().code()).isEqualTo(code);
    assertThat(outcome.failure().kind()).isEqualTo(kind);
    assertThat(outcome.failure().summary()).doesNotContain("canary");
  }

  @Test
  void aConversationThatIsNotShownIsNamedWithItsStep() throws Exception {
    rig.always("chat.postMessage", SlackRig.error("channel_not_found"));
    assertThat(((PostOutcome.NotDelivered) post("C1:10.000001")).failure().message())
        .contains("invite it (channel_not_found)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"internal_error", "fatal_error"})
  void whatSlackMayHaveDoneIsUnknown(String error) throws Exception {
    rig.always("chat.postMessage", SlackRig.error(error));
    assertThat(post("C1:10.000001")).isInstanceOf(PostOutcome.Unknown.class);
  }

  @Test
  void theWaitThatSlackAsksForIsKept() throws Exception {
    rig.always(
        "chat.postMessage",
        new Said(429, Map.of("retry-after", "3600"), "{\"ok\":false,\"error\":\"ratelimited\"}"));
    PostOutcome.NotDelivered outcome = (PostOutcome.NotDelivered) post("C1:10.000001");
    assertThat(outcome.failure().retryAfter()).isEqualTo(Duration.ofHours(1));
    assertThat(outcome.failure().code()).isEqualTo(FailureCode.RATE_LIMITED);
  }

  @Test
  void theScopeThatIsMissingIsNamed() throws Exception {
    rig.always(
        "chat.postMessage",
        Said.json(
            200,
            "{\"ok\":false,\"error\":\"missing_scope\",\"needed\":\"chat:write\","
                + "\"provided\":\"im:history\"}"));
    assertThat(((PostOutcome.NotDelivered) post("C1:10.000001")).failure().message())
        .contains("chat:write")
        .contains("install the app again");
  }

  @Test
  void anAnswerThatIsLostOrNoneOfSlacksIsUnknown() throws Exception {
    rig.next(
        "chat.postMessage",
        Said.nothing(),
        new Said(200, Map.of(), "<html>proxy</html>"),
        new Said(204, Map.of(), ""),
        new Said(202, Map.of(), "<html>proxy</html>"),
        Said.json(200, "{}"),
        SlackRig.ok(""),
        SlackRig.ok("\"ts\":\"now\""),
        Said.json(502, "{}"),
        Said.json(500, "{}"));
    for (int i = 0; i < 9; i++) {
      assertThat(post("C1:10.000001")).isInstanceOf(PostOutcome.Unknown.class);
    }
  }

  @Test
  void aPostThatNobodyAcceptsWasNotSent() throws Exception {
    rig.close(); // before the first: a kept connection could take one, and break
    assertThat(post("C1:10.000001"))
        .isInstanceOfSatisfying(
            PostOutcome.NotDelivered.class,
            outcome -> assertThat(outcome.failure().isUnsent()).isTrue());
  }

  private FindOutcome find(String thread) throws InterruptedException {
    return rig.channel().find(SlackRig.reply(thread, "hi"));
  }

  @Test
  void aReplyThatArrivedIsFoundByItsIdInItsThread() throws Exception {
    rig.always(
        "conversations.replies",
        SlackRig.ok(
            "\"messages\":[{\"ts\":\"10.000001\"},"
                + OURS.formatted("UBOT", "r0.1")
                + ","
                + OURS.formatted("UBOT", "r1.1")
                + "]"));
    assertThat(find("C1:10.000001")).isEqualTo(new FindOutcome.Found("12.000001"));
    assertThat(rig.calls("conversations.replies").getFirst().parameters())
        .containsEntry("channel", "C1")
        .containsEntry("ts", "10.000001")
        .containsEntry("oldest", "10.000001")
        .containsEntry("include_all_metadata", "true");
  }

  @Test
  void aReplyThatSomebodyElseWroteIsNotOurs() throws Exception {
    rig.always(
        "conversations.history",
        SlackRig.ok("\"messages\":[" + OURS.formatted("U666", "r1.1") + "]"));
    assertThat(find("D1")).isEqualTo(new FindOutcome.Absent());
  }

  @Test
  void allPagesAreLookedThrough() throws Exception {
    rig.next(
        "conversations.history",
        SlackRig.ok(
            "\"messages\":[],\"has_more\":true,\"response_metadata\":{\"next_cursor\":\"c2\"}"),
        SlackRig.ok("\"messages\":[" + OURS.formatted("UBOT", "r1.1") + "]"));
    assertThat(find("D1")).isEqualTo(new FindOutcome.Found("12.000001"));
    assertThat(rig.calls("conversations.history").get(1).get("cursor")).isEqualTo("c2");
  }

  @Test
  void nothingIsSaidOfAHistoryThatCannotBeReadToItsEnd() throws Exception {
    rig.always(
        "conversations.history",
        SlackRig.ok(
            "\"messages\":[],\"has_more\":true,\"response_metadata\":{\"next_cursor\":\"c\"}"));
    assertThat(find("D1")).isInstanceOf(FindOutcome.Failed.class);
    assertThat(rig.calls("conversations.history")).hasSize(10);
    rig.always("conversations.history", SlackRig.error("missing_scope"));
    assertThat(((FindOutcome.Failed) find("D1")).failure().isPassing()).isFalse();
    rig.always("conversations.history", SlackRig.error("ratelimited"));
    assertThat(((FindOutcome.Failed) find("D1")).failure().isPassing()).isTrue();
  }

  @Test
  void choicesAreButtonsThatGoWithTheirOutcome() throws Exception {
    List<Choice> choices =
        List.of(new Choice("Run it", "tok-1", true), new Choice("Refuse", "tok-2", false));
    rig.channel().post(SlackRig.reply("C1:10.000001", "May I?", List.of(), choices));
    assertThat(rig.calls("chat.postMessage").getFirst().get("blocks"))
        .contains("\"value\":\"tok-1\"", "\"value\":\"tok-2\"", "\"type\":\"actions\"")
        .contains("\"style\":\"primary\"", "\"style\":\"danger\"", "May I?");
    rig.channel().settle(new SettledPost("main", "C1:10.000001", "101.000001", "Approved."));
    assertThat(rig.calls("chat.update").getFirst().parameters())
        .containsEntry("ts", "101.000001")
        .containsEntry("text", "Approved.")
        .containsEntry("blocks", "[]");
    rig.channel().answerClick(new Click("main", "C1:10.000001", "U1", "tok-1", ""), "Done.");
    assertThat(rig.calls("chat.postEphemeral").getFirst().get("user")).isEqualTo("U1");
  }

  @Test
  void aLongTextWithButtonsIsCutIntoSections() throws Exception {
    String text = "word ".repeat(700).strip();
    rig.channel()
        .post(SlackRig.reply("D1", text, List.of(), List.of(new Choice("Run it", "t", true))));
    String blocks = rig.calls("chat.postMessage").getFirst().get("blocks");
    assertThat(blocks.split("\"section\"", -1)).hasSize(3);
  }

  private StoredFile file(String content) throws Exception {
    Path path = Files.writeString(folder.resolve("stored"), content);
    return new StoredFile("a b.txt", "text/plain", path, content.length());
  }

  private void takesUploads() {
    rig.always(
        "files.getUploadURLExternal",
        SlackRig.ok("\"upload_url\":\"" + rig.url() + "/up/1\",\"file_id\":\"F1\""));
    rig.always("/up/1", new Said(200, Map.of(), "OK - 3"));
  }

  private OutboundReply withFile() throws Exception {
    return SlackRig.reply("C1:10.000001", "see", List.of(file("abc")), List.of());
  }

  @Test
  void filesAreUploadedIntoTheThreadBeforeTheText() throws Exception {
    takesUploads();
    assertThat(rig.channel().post(withFile())).isInstanceOf(PostOutcome.Sent.class);
    assertThat(rig.methods())
        .containsExactly(
            "files.getUploadURLExternal",
            "/up/1",
            "files.completeUploadExternal",
            "chat.postMessage");
    assertThat(rig.calls("files.getUploadURLExternal").getFirst().parameters())
        .containsEntry("filename", "a b.txt")
        .containsEntry("length", "3");
    assertThat(rig.calls("/up/1").getFirst().token()).as("it goes elsewhere").isEmpty();
    assertThat(rig.calls("files.completeUploadExternal").getFirst().parameters())
        .containsEntry("channel_id", "C1")
        .containsEntry("thread_ts", "10.000001");
  }

  @Test
  void aReplyThatIsPostedAgainBringsItsFilesOnce() throws Exception {
    takesUploads();
    rig.next("chat.postMessage", Said.nothing());
    assertThat(rig.channel().post(withFile())).isInstanceOf(PostOutcome.Unknown.class);
    rig.start(); // after a crash
    assertThat(rig.channel().post(withFile())).isInstanceOf(PostOutcome.Sent.class);
    assertThat(rig.calls("files.completeUploadExternal")).hasSize(1);
  }

  @Test
  void whenItIsNotKnownWhetherFilesArriveSlackIsAsked() throws Exception {
    takesUploads();
    rig.next("files.completeUploadExternal", Said.nothing());
    assertThat(rig.channel().post(withFile())).isInstanceOf(PostOutcome.Unknown.class);
    rig.always(
        "files.info", SlackRig.ok("\"file\":{\"shares\":{\"public\":{\"C1\":[{\"ts\":\"1\"}]}}}"));
    assertThat(rig.channel().post(withFile())).isInstanceOf(PostOutcome.Sent.class);
    assertThat(rig.calls("files.completeUploadExternal")).hasSize(1);
  }

  @Test
  void filesThatSlackDoesNotTakeCostNoAnswer() throws Exception {
    rig.always(
        "files.getUploadURLExternal",
        Said.json(200, "{\"ok\":false,\"error\":\"missing_scope\",\"needed\":\"files:write\"}"));
    assertThat(rig.channel().post(withFile())).isInstanceOf(PostOutcome.Sent.class);
    assertThat(rig.calls("chat.postMessage").getFirst().get("text"))
        .startsWith("see\n\n[The files could not be attached")
        .contains("files:write");
  }

  @Test
  void settlingAPostThatIsGoneIsNoFailure() throws Exception {
    rig.always("chat.update", SlackRig.error("message_not_found"));
    rig.channel().settle(new SettledPost("main", "C1", "9.000001", "x"));
    rig.always("chat.update", SlackRig.error("ratelimited"));
    assertThatThrownBy(() -> rig.channel().settle(new SettledPost("main", "C1", "9.000001", "x")))
        .isInstanceOf(CallFailedException.class);
  }
}
