package dev.holdfast.discord;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Choice;
import dev.holdfast.api.Draft;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FindOutcome;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.SettledPost;
import dev.holdfast.api.StoredFile;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.testing.HttpDouble.Asked;
import dev.holdfast.kit.testing.HttpDouble.Said;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class DiscordPostsTest {
  private static final String POST = "POST /channels/50/messages";
  private static final String EDIT = "PATCH /channels/50/messages/1001";
  private static final String HISTORY = "GET /channels/50/messages";
  private static final String ORIGINAL = "/webhooks/901/tok_3000/messages/@original";
  private static final String FOLLOW_UP = "POST /webhooks/901/tok_3000";
  private static final OutboundReply ANSWER =
      DiscordRig.reply("50", "hi", "interaction:3000", List.of(), List.of());

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

  private PostOutcome post(OutboundReply reply) throws InterruptedException {
    return rig.channel().post(reply);
  }

  private FindOutcome find(OutboundReply reply) throws InterruptedException {
    return rig.channel().find(reply);
  }

  private Failure refused(OutboundReply reply) throws InterruptedException {
    return ((PostOutcome.NotDelivered) post(reply)).failure();
  }

  private void command() throws InterruptedException {
    var _ = rig.receive(DiscordRig.signed(JsonText.write(DiscordRig.ask("3000", "hello"))));
  }

  private void draft(String text) throws Exception {
    rig.channel().showDraft(new Draft("main", "50", "e1", text, "reading <a>"));
    rig.context().advance(Duration.ofSeconds(2));
  }

  @Test
  void aReplyCallsNobodyAndHasANonceOfItsOwn() throws Exception {
    assertThat(post(DiscordRig.reply("hi @everyone <@7>"))).isEqualTo(new PostOutcome.Sent("1001"));
    assertThat(rig.bodies(POST).getFirst())
        .containsEntry("content", "hi @everyone <@7>")
        .containsEntry("allowed_mentions", Map.of("parse", List.of()))
        .containsEntry("enforce_nonce", true)
        .containsEntry("flags", 4L)
        .doesNotContainKey("message_reference");
    String nonce = JsonText.text(rig.bodies(POST).getFirst(), "nonce");
    assertThat(nonce).hasSize(22);
    assertThat(rig.asked(POST).getFirst().headers())
        .containsEntry("authorization", "Bot " + DiscordRig.TOKEN)
        .containsEntry("user-agent", "DiscordBot (Holdfast, 1)");
    post(DiscordRig.reply("hi @everyone <@7>"));
    assertThat(rig.bodies(POST).getLast()).as("of each try the same").containsEntry("nonce", nonce);
    post(DiscordRig.part(2, "more", "50:2000"));
    assertThat(rig.bodies(POST).getLast()).isNotEqualTo(rig.bodies(POST).getFirst());
    assertThat(JsonText.text(rig.bodies(POST).getLast(), "nonce")).isNotEqualTo(nonce);
  }

  @Test
  void inAServerTheFirstPartAnswersItsMessage() throws Exception {
    command(); // tells that the channel is in a server
    post(DiscordRig.reply("hi"));
    assertThat(rig.bodies(POST).getFirst())
        .containsEntry(
            "message_reference", Map.of("message_id", "2000", "fail_if_not_exists", false));
    post(DiscordRig.part(2, "more", "50:2000"));
    assertThat(rig.bodies(POST).getLast()).doesNotContainKey("message_reference");
  }

  @ParameterizedTest
  @CsvSource({
    "401,0,AUTH,Reset Token",
    "403,50001,INVALID_REQUEST,View Channel",
    "403,50013,INVALID_REQUEST,Send Messages",
    "403,50007,INVALID_REQUEST,direct messages",
    "404,10003,INVALID_REQUEST,removed",
    "400,50035,INVALID_REQUEST,50035",
    "403,40333,BACKEND_FAILURE,proxy",
    "400,20028,RATE_LIMITED,wait",
    "503,0,OVERLOADED,503"
  })
  void whatIsRefusedIsToldWithItsStep(int status, long code, FailureCode failure, String words)
      throws Exception {
    rig.always(POST, DiscordRig.error(status, code));
    Failure told = refused(DiscordRig.reply("hi"));
    assertThat(told.code()).isEqualTo(failure);
    assertThat(told.message()).contains(words).doesNotContain("told by Discord");
  }

  @Test
  void anInvalidFormNamesItsField() throws Exception {
    rig.always(
        POST,
        Said.json(
            400,
            "{\"code\":50035,\"message\":\"Invalid Form"
                + " Body\",\"errors\":{\"content\":{\"_errors\":[{\"code\":\"BASE_TYPE_MAX_LENGTH\",\"message\":\"Must"
                + " be 2000 or fewer\"}]}}}"));
    assertThat(refused(DiscordRig.reply("hi")).message())
        .contains("content: Must be 2000 or fewer");
  }

  @Test
  void whatMayHaveArrivedIsUnknown() throws Exception {
    for (Said said :
        List.of(Said.nothing(), DiscordRig.error(500, 0), new Said(502, Map.of(), "<html>"))) {
      rig.always(POST, said);
      assertThat(post(DiscordRig.reply("hi"))).isInstanceOf(PostOutcome.Unknown.class);
    }
  }

  /** With a status of success, and nothing that Discord would say. */
  private static Stream<Said> notDiscord() {
    return Stream.of(
        new Said(200, Map.of("content-type", "text/html"), "<html>log in</html>"),
        Said.json(200, "{}"),
        new Said(204, Map.of(), ""),
        Said.json(200, "[]"),
        Said.json(200, "{\"id\":\"none\",\"channel_id\":\"50\"}"),
        Said.json(200, "{\"id\":\"1001\"}"),
        DiscordRig.stored("51", "1001"));
  }

  private static void isInDoubt(PostOutcome outcome) {
    assertThat(outcome).isInstanceOf(PostOutcome.Unknown.class);
    assertThat(((PostOutcome.Unknown) outcome).failure().message()).contains("check base_url");
  }

  @ParameterizedTest
  @MethodSource("notDiscord")
  void whatIsNotDiscordsAnswerLeavesItInDoubtWhetherAPostArrived(Said said) throws Exception {
    rig.next(POST, said);
    isInDoubt(post(DiscordRig.reply("hi")));
    assertThat(find(DiscordRig.reply("hi"))).isInstanceOf(FindOutcome.Absent.class);
    assertThat(post(DiscordRig.reply("hi"))).isInstanceOf(PostOutcome.Sent.class);
  }

  @ParameterizedTest
  @MethodSource("notDiscord")
  void whatIsNotDiscordsAnswerLeavesItInDoubtWhetherADraftBecameTheReply(Said said)
      throws Exception {
    draft("The answer");
    rig.next(EDIT, said.body().contains("1001") ? DiscordRig.stored("50", "1002") : said);
    isInDoubt(post(DiscordRig.reply("42")));
    rig.context().advance(Duration.ofHours(1));
    rig.context().job("discord-drafts").run();
    assertThat(rig.calls()).as("it may stand there").noneMatch(call -> call.startsWith("DELETE"));
    assertThat(post(DiscordRig.reply("42"))).isEqualTo(new PostOutcome.Sent("1001"));
  }

  @ParameterizedTest
  @MethodSource("notDiscord")
  void whatIsNotDiscordsAnswerLeavesItInDoubtWhetherACommandWasAnswered(Said said)
      throws Exception {
    command();
    rig.next("PATCH " + ORIGINAL, said);
    isInDoubt(post(ANSWER));
    assertThat(post(ANSWER)).isInstanceOf(PostOutcome.Sent.class);
    assertThat(rig.asked("PATCH " + ORIGINAL)).hasSize(2);
  }

  @ParameterizedTest
  @MethodSource("notDiscord")
  void aDraftWhoseAnswerIsNotDiscordsIsNotBegunAgain(Said said) throws Exception {
    rig.next(POST, said);
    draft("The");
    draft("The answer");
    assertThat(rig.asked(POST)).hasSize(1);
    assertThat(rig.asked(EDIT)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"<html>log in</html>", "{}", "", "{\"id\":\"1\"}"})
  void whatIsNoHistoryDoesNotSayThatAReplyIsAbsent(String said) throws Exception {
    rig.says(HISTORY, said);
    assertThat(find(DiscordRig.reply("hi"))).isInstanceOf(FindOutcome.Failed.class);
  }

  @Test
  void whatIsNotDiscordsAnswerDoesNotSettleAPost() {
    rig.says(EDIT, "<html>log in</html>");
    assertThatThrownBy(() -> rig.channel().settle(new SettledPost("main", "50", "1001", "Done.")))
        .isInstanceOf(CallFailedException.class);
  }

  @Test
  void aRateLimitIsToldAndHoldsBackTheChannelAlone() throws Exception {
    rig.next(POST, Said.json(429, "{\"message\":\"slow\",\"retry_after\":3600.25}"));
    assertThat(refused(DiscordRig.reply("hi")).retryAfter())
        .isEqualTo(Duration.ofMillis(3_600_250));
    assertThat(refused(DiscordRig.reply("hi")).code()).isEqualTo(FailureCode.RATE_LIMITED);
    assertThat(rig.asked(POST)).as("the second was not sent").hasSize(1);
    OutboundReply elsewhere = DiscordRig.reply("51", "hi", "51:2000", List.of(), List.of());
    assertThat(post(elsewhere)).isInstanceOf(PostOutcome.Sent.class);
    rig.context().advance(Duration.ofMillis(3_600_251));
    assertThat(post(DiscordRig.reply("hi"))).isInstanceOf(PostOutcome.Sent.class);
  }

  @Test
  void aLimitOfAllCallsOrOfTheProxyHoldsBackAll() throws Exception {
    for (Said said :
        List.of(
            Said.json(429, "{\"retry_after\":60,\"global\":true}"),
            new Said(429, Map.of("retry-after", "60"), "<html>error 1015"))) {
      rig.next(POST, said);
      assertThat(refused(DiscordRig.reply("hi")).retryAfter()).isEqualTo(Duration.ofSeconds(60));
      OutboundReply elsewhere = DiscordRig.reply("51", "hi", "51:2000", List.of(), List.of());
      assertThat(refused(elsewhere).retryAfter()).isPositive();
      rig.context().advance(Duration.ofSeconds(61));
    }
  }

  @Test
  void anUsedUpBucketIsWaitedForBeforeItIsRefused() throws Exception {
    rig.next(
        POST,
        new Said(
            200,
            Map.of("x-ratelimit-remaining", "0", "x-ratelimit-reset-after", "1.5"),
            "{\"id\":\"1\"}"));
    post(DiscordRig.reply("one"));
    post(DiscordRig.reply("two"));
    assertThat(rig.context().sleeps()).containsExactly(Duration.ofMillis(1500));
  }

  @Test
  void anAnswerToACommandTakesThePlaceOfItsFirstAnswer() throws Exception {
    command();
    assertThat(post(ANSWER)).isInstanceOf(PostOutcome.Sent.class);
    assertThat(rig.bodies("PATCH " + ORIGINAL).getFirst())
        .containsEntry("content", "hi")
        .containsEntry("flags", 4L);
    assertThat(rig.asked(POST)).isEmpty();
    post(DiscordRig.part(2, "more", "interaction:3000"));
    assertThat(rig.asked(POST)).as("the second part is an ordinary post").hasSize(1);
  }

  private static OutboundReply first(String id, String text, String inReplyTo) {
    return new OutboundReply(id, "e1", "main", "50", inReplyTo, text, 1, 1, false);
  }

  @Test
  void aQuestionTakesThePlaceOfTheFirstAnswerAndTheReplyDoesNotTakeItAway() throws Exception {
    command();
    OutboundReply question = first("q.p.1", "May I?", "interaction:3000");
    rig.next("PATCH " + ORIGINAL, Said.nothing());
    assertThat(post(question)).isInstanceOf(PostOutcome.Unknown.class);
    assertThat(post(ANSWER)).isEqualTo(new PostOutcome.Sent("1001"));
    rig.start(); // it is on disk whose place it is
    assertThat(post(ANSWER)).isEqualTo(new PostOutcome.Sent("1002"));
    assertThat(rig.asked("PATCH " + ORIGINAL)).hasSize(1);
    assertThat(post(question)).isInstanceOf(PostOutcome.Sent.class);
    assertThat(rig.asked("PATCH " + ORIGINAL)).as("another try goes there").hasSize(2);
  }

  @Test
  void aReplyIsNotLookedForWhereItsQuestionStands() throws Exception {
    command();
    post(first("q.p.1", "hi", "interaction:3000"));
    rig.says("GET " + ORIGINAL, "{\"id\":\"9\",\"flags\":0,\"content\":\"hi\"}");
    assertThat(find(ANSWER)).isInstanceOf(FindOutcome.Absent.class);
    rig.says(HISTORY, "[" + own("3003", "hi", "") + "]");
    assertThat(find(ANSWER)).isEqualTo(new FindOutcome.Found("3003"));
  }

  @Test
  void aCommandIsAnsweredAlsoAfterARestart() throws Exception {
    command();
    rig.start();
    post(ANSWER);
    assertThat(rig.asked("PATCH " + ORIGINAL)).hasSize(1);
  }

  @Test
  void afterItsTimeACommandIsAnsweredByAnOrdinaryPost() throws Exception {
    command();
    rig.context().advance(Duration.ofMinutes(15));
    assertThat(post(ANSWER)).isEqualTo(new PostOutcome.Sent("1001"));
    assertThat(rig.calls()).containsExactly(POST);
  }

  @Test
  void aFirstAnswerThatIsNotThereYetIsWaitedForAndOneThatIsGoneReplaced() throws Exception {
    command();
    rig.next("PATCH " + ORIGINAL, DiscordRig.error(404, 10015));
    assertThat(post(ANSWER)).isInstanceOf(PostOutcome.Sent.class);
    assertThat(rig.asked(POST)).isEmpty();
    rig.always("PATCH " + ORIGINAL, DiscordRig.error(404, 10015));
    assertThat(post(ANSWER)).isInstanceOf(PostOutcome.Sent.class);
    assertThat(rig.asked(POST)).hasSize(1);
  }

  private void privateCommand() throws InterruptedException {
    rig.close();
    rig = DiscordRig.with(Map.of("public_key", DiscordRig.PUBLIC_KEY), folder);
    command();
  }

  @Test
  void whatIsForOnePersonAloneStaysSo() throws Exception {
    privateCommand();
    post(first("r1.1", "hi", "private:3000"));
    post(DiscordRig.part(2, "more", "private:3000"));
    assertThat(rig.bodies("PATCH " + ORIGINAL).getFirst()).containsEntry("flags", 4L);
    assertThat(rig.bodies(FOLLOW_UP).getFirst()).containsEntry("flags", 64L + 4L);
    assertThat(rig.asked(POST)).isEmpty();
    assertThat(find(DiscordRig.part(2, "more", "private:3000")))
        .isInstanceOf(FindOutcome.Failed.class);
  }

  @Test
  void afterItsTimeWhatIsForOnePersonAloneIsNotPostedForAll() throws Exception {
    privateCommand();
    rig.context().advance(Duration.ofMinutes(15));
    rig.context().job("discord-drafts").run();
    assertThat(rig.asked("DELETE " + ORIGINAL)).hasSize(1);
    rig.context().job("discord-drafts").run();
    assertThat(rig.asked("DELETE " + ORIGINAL)).as("once").hasSize(1);
    rig.start();
    Failure told = refused(first("r1.1", "hi", "private:3000"));
    assertThat(told.code()).isEqualTo(FailureCode.INVALID_REQUEST);
    assertThat(told.message()).contains("one person alone", "ask again");
    assertThat(refused(DiscordRig.part(2, "more", "private:3000")).isPassing()).isFalse();
    rig.context().advance(Duration.ofHours(25));
    rig.context().job("discord-drafts").run();
    assertThat(refused(first("r1.1", "hi", "private:3000")).isPassing()).isFalse();
    assertThat(find(first("r1.1", "hi", "private:3000"))).isInstanceOf(FindOutcome.Failed.class);
    assertThat(rig.asked(POST)).isEmpty();
  }

  @Test
  void whatIsForOnePersonAloneIsNotPostedForAllWhenItsInteractionIsGone() throws Exception {
    privateCommand();
    post(first("r1.1", "hi", "private:3000"));
    rig.always(FOLLOW_UP, DiscordRig.error(404, 10015));
    assertThat(refused(DiscordRig.part(2, "more", "private:3000")).message())
        .contains("one person alone");
    rig.always("PATCH " + ORIGINAL, DiscordRig.error(401, 50027));
    assertThat(refused(first("r1.1", "hi", "private:3000")).message()).contains("one person alone");
    assertThat(rig.asked(POST)).isEmpty();
  }

  @Test
  void nothingOfAPrivateAnswerIsShownBeforeItIsWhole() throws Exception {
    privateCommand();
    rig.channel().showTyping("main", "50");
    assertThat(rig.asked("POST /channels/50/typing")).as("that tells nothing").hasSize(1);
    Choice yes = new Choice("Approve", "abcdefghijklmnopqrst_-", true);
    OutboundReply question =
        new OutboundReply(
            "q.p.1", "e1", "main", "50", "private:3000", "?", 1, 1, false, List.of(), List.of(yes));
    assertThat(post(question)).isInstanceOf(PostOutcome.Sent.class);
    draft("secret");
    rig.start(); // what the run knew of the event is gone
    draft("secret");
    rig.context().advance(Duration.ofMinutes(15));
    rig.context().job("discord-drafts").run();
    draft("secret");
    assertThat(rig.asked(POST)).isEmpty();
    rig.context().advance(Duration.ofHours(24));
    rig.context().job("discord-drafts").run();
    draft("of another event, a day later");
    assertThat(rig.asked(POST)).hasSize(1);
  }

  @Test
  void afterThePrivateAnswerDraftsOfOthersAreShownAgain() throws Exception {
    privateCommand();
    draft("secret");
    post(first("r1.1", "hi", "private:3000"));
    draft("secret");
    assertThat(rig.asked(POST)).isEmpty();
    rig.channel().showDraft(new Draft("main", "50", "e2", "for all", ""));
    assertThat(rig.asked(POST)).hasSize(1);
  }

  @Test
  void afterAQuestionInItsPlaceACommandGetsNoDraft() throws Exception {
    command();
    post(first("q.p.1", "May I?", "interaction:3000"));
    draft("The answer");
    assertThat(rig.asked(POST)).isEmpty();
  }

  @Test
  void aCommandWithoutAnAnswerDoesNotThinkForEver() throws Exception {
    command();
    rig.context().job("discord-drafts").run();
    assertThat(rig.asked("DELETE " + ORIGINAL)).isEmpty();
    rig.context().advance(Duration.ofMinutes(14));
    rig.context().job("discord-drafts").run();
    assertThat(rig.asked("DELETE " + ORIGINAL)).hasSize(1);
  }

  @Test
  void anAnswerOfACommandIsNeverTakenAway() throws Exception {
    command();
    rig.always("PATCH " + ORIGINAL, Said.nothing());
    assertThat(post(ANSWER)).isInstanceOf(PostOutcome.Unknown.class);
    command(); // a replay of the request
    rig.context().advance(Duration.ofMinutes(15));
    rig.context().job("discord-drafts").run();
    assertThat(rig.asked("DELETE " + ORIGINAL)).isEmpty();
  }

  @Test
  void anAnswerOfACommandIsFoundWhereItStands() throws Exception {
    command();
    rig.says("GET " + ORIGINAL, "{\"id\":\"9\",\"flags\":128,\"content\":\"\"}");
    assertThat(find(ANSWER)).isInstanceOf(FindOutcome.Absent.class);
    rig.says("GET " + ORIGINAL, "{\"id\":\"9\",\"flags\":0,\"content\":\"hi\"}");
    assertThat(find(ANSWER)).isEqualTo(new FindOutcome.Found("9"));
  }

  private static String own(String id, String content, String refers) {
    return "{\"id\":\"%s\",\"content\":\"%s\",\"author\":{\"id\":\"900\"}%s}"
        .formatted(
            id,
            content,
            refers.isEmpty() ? "" : ",\"message_reference\":{\"message_id\":\"" + refers + "\"}");
  }

  @Test
  void aLostReplyIsKnownByItsTextAndWhatItAnswers() throws Exception {
    rig.says(HISTORY, "[" + own("2003", "hi", "1999") + "," + own("2004", "hi there", "") + "]");
    assertThat(find(DiscordRig.reply("hi"))).isInstanceOf(FindOutcome.Absent.class);
    assertThat(rig.asked(HISTORY).getFirst().path()).contains("after=2000");
    rig.says(HISTORY, "[" + own("2003", "hi", "2000") + "]");
    assertThat(find(DiscordRig.reply(" hi\n"))).isEqualTo(new FindOutcome.Found("2003"));
    rig.says(HISTORY, "[" + own("2003", "hi", "").replace("900", "8") + "]");
    assertThat(find(DiscordRig.reply("hi"))).isInstanceOf(FindOutcome.Absent.class);
  }

  @Test
  void theSameTextOfAnotherReplyIsNotTheLostOne() throws Exception {
    rig.next(POST, DiscordRig.stored("50", "2003"), Said.nothing());
    OutboundReply other =
        new OutboundReply("r0.1", "e0", "main", "50", "50:1999", "Done.", 1, 1, false);
    post(other);
    post(DiscordRig.reply("Done."));
    rig.says(HISTORY, "[" + own("2003", "Done.", "") + "]");
    assertThat(find(DiscordRig.reply("Done."))).isInstanceOf(FindOutcome.Absent.class);
    assertThat(find(other)).isEqualTo(new FindOutcome.Found("2003"));
  }

  @Test
  void moreThanCanBeLookedThroughSaysNothing() throws Exception {
    String page = "[" + String.join(",", Collections.nCopies(100, own("2001", "x", ""))) + "]";
    rig.says(HISTORY, page);
    assertThat(find(DiscordRig.reply("hi"))).isInstanceOf(FindOutcome.Failed.class);
    rig.always(HISTORY, DiscordRig.error(403, 50013));
    assertThat(find(DiscordRig.reply("hi"))).isInstanceOf(FindOutcome.Failed.class);
  }

  @Test
  void aDraftIsEditedAtThePaceOfDiscordAndBecomesTheReply() throws Exception {
    draft("The answer");
    assertThat(rig.bodies(POST).getFirst())
        .containsEntry("content", "The answer\n-# reading <a\\>")
        .containsEntry("allowed_mentions", Map.of("parse", List.of()));
    draft("The answer is");
    rig.channel().showDraft(new Draft("main", "50", "e1", "The answer is 4", ""));
    rig.channel().showDraft(new Draft("main", "50", "e1", "The answer is 42", ""));
    assertThat(rig.asked("PATCH /channels/50/messages/1001")).hasSize(2);
    assertThat(post(DiscordRig.reply("The answer is 42."))).isEqualTo(new PostOutcome.Sent("1001"));
    assertThat(rig.bodies("PATCH /channels/50/messages/1001").getLast())
        .containsEntry("content", "The answer is 42.");
    rig.context().advance(Duration.ofSeconds(2));
    draft("too late");
    assertThat(rig.asked(POST)).hasSize(1);
  }

  @Test
  void aDraftThatSomebodyDeletedIsReplacedByANewPost() throws Exception {
    draft("The answer");
    rig.always("PATCH /channels/50/messages/1001", DiscordRig.error(404, 10008));
    assertThat(post(DiscordRig.reply("42"))).isEqualTo(new PostOutcome.Sent("1002"));
  }

  @ParameterizedTest
  @CsvSource({"500,0", "502,0", "403,50013", "400,50035"})
  void aDraftThatMayStandThereOrWasRefusedIsNotBegunAgain(int status, long code) throws Exception {
    rig.next(POST, DiscordRig.error(status, code));
    try {
      draft("The");
    } catch (CallFailedException e) {
      assertThat(e.failure().isPassing()).isTrue();
    }
    rig.context().advance(Duration.ofSeconds(2));
    draft("The answer");
    assertThat(rig.asked(POST)).hasSize(1);
  }

  @Test
  void aDraftThatSurelyDoesNotStandThereIsBegunAgain() throws Exception {
    rig.next(POST, Said.json(429, "{\"retry_after\":1}"));
    draft("The");
    draft("The answer");
    assertThat(rig.asked(POST)).hasSize(2);
  }

  @Test
  void inAClosedThreadTheReplyIsANewPost() throws Exception {
    draft("The answer");
    rig.always("PATCH /channels/50/messages/1001", DiscordRig.error(400, 50083));
    assertThat(post(DiscordRig.reply("42"))).isEqualTo(new PostOutcome.Sent("1002"));
    assertThat(rig.asked("DELETE /channels/50/messages/1001")).hasSize(1);
  }

  @Test
  void aDraftInWhichTheReplySurelyDoesNotStandIsTakenAway() throws Exception {
    draft("The answer");
    rig.always("PATCH /channels/50/messages/1001", DiscordRig.error(403, 50013));
    assertThat(refused(DiscordRig.reply("42")).code()).isEqualTo(FailureCode.INVALID_REQUEST);
    rig.context().advance(Duration.ofMinutes(6));
    rig.context().job("discord-drafts").run();
    assertThat(rig.asked("DELETE /channels/50/messages/1001")).hasSize(1);
  }

  @Test
  void aDraftThatHoldsAnEarlierTryIsNotTakenAwayWhenALaterOneIsRefused() throws Exception {
    draft("The answer");
    String edit = "PATCH /channels/50/messages/1001";
    rig.next(edit, Said.nothing(), DiscordRig.error(403, 50013));
    assertThat(post(DiscordRig.reply("42"))).isInstanceOf(PostOutcome.Unknown.class);
    OutboundReply again =
        new OutboundReply("r1.1", "e1", "main", "50", "50:2000", "42", 1, 1, true);
    assertThat(post(again)).isInstanceOf(PostOutcome.NotDelivered.class);
    rig.context().advance(Duration.ofMinutes(6));
    rig.context().job("discord-drafts").run();
    assertThat(rig.asked("DELETE /channels/50/messages/1001")).isEmpty();
  }

  @Test
  void aDraftThatMayHoldTheReplyIsNeverTakenAway() throws Exception {
    draft("The answer");
    rig.next("PATCH /channels/50/messages/1001", Said.nothing());
    assertThat(post(DiscordRig.reply("42"))).isInstanceOf(PostOutcome.Unknown.class);
    rig.context().advance(Duration.ofHours(25));
    rig.context().job("discord-drafts").run();
    assertThat(rig.calls()).noneMatch(call -> call.startsWith("DELETE"));
  }

  @Test
  void aDraftWithoutAReplyIsTakenAwayAlsoAfterARestart() throws Exception {
    draft("The answer");
    rig.start();
    rig.context().advance(Duration.ofMinutes(6));
    rig.context().job("discord-drafts").run();
    assertThat(rig.asked("DELETE /channels/50/messages/1001")).hasSize(1);
  }

  @Test
  void whereAFirstAnswerThinksNothingElseIsShown() throws Exception {
    command();
    draft("The answer");
    rig.channel().showTyping("main", "50");
    assertThat(rig.calls()).isEmpty();
    post(ANSWER);
    rig.channel().showTyping("main", "50");
    List<Asked> typing = rig.asked("POST /channels/50/typing");
    assertThat(typing).extracting(Asked::body).as("it takes none").containsExactly("");
    assertThat(typing.getFirst().headers())
        .containsEntry("content-length", "0")
        .doesNotContainKey("content-type");
  }

  @Test
  void aRateLimitOfDraftsHoldsUpDraftsAlone() throws Exception {
    draft("The");
    rig.next("PATCH /channels/50/messages/1001", Said.json(429, "{\"retry_after\":1.9}"));
    draft("The answer");
    assertThat(post(DiscordRig.reply("42"))).isInstanceOf(PostOutcome.Sent.class);
  }

  @Test
  void buttonsCarryTheTokenAloneAndGoWhenItIsSettled() throws Exception {
    Choice yes = new Choice("Approve", "abcdefghijklmnopqrst_-", true);
    Choice no = new Choice("Deny", "abcdefghijklmnopqrst_2", false);
    post(DiscordRig.reply("50", "May I?", "50:2000", List.of(), List.of(yes, no)));
    assertThat(JsonText.write(JsonText.maps(rig.bodies(POST).getFirst(), "components")))
        .contains("\"custom_id\":\"abcdefghijklmnopqrst_-\"", "\"label\":\"Deny\"");
    rig.channel().settle(new SettledPost("main", "50", "1001", "Approved by Ann."));
    assertThat(rig.bodies("PATCH /channels/50/messages/1001").getFirst())
        .containsEntry("content", "Approved by Ann.")
        .containsEntry("components", List.of());
    rig.always("PATCH /channels/50/messages/1001", DiscordRig.error(404, 10008));
    rig.channel().settle(new SettledPost("main", "50", "1001", "gone"));
    rig.always("PATCH /channels/50/messages/1001", DiscordRig.error(500, 0));
    assertThatThrownBy(() -> rig.channel().settle(new SettledPost("main", "50", "1001", "x")))
        .isInstanceOf(CallFailedException.class);
  }

  private static OutboundReply question(String id, int part, Choice... choices) {
    return new OutboundReply(
        id,
        "e1",
        "main",
        "50",
        "private:3000",
        "May I?",
        part,
        2,
        false,
        List.of(),
        List.of(choices));
  }

  @Test
  void aQuestionThatOnePersonAloneSeesIsSettledWhereItStandsAfterARestartToo() throws Exception {
    privateCommand();
    Choice yes = new Choice("Approve", "abcdefghijklmnopqrst_-", true);
    rig.next("PATCH " + ORIGINAL, Said.json(200, "{\"id\":\"7001\",\"channel_id\":\"50\"}"));
    rig.next(FOLLOW_UP, Said.json(200, "{\"id\":\"7002\",\"channel_id\":\"50\"}"));
    assertThat(post(question("q1.p.1", 1, yes))).isEqualTo(new PostOutcome.Sent("7001"));
    assertThat(post(question("q2.p.1", 2, yes))).isEqualTo(new PostOutcome.Sent("7002"));
    post(DiscordRig.part(2, "the answer", "private:3000"));
    rig.start();
    rig.channel().settle(new SettledPost("main", "50", "7001", "Approved by Ann."));
    rig.channel().settle(new SettledPost("main", "50", "7002", "Denied by Ann."));
    assertThat(rig.bodies("PATCH " + ORIGINAL).getLast())
        .containsEntry("content", "Approved by Ann.")
        .containsEntry("components", List.of());
    String followUp = "PATCH /webhooks/901/tok_3000/messages/7002";
    assertThat(rig.bodies(followUp).getLast())
        .containsEntry("content", "Denied by Ann.")
        .containsEntry("components", List.of());
    rig.always(followUp, DiscordRig.error(401, 50027));
    rig.channel().settle(new SettledPost("main", "50", "7002", "its token is over"));
    rig.always(followUp, DiscordRig.error(500, 0));
    assertThatThrownBy(() -> rig.channel().settle(new SettledPost("main", "50", "7002", "x")))
        .isInstanceOf(CallFailedException.class);
    rig.context().advance(Duration.ofMinutes(15));
    rig.always("PATCH /channels/50/messages/7002", DiscordRig.error(404, 10008));
    rig.channel().settle(new SettledPost("main", "50", "7002", "too late"));
    assertThat(rig.asked(followUp)).hasSize(3);
  }

  @Test
  void filesGoWithTheirPostAndWhatIsTooLargeIsTold() throws Exception {
    Path file = Files.writeString(folder.resolve("f"), "content of it");
    StoredFile stored = new StoredFile("plan \"1\".txt", "text/plain", file, 13);
    OutboundReply reply = DiscordRig.reply("50", "here", "50:2000", List.of(stored), List.of());
    assertThat(post(reply)).isInstanceOf(PostOutcome.Sent.class);
    assertThat(rig.asked(POST).getFirst().body())
        .contains("name=\"payload_json\"", "name=\"files[0]\"", "content of it", "\"nonce\"");
    rig.next(POST, DiscordRig.error(413, 40005));
    assertThat(post(reply)).isInstanceOf(PostOutcome.Sent.class);
    assertThat(JsonText.object(rig.asked(POST).getLast().body()))
        .doesNotContainKey("attachments")
        .extractingByKey("content")
        .asString()
        .startsWith("here\n")
        .contains("could not be attached");
    Files.delete(file);
    assertThat(refused(reply).message()).contains("cannot be read");
  }
}
