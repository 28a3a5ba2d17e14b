package dev.holdfast.replies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Draft;
import dev.holdfast.bus.News;
import dev.holdfast.channels.Channels;
import dev.holdfast.registry.Registration;
import dev.holdfast.registry.RegistrationRefusedException;
import dev.holdfast.time.ManualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TypingNoticesTest {
  private static final Duration EVERY = Duration.ofSeconds(4);

  private final ManualTime time = new ManualTime();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final News news = new News(1000, Runnable::run);
  private final Channels channels = new Channels(List.of());
  private final FakePostGuard guard = new FakePostGuard();
  private final List<String> shown = new ArrayList<>();
  private boolean holdsReplies;
  private final TypingNotices notices =
      new TypingNotices(
          channels,
          news,
          _ -> holdsReplies,
          new OptionalCalls(channels, _ -> guard, TypingNotices.FAILURES, time, meters),
          time);
  private boolean fails;
  private boolean drafts;
  private Duration draftEvery = EVERY;
  private Registration added;

  private final class Platform extends ForwardingChannel {
    private final Duration every;

    Platform(Duration every) {
      super(new FakeAccount("main"));
      this.every = every;
    }

    @Override
    public Duration typingEvery() {
      return every;
    }

    @Override
    public boolean showsDrafts() {
      return drafts;
    }

    @Override
    public Duration draftEvery() {
      return draftEvery;
    }

    @Override
    public void showDraft(Draft draft) {
      String activity = draft.activity().isEmpty() ? "" : " [" + draft.activity() + "]";
      shown.add(draft.eventId() + " " + draft.thread() + " " + draft.text() + activity);
    }

    @Override
    public void showTyping(String account, String thread) {
      shown.add(account + " " + thread);
      if (fails) {
        throw new IllegalStateException("a bug of the channel");
      }
    }
  }

  @BeforeEach
  void add() throws Exception {
    added = channels.add(new Platform(EVERY), time.now());
  }

  private void tell(String kind) {
    news.publish(kind, "fake:main:t:1", "e1", "{}");
  }

  private void advance(Duration by) {
    time.advance(by);
  }

  @Test
  void itIsShownFromTheFirstHalfSecondOfATurnToItsEnd() {
    tell("turn.started");
    advance(TypingNotices.FIRST_AFTER.minusMillis(1));
    assertThat(shown).isEmpty();
    advance(Duration.ofMillis(1));
    assertThat(shown).containsExactly("main t:1");
    tell("turn.text");
    advance(EVERY.multipliedBy(2));
    assertThat(shown).hasSize(3);
    tell("event.finished");
    advance(Duration.ofMinutes(1));
    assertThat(shown).hasSize(3);
    assertThat(time.timers()).isZero();
  }

  @Test
  void whoShowsDraftsGetsWhatTheAnswerSaysSoFar() throws Exception {
    drafts = true;
    added.remove();
    channels.add(new Platform(EVERY), time.now());
    tell("turn.started");
    advance(TypingNotices.FIRST_AFTER);
    assertThat(shown).as("there is no word yet").containsExactly("main t:1");
    shown.clear();
    say("Let me ");
    say("see.");
    advance(EVERY);
    assertThat(shown).containsExactly("e1 t:1 Let me see.");
    tell("tool.started");
    advance(EVERY);
    assertThat(shown.getLast()).as("a tool runs").isEqualTo("main t:1");
    say("x".repeat(100_000));
    advance(EVERY);
    assertThat(shown.getLast()).hasSize("e1 t:1 ".length() + channels.textUnitsMax("fake"));
    tell("event.finished");
    advance(Duration.ofMinutes(1));
    assertThat(shown).hasSize(3);
  }

  @Test
  void noDraftIsBegunAboveAReplyThatIsNotPostedYet() throws Exception {
    drafts = true;
    draftEvery = Duration.ofSeconds(1);
    added.remove();
    channels.add(new Platform(EVERY), time.now());
    holdsReplies = true;
    tell("turn.started");
    say("Let me ");
    advance(TypingNotices.FIRST_AFTER);
    say("see.");
    advance(EVERY.multipliedBy(2));
    assertThat(shown)
        .as("typing is shown as often as without a draft")
        .containsExactly("main t:1", "main t:1", "main t:1");
    shown.clear();
    holdsReplies = false;
    advance(draftEvery);
    assertThat(shown).containsExactly("e1 t:1 Let me see.");
    shown.clear();
    holdsReplies = true;
    say(" Yes.");
    advance(draftEvery);
    assertThat(shown).as("its place is settled").containsExactly("e1 t:1 Let me see. Yes.");
  }

  @Test
  void whatChangedIsShownSoonerAndWhatDidNotAsOftenAsTyping() throws Exception {
    drafts = true;
    draftEvery = Duration.ofSeconds(1);
    added.remove();
    channels.add(new Platform(EVERY), time.now());
    tell("turn.started");
    say("a");
    advance(TypingNotices.FIRST_AFTER);
    say("b");
    advance(Duration.ofSeconds(1));
    assertThat(shown).containsExactly("e1 t:1 a", "e1 t:1 ab");
    advance(EVERY);
    assertThat(shown).as("nothing new was said").hasSize(3);
  }

  @Test
  void whatAToolDoesIsShownUntilItEnds() throws Exception {
    drafts = true;
    added.remove();
    channels.add(new Platform(EVERY), time.now());
    news.publish(
        "tool.started", "fake:main:t:1", "e1", new JsonObject().put("label", "ls /").encode());
    advance(TypingNotices.FIRST_AFTER);
    assertThat(shown.getLast()).isEqualTo("e1 t:1  [ls /]");
    news.publish(
        "turn.doing", "fake:main:t:1", "e1", new JsonObject().put("label", "half").encode());
    advance(EVERY);
    assertThat(shown.getLast()).isEqualTo("e1 t:1  [half]");
    tell("tool.ended");
    advance(EVERY);
    assertThat(shown.getLast()).isEqualTo("main t:1");
  }

  private void say(String text) {
    news.publish("turn.text", "fake:main:t:1", "e1", new JsonObject().put("delta", text).encode());
  }

  @Test
  void nothingIsShownWhileATurnWaitsAndAgainWhenItGoesOn() {
    for (String waits : List.of("turn.parked", "approval.asked")) {
      shown.clear();
      tell("turn.started");
      advance(Duration.ofSeconds(1));
      tell(waits);
      advance(Duration.ofMinutes(1));
      assertThat(shown).hasSize(1);
      tell("turn.doing");
      advance(Duration.ofSeconds(1));
      assertThat(shown).hasSize(2);
      tell("event.finished");
    }
  }

  @Test
  void aTurnThatNeverEndsIsNotShownForEver() {
    tell("turn.started");
    advance(Duration.ofHours(2));
    assertThat(shown).hasSize((int) TypingNotices.SHOWN_MAX.dividedBy(EVERY));
    assertThat(time.timers()).isZero();
  }

  @Test
  void aFailureIsCountedAndTriedAgainLater() {
    fails = true;
    tell("turn.started");
    advance(Duration.ofSeconds(1));
    advance(TypingNotices.AFTER_FAILURE.minusSeconds(1));
    assertThat(shown).hasSize(1);
    advance(Duration.ofSeconds(1));
    assertThat(shown).hasSize(2);
    assertThat(meters.get(TypingNotices.FAILURES).counter().count()).isEqualTo(2);
  }

  /** A platform that asked for a pause, or is away, is left alone. */
  @Test
  void nothingIsShownWhileTheAccountWaits() {
    guard.opensIn(Duration.ofSeconds(30));
    tell("turn.started");
    advance(Duration.ofSeconds(1));
    assertThat(shown).isEmpty();
  }

  @Test
  void aChannelThatIsGoneIsNotCalled() {
    tell("turn.started");
    added.remove();
    advance(Duration.ofMinutes(1));
    assertThat(shown).isEmpty();
    assertThat(time.timers()).isZero();
  }

  @Test
  void whoShowsNothingIsNotAsked() throws Exception {
    added.remove();
    channels.add(new Platform(Duration.ZERO), time.now());
    tell("turn.started");
    advance(Duration.ofMinutes(1));
    assertThat(shown).isEmpty();
    assertThat(time.timers()).isZero();
  }

  @Test
  void afterTheCloseNothingIsShown() {
    tell("turn.started");
    notices.close();
    tell("turn.started");
    advance(Duration.ofMinutes(1));
    assertThat(shown).isEmpty();
  }

  @Test
  void anImpossiblePaceIsRefused() {
    added.remove();
    for (Duration every : List.of(Duration.ofMillis(10), Duration.ofHours(1))) {
      try {
        channels.add(new Platform(every), time.now());
        throw new AssertionError("it was added");
      } catch (RegistrationRefusedException e) {
        assertThat(e).hasMessageContaining("typing");
      }
    }
  }
}
