package dev.holdfast.github;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.kit.StateFile;
import dev.holdfast.kit.testing.FakeConfig;
import dev.holdfast.kit.testing.FakeSink;
import dev.holdfast.kit.testing.HttpDouble.Asked;
import dev.holdfast.kit.testing.HttpDouble.Said;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CommentPollerTest {
  /** By GitHub's clock, which is not this server's. */
  private static final Instant START = Instant.parse("2026-11-23T09:00:00Z");

  private static final Said BEGIN =
      new Said(200, Map.of("date", "Mon, 23 Nov 2026 09:00:00 GMT"), "[]");

  private static final long REVIEW = 77;
  private static final String REVIEW_77 = "GET /repos/octocat/hello/pulls/9/reviews/77";

  private GithubRig rig;

  @BeforeEach
  void start() {
    rig = GithubRig.poll();
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private static String comment(long id, String body, int second) {
    return GithubRig.json(GithubRig.comment(id, body, START.plusSeconds(second)));
  }

  private static Said more(String... items) {
    return new Said(
        200,
        Map.of("link", "<https://api.github.com/x?page=2>; rel=\"next\", <y>; rel=\"last\""),
        "[" + String.join(",", items) + "]");
  }

  /** After a first start, the lists of comments answer so; then the connection breaks. */
  private CallFailedException receive(Said... comments) {
    if (rig.sink().position().isEmpty()) {
      for (String list : List.of(GithubRig.COMMENTS, GithubRig.REVIEWS, GithubRig.ISSUES)) {
        rig.next(list, BEGIN);
      }
    }
    rig.next(GithubRig.COMMENTS, comments);
    rig.next(GithubRig.COMMENTS, Said.nothing());
    return rig.listen();
  }

  private List<String> since() {
    return rig.asked(GithubRig.COMMENTS).stream()
        .map(Asked::path)
        .map(path -> path.replaceFirst(".*since=([^&]*).*", "$1"))
        .toList();
  }

  @Test
  void aFirstStartAnswersNothingOld() {
    rig.next(GithubRig.COMMENTS, new Said(200, BEGIN.headers(), "[" + comment(1, "old", -5) + "]"));
    rig.next(GithubRig.REVIEWS, BEGIN).next(GithubRig.ISSUES, BEGIN);
    rig.next(GithubRig.COMMENTS, GithubRig.list(comment(1, "old", -5), comment(2, "new", 0)));
    rig.next(GithubRig.COMMENTS, Said.nothing());
    CallFailedException broken = rig.listen();
    assertThat(broken.failure().code()).isEqualTo(FailureCode.NETWORK);
    assertThat(rig.sink().texts()).containsExactly("new");
    assertThat(since().get(1)).as("by GitHub's clock").isEqualTo("2026-11-23T08:59:50Z");
  }

  @Test
  void bothWaysMakeTheSameMessage() throws Exception {
    Map<String, Object> comment =
        GithubRig.comment(11, "@holdfast-bot hello", START.plusSeconds(1));
    CallFailedException _ = receive(GithubRig.list(GithubRig.json(comment)));
    InboundMessage polled = rig.sink().messages().getFirst();
    try (GithubRig webhook = GithubRig.webhook()) {
      String body =
          GithubRig.delivery("created", Map.of("issue", Map.of("number", 7L), "comment", comment));
      assertThat(webhook.channel().receive(GithubRig.signed("issue_comment", body)))
          .isEqualTo(new WebhookVerdict.Messages(List.of(polled)));
    }
  }

  @Test
  void issuesPullRequestsAndReviewsAreReadToo() {
    Map<String, Object> review = GithubRig.comment(5, "and here?", START.plusSeconds(2));
    review.remove("issue_url");
    review.put("pull_request_url", "https://api.github.com/repos/octocat/hello/pulls/9");
    rig.next(GithubRig.REVIEWS, BEGIN, GithubRig.list(GithubRig.json(review)));
    rig.next(
        GithubRig.ISSUES,
        BEGIN,
        GithubRig.list(
            GithubRig.json(GithubRig.issue(3, "old one", "x", START.minusSeconds(60))),
            GithubRig.json(GithubRig.issue(8, "Title", "@holdfast-bot?", START.plusSeconds(1)))));
    rig.next(GithubRig.COMMENTS, BEGIN, GithubRig.list(), Said.nothing());
    CallFailedException _ = rig.listen();
    assertThat(rig.sink().messages())
        .extracting(InboundMessage::thread, InboundMessage::dedupeKey)
        .containsExactly(
            tuple("octocat/hello#8", "issue:500#8"), tuple("octocat/hello#9", "review-comment:5"));
  }

  @Test
  void anIssueIsReadBeforeItsComments() {
    rig.next(
        GithubRig.ISSUES,
        BEGIN,
        GithubRig.list(
            GithubRig.json(GithubRig.issue(7, "Title", "@holdfast-bot?", START.plusSeconds(1)))));
    rig.next(GithubRig.REVIEWS, BEGIN);
    rig.next(GithubRig.COMMENTS, BEGIN, GithubRig.list(comment(1, "more", 11)), Said.nothing());
    CallFailedException _ = rig.listen();
    assertThat(rig.sink().messages())
        .extracting(InboundMessage::dedupeKey)
        .containsExactly("issue:500#7", "comment:1");
  }

  @Test
  void whatWasReadDoesNotComeAgainInOneRunOrTheNext() {
    CallFailedException _ =
        receive(
            GithubRig.list(comment(1, "one", 1)),
            GithubRig.list(comment(1, "one", 1), comment(2, "two", 1)));
    assertThat(rig.sink().texts()).containsExactly("one", "two");
    CallFailedException _ =
        receive(GithubRig.list(comment(1, "one", 1), comment(2, "two", 1), comment(3, "three", 9)));
    assertThat(rig.sink().texts()).containsExactly("one", "two", "three");
  }

  @Test
  void whatBecomesVisibleLateIsRead() {
    CallFailedException _ =
        receive(
            GithubRig.list(comment(2, "second", 30)),
            GithubRig.list(comment(1, "first", 25), comment(2, "second", 30)));
    assertThat(rig.sink().texts()).containsExactly("second", "first");
  }

  @Test
  void anOldCommentThatIsEditedIsNotReadAgain() {
    Map<String, Object> edited = GithubRig.comment(1, "edited", START.minusSeconds(3600));
    edited.put("updated_at", START.plusSeconds(5).toString());
    CallFailedException _ = receive(GithubRig.list(GithubRig.json(edited), comment(2, "new", 6)));
    assertThat(rig.sink().texts()).containsExactly("new");
  }

  /** A comment on code, written an hour before the first start, that has just changed. */
  private static String onCode(long id, long review) {
    Map<String, Object> comment = GithubRig.comment(id, "c" + id, START.minusSeconds(3600));
    comment.remove("issue_url");
    comment.put("pull_request_url", "https://api.github.com/repos/octocat/hello/pulls/9");
    comment.put("pull_request_review_id", review);
    comment.put("updated_at", START.plusSeconds(5).toString());
    return GithubRig.json(comment);
  }

  private static Said submitted(Instant at) {
    return Said.json(200, GithubRig.json(Map.of("id", REVIEW, "submitted_at", at.toString())));
  }

  /** After a first start, the list of comments on code answers so; then the connection breaks. */
  private CallFailedException receiveOnCode(Said... comments) {
    rig.next(GithubRig.ISSUES, BEGIN).next(GithubRig.REVIEWS, BEGIN);
    rig.next(GithubRig.REVIEWS, comments).always(GithubRig.REVIEWS, Said.nothing());
    return rig.listen();
  }

  @Test
  void aCommentOfAPendingReviewIsReadWhenTheReviewIsSubmitted() {
    rig.always(REVIEW_77, submitted(START.plusSeconds(5)));
    Said both = GithubRig.list(onCode(1, REVIEW), onCode(2, REVIEW));
    CallFailedException _ = receiveOnCode(GithubRig.list(), both, both);
    assertThat(rig.sink().texts()).containsExactly("c1", "c2");
    assertThat(rig.asked(REVIEW_77)).as("a review is submitted once").hasSize(1);
  }

  @Test
  void aCommentOfASubmittedReviewIsKnownAfterARestart() {
    rig.always(REVIEW_77, submitted(START.plusSeconds(5)));
    CallFailedException _ = receiveOnCode(GithubRig.list(onCode(1, REVIEW)));
    assertThat(rig.sink().texts()).containsExactly("c1");
    try (GithubRig restarted = GithubRig.poll()) {
      restarted.sink().savePosition(rig.sink().position().orElseThrow());
      restarted.next(GithubRig.REVIEWS, GithubRig.list(onCode(1, REVIEW)));
      restarted.always(GithubRig.REVIEWS, Said.nothing());
      CallFailedException _ = restarted.listen();
      assertThat(restarted.sink().texts()).isEmpty();
      assertThat(restarted.asked(REVIEW_77)).isEmpty();
    }
  }

  @Test
  void anOldCommentOnCodeThatIsEditedIsNotReadAgain() {
    rig.always(REVIEW_77, submitted(START.minusSeconds(1800)));
    Said edited = GithubRig.list(onCode(1, REVIEW));
    CallFailedException _ = receiveOnCode(edited, edited);
    assertThat(rig.sink().texts()).isEmpty();
    assertThat(rig.asked(REVIEW_77)).hasSize(1);
  }

  @Test
  void aReviewThatIsGoneOrNotSubmittedHoldsUpNothing() {
    rig.always(REVIEW_77, Said.json(200, "{\"id\":77,\"state\":\"PENDING\"}"));
    CallFailedException _ =
        receiveOnCode(GithubRig.list(onCode(1, REVIEW), onCode(2, 78), onCode(3, 0)));
    assertThat(rig.asked("GET /repos/octocat/hello/pulls/9/reviews/78")).hasSize(1);
    assertThat(rig.sink().texts()).isEmpty();
    assertThat(rig.sink().position().orElseThrow())
        .contains(Long.toString(START.plusSeconds(5).toEpochMilli()));
  }

  @Test
  void aReviewThatCannotBeAskedForNowIsAskedForAgain() {
    rig.next(REVIEW_77, GithubRig.refused(502, "Bad Gateway"));
    rig.always(REVIEW_77, submitted(START.plusSeconds(5)));
    Said late = GithubRig.list(onCode(1, REVIEW));
    assertThat(receiveOnCode(late).failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
    assertThat(rig.sink().texts()).isEmpty();
    rig.next(GithubRig.REVIEWS, late);
    CallFailedException _ = rig.listen();
    assertThat(rig.sink().texts()).containsExactly("c1");
  }

  @Test
  void reviewsUseNoCallsThatAreKeptForReplies() {
    rig.always(
        REVIEW_77,
        new Said(
            200,
            Map.of(
                "x-ratelimit-remaining",
                "250",
                "x-ratelimit-limit",
                "5000",
                "x-ratelimit-reset",
                "900"),
            "{\"submitted_at\":\"2026-11-23T09:00:05Z\"}"));
    Said late = GithubRig.list(onCode(1, REVIEW), onCode(2, 78));
    assertThat(receiveOnCode(late).failure().code()).isEqualTo(FailureCode.RATE_LIMITED);
    assertThat(rig.asked("GET /repos/octocat/hello/pulls/9/reviews/78")).isEmpty();
  }

  @Test
  void whatWasWrittenAndEditedWhileTheServerWasDownIsReadThoughPagesLieBetween() {
    Map<String, Object> edited = GithubRig.comment(1, "edited", START.plusSeconds(5));
    edited.put("updated_at", START.plusSeconds(500).toString());
    CallFailedException _ = receive(more(comment(2, "two", 100), comment(3, "three", 200)));
    CallFailedException _ = receive(GithubRig.list(GithubRig.json(edited)));
    assertThat(rig.sink().texts()).containsExactly("two", "three", "edited");
  }

  @Test
  void furtherPagesAskSinceTheLastChange() {
    CallFailedException _ =
        receive(
            more(comment(1, "one", 1), comment(2, "two", 60)),
            GithubRig.list(comment(2, "two", 60), comment(3, "three", 70)));
    assertThat(rig.sink().texts()).containsExactly("one", "two", "three");
    assertThat(since().get(2)).isEqualTo("2026-11-23T09:00:50Z");
    assertThat(rig.asked(GithubRig.COMMENTS)).noneMatch(asked -> asked.path().contains("&page="));
  }

  @Test
  void moreThanAPageWithinTheOverlapIsReadByPages() {
    CallFailedException _ =
        receive(
            more(comment(1, "one", 0)),
            more(comment(2, "two", 0)),
            GithubRig.list(comment(3, "three", 0)));
    assertThat(rig.sink().texts()).containsExactly("one", "two", "three");
    assertThat(rig.asked(GithubRig.COMMENTS).get(3).path()).contains("&page=3");
  }

  @Test
  void pagesWithoutEndAreLeftToTheNextPoll() {
    rig.next(GithubRig.COMMENTS, BEGIN)
        .next(GithubRig.REVIEWS, BEGIN)
        .next(GithubRig.ISSUES, BEGIN);
    rig.next(
        GithubRig.COMMENTS,
        IntStream.range(0, 50)
            .mapToObj(i -> more(comment(i + 1, "c" + i, i)))
            .toArray(Said[]::new));
    rig.next(GithubRig.REVIEWS, Said.nothing());
    CallFailedException _ = rig.listen();
    assertThat(rig.asked(GithubRig.COMMENTS)).hasSize(51);
    assertThat(rig.sink().texts()).hasSize(50);
  }

  @Test
  void aTagAndTheRepositoryAreKnownWhenItListensAgain() {
    CallFailedException _ = receive(new Said(200, Map.of("etag", "W/\"abc\""), "[]"));
    CallFailedException _ = receive(new Said(304, Map.of(), ""));
    assertThat(rig.asked(GithubRig.COMMENTS).get(3).headers())
        .containsEntry("if-none-match", "W/\"abc\"");
    assertThat(rig.asked("GET /repos/octocat/hello")).hasSize(1);
    rig.context().advance(Duration.ofHours(1));
    CallFailedException _ = receive(GithubRig.list());
    assertThat(rig.asked("GET /repos/octocat/hello")).as("names change hands").hasSize(2);
  }

  @Test
  void aListThatFailsHoldsUpNoOtherOfItsRepository() {
    CallFailedException _ = receive(GithubRig.list());
    rig.always(GithubRig.ISSUES, GithubRig.refused(502, "Bad Gateway"));
    Said last = GithubRig.list(comment(1, "one", 1));
    rig.next(GithubRig.COMMENTS, last);
    assertThat(rig.listen().failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
    assertThat(rig.sink().texts()).containsExactly("one");
  }

  @Test
  void whatHasNotChangedIsAskedForByItsTag() {
    Said tagged = new Said(200, Map.of("etag", "W/\"abc\""), "[]");
    CallFailedException _ =
        receive(tagged, new Said(304, Map.of(), ""), GithubRig.list(comment(1, "one", 1)));
    List<Asked> asked = rig.asked(GithubRig.COMMENTS);
    assertThat(asked.get(1).headers()).doesNotContainKey("if-none-match");
    assertThat(asked.get(2).headers()).containsEntry("if-none-match", "W/\"abc\"");
    assertThat(asked.get(3).headers()).containsEntry("if-none-match", "W/\"abc\"");
    assertThat(rig.sink().texts()).containsExactly("one");
  }

  @Test
  void thePositionMovesOnlyWhenTheMessagesAreOnDisk() {
    CallFailedException _ = receive(GithubRig.list());
    String before = rig.sink().position().orElseThrow();
    rig.sink()
        .onAccept(
            () -> {
              throw new IllegalStateException("the disk is full");
            });
    rig.next(GithubRig.COMMENTS, GithubRig.list(comment(1, "one", 100)));
    try {
      rig.channel().listen("main", rig.sink());
    } catch (Exception e) {
      assertThat(e).hasMessage("the disk is full");
    }
    assertThat(rig.sink().position()).contains(before);
    rig.sink().onAccept(() -> {});
    CallFailedException _ = receive(GithubRig.list(comment(1, "one", 100)));
    assertThat(rig.sink().texts()).containsExactly("one");
    assertThat(rig.sink().position().orElseThrow()).isNotEqualTo(before);
  }

  @Test
  void aMessageThatCanNeverBeTakenHoldsUpNothing() {
    rig.sink().refuses(message -> message.text().equals("poison"));
    CallFailedException _ = receive(GithubRig.list(comment(1, "poison", 1), comment(2, "good", 2)));
    CallFailedException _ = receive(GithubRig.list(comment(1, "poison", 1), comment(2, "good", 2)));
    assertThat(rig.sink().texts()).containsExactly("good");
  }

  @Test
  void whatIsDroppedIsCountedOnce() {
    Map<String, Object> own = GithubRig.comment(1, "mine", START.plusSeconds(1));
    own.put("user", GithubRig.user(900, "holdfast-bot"));
    Said said = GithubRig.list(GithubRig.json(own), comment(2, " ", 2));
    CallFailedException _ = receive(said, said);
    CallFailedException _ = receive(said);
    assertThat(rig.sink().drops()).containsExactly(DropReason.OWN_ECHO, DropReason.EMPTY);
  }

  @Test
  void itemsOfOtherShapesAreIgnored() {
    CallFailedException _ =
        receive(
            GithubRig.list(
                "null", "4", "{}", "{\"id\":3,\"created_at\":\"soon\"}", comment(5, "good", 1)));
    assertThat(rig.sink().texts()).containsExactly("good");
  }

  @Test
  void onlyAnsweredPollsCountAsReceived() {
    rig.always("GET /user", Said.nothing());
    assertThat(rig.listen().failure().code()).isEqualTo(FailureCode.NETWORK);
    assertThat(rig.sink().receives()).isZero();
    rig.always("GET /user", Said.json(200, "{\"id\":900,\"login\":\"holdfast-bot\"}"));
    rig.context().advance(Duration.ofSeconds(3));
    rig.always(GithubRig.ISSUES, Said.nothing())
        .always(GithubRig.COMMENTS, Said.nothing())
        .always(GithubRig.REVIEWS, Said.nothing());
    assertThat(rig.listen().failure().code()).isEqualTo(FailureCode.NETWORK);
    assertThat(rig.sink().receives()).isZero();
  }

  @Test
  void aPageOfAProxyIsNoPoll() {
    for (String list : List.of(GithubRig.COMMENTS, GithubRig.REVIEWS, GithubRig.ISSUES)) {
      rig.always(list, new Said(200, Map.of(), "<html>sign in</html>"));
    }
    assertThat(rig.listen().failure().message()).contains("check base_url");
    assertThat(rig.sink().receives()).isZero();
  }

  @Test
  void itAsksEvery30SecondsOrAsSeldomAsGithubWants() {
    CallFailedException _ =
        receive(
            GithubRig.list(),
            new Said(200, Map.of("x-poll-interval", "120"), "[]"),
            GithubRig.list());
    assertThat(rig.context().sleeps())
        .containsExactly(
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            Duration.ofSeconds(120),
            Duration.ofSeconds(30),
            Duration.ofSeconds(30)); // behind the answer that ends the test
  }

  @Test
  void withAWebhookItLooksForWhatWasMissedAtItsStartAndEveryFiveMinutes() {
    try (GithubRig webhook = GithubRig.webhook()) {
      for (String list : List.of(GithubRig.COMMENTS, GithubRig.REVIEWS, GithubRig.ISSUES)) {
        webhook.next(list, BEGIN);
      }
      webhook.next(GithubRig.COMMENTS, Said.nothing());
      CallFailedException _ = webhook.listen();
      webhook.next(GithubRig.COMMENTS, GithubRig.list(comment(1, "missed", 5)), Said.nothing());
      CallFailedException _ = webhook.listen();
      assertThat(webhook.sink().texts()).containsExactly("missed");
      assertThat(webhook.context().sleeps()) // each call ends with one behind its last answer
          .containsExactlyElementsOf(Collections.nCopies(4, Duration.ofMinutes(5)));
    }
  }

  @Test
  void aRefusedTokenIsToldWithoutIt() {
    rig.always("GET /user", GithubRig.refused(401, "Bad credentials"));
    CallFailedException refused = rig.listen();
    assertThat(refused.failure().code()).isEqualTo(FailureCode.AUTH);
    assertThat(refused.failure().message()).contains("the token is not valid any more");
    assertThat(refused).hasMessageNotContaining(GithubRig.TOKEN);
  }

  @Test
  void aWaitThatGithubAsksForIsPassedOn() {
    rig.next(
        GithubRig.COMMENTS,
        new Said(
            403,
            Map.of("x-ratelimit-remaining", "0", "x-ratelimit-reset", "3600"),
            "{\"message\":\"API rate limit exceeded\"}"));
    CallFailedException limited = rig.listen();
    assertThat(limited.failure().code()).isEqualTo(FailureCode.RATE_LIMITED);
    assertThat(limited.failure().retryAfter()).isEqualTo(Duration.ofHours(1));
  }

  @Test
  void whatIsLeftOfTheLimitIsKeptForReplies() {
    Map<String, String> headers =
        Map.of(
            "x-ratelimit-remaining", "50", "x-ratelimit-limit", "5000", "x-ratelimit-reset", "900");
    rig.next(GithubRig.ISSUES, new Said(200, headers, "[]"));
    CallFailedException limited = rig.listen();
    assertThat(limited.failure().code()).isEqualTo(FailureCode.RATE_LIMITED);
    assertThat(limited.failure().retryAfter()).isEqualTo(Duration.ofMinutes(15));
    assertThat(rig.sink().receives()).isEqualTo(1);
  }

  @Test
  void whatTheTokenMayNotReadHoldsUpNothingElse() {
    rig.always(
        GithubRig.REVIEWS,
        GithubRig.refused(403, "Resource not accessible by personal access token"));
    rig.next(GithubRig.COMMENTS, BEGIN).next(GithubRig.ISSUES, BEGIN);
    rig.next(GithubRig.COMMENTS, GithubRig.list(comment(1, "one", 1)), Said.nothing());
    assertThat(rig.listen().failure().code()).isEqualTo(FailureCode.NETWORK);
    assertThat(rig.sink().texts()).containsExactly("one");
  }

  @Test
  void whatFailsWhileOthersWorkIsNotAskedAgainAtOnce() {
    rig.always(GithubRig.REVIEWS, GithubRig.refused(502, "Bad Gateway"));
    Failure failure = rig.listen().failure();
    assertThat(failure.code()).isEqualTo(FailureCode.BACKEND_FAILURE);
    assertThat(rig.context().sleeps()).containsExactly(Duration.ofSeconds(30));
  }

  @Test
  void aLongerPauseThanTheServerBelievesInIsToldToIt() {
    rig.next(GithubRig.COMMENTS, new Said(200, Map.of("x-poll-interval", "900"), "[]"));
    Failure failure = rig.listen().failure();
    assertThat(failure.code()).isEqualTo(FailureCode.RATE_LIMITED);
    assertThat(failure.retryAfter()).isEqualTo(Duration.ofMinutes(15));
    assertThat(rig.context().sleeps()).isEmpty();
  }

  @Test
  void moreAtOneTimeThanOnePollReadsIsReadByTheNext() {
    rig.next(GithubRig.COMMENTS, BEGIN);
    rig.next(
        GithubRig.COMMENTS,
        IntStream.range(0, 51)
            .mapToObj(i -> more(comment(i + 1, "c" + i, 0)))
            .toArray(Said[]::new));
    rig.next(GithubRig.REVIEWS, BEGIN).next(GithubRig.ISSUES, BEGIN);
    rig.next(GithubRig.COMMENTS, Said.nothing());
    CallFailedException _ = rig.listen();
    assertThat(rig.sink().texts()).hasSize(51);
    assertThat(rig.asked(GithubRig.COMMENTS).get(51).path()).contains("&page=51");
  }

  @Test
  void aPositionThatMakesNoSenseBeginsAnew() throws Exception {
    for (String position : List.of("12", "[]", "{\"octocat/hello\":{\"comment\":[1,\"x\"]}}")) {
      rig.sink().savePosition(position);
      rig.next(GithubRig.COMMENTS, BEGIN, Said.nothing());
      CallFailedException _ = rig.listen();
      assertThat(rig.asked(GithubRig.COMMENTS))
          .first()
          .extracting(Asked::path)
          .asString()
          .contains("per_page=1");
    }
  }

  @Test
  void aPositionStaysWhenTheRepositoryIsRenamed() {
    CallFailedException _ = receive(GithubRig.list());
    try (GithubRig renamed = GithubRig.with(Map.of("repositories", List.of("octocat/new")))) {
      renamed.always(
          "GET /repos/octocat/new",
          Said.json(200, GithubRig.REPOSITORY.replace("octocat/hello", "octocat/new")));
      String comments = "GET /repos/octocat/new/issues/comments";
      renamed.always(comments, Said.nothing());
      renamed.next(comments, GithubRig.list(comment(1, "one", 1)));
      renamed.sink().savePosition(rig.sink().position().orElseThrow());
      CallFailedException _ = renamed.listen();
      assertThat(renamed.sink().texts()).containsExactly("one");
    }
  }

  @Test
  void aRenewedTokenLosesNothing() {
    CallFailedException _ = receive(GithubRig.list());
    rig.next(GithubRig.COMMENTS, GithubRig.list(comment(1, "one", 1)), Said.nothing());
    FakeSink ofNewToken = new FakeSink();
    CallFailedException _ = rig.listen(ofNewToken);
    assertThat(ofNewToken.texts()).containsExactly("one");
  }

  @Test
  void aPositionThatWasKeptByNameIsGoneOnFrom() {
    CallFailedException _ = receive(GithubRig.list());
    String byId = rig.sink().position().orElseThrow();
    rig.sink().savePosition(byId.replace("\"500\"", "\"octocat/hello\""));
    CallFailedException _ = receive(GithubRig.list(comment(1, "one", 1)));
    assertThat(rig.sink().texts()).containsExactly("one");
    assertThat(rig.sink().position().orElseThrow()).contains("\"500\"").doesNotContain("hello");
  }

  private GithubRig two() {
    return GithubRig.with(Map.of("repositories", List.of("octocat/gone", "octocat/hello")));
  }

  @Test
  void aRepositoryThatIsGoneHoldsUpNoOther() {
    try (GithubRig both = two()) {
      for (String list : List.of(GithubRig.COMMENTS, GithubRig.REVIEWS, GithubRig.ISSUES)) {
        both.next(list, BEGIN);
      }
      both.next(GithubRig.COMMENTS, GithubRig.list(comment(1, "one", 1)), Said.nothing());
      CallFailedException _ = both.listen();
      assertThat(both.sink().texts()).containsExactly("one");
    }
  }

  @Test
  void oneThatFailsIsToldAfterTheOthersWereRead() {
    try (GithubRig both = two()) {
      both.always("GET /repos/octocat/gone", GithubRig.refused(502, "Bad Gateway"));
      CallFailedException failed = both.listen();
      assertThat(failed.failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
      assertThat(both.sink().receives()).isEqualTo(3);
      assertThat(both.context().sleeps())
          .as("as long as between polls, in which the account listens")
          .containsExactly(Duration.ofSeconds(30));
    }
  }

  @Test
  void whenNothingCanBeReadThatIsToldOnce() {
    rig.always("GET /repos/octocat/hello", GithubRig.refused(404, "Not Found"));
    CallFailedException failed = rig.listen();
    assertThat(failed.failure().code()).isEqualTo(FailureCode.INVALID_REQUEST);
    assertThat(failed.failure().message()).contains("the token does not reach the repository");
    assertThat(rig.context().sleeps()).isEmpty();
  }

  @Test
  void aRenamedRepositoryIsFollowedWithinTheHost() {
    Said moved =
        new Said(
            301, Map.of("location", rig.url() + "/api/v3/repositories/500/issues/comments"), "");
    rig.always("GET /repositories/500/issues/comments", GithubRig.list(comment(1, "one", 1)));
    CallFailedException _ = receive(moved);
    assertThat(rig.sink().texts()).containsExactly("one");
    assertThat(rig.asked("GET /repositories/500/issues/comments").getFirst().headers())
        .containsEntry("authorization", "Bearer " + GithubRig.TOKEN);
  }

  private KeptPosition kept() throws IOException {
    GithubAccount account =
        GithubAccount.read(
            new FakeConfig(Map.of("token", "ghp_1", "repositories", List.of("a/b"))),
            "main",
            _ -> Optional.empty());
    return new KeptPosition(
        new GithubBot(rig.context(), account, rig.url()),
        StateFile.open(rig.context().stateFolder().resolve("kept.json"), 1),
        new GithubIdentity(900, "holdfast-bot"));
  }

  @Test
  void thePositionOfTheMostRepositoriesFits() throws Exception {
    ReadPositions positions = new ReadPositions(rig.sink(), kept());
    List<String> ids = IntStream.range(0, 20).mapToObj(_ -> "9".repeat(20)).toList();
    for (int i = 0; i < 45; i++) {
      for (GithubSource source : GithubSource.values()) {
        positions.save(Long.MAX_VALUE - i, source, new ReadUntil(START, START, ids));
      }
    }
    assertThat(rig.sink().position().orElseThrow()).hasSizeLessThan(16_384);
  }
}
