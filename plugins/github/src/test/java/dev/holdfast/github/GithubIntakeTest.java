package dev.holdfast.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.kit.JsonText;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GithubIntakeTest {
  /** From GitHub's documentation, with its secret and its text. */
  private static final String PUBLISHED = "Hello, World!";

  private static final String PUBLISHED_SIGNATURE =
      "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

  private static final Map<String, Object> ABOUT = Map.of("number", 7L);

  private GithubRig rig;

  @BeforeEach
  void start() {
    rig = GithubRig.webhook();
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private static Map<String, Object> comment(String body) {
    return GithubRig.comment(11, body, Instant.EPOCH);
  }

  private static String created(Map<String, Object> comment) {
    return GithubRig.delivery("created", Map.of("issue", ABOUT, "comment", comment));
  }

  private WebhookVerdict receive(WebhookRequest request) throws InterruptedException {
    return rig.channel().receive(request);
  }

  private WebhookVerdict receive(Map<String, Object> comment) throws InterruptedException {
    return receive(GithubRig.signed("issue_comment", created(comment)));
  }

  private static InboundMessage message(WebhookVerdict verdict) {
    return ((WebhookVerdict.Messages) verdict).messages().getFirst();
  }

  private static WebhookVerdict dropped(DropReason reason) {
    return new WebhookVerdict.Messages(List.of(), List.of(reason));
  }

  private void assertRefused(List<String> signatures, String body) throws InterruptedException {
    assertThat(receive(GithubRig.request("issue_comment", signatures, body)))
        .isInstanceOf(WebhookVerdict.Refused.class);
    assertThat(rig.asked("GET /user")).isEmpty();
  }

  @Test
  void thePublishedSignatureIsBelieved() throws Exception {
    assertThat(receive(GithubRig.request("ping", List.of(PUBLISHED_SIGNATURE), PUBLISHED)))
        .isInstanceOf(WebhookVerdict.Unparsable.class);
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
    assertRefused(List.of(signature), PUBLISHED);
  }

  @Test
  void aMissingOrRepeatedSignatureIsRefused() throws Exception {
    assertRefused(List.of(), PUBLISHED);
    assertRefused(List.of(PUBLISHED_SIGNATURE, PUBLISHED_SIGNATURE), PUBLISHED);
  }

  @Test
  void theOldSignatureAloneIsRefused() throws Exception {
    WebhookRequest signed = GithubRig.signed("issue_comment", created(comment("hello")));
    Map<String, List<String>> headers = new LinkedHashMap<>(signed.headers());
    headers.put("x-hub-signature", headers.getOrDefault("x-hub-signature-256", List.of()));
    headers.remove("x-hub-signature-256");
    assertThat(
            receive(
                new WebhookRequest(
                    "POST", "main", headers, Map.of(), signed.body(), Instant.EPOCH)))
        .isInstanceOf(WebhookVerdict.Refused.class);
  }

  @Test
  void aPingIsAnsweredOnlyWhenItIsSigned() throws Exception {
    String ping = "{\"zen\":\"Design for failure.\",\"hook_id\":1}";
    assertThat(receive(GithubRig.request("ping", List.of(), ping)))
        .isInstanceOf(WebhookVerdict.Refused.class);
    assertThat(receive(GithubRig.signed("ping", ping)))
        .isEqualTo(new WebhookVerdict.Messages(List.of()));
    assertThat(rig.asked("GET /user")).isEmpty();
  }

  @Test
  void aLoginThatLooksLikeAnAllowedIdIsAName() throws Exception {
    Map<String, Object> trick = comment("@holdfast-bot hello");
    trick.put("user", GithubRig.user(666, "7"));
    trick.put("author_association", "NONE");
    try (GithubRig rigged = allowing("7")) {
      assertThat(rigged.channel().receive(GithubRig.signed("issue_comment", created(trick))))
          .isEqualTo(dropped(DropReason.NOT_ALLOWED));
    }
  }

  @Test
  void theSignatureOfAnotherAccountIsRefused() throws Exception {
    String body = created(comment("hello"));
    assertRefused(List.of(GithubRig.signature(body, "another secret")), body);
  }

  @Test
  void theSameJsonInOtherBytesIsRefused() throws Exception {
    String body = created(comment("h\u00e9"));
    List<String> signature = List.of(GithubRig.signature(body, GithubRig.SECRET));
    assertRefused(signature, body.replace("\u00e9", "\\u00e9"));
    assertRefused(signature, body + " ");
    assertThat(receive(GithubRig.request("issue_comment", signature, body)))
        .isInstanceOf(WebhookVerdict.Messages.class);
  }

  @Test
  void anUnknownAccountAndOneThatPollsHaveNoWebhook() throws Exception {
    WebhookRequest signed = GithubRig.signed("issue_comment", created(comment("hello")));
    assertThat(
            receive(
                new WebhookRequest(
                    "POST", "other", signed.headers(), Map.of(), signed.body(), Instant.EPOCH)))
        .isInstanceOf(WebhookVerdict.NoAccount.class);
    try (GithubRig polls = GithubRig.with(Map.of("webhook_secret", GithubRig.SECRET))) {
      assertThat(polls.channel().receive(signed)).isInstanceOf(WebhookVerdict.NoAccount.class);
    }
  }

  @Test
  void aCommentIsAMessageInTheConversationOfItsIssue() throws Exception {
    assertThat(message(receive(comment("@holdfast-bot hello"))))
        .isEqualTo(
            new InboundMessage(
                "main",
                "octocat/hello#7",
                "7",
                "hello",
                List.of(),
                "comment:11",
                new Origin(Origin.Place.THREAD, "500", "40", "alice", false, true)));
    assertThat(message(receive(comment("hello"))).origin().addressed()).isFalse();
  }

  @Test
  void howFastSomebodyWritesIsJudgedByWhenItWasWritten() throws Exception {
    Map<String, Object> comment = comment("hello");
    comment.put("created_at", "2026-11-25T10:00:00Z");
    assertThat(message(receive(comment)).origin().writtenAtMillis())
        .isEqualTo(Instant.parse("2026-11-25T10:00:00Z").toEpochMilli());
    comment.put("created_at", "yesterday");
    assertThat(message(receive(comment)).origin().writtenAtMillis()).isZero();
  }

  @Test
  void anIssueAPullRequestAndAReviewAreReadToo() throws Exception {
    Map<String, Object> issue =
        GithubRig.issue(8, "It breaks", "@holdfast-bot why?", Instant.EPOCH);
    InboundMessage opened =
        message(
            receive(
                GithubRig.signed("issues", GithubRig.delivery("opened", Map.of("issue", issue)))));
    assertThat(opened.text()).isEqualTo("It breaks\n\nwhy?");
    assertThat(opened.dedupeKey()).isEqualTo("issue:500#8");
    assertThat(opened.thread()).isEqualTo("octocat/hello#8");
    InboundMessage pull =
        message(
            receive(
                GithubRig.signed(
                    "pull_request", GithubRig.delivery("opened", Map.of("pull_request", issue)))));
    assertThat(pull).isEqualTo(opened);
    InboundMessage review =
        message(
            receive(
                GithubRig.signed(
                    "pull_request_review_comment",
                    GithubRig.delivery(
                        "created",
                        Map.of("pull_request", ABOUT, "comment", comment("@holdfast-bot ok?"))))));
    assertThat(review.dedupeKey()).isEqualTo("review-comment:11");
    assertThat(review.thread()).isEqualTo("octocat/hello#7");
  }

  @ParameterizedTest
  @CsvSource({
    "ping, ''",
    "issue_comment, edited",
    "issue_comment, deleted",
    "issues, closed",
    "pull_request, synchronize",
    "push, ''",
    "star, created",
    "'', created"
  })
  void otherEventsAreAcknowledged(String event, String action) throws Exception {
    String body = GithubRig.delivery(action, Map.of("issue", ABOUT, "comment", comment("hello")));
    assertThat(receive(GithubRig.signed(event, body)))
        .isEqualTo(new WebhookVerdict.Messages(List.of()));
  }

  @Test
  void ownCommentsAreEchoes() throws Exception {
    Map<String, Object> own = comment("hello");
    own.put("user", GithubRig.user(900, "renamed-bot"));
    assertThat(receive(own)).isEqualTo(dropped(DropReason.OWN_ECHO));
  }

  @Test
  void whoIsNothingToTheRepositoryIsDropped() throws Exception {
    for (String association : List.of("NONE", "CONTRIBUTOR", "FIRST_TIMER", "", "member")) {
      Map<String, Object> stranger = comment("@holdfast-bot hello");
      stranger.put("author_association", association);
      assertThat(receive(stranger)).isEqualTo(dropped(DropReason.NOT_ALLOWED));
    }
    Map<String, Object> without = comment("@holdfast-bot hello");
    without.remove("author_association");
    assertThat(receive(without)).isEqualTo(dropped(DropReason.NOT_ALLOWED));
  }

  @Test
  void anIdInTheListIsReadWhateverItsAssociationAndANameIsNot() throws Exception {
    Map<String, Object> stranger = comment("hello");
    stranger.put("author_association", "NONE");
    try (GithubRig byId = allowing("7");
        GithubRig byName = allowing("alice");
        GithubRig all = allowing("*")) {
      WebhookRequest request = GithubRig.signed("issue_comment", created(stranger));
      assertThat(message(byId.channel().receive(request)).sender()).isEqualTo("7");
      assertThat(byName.channel().receive(request)).isEqualTo(dropped(DropReason.NOT_ALLOWED));
      assertThat(all.channel().receive(request)).isEqualTo(dropped(DropReason.NOT_ALLOWED));
    }
  }

  private static GithubRig allowing(String user) {
    return GithubRig.with(
        Map.of(
            "mode",
            "webhook",
            "webhook_secret",
            GithubRig.SECRET,
            "allow",
            Map.of("users", List.of(user))));
  }

  @Test
  void aBotIsDroppedUnlessItsIdIsInTheList() throws Exception {
    Map<String, Object> bot = comment("@holdfast-bot hello");
    bot.put("user", Map.of("id", 7L, "login", "dependabot[bot]", "type", "Bot"));
    assertThat(receive(bot)).isEqualTo(dropped(DropReason.NOT_ALLOWED));
    try (GithubRig allowed = allowing("7")) {
      assertThat(
              message(allowed.channel().receive(GithubRig.signed("issue_comment", created(bot))))
                  .origin()
                  .fromBot())
          .isTrue();
    }
  }

  @Test
  void whatAnAppWroteForAPersonCountsAsFromAProgram() throws Exception {
    Map<String, Object> viaApp = comment("hello");
    viaApp.put("performed_via_github_app", Map.of("id", 3L, "slug", "helper"));
    assertThat(message(receive(viaApp)).origin().fromBot()).isTrue();
  }

  @Test
  void anotherRepositoryIsDropped() throws Exception {
    String body = created(comment("hello")).replace("octocat/hello", "octocat/other");
    assertThat(receive(GithubRig.signed("issue_comment", body)))
        .isEqualTo(dropped(DropReason.NOT_ALLOWED));
  }

  @Test
  void aNameThatLeadsElsewhereIsIgnored() throws Exception {
    for (String name : List.of("octocat/..", "octocat/a/b", "octocat/a?b", "octocat", "../hello")) {
      String body = created(comment("hello")).replace("octocat/hello\"", name + "\"");
      assertThat(receive(GithubRig.signed("issue_comment", body)))
          .isEqualTo(new WebhookVerdict.Messages(List.of()));
    }
  }

  private WebhookVerdict receiveAfter(Duration age, String event, String parent)
      throws InterruptedException {
    Map<String, Object> old = comment("@holdfast-bot hello");
    old.put("updated_at", Instant.EPOCH.plus(Duration.ofDays(1)).toString());
    String body = GithubRig.delivery("created", Map.of(parent, ABOUT, "comment", old));
    WebhookRequest signed = GithubRig.signed(event, body);
    return receive(
        new WebhookRequest(
            "POST", "main", signed.headers(), Map.of(), signed.body(), Instant.EPOCH.plus(age)));
  }

  @Test
  void aRecordedDeliveryStopsWorkingAfterThreeDays() throws Exception {
    Duration most = Duration.ofDays(3);
    WebhookVerdict nothing = new WebhookVerdict.Messages(List.of());
    assertThat(message(receiveAfter(most, "issue_comment", "issue")).text()).isEqualTo("hello");
    assertThat(receiveAfter(most.plusSeconds(1), "issue_comment", "issue")).isEqualTo(nothing);
    Duration ofReview = most.plusDays(1);
    String review = "pull_request_review_comment";
    assertThat(message(receiveAfter(ofReview, review, "pull_request")).text()).isEqualTo("hello");
    assertThat(receiveAfter(ofReview.plusSeconds(1), review, "pull_request")).isEqualTo(nothing);
  }

  @Test
  void aNameWithoutWordsIsEmpty() throws Exception {
    assertThat(receive(comment("@holdfast-bot"))).isEqualTo(dropped(DropReason.EMPTY));
    assertThat(receive(comment(" "))).isEqualTo(dropped(DropReason.EMPTY));
  }

  @Test
  void whatMakesNoSenseIsIgnored() throws Exception {
    Map<String, Object> ghost = comment("hello");
    ghost.put("user", JsonText.NULL);
    assertThat(receive(ghost)).isEqualTo(new WebhookVerdict.Messages(List.of()));
    Map<String, Object> odd = comment("hello");
    odd.put("id", "../../x");
    assertThat(receive(odd)).isEqualTo(new WebhookVerdict.Messages(List.of()));
    for (String body : List.of("", "[]", "{", "null")) {
      assertThat(receive(GithubRig.signed("issue_comment", body)))
          .isInstanceOf(WebhookVerdict.Unparsable.class);
    }
  }

  @Test
  void aFormIsRefusedWithTheRemedy() throws Exception {
    WebhookRequest json = GithubRig.signed("issue_comment", created(comment("hello")));
    Map<String, List<String>> headers = new LinkedHashMap<>(json.headers());
    headers.put("content-type", List.of("application/x-www-form-urlencoded"));
    assertThat(
            receive(
                new WebhookRequest("POST", "main", headers, Map.of(), json.body(), Instant.EPOCH)))
        .isEqualTo(
            new WebhookVerdict.Unparsable(
                "the content type is not JSON: choose application/json in the settings of the"
                    + " webhook"));
  }

  @Test
  void whileNobodyKnowsWhoTheBotIsADeliveryIsNotAcknowledged() throws Exception {
    rig.always("GET /user", GithubRig.refused(500, "oops"));
    for (int i = 0; i < 3; i++) {
      assertThat(receive(comment("hello")))
          .isEqualTo(new WebhookVerdict.Answer(503, "text/plain", ""));
    }
    assertThat(rig.asked("GET /user")).as("not asked for each delivery").hasSize(1);
  }

  @Test
  void anotherNameCanAddressIt() throws Exception {
    try (GithubRig named =
        GithubRig.with(
            Map.of("mode", "webhook", "webhook_secret", GithubRig.SECRET, "mention", "@ask"))) {
      WebhookRequest request = GithubRig.signed("issue_comment", created(comment("@ask hello")));
      InboundMessage message = message(named.channel().receive(request));
      assertThat(message.text()).isEqualTo("hello");
      assertThat(message.origin().addressed()).isTrue();
    }
  }

  @Test
  void aMebibyteIsReadInTime() throws Exception {
    String text = "\u00e9".repeat(500_000);
    String body = created(comment(text));
    assertThat(body.getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(1024 * 1024);
    assertThat(message(receive(GithubRig.signed("issue_comment", body))).text()).isEqualTo(text);
  }
}
