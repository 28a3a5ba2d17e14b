package dev.holdfast.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.FindOutcome;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.StoredFile;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.testing.HttpDouble;
import dev.holdfast.kit.testing.HttpDouble.Said;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GithubPostsTest {
  private static final String POST = "POST /repos/octocat/hello/issues/7/comments";
  private static final String LIST = "GET /repos/octocat/hello/issues/7/comments";
  private static final String MARKER = "<!-- holdfast:r1.1 -->";

  private GithubRig rig;

  @BeforeEach
  void start() {
    rig = GithubRig.poll();
    rig.always(POST, Said.json(201, "{\"id\":77}"));
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private PostOutcome post(OutboundReply reply) throws InterruptedException {
    return rig.channel().post(reply);
  }

  private PostOutcome postWhen(Said said) throws InterruptedException {
    rig.always(POST, said);
    return post(GithubRig.reply("hello"));
  }

  private Failure refused(Said said) throws InterruptedException {
    return ((PostOutcome.NotDelivered) postWhen(said)).failure();
  }

  private String body() {
    return JsonText.text(JsonText.object(rig.asked(POST).getLast().body()), "body");
  }

  private static OutboundReply with(String thread, String text, List<StoredFile> files) {
    return new OutboundReply(
        "r1.1", "e1", "main", thread, "comment:11", text, 1, 1, false, files, List.of());
  }

  @Test
  void aReplyIsACommentThatEndsWithItsId() throws Exception {
    assertThat(post(GithubRig.reply("**hello**"))).isEqualTo(new PostOutcome.Sent("77"));
    assertThat(body()).isEqualTo("**hello**\n\n" + MARKER);
    assertThat(rig.asked(POST).getFirst().headers())
        .containsEntry("authorization", "Bearer " + GithubRig.TOKEN)
        .containsEntry("accept", "application/vnd.github+json")
        .containsEntry("user-agent", "holdfast");
  }

  @Test
  void theLongestReplyFitsWithItsFiles() throws Exception {
    List<StoredFile> files =
        IntStream.range(0, 100)
            .mapToObj(_ -> new StoredFile("n".repeat(5000), "image/png", Path.of("x"), 1))
            .toList();
    String text = "x".repeat(rig.channel().textUnitsMax());
    assertThat(post(with("octocat/hello#7", text, files))).isInstanceOf(PostOutcome.Sent.class);
    assertThat(body()).startsWith(text).hasSizeLessThanOrEqualTo(65_536);
  }

  @Test
  void filesAreNamedInTheText() throws Exception {
    List<StoredFile> files = List.of(new StoredFile("a`b\n.png", "image/png", Path.of("x"), 1));
    assertThat(post(with("octocat/hello#7", "", files))).isInstanceOf(PostOutcome.Sent.class);
    assertThat(body())
        .isEqualTo(
            "(Not sent, because GitHub takes no files from programs: `a_b_.png`)\n\n" + MARKER);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "octocat/hello", "octocat/hello#", "octocat/../x#1", "octocat/hello#7/x"})
  void aConversationThatIsNoIssueIsNeverAskedFor(String thread) throws Exception {
    PostOutcome outcome = post(with(thread, "hello", List.of()));
    assertThat(((PostOutcome.NotDelivered) outcome).failure().kind())
        .isEqualTo(FailureKind.PERMANENT);
  }

  @Test
  void anIdCannotEndItsComment() throws Exception {
    OutboundReply odd =
        new OutboundReply("--> @all\n", "e1", "main", "octocat/hello#7", "", "hello", 1, 1, false);
    assertThat(post(odd)).isInstanceOf(PostOutcome.Sent.class);
    assertThat(body()).isEqualTo("hello\n\n<!-- holdfast:--__@all_ -->".replace("@", "_"));
  }

  @Test
  void aRefusedTokenIsAMatterOfTheAccount() throws Exception {
    Failure failure = refused(GithubRig.refused(401, "Bad credentials"));
    assertThat(failure.code()).isEqualTo(FailureCode.AUTH);
    assertThat(failure.message()).doesNotContain(GithubRig.TOKEN);
  }

  @ParameterizedTest
  @ValueSource(ints = {403, 404, 410, 451})
  void whatIsGoneOrLockedIsPermanentForTheConversation(int status) throws Exception {
    Failure failure = refused(GithubRig.refused(status, "no"));
    assertThat(failure.code()).isEqualTo(FailureCode.INVALID_REQUEST);
    assertThat(failure.kind()).isEqualTo(FailureKind.PERMANENT);
  }

  @Test
  void limitsAreToldFromRefusals() throws Exception {
    Failure primary =
        refused(
            new Said(403, Map.of("x-ratelimit-remaining", "0", "x-ratelimit-reset", "60"), "{}"));
    assertThat(primary.code()).isEqualTo(FailureCode.RATE_LIMITED);
    assertThat(primary.retryAfter()).isEqualTo(Duration.ofMinutes(1));
    Failure asked = refused(new Said(429, Map.of("retry-after", "3600"), "{}"));
    assertThat(asked.code()).isEqualTo(FailureCode.RATE_LIMITED);
    assertThat(asked.retryAfter()).isEqualTo(Duration.ofHours(1));
    String often = "{\"message\":\"You have exceeded a secondary rate limit.\"}";
    assertThat(refused(new Said(403, Map.of("retry-after", "3"), often)).retryAfter())
        .isEqualTo(Duration.ofSeconds(3));
    for (Said said :
        List.of(
            GithubRig.refused(403, "You have exceeded a secondary rate limit."),
            GithubRig.refused(422, "was submitted too quickly"))) {
      Failure secondary = refused(said);
      assertThat(secondary.code()).isEqualTo(FailureCode.RATE_LIMITED);
      assertThat(secondary.retryAfter())
          .as("GitHub asks for a minute")
          .isEqualTo(Duration.ofMinutes(1));
    }
  }

  @Test
  void aRightThatIsMissingIsNamedWithItsStep() throws Exception {
    assertThat(
            refused(GithubRig.refused(403, "Resource not accessible by personal access token"))
                .message())
        .contains("Issues and Pull requests, read and write");
    assertThat(
            refused(GithubRig.refused(403, "Repository was archived so is read-only.")).message())
        .contains("archived");
    assertThat(refused(GithubRig.refused(410, "Issues are disabled for this repo")).message())
        .contains("issues turned off");
    assertThat(refused(GithubRig.refused(404, "Not Found")).message())
        .contains("the token does not reach the repository");
    assertThat(
            refused(GithubRig.refused(403, "Unable to create comment because issue is locked."))
                .message())
        .contains("the conversation is locked (403)");
  }

  @Test
  void aNameInAReplyCallsNobody() throws Exception {
    assertThat(post(GithubRig.reply("thank @alice"))).isInstanceOf(PostOutcome.Sent.class);
    assertThat(body()).startsWith("thank @\u200Balice\n");
  }

  @Test
  void aTextThatGithubDoesNotTakeIsInvalid() throws Exception {
    assertThat(refused(GithubRig.refused(422, "Validation Failed")).kind())
        .isEqualTo(FailureKind.INVALID);
  }

  @Test
  void whatLeavesADoubtIsUnknown() throws Exception {
    for (Said said :
        List.of(
            Said.nothing(),
            GithubRig.refused(500, "x"),
            GithubRig.refused(502, "x"),
            GithubRig.refused(504, "x"),
            new Said(200, Map.of(), "<html>sign in</html>"))) {
      assertThat(postWhen(said)).isInstanceOf(PostOutcome.Unknown.class);
    }
    assertThat(refused(GithubRig.refused(503, "x")).code()).isEqualTo(FailureCode.OVERLOADED);
  }

  @Test
  void aRenamedRepositoryIsFollowedOnce() throws Exception {
    String to = rig.url() + "/api/v3/repositories/500/issues/7/comments";
    rig.always("POST /repositories/500/issues/7/comments", Said.json(201, "{\"id\":78}"));
    assertThat(postWhen(new Said(307, Map.of("location", to), "")))
        .isEqualTo(new PostOutcome.Sent("78"));
    rig.always(
        "POST /repositories/500/issues/7/comments", new Said(307, Map.of("location", to), ""));
    assertThat(post(GithubRig.reply("hello"))).isInstanceOf(PostOutcome.NotDelivered.class);
    assertThat(rig.asked("POST /repositories/500/issues/7/comments")).hasSize(2);
  }

  @Test
  void anotherHostNeverGetsTheToken() throws Exception {
    try (HttpDouble other = new HttpDouble(_ -> Said.json(201, "{\"id\":1}"))) {
      for (String to :
          List.of(other.url() + "/x", other.url().replace("http:", ""), "http://[", "")) {
        assertThat(refused(new Said(301, Map.of("location", to), "")).message())
            .contains("check base_url");
      }
      assertThat(other.asked()).isEmpty();
    }
  }

  private FindOutcome find() throws InterruptedException {
    return rig.channel().find(GithubRig.reply("hello"));
  }

  private static String posted(long user, String body) {
    Map<String, Object> comment = GithubRig.comment(77, body, Instant.EPOCH);
    comment.put("user", GithubRig.user(user, "x"));
    return GithubRig.json(comment);
  }

  @Test
  void aReplyThatArrivedIsFound() throws Exception {
    rig.always(
        "GET /repos/octocat/hello/issues/comments/11",
        Said.json(200, "{\"created_at\":\"2026-11-23T09:00:00Z\"}"));
    Said first =
        new Said(200, Map.of("link", "<x>; rel=\"next\""), "[" + posted(900, "another") + "]");
    rig.next(LIST, first, GithubRig.list(posted(900, "hello\n\n" + MARKER + "\n")));
    assertThat(find()).isEqualTo(new FindOutcome.Found("77"));
    assertThat(rig.asked(LIST).getLast().path()).contains("page=2", "since=2026-11-23T09:00:00Z");
  }

  @Test
  void whatOthersCopiedIsNoReply() throws Exception {
    rig.next(
        LIST,
        GithubRig.list(
            posted(7, "hello\n\n" + MARKER),
            posted(900, MARKER + " quoted"),
            posted(900, "hello\n\n<!-- holdfast:r1.10 -->")));
    assertThat(find()).isInstanceOf(FindOutcome.Absent.class);
  }

  @Test
  void whenTheHistoryCannotBeReadNothingIsSaid() throws Exception {
    rig.next(LIST, GithubRig.refused(502, "x"), new Said(200, Map.of(), "<html>"), Said.nothing());
    for (int i = 0; i < 3; i++) {
      assertThat(find()).isInstanceOf(FindOutcome.Failed.class);
    }
    rig.always(LIST, new Said(200, Map.of("link", "<x>; rel=\"next\""), "[]"));
    assertThat(((FindOutcome.Failed) find()).failure().message()).contains("too much was written");
  }

  @Test
  void whenTheAnsweredCommentCannotBeReadNothingIsSaid() throws Exception {
    String answered = "GET /repos/octocat/hello/issues/comments/11";
    rig.next(answered, GithubRig.refused(502, "x"), GithubRig.refused(403, "rate limit"));
    for (int i = 0; i < 2; i++) {
      assertThat(find()).isInstanceOf(FindOutcome.Failed.class);
    }
    assertThat(rig.asked(LIST)).isEmpty();
    rig.next(answered, GithubRig.refused(410, "x"));
    rig.always(LIST, GithubRig.list());
    assertThat(find()).isInstanceOf(FindOutcome.Absent.class);
  }

  @Test
  void aSearchThatLastsTooLongIsNoAnswer() throws Exception {
    rig.onAnswer(() -> rig.context().advance(Duration.ofSeconds(4)));
    rig.always(LIST, new Said(200, Map.of("link", "<x>; rel=\"next\""), "[]"));
    assertThat(((FindOutcome.Failed) find()).failure().code()).isEqualTo(FailureCode.TIMEOUT);
    assertThat(rig.asked(LIST)).hasSize(1);
  }

  @Test
  void aMentionIsSeenThoughSomebodyElseWroteAfterIt() throws Exception {
    try (GithubRig webhook = GithubRig.webhook()) {
      for (String text : List.of("@holdfast-bot hello", "me too")) {
        long id = text.startsWith("@") ? 11 : 12;
        Map<String, Object> comment = GithubRig.comment(id, text, Instant.EPOCH);
        webhook.always(
            "POST /repos/octocat/hello/issues/comments/" + id + "/reactions",
            Said.json(201, "{\"id\":1}"));
        String body =
            GithubRig.delivery(
                "created", Map.of("issue", Map.of("number", 7L), "comment", comment));
        assertThat(webhook.channel().receive(GithubRig.signed("issue_comment", body))).isNotNull();
      }
      webhook.channel().showTyping("main", "octocat/hello#7");
      assertThat(webhook.asked("POST /repos/octocat/hello/issues/comments/11/reactions"))
          .hasSize(1);
      assertThat(webhook.asked("POST /repos/octocat/hello/issues/comments/12/reactions")).isEmpty();
    }
  }

  @Test
  void aMessageIsSeenOnce() throws Exception {
    rig.channel().showTyping("main", "octocat/hello#7");
    Map<String, Object> comment = GithubRig.comment(11, "hello", Instant.EPOCH);
    try (GithubRig webhook = GithubRig.webhook()) {
      String reactions = "POST /repos/octocat/hello/issues/comments/11/reactions";
      webhook.always(reactions, Said.json(201, "{\"id\":1}"));
      String body =
          GithubRig.delivery("created", Map.of("issue", Map.of("number", 7L), "comment", comment));
      assertThat(webhook.channel().receive(GithubRig.signed("issue_comment", body))).isNotNull();
      for (int i = 0; i < 3; i++) {
        webhook.channel().showTyping("main", "octocat/hello#7");
      }
      assertThat(webhook.asked(reactions))
          .singleElement()
          .satisfies(asked -> assertThat(asked.body()).isEqualTo("{\"content\":\"eyes\"}"));
    }
  }
}
