package dev.holdfast.replies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.turn.ApprovalPrompts;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import dev.holdfast.api.SettledPost;
import dev.holdfast.bus.News;
import dev.holdfast.channels.Channels;
import dev.holdfast.channels.InboundPayload;
import dev.holdfast.registry.Registration;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.ledgers.Approval;
import dev.holdfast.store.ledgers.QuestionButtons;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.NewEvent;
import dev.holdfast.store.messages.NewReply;
import dev.holdfast.store.messages.Reply;
import dev.holdfast.store.messages.ReplyChoices;
import dev.holdfast.time.ManualTime;
import dev.holdfast.time.TimedWait;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QuestionCardsTest {
  private static final String THREAD = "fake:main:t";
  private static final Duration TIME_TO_ANSWER = Duration.ofMinutes(10);

  @TempDir Path folder;
  private final ManualTime time = new ManualTime();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final News news = new News(1000);
  private final Channels channels = new Channels(List.of());
  private final FakePostGuard guard = new FakePostGuard();
  private final List<SettledPost> settled = new CopyOnWriteArrayList<>();
  private volatile @Nullable Exception failure;
  private volatile @Nullable CountDownLatch hangs;
  private Registration added;
  @AutoClose private TestStore it;
  private QuestionCards cards;
  private Event event;

  private final class Platform extends ForwardingChannel {
    Platform() {
      super(new FakeAccount("main"));
    }

    @Override
    public boolean showsChoices() {
      return true;
    }

    @Override
    public void settle(SettledPost post) throws Exception {
      settled.add(post);
      CountDownLatch until = hangs;
      if (until != null) {
        until.await();
      }
      Exception why = failure;
      if (why != null) {
        throw why;
      }
    }
  }

  @BeforeEach
  void open() throws Exception {
    it = new TestStore(folder);
    added = channels.add(new Platform(), time.now());
    cards =
        new QuestionCards(
            it.store,
            news,
            channels,
            new OptionalCalls(channels, _ -> guard, QuestionCards.FAILURES, time, meters),
            ApprovalPrompts::settled,
            time);
    Origin origin = new Origin(Origin.Place.DIRECT, "", "", "Ann [the *first*]", false, true);
    event = message("k1", "ann", origin);
  }

  private Event message(String key, String sender, Origin origin) throws Exception {
    String payload =
        InboundPayload.write(
            new InboundMessage("main", "t", sender, "do it", List.of(), key, origin));
    return it.store
        .inbox()
        .append(new NewEvent("fake:main", THREAD, key, payload, time.now()))
        .get()
        .event();
  }

  /** A question with buttons, whose post is planned. */
  private void ask(String id, int parts) throws Exception {
    Approval question =
        new Approval(
            id,
            "C-" + id,
            event.id(),
            THREAD,
            "call-" + id,
            "shell",
            "aa",
            "shell: ls",
            "ann",
            Approval.State.WAITING,
            time.now(),
            time.now().plus(TIME_TO_ANSWER),
            "",
            "{}");
    it.store.approvals().ask(question);
    QuestionButtons buttons = QuestionButtons.draw(new SecureRandom(), true);
    for (int part = 1; part <= parts; part++) {
      boolean last = part == parts;
      String text =
          last
              ? "May I "
                  + id
                  + "?\nUse a button or reply /approve C-"
                  + id
                  + " or /deny C-"
                  + id
                  + " within 10 minutes."
              : "first";
      it.store
          .outbox()
          .plan(
              List.of(
                  new NewReply(
                      id + ".p." + part,
                      event.id(),
                      "fake:main",
                      THREAD,
                      "t",
                      "k1",
                      text,
                      part,
                      parts,
                      false,
                      "",
                      last ? ReplyChoices.write(buttons.choices()) : "")),
              last ? it.store.approvals().show(id, buttons) : _ -> {});
    }
  }

  private void sent(String id, int part) throws Exception {
    sent(id, part, "post-" + id + part);
  }

  /** As the outbox does it: one that was sent and never tried is a contradiction, and is mended. */
  private void sent(String id, int part, String post) throws Exception {
    Reply reply = it.store.outbox().find(id + ".p." + part).orElseThrow();
    it.store.outbox().sending(reply.seq(), false);
    it.store.outbox().sent(reply.seq(), post);
  }

  private void decide(String id, boolean yes, String by) throws Exception {
    assertThat(it.store.approvals().decide(id, yes, by, time.now())).isTrue();
  }

  /** Looks, and waits for what that began. */
  private void look(int posts) throws Exception {
    cards.look();
    TimedWait.until("the posts are edited", () -> settled.size() >= posts && cards.isIdle());
  }

  private List<String> openCards() {
    return it.store.approvals().openCards(time.now().minus(Duration.ofDays(9)), time.now(), 10);
  }

  @Test
  void thePostSaysHowTheQuestionEndedInPlaceOfHowToAnswer() throws Exception {
    ask("a", 1);
    sent("a", 1);
    look(0);
    assertThat(settled).as("it waits").isEmpty();
    decide("a", true, "person:ann");
    look(1);
    assertThat(settled)
        .containsExactly(
            new SettledPost(
                "main", "t", "post-a1", "May I a?\nApproved by Ann \\[the \\*first\\*\\]."));
    look(1);
    assertThat(settled).as("once").hasSize(1);
  }

  @Test
  void whoeverDecidedItIsNamedByTheNameOfTheirMessageOnlyIfItIsTheirs() throws Exception {
    ask("a", 1);
    ask("b", 1);
    ask("c", 1);
    for (String id : List.of("a", "b", "c")) {
      sent(id, 1);
    }
    decide("a", false, "person:bob");
    decide("b", false, "token:operator");
    decide("c", true, "token:ann");
    look(3);
    assertThat(settled)
        .extracting(SettledPost::text)
        .containsExactlyInAnyOrder(
            "May I a?\nDenied by bob.",
            "May I b?\nDenied by operator.",
            "May I c?\nApproved by ann.");
  }

  @Test
  void aQuestionThatNobodyAnsweredSaysSoWhetherOrNotItsTurnHasNoticed() throws Exception {
    ask("a", 1);
    ask("b", 1);
    sent("a", 1);
    sent("b", 1);
    time.advance(TIME_TO_ANSWER);
    assertThat(it.store.approvals().expire("b")).isTrue();
    look(2);
    assertThat(settled)
        .extracting(SettledPost::text)
        .containsExactlyInAnyOrder("May I a?\nNo answer in time.", "May I b?\nNo answer in time.");
  }

  @Test
  void aQuestionThatWasWithdrawnSaysSo() throws Exception {
    ask("a", 1);
    sent("a", 1);
    assertThat(it.store.approvals().expire("a")).isTrue();
    look(1);
    assertThat(settled.getFirst().text()).isEqualTo("May I a?\nNo longer needed.");
  }

  @Test
  void ofAQuestionInPartsThePostWithTheButtonsIsEdited() throws Exception {
    ask("a", 3);
    decide("a", true, "person:ann");
    sent("a", 1);
    sent("a", 2);
    look(0);
    assertThat(settled).as("it is not there yet").isEmpty();
    sent("a", 3);
    look(1);
    assertThat(settled.getFirst().platformId()).isEqualTo("post-a3");
  }

  @Test
  void whatDoesNotFitIsCutInFront() throws Exception {
    ask("b", 1);
    sent("b", 1);
    decide("b", true, "person:" + "x".repeat(900));
    look(1);
    assertThat(settled.getFirst().text()).endsWith("x".repeat(80) + ".").hasSizeLessThan(200);
    assertThat(QuestionCards.fitting("a\uD83D\uDE00b", 2)).isEqualTo("b");
    assertThat(QuestionCards.fitting("a\uD83D\uDE00b", 3)).isEqualTo("\uD83D\uDE00b");
  }

  @Test
  void aPassingFailureIsTriedAgainLaterAndMoreAndMoreSeldom() throws Exception {
    failure = new IllegalStateException("a bug of the channel");
    ask("a", 1);
    sent("a", 1);
    decide("a", true, "person:ann");
    look(1);
    time.advance(Duration.ofSeconds(59));
    look(1);
    assertThat(settled).hasSize(1);
    time.advance(Duration.ofSeconds(1));
    look(2);
    time.advance(Duration.ofSeconds(119));
    look(2);
    assertThat(settled).hasSize(2);
    failure = null;
    time.advance(Duration.ofSeconds(1));
    look(3);
    assertThat(openCards()).isEmpty();
    assertThat(meters.get(QuestionCards.FAILURES).counter().count()).isEqualTo(2);
  }

  @Test
  void whatThePlatformRefusesIsLeftAsItIs() throws Exception {
    failure =
        new CallFailedException(
            Failure.of(FailureCode.INVALID_REQUEST, "gone").as(FailureKind.PERMANENT));
    ask("a", 1);
    sent("a", 1);
    decide("a", true, "person:ann");
    look(1);
    assertThat(openCards()).isEmpty();
  }

  @Test
  void whileTheAccountsBreakerIsOpenOrItsChannelIsAwayNothingIsCalled() throws Exception {
    guard.opensIn(Duration.ofSeconds(5));
    ask("a", 1);
    sent("a", 1);
    decide("a", true, "person:ann");
    look(0);
    assertThat(settled).isEmpty();
    guard.opensIn(Duration.ZERO);
    added.remove();
    look(0);
    assertThat(settled).isEmpty();
    channels.add(new Platform(), time.now());
    look(1);
    assertThat(openCards()).isEmpty();
  }

  @Test
  void aHangingPlatformIsLeftAfterFiveSecondsAndHoldsUpNobodyElse() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    hangs = never;
    ask("a", 1);
    sent("a", 1);
    decide("a", true, "person:ann");
    cards.look();
    TimedWait.until("it hangs", () -> settled.size() == 1);
    hangs = null;
    ask("b", 1);
    sent("b", 1);
    decide("b", true, "person:ann");
    cards.look();
    TimedWait.until("the other one is edited", () -> openCards().equals(List.of("a")));
    assertThat(cards.isIdle()).isFalse();
    time.advance(OptionalCalls.CALL_MAX);
    TimedWait.until("it was left", cards::isIdle);
    assertThat(openCards()).containsExactly("a");
  }

  @Test
  void sixteenAreEditedAtOnceAndTheOthersAfterThem() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    hangs = gate;
    for (int i = 0; i < 20; i++) {
      ask("q" + i, 1);
      sent("q" + i, 1);
      decide("q" + i, true, "person:ann");
    }
    Thread looking =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    cards.look();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
    TimedWait.until(
        "it waits for a place",
        () -> settled.size() == 16 && looking.getState() == Thread.State.WAITING);
    gate.countDown();
    looking.join();
    TimedWait.until("all are edited", () -> openCards().isEmpty());
    assertThat(settled).hasSize(20);
  }

  @Test
  void whatARestartCutOffIsDoneAfterIt() throws Exception {
    ask("a", 1);
    sent("a", 1);
    decide("a", true, "person:ann");
    it.close();
    it = new TestStore(folder);
    cards =
        new QuestionCards(
            it.store,
            news,
            channels,
            new OptionalCalls(channels, _ -> guard, QuestionCards.FAILURES, time, meters),
            ApprovalPrompts::settled,
            time);
    look(1);
    assertThat(openCards()).isEmpty();
  }

  @Test
  void newsOfADecisionAndOfAPostThatArrivedMakeItLook() throws Exception {
    Thread loop =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    cards.run();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
    ask("a", 1);
    sent("a", 1);
    decide("a", true, "person:ann");
    TimedWait.until(
        "the news were heard",
        () -> {
          news.publish("approval.decided", THREAD, event.id(), "{}");
          return settled.size() == 1;
        });
    ask("b", 1);
    decide("b", true, "person:ann");
    sent("b", 1);
    TimedWait.until(
        "the news were heard",
        () -> {
          news.publish("reply.state", THREAD, event.id(), "{\"reply_id\":\"b.p.1\"}");
          return settled.size() == 2;
        });
    loop.interrupt();
    loop.join();
  }

  @Test
  void aPostWithoutAnIdIsLeftAsItIs() throws Exception {
    ask("a", 1);
    sent("a", 1, "");
    decide("a", true, "person:ann");
    cards.look();
    TimedWait.until("it is closed", () -> openCards().isEmpty());
    assertThat(settled).isEmpty();
  }
}
