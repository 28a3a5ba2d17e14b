package dev.holdfast.nats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NatsPostsTest {
  @TempDir private Path folder;
  private final List<String> published = new ArrayList<>();
  private ReplySubjects replies;

  @BeforeEach
  void open() throws Exception {
    replies = ReplySubjects.open(folder.resolve("replies.txt"), 10);
    replies.put("ask.shop order-7", "answers.shop");
  }

  @AfterEach
  void close() throws Exception {
    replies.close();
  }

  private PostOutcome post(Map<String, ?> account, String inReplyTo) throws Exception {
    return post(account, "orders", inReplyTo);
  }

  private PostOutcome post(Map<String, ?> account, String thread, String inReplyTo)
      throws Exception {
    return posts(account)
        .post(new OutboundReply("r1", "e1", "main", thread, inReplyTo, "seven", 1, 2, false));
  }

  private NatsPosts posts(Map<String, ?> account) {
    return new NatsPosts(
        NatsRig.account(account),
        replies,
        (subject, headers, body) -> {
          published.add(subject + " " + headers + " " + new String(body, StandardCharsets.UTF_8));
          return new PostOutcome.Sent("");
        });
  }

  @Test
  void anAnswerGoesToTheSubjectOfItsMessageUnderTheIdOfTheReply() throws Exception {
    assertThat(
            post(Map.of("reply_subject", "replies.all", "trust_headers", true), "ask.shop order-7"))
        .isEqualTo(new PostOutcome.Sent(""));
    assertThat(published)
        .containsExactly(
            "answers.shop {Nats-Msg-Id=r1, Holdfast-Thread=orders, Holdfast-In-Reply-To=order-7,"
                + " Holdfast-Kind=answer, Holdfast-Part=1/2} seven");
  }

  @Test
  void anAnswerHasTheNamesThatItsMessageHad() throws Exception {
    PostOutcome _ = post(Map.of(), "ask.shop orders", "ask.shop order-7");
    assertThat(published)
        .containsExactly(
            "answers.shop {Nats-Msg-Id=r1, Holdfast-Thread=orders, Holdfast-Subject=ask.shop,"
                + " Holdfast-In-Reply-To=order-7, Holdfast-Kind=answer,"
                + " Holdfast-Part=1/2} seven");
  }

  @Test
  void aPostSaysWhatItIs() throws Exception {
    for (OutboundReply.Kind kind : OutboundReply.Kind.values()) {
      PostOutcome _ =
          posts(Map.of("reply_subject", "replies.all"))
              .post(
                  new OutboundReply(
                      "r1",
                      "e1",
                      "main",
                      "ask.shop",
                      "",
                      "text",
                      1,
                      1,
                      false,
                      List.of(),
                      List.of(),
                      kind));
    }
    assertThat(published)
        .extracting(post -> post.replaceAll(".*Holdfast-Kind=([a-z]+).*", "$1"))
        .containsExactly("answer", "notice", "question", "error");
  }

  @Test
  void othersGoToTheConfiguredOne() throws Exception {
    assertThat(post(Map.of("reply_subject", "replies.all"), ""))
        .isEqualTo(new PostOutcome.Sent(""));
    assertThat(published.getFirst()).startsWith("replies.all ").doesNotContain("In-Reply-To");
  }

  @Test
  void anAnswerThatGoesNowhereIsToldAtOnce() throws Exception {
    PostOutcome outcome = post(Map.of(), "other");
    assertThat(outcome).isInstanceOf(PostOutcome.NotDelivered.class);
    PostOutcome.NotDelivered refused = (PostOutcome.NotDelivered) outcome;
    assertThat(refused.failure().kind()).isEqualTo(FailureKind.INVALID);
    assertThat(refused.failure().message()).contains("set reply_subject");
    assertThat(published).isEmpty();
  }

  @Test
  void whatMayBeNamedIsJudgedAgainWhenTheAnswerIsPosted() throws Exception {
    Map<String, ?> narrowed =
        Map.of("reply_allow", List.of("other.>"), "reply_subject", "replies.all");
    assertThat(post(narrowed, "ask.shop order-7"))
        .isInstanceOfSatisfying(
            PostOutcome.NotDelivered.class,
            refused ->
                assertThat(refused.failure().message())
                    .isEqualTo(
                        "answers.shop, which the message names for its answer, is not in"
                            + " reply_allow any more"));
    assertThat(published).isEmpty();
    assertThat(post(Map.of("reply_allow", List.of("answers.shop")), "ask.shop order-7"))
        .isEqualTo(new PostOutcome.Sent(""));
  }

  @Test
  void aThreadThatNoHeaderCanNameIsRefusedAndHoldsNothingUp() throws Exception {
    try (NatsLink link = new NatsLink(NatsRig.account(Map.of()))) {
      assertThat(link.publish("answers.shop", Map.of("Holdfast-Thread", "ask.ü"), new byte[0]))
          .isInstanceOfSatisfying(
              PostOutcome.NotDelivered.class,
              outcome ->
                  assertThat(outcome.failure().code()).isEqualTo(FailureCode.INVALID_REQUEST));
    }
  }
}
