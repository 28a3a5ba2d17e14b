package dev.holdfast.mattermost;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Attachment;
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
import dev.holdfast.kit.testing.HttpDouble.Said;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MattermostPostsTest {
  @TempDir private Path folder;
  private MattermostRig rig;

  @BeforeEach
  void start() {
    rig = MattermostRig.in(folder);
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private PostOutcome post(OutboundReply reply) throws InterruptedException {
    return rig.channel().post(reply);
  }

  private static Failure failure(PostOutcome outcome) {
    return switch (outcome) {
      case PostOutcome.NotDelivered(Failure failure) -> failure;
      case PostOutcome.Unknown(Failure failure) -> failure;
      case PostOutcome.Sent _ -> throw new AssertionError(outcome);
    };
  }

  private void draft(String thread) throws Exception {
    rig.channel().showDraft(MattermostRig.draft(thread, "so far", ""));
  }

  @Test
  void aReplyIsPostedInItsThreadWithItsId() throws Exception {
    assertThat(post(MattermostRig.reply("chan:root1", "# hello **you**")))
        .isEqualTo(new PostOutcome.Sent("post101"));
    assertThat(rig.bodies("POST /posts"))
        .containsExactly(
            Map.of(
                "channel_id", "chan",
                "root_id", "root1",
                "message", "# hello **you**",
                "pending_post_id", MattermostRig.BOT + ":r1.1",
                "props", Map.of("holdfast_reply", "r1.1")));
  }

  @Test
  void aReplyOutsideOfThreadsNamesNone() throws Exception {
    post(MattermostRig.reply("chan", "hello"));
    assertThat(rig.bodies("POST /posts").getFirst()).doesNotContainKey("root_id");
  }

  @Test
  void aReplyCallsNobodyButThoseWhomItNames() throws Exception {
    post(MattermostRig.reply("chan", "@all @Channel, (@here) @ann @allison @here2 x@all.org"));
    assertThat(rig.bodies("POST /posts").getFirst())
        .containsEntry("message", "＠all ＠Channel, (＠here) @ann @allison @here2 x＠all.org");
  }

  @ParameterizedTest
  @ValueSource(strings = {"@all_", "_@all_", "__@Channel__", "@here_", "@HERE_now"})
  void underscoresAroundACallOfEverybodyDoNotHideIt(String text) {
    assertThat(PostBody.callsEverybody(text)).isTrue();
    assertThat(PostBody.text(text)).isEqualTo(text.replace('@', '＠'));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "```\n@all @here\n```",
        "```json\n{\"a\": \"@all @here\"}\n```\nDone.",
        "May I?\n\nExact call: send\n````\n```\n@all\n```\n  ```\n````\n",
        "one\r\n~~~~ text\r\n@all\r\n~~~\r\n@here\r\n~~~~\r\n",
        "```\n@all\n```\n~~~\n@here\n~~~",
        "May I do this? echo ```\nExact call: shell\n````\necho ``` @all\n````"
      })
  void codeIsPostedExactly(String text) throws Exception {
    post(MattermostRig.reply("chan", text));
    assertThat(rig.bodies("POST /posts").getFirst()).containsEntry("message", text.strip());
  }

  /** Each is text to Mattermost, or might be. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "```\n@all",
        "```\n@all\n",
        "``\n@all\n``",
        "    ```\n@all\n```",
        "   ```\n```\n@all\n```",
        "- ```\n```\n@all\n```",
        "12) > * ```\n```\n@all\n```",
        "> ~~~\n```\n@all\n```",
        "```\n   ```\n```\n@all\n```",
        "```\n```\t\n```\n@all\n```",
        "```\n``` ```\n```\n@all\n```",
        "```\n\u00a0```\n```\n@all\n```",
        "``` a`b\n@all\n```",
        "```\r```\r@all\r```",
        "````\n```\n@all\n```",
        "```\nx\n````\n@all\n```",
        "~~~\nx\n~~~\n@all",
        "```x``` @all\n```\n@all\n```"
      })
  void noFenceIsAWayToCallEverybody(String text) throws Exception {
    post(MattermostRig.reply("chan", text));
    assertThat(JsonText.text(rig.bodies("POST /posts").getFirst(), "message"))
        .contains("＠all")
        .doesNotContain("@all");
  }

  @Test
  void besidesCodeEverybodyStaysUncalled() throws Exception {
    post(MattermostRig.reply("chan", "@all\n``` @here\n@all\n```\n@channel"));
    assertThat(rig.bodies("POST /posts").getFirst())
        .containsEntry("message", "＠all\n``` ＠here\n@all\n```\n＠channel");
    rig.channel().settle(new SettledPost("main", "chan", "post101", "Approved.\n```\n@all\n```"));
    assertThat(rig.bodies("PUT /posts/*/patch").getFirst())
        .containsEntry("message", "Approved.\n```\n@all\n```");
  }

  @Test
  void aLongTextOfFencesTakesLinearTime() {
    String text = "```\n~~~\n".repeat(100_000) + "@all";
    assertThat(PostBody.text(text)).endsWith("＠all");
  }

  @Test
  void aNameOfAFileCallsNobody() throws Exception {
    rig.always("POST /files", MattermostRig.error(413, "api.file.upload_file.too_large"));
    post(MattermostRig.reply("chan", "look", List.of(file("@all .txt", "x")), List.of()));
    assertThat(JsonText.text(rig.bodies("POST /posts").getFirst(), "message"))
        .contains("The file ＠all .txt could");
  }

  @ParameterizedTest
  @CsvSource({
    "400, INVALID_REQUEST, true",
    "401, AUTH, true",
    "403, INVALID_REQUEST, true",
    "404, INVALID_REQUEST, true",
    "413, INVALID_REQUEST, true",
    "429, RATE_LIMITED, true",
    "500, BACKEND_FAILURE, false",
    "502, BACKEND_FAILURE, false",
    "503, OVERLOADED, true",
    "504, BACKEND_FAILURE, false"
  })
  void aFailureIsKnownOrNot(int status, FailureCode code, boolean isSure) throws Exception {
    rig.always("POST /posts", MattermostRig.error(status, "app.some.error"));
    PostOutcome outcome = post(MattermostRig.reply("chan", "hello"));
    assertThat(outcome)
        .isInstanceOf(isSure ? PostOutcome.NotDelivered.class : PostOutcome.Unknown.class);
    assertThat(failure(outcome).code()).isEqualTo(code);
    assertThat(failure(outcome).message())
        .doesNotContain(MattermostRig.BOT_TOKEN)
        .doesNotContain("nobody reads it");
  }

  @Test
  void aRightThatIsMissingIsNamed() throws Exception {
    rig.always("POST /posts", MattermostRig.error(403, "api.context.permissions.app_error"));
    assertThat(failure(post(MattermostRig.reply("chan", "hello"))).message())
        .contains("does not let the bot do this (api.context.permissions.app_error)");
  }

  @Test
  void aLimitSaysHowLongItLasts() throws Exception {
    rig.always(
        "POST /posts",
        new Said(
            429, Map.of("X-Ratelimit-Limit", "10", "X-Ratelimit-Reset", "3600"), "limit exceeded"));
    assertThat(failure(post(MattermostRig.reply("chan", "hello"))).retryAfter())
        .isEqualTo(Duration.ofHours(1));
  }

  @Test
  void aPostThatIsStillBeingStoredMayArrive() throws Exception {
    rig.always("POST /posts", MattermostRig.error(500, "api.post.deduplicate_create_post.pending"));
    assertThat(post(MattermostRig.reply("chan", "hello"))).isInstanceOf(PostOutcome.Unknown.class);
  }

  @Test
  void aPageOfAProxyIsNoAnswerOfMattermost() throws Exception {
    rig.always("POST /posts", new Said(200, Map.of(), "<html>"));
    assertThat(post(MattermostRig.reply("chan", "hello"))).isInstanceOf(PostOutcome.Unknown.class);
    rig.always("POST /posts", Said.nothing());
    assertThat(post(MattermostRig.reply("chan", "hello"))).isInstanceOf(PostOutcome.Unknown.class);
  }

  @Test
  void aDeletedThreadIsNamed() throws Exception {
    rig.always("POST /posts", MattermostRig.error(400, "api.post.create_post.root_id.app_error"));
    assertThat(failure(post(MattermostRig.reply("chan:root1", "hello"))).message())
        .contains("the thread was deleted");
  }

  @Test
  void aReplyTakesThePlaceOfItsDraftAlsoAfterARestart() throws Exception {
    draft("chan:root1");
    rig.start();
    assertThat(post(MattermostRig.reply("chan:root1", "done")))
        .isEqualTo(new PostOutcome.Sent("post101"));
    assertThat(rig.bodies("PUT /posts/*/patch"))
        .containsExactly(
            Map.of(
                "message", "done", "props", Map.of("holdfast_reply", "r1.1", "from_bot", "true")));
    assertThat(rig.asked("POST /posts")).hasSize(1);
  }

  @Test
  void aDraftThatIsGoneIsNoPlaceForAReply() throws Exception {
    draft("chan:root1");
    rig.next("PUT /posts/*/patch", MattermostRig.error(404, "app.post.get.app_error"));
    assertThat(post(MattermostRig.reply("chan:root1", "done")))
        .isEqualTo(new PostOutcome.Sent("post102"));
    assertThat(rig.asked("DELETE /posts/*")).hasSize(1);
  }

  @Test
  void anEditWhoseAnswerIsLostIsMadeAgain() throws Exception {
    draft("chan:root1");
    rig.next("PUT /posts/*/patch", Said.nothing());
    assertThat(post(MattermostRig.reply("chan:root1", "done")))
        .isInstanceOf(PostOutcome.Unknown.class);
    assertThat(post(MattermostRig.reply("chan:root1", "done")))
        .isEqualTo(new PostOutcome.Sent("post101"));
    assertThat(rig.asked("POST /posts")).hasSize(1);
    assertThat(rig.asked("DELETE /posts/*")).isEmpty();
  }

  @Test
  void whatIsNotMattermostsAnswerLeavesItInDoubtWhetherADraftBecameTheReply() throws Exception {
    draft("chan:root1");
    rig.next(
        "PUT /posts/*/patch",
        new Said(200, Map.of(), "<html>"),
        Said.json(200, "{}"),
        new Said(204, Map.of(), ""),
        Said.json(200, "{\"id\":\"post999\"}"));
    for (int tries = 1; tries <= 4; tries++) {
      assertThat(post(MattermostRig.reply("chan:root1", "done")))
          .isInstanceOf(PostOutcome.Unknown.class);
    }
    assertThat(post(MattermostRig.reply("chan:root1", "done")))
        .isEqualTo(new PostOutcome.Sent("post101"));
    assertThat(rig.asked("POST /posts")).hasSize(1);
  }

  @Test
  void whatIsNoHistoryDoesNotSayThatAReplyIsAbsent() throws Exception {
    rig.always("GET /channels/*/posts", Said.json(200, "{}"));
    assertThat(rig.channel().find(MattermostRig.reply("chan", "hello")))
        .isInstanceOf(FindOutcome.Failed.class);
  }

  @Test
  void aLaterPartIsAPostOfItsOwn() throws Exception {
    draft("chan");
    OutboundReply second =
        new OutboundReply("r1.2", "e1", "main", "chan", "asked1", "more", 2, 2, false);
    assertThat(post(second)).isEqualTo(new PostOutcome.Sent("post102"));
    assertThat(rig.asked("PUT /posts/*/patch")).isEmpty();
  }

  private StoredFile file(String name, String text) throws Exception {
    Path path = Files.writeString(folder.resolve("f" + text.hashCode()), text);
    return new StoredFile(name, "text/plain", path, text.length());
  }

  @Test
  void filesGoWithTheirPostAndTheDraftGoes() throws Exception {
    draft("chan");
    rig.next("POST /files", MattermostRig.ok(Map.of("file_infos", List.of(Map.of("id", "f1")))));
    post(MattermostRig.reply("chan", "", List.of(file("a.txt", "content")), List.of()));
    assertThat(rig.asked("POST /files").getFirst().body())
        .contains("name=\"channel_id\"\r\n\r\nchan\r\n")
        .contains("filename=\"a.txt\"")
        .contains("content");
    assertThat(rig.bodies("POST /posts").getLast())
        .containsEntry("file_ids", List.of("f1"))
        .containsEntry("message", "");
    assertThat(rig.asked("DELETE /posts/*")).hasSize(1);
  }

  @Test
  void aFileThatMattermostRefusesIsNamedInTheAnswer() throws Exception {
    rig.always("POST /files", MattermostRig.error(413, "api.file.upload_file.too_large"));
    post(MattermostRig.reply("chan", "look", List.of(file("a.txt", "x")), List.of()));
    assertThat(JsonText.text(rig.bodies("POST /posts").getFirst(), "message"))
        .isEqualTo(
            "look\n\n[The file a.txt could not be attached: Mattermost takes nothing of this"
                + " size.]");
  }

  @Test
  void anUploadThatFailsForNowPostsNothing() throws Exception {
    rig.always("POST /files", Said.json(500, "{}"));
    PostOutcome outcome =
        post(MattermostRig.reply("chan", "look", List.of(file("a.txt", "x")), List.of()));
    assertThat(outcome).isInstanceOf(PostOutcome.NotDelivered.class);
    assertThat(rig.asked("POST /posts")).isEmpty();
  }

  @Test
  void moreThanTenFilesAreNamed() throws Exception {
    rig.always("POST /files", MattermostRig.ok(Map.of("file_infos", List.of(Map.of("id", "f1")))));
    List<StoredFile> files = Collections.nCopies(11, file("a.txt", "x"));
    post(MattermostRig.reply("chan", "look", files, List.of()));
    assertThat(rig.asked("POST /files")).hasSize(10);
    assertThat(JsonText.text(rig.bodies("POST /posts").getFirst(), "message")).contains("a.txt");
  }

  @Test
  void aFileIsFetchedWithTheTokenFromMattermostAlone() throws Exception {
    rig.next("GET /files/*", new Said(200, Map.of(), "content"));
    Attachment file = new Attachment("a.txt", "", "mattermost-file:f1", -1);
    assertThat(rig.channel().fetch("main", file, 100)).asString().isEqualTo("content");
    assertThat(rig.asked("GET /files/*").getFirst().headers())
        .containsEntry("authorization", "Bearer " + MattermostRig.BOT_TOKEN);
    for (String url : List.of("mattermost-file:../users/me", "https://evil.example", "")) {
      Attachment other = new Attachment("a.txt", "", url, -1);
      Assertions.assertThatThrownBy(() -> rig.channel().fetch("main", other, 100))
          .isInstanceOf(CallFailedException.class);
    }
    assertThat(rig.asked("GET /files/*")).hasSize(1);
  }

  @Test
  void aFileThatWasCutIsNotTakenForWhole() {
    rig.next("GET /files/*", new Said(200, Map.of(), "conte"));
    Attachment file = new Attachment("a.txt", "", "mattermost-file:f1", 7);
    Assertions.assertThatThrownBy(() -> rig.channel().fetch("main", file, 100))
        .hasMessageContaining("only 5 of its 7 bytes");
  }

  @Test
  void aFileThatIsTooLargeIsNotFetched() {
    Attachment file = new Attachment("a.txt", "", "mattermost-file:f1", 101);
    Assertions.assertThatThrownBy(() -> rig.channel().fetch("main", file, 100))
        .isInstanceOfSatisfying(
            CallFailedException.class,
            e -> assertThat(e.failure().code()).isEqualTo(FailureCode.INVALID_REQUEST));
    assertThat(rig.calls()).isEmpty();
  }

  private Map<String, Object> own(String id, long at, String reply) {
    Map<String, Object> post = MattermostRig.post(id, "chan", "echo");
    post.put("user_id", MattermostRig.BOT);
    post.put("create_at", at);
    post.put("props", Map.of("holdfast_reply", reply));
    return post;
  }

  private Map<String, Object> anns(String id, long at, Map<String, Object> props) {
    Map<String, Object> post = MattermostRig.post(id, "chan", "hello");
    post.put("create_at", at);
    post.put("props", props);
    return post;
  }

  @Test
  void aReplyIsFoundByItsIdAndByItsAuthor() throws Exception {
    OutboundReply reply = MattermostRig.reply("chan:root1", "done");
    rig.put(anns("asked1", 500, Map.of()));
    rig.put(own("p1", 540, "r0.1"));
    rig.put(own("p2", 550, "r1.1"));
    rig.put(anns("p3", 600, Map.of("holdfast_reply", "r1.1"))); // a person can write it too
    assertThat(rig.channel().find(reply)).isEqualTo(new FindOutcome.Found("p2"));
  }

  @Test
  void aReplyThatIsFoundHasNoDraftAnyMore() throws Exception {
    draft("chan");
    rig.next("PUT /posts/*/patch", Said.nothing());
    OutboundReply reply = MattermostRig.reply("chan", "done");
    assertThat(post(reply)).isInstanceOf(PostOutcome.Unknown.class);
    rig.put(anns("asked1", 500, Map.of()));
    rig.put(own("p2", 550, "r1.1"));
    assertThat(rig.channel().find(reply)).isEqualTo(new FindOutcome.Found("p2"));
    assertThat(Files.readString(folder.resolve("drafts.json"))).doesNotContain("post101");
  }

  @Test
  void aReplyThatIsNotThereIsAbsent() throws Exception {
    OutboundReply reply = MattermostRig.reply("chan:root1", "done");
    rig.put(own("p0", 300, "r1.1"));
    rig.put(anns("p1", 400, Map.of())); // older than the question: nothing below it is it
    rig.put(anns("asked1", 500, Map.of()));
    rig.put(own("p2", 550, "r0.1"));
    assertThat(rig.channel().find(reply)).isEqualTo(new FindOutcome.Absent());
    assertThat(rig.asked("GET /channels/*/posts")).hasSize(1);
  }

  @Test
  void whatCannotBeLookedThroughIsNotSure() throws Exception {
    OutboundReply reply = MattermostRig.reply("chan", "done");
    rig.put(anns("asked1", 500, Map.of()));
    for (int i = 0; i < 10 * HistoryPage.SIZE; i++) {
      rig.put(anns("n" + i, 600, Map.of()));
    }
    assertThat(((FindOutcome.Failed) rig.channel().find(reply)).failure().kind())
        .isEqualTo(FailureKind.INVALID);
    rig.always("GET /channels/*/posts", Said.json(503, "{}"));
    assertThat(((FindOutcome.Failed) rig.channel().find(reply)).failure().isPassing()).isTrue();
  }

  @Test
  void aQuestionHasButtonsAndTakesThePlaceOfNoDraft() throws Exception {
    rig.close();
    rig = MattermostRig.withButtons(folder);
    assertThat(rig.channel().showsChoices()).isTrue();
    draft("chan");
    List<Choice> choices =
        List.of(new Choice("Approve", "tok1", true), new Choice("Deny", "tok2", false));
    post(MattermostRig.reply("chan", "May I?", List.of(), choices));
    Map<String, Object> props = JsonText.map(rig.bodies("POST /posts").getLast(), "props");
    List<Map<String, Object>> actions =
        JsonText.maps(JsonText.maps(props, "attachments").getFirst(), "actions");
    assertThat(actions).extracting(each -> each.get("name")).containsExactly("Approve", "Deny");
    assertThat(actions).extracting(each -> each.get("style")).containsExactly("primary", "danger");
    assertThat(actions).extracting(each -> each.get("id")).containsExactly("choice0", "choice1");
    rig.channel().settle(new SettledPost("main", "chan", "post102", "May I?\n\nApproved."));
    assertThat(rig.bodies("PUT /posts/*/patch").getLast())
        .isEqualTo(Map.of("message", "May I?\n\nApproved.", "props", Map.of("from_bot", "true")));
  }

  @Test
  void aQuestionThatIsGoneIsSettled() throws Exception {
    rig.always("PUT /posts/*/patch", MattermostRig.error(404, "app.post.get.app_error"));
    rig.channel().settle(new SettledPost("main", "chan", "post102", "Approved."));
    rig.always("PUT /posts/*/patch", Said.json(500, "{}"));
    Assertions.assertThatThrownBy(
            () -> rig.channel().settle(new SettledPost("main", "chan", "post102", "Approved.")))
        .isInstanceOf(CallFailedException.class);
  }

  @Test
  void aPersonsTokenPostsWithoutTheMarkOfABot() throws Exception {
    Map<String, Object> me = new LinkedHashMap<>();
    me.put("id", MattermostRig.BOT);
    me.put("username", "holdfast");
    rig.always("GET /users/me", MattermostRig.ok(me));
    draft("chan");
    post(MattermostRig.reply("chan", "done"));
    assertThat(rig.bodies("PUT /posts/*/patch").getFirst())
        .containsEntry("props", Map.of("holdfast_reply", "r1.1"));
  }
}
