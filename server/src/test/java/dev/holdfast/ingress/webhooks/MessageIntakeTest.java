package dev.holdfast.ingress.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import dev.holdfast.bus.News;
import dev.holdfast.channels.InboundPayload;
import dev.holdfast.ingress.IngressRig;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.store.messages.Appended;
import dev.holdfast.time.ManualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageIntakeTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "schedule:35bd",
        "Schedule:x",
        " schedule : x",
        "[schedule:x",
        "s\u200bchedule:x",
        "ｓchedule：x"
      })
  void aSenderThatReadsLikeAWakeUpIsRefused(String sender) {
    assertRefused(by(sender), "schedule:");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ann", "ann/schedule:x", "scheduler", "my schedule: x"})
  void anyOtherSenderIsTaken(String sender) throws Exception {
    assertThat(accepting().commit("web", by(sender)).duplicate()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {".", ".."})
  void anIdThatNoPathCanNameIsRefused(String id) {
    InboundMessage message = new InboundMessage("main", "t", "me", "hello", List.of(), id);
    assertRefused(message, "no path can name it");
  }

  @Test
  void aThreadThatNoRequestCouldNameIsRefused() throws Exception {
    String longest = "€".repeat(333);
    assertThat(accepting().commit("webhook", in(longest)).duplicate()).isFalse();
    assertRefused(in(longest + "xx"), "1000 bytes");
  }

  @Test
  void anIdWithHalfASurrogatePairIsRefusedForItWouldBecomeAnother() {
    String half = "lk\uD800";
    assertRefused(new InboundMessage("main", half, "me", "x", List.of(), "k"), "surrogate pair");
    assertRefused(new InboundMessage("main", "t", half, "x", List.of(), "k"), "surrogate pair");
    assertRefused(new InboundMessage("main", "t", "me", "x", List.of(), half), "surrogate pair");
    assertRefused(new InboundMessage(half, "t", "me", "x", List.of(), "k"), "surrogate pair");
  }

  @Test
  void halvesOfSurrogatePairsInATextAreReplacedAndWholeOnesStay() throws Exception {
    IngressRig.FakeInbox inbox = new IngressRig.FakeInbox();
    Attachment file = new Attachment("\uDC00.png", "image/png", "https://x.org/\uD800", 1);
    InboundMessage message =
        new InboundMessage(
            "main", "\uD83D\uDE00", "me", "a\uD800 \uD83D\uDE00", List.of(file), "k");
    Appended _ = accepting(inbox).commit("web", message);
    InboundMessage kept = InboundPayload.read(inbox.events.getFirst().payload());
    assertThat(kept.thread()).isEqualTo("\uD83D\uDE00");
    assertThat(kept.text()).isEqualTo("a\uFFFD \uD83D\uDE00");
    assertThat(kept.attachments().getFirst())
        .isEqualTo(new Attachment("\uFFFD.png", "image/png", "https://x.org/\uFFFD", 1));
  }

  @Test
  void whatIsTooLargeIsRefused() {
    Attachment file = new Attachment("x", "", "https://x.org/" + "x".repeat(8192), 1);
    assertRefused(
        new InboundMessage("main", "t", "me", "x".repeat(1_048_577), List.of(), "k"),
        "the text is longer than 1048576");
    assertRefused(
        new InboundMessage("main", "t", "me", "x", List.of(), "k".repeat(2001)), "an id is longer");
    assertRefused(
        new InboundMessage("main", "t", "me", "x", List.of(file), "k"), "of an attachment");
    assertRefused(
        new InboundMessage("main", "t", "me", "x", Collections.nCopies(101, file), "k"),
        "more than 100 attachments");
  }

  private static InboundMessage in(String thread) {
    return new InboundMessage("main", thread, "me", "hello", List.of(), "k1");
  }

  private static void assertRefused(InboundMessage message, String why) {
    RefusedRequestException refused =
        catchThrowableOfType(
            RefusedRequestException.class, () -> accepting().commit("webhook", message));
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.said()).contains(why);
  }

  private static MessageIntake accepting() {
    return accepting(new IngressRig.FakeInbox());
  }

  private static MessageIntake accepting(IngressRig.FakeInbox inbox) {
    return new MessageIntake(
        inbox,
        (_, _) -> Optional.empty(),
        new IngressRig.FakeClicks(),
        _ -> {},
        new News(10),
        new ManualTime(),
        new SimpleMeterRegistry());
  }

  @Test
  void whoIsHeardIsToldWhoHasWrittenOnceItIsCommitted() {
    List<String> heard = new ArrayList<>();
    MessageIntake intake =
        new MessageIntake(
            new IngressRig.FakeInbox(),
            (_, _) -> Optional.empty(),
            new IngressRig.FakeClicks(),
            message -> heard.add(message.sender() + " " + message.origin().senderName()),
            new News(10),
            new ManualTime(),
            new SimpleMeterRegistry());
    Object _ =
        intake
            .take(
                "chat",
                new InboundMessage(
                    "main", "t", "u7", "hello", List.of(), "k1", Origin.direct("Ottokar")))
            .join();
    assertThat(heard).containsExactly("u7 Ottokar");
  }

  @Test
  void whatIsNotAllowedIsCountedAndLeavesNothingBehind() {
    IngressRig.FakeInbox inbox = new IngressRig.FakeInbox();
    SimpleMeterRegistry meters = new SimpleMeterRegistry();
    List<String> judged = new ArrayList<>();
    MessageIntake intake =
        new MessageIntake(
            inbox,
            (channel, message) -> {
              judged.add(channel + " " + message.sender());
              return Optional.of(DropReason.NOT_ADDRESSED);
            },
            new IngressRig.FakeClicks(),
            _ -> {},
            new News(10),
            new ManualTime(),
            meters);
    assertThat(intake.take("chat", by("ann"))).isCompleted();
    assertThat(inbox.events).isEmpty();
    assertThat(judged).containsExactly("chat ann");
    assertThat(
            meters
                .counter("holdfast.messages.filtered", "channel", "chat", "reason", "not_addressed")
                .count())
        .isOne();
  }

  @Test
  void whatCanNeverBeTakenIsNotEvenJudged() {
    MessageIntake intake =
        new MessageIntake(
            new IngressRig.FakeInbox(),
            (_, _) -> {
              throw new AssertionError("judged");
            },
            new IngressRig.FakeClicks(),
            _ -> {},
            new News(10),
            new ManualTime(),
            new SimpleMeterRegistry());
    assertThat(intake.take("chat", by("a\u0000b"))).isCompletedExceptionally();
    assertThat(intake.take("chat", by("x".repeat(2001)))).isCompletedExceptionally();
  }

  private static InboundMessage by(String sender) {
    return new InboundMessage("main", "t", sender, "hello", List.of(), "k1");
  }

  @Test
  @Timeout(30)
  void aCommitThatHangsIsRefusedBeforeTheClientGivesUp() {
    MessageIntake intake =
        new MessageIntake(
            _ -> new CompletableFuture<>(),
            (_, _) -> Optional.empty(),
            new IngressRig.FakeClicks(),
            _ -> {},
            new News(10),
            new ManualTime(),
            new SimpleMeterRegistry());
    InboundMessage message = new InboundMessage("main", "t", "me", "hello", List.of(), "k1");
    RefusedRequestException refused =
        catchThrowableOfType(RefusedRequestException.class, () -> intake.commit("web", message));
    assertThat(refused.status()).isEqualTo(503);
  }
}
