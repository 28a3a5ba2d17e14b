package dev.holdfast.channels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.Click;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.ListenSpec;
import dev.holdfast.api.MessageSink;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.registry.Registration;
import dev.holdfast.registry.RegistrationRefusedException;
import dev.holdfast.store.TestStore;
import dev.holdfast.supervision.FakeCrashListener;
import dev.holdfast.supervision.SupervisionConfig;
import dev.holdfast.supervision.Supervisor;
import dev.holdfast.time.ManualTime;
import dev.holdfast.time.TimedWait;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ListenersTest {
  private static final Duration SILENCE = Duration.ofSeconds(30);

  @TempDir Path folder;

  private final ManualTime time = new ManualTime();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final Channels channels = new Channels(List.of());
  private final FakeAcceptance acceptance = new FakeAcceptance();
  private final Supervisor supervisor =
      new Supervisor(SupervisionConfig.DEFAULT, time, meters, new FakeCrashListener());
  private TestStore store;
  private Listeners listeners;

  /** Knows keys, and can be told to refuse. */
  private static final class FakeAcceptance implements MessageAcceptance {
    final List<Click> clicks = new CopyOnWriteArrayList<>();
    final List<InboundMessage> taken = new CopyOnWriteArrayList<>();
    final List<DropReason> dropped = new CopyOnWriteArrayList<>();
    final AtomicInteger refused = new AtomicInteger();
    final AtomicInteger overloads = new AtomicInteger();

    @Override
    public CompletableFuture<?> take(String channel, InboundMessage message) {
      if (overloads.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        return failed(FailureCode.OVERLOADED);
      }
      if (message.thread().equals("bad")) {
        return failed(FailureCode.INVALID_REQUEST);
      }
      taken.add(message);
      return CompletableFuture.completedFuture(message);
    }

    @Override
    public String clicked(String channel, Click click) throws CallFailedException {
      if (overloads.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        throw new CallFailedException(Failure.of(FailureCode.OVERLOADED, "no"));
      }
      clicks.add(click);
      return "Approved.";
    }

    private static CompletableFuture<?> failed(FailureCode code) {
      return CompletableFuture.failedFuture(new CallFailedException(Failure.of(code, "no")));
    }

    @Override
    public void dropped(String channel, List<DropReason> reasons) {
      dropped.addAll(reasons);
    }

    @Override
    public void refused(String channel) {
      refused.incrementAndGet();
    }
  }

  /** What one call of {@code listen} does. */
  private interface Call {
    void run(MessageSink sink) throws Exception;
  }

  /** Does what it is told, call by call, and then listens to nothing. */
  private static final class Platform implements ChannelAdapter {
    final BlockingQueue<Call> calls = new LinkedBlockingQueue<>();
    final AtomicInteger begun = new AtomicInteger();
    final AtomicInteger running = new AtomicInteger();
    private final String name;
    private final Map<String, String> tokens;

    Platform(String name, Map<String, String> tokens) {
      this.name = name;
      this.tokens = tokens;
    }

    static Platform of(Call... calls) {
      Platform platform = new Platform("poll", Map.of("main", "secret-1"));
      platform.calls.addAll(List.of(calls));
      return platform;
    }

    @Override
    public String channel() {
      return name;
    }

    @Override
    public Set<String> accounts() {
      return Set.of("main", "other");
    }

    @Override
    public Map<String, ListenSpec> listens() {
      return tokens.entrySet().stream()
          .collect(
              Collectors.toMap(
                  Map.Entry::getKey, token -> new ListenSpec(token.getValue(), SILENCE)));
    }

    @Override
    public void listen(String account, MessageSink sink) throws Exception {
      begun.incrementAndGet();
      running.incrementAndGet();
      try {
        @Nullable Call call = calls.poll();
        if (call == null) {
          forever();
        } else {
          call.run(sink);
        }
      } finally {
        running.decrementAndGet();
      }
    }

    static void forever() throws InterruptedException {
      new CountDownLatch(1).await();
    }

    @Override
    public WebhookVerdict receive(WebhookRequest request) {
      return new WebhookVerdict.NoAccount();
    }

    @Override
    public int textUnitsMax() {
      return 1000;
    }

    @Override
    public PostOutcome post(OutboundReply reply) {
      return new PostOutcome.Sent("");
    }
  }

  @BeforeEach
  void open() throws Exception {
    store = new TestStore(folder);
    start();
  }

  private void start() throws Exception {
    listeners =
        new Listeners(
            channels,
            acceptance,
            ListenerPositions.open(store.store.engine()),
            supervisor,
            time,
            meters);
    listeners.start();
  }

  @AfterEach
  void close() throws Exception {
    listeners.stop();
    assertThat(supervisor.stopAll(Duration.ofSeconds(20))).isEmpty();
    store.close();
  }

  private Registration add(Platform platform) throws RegistrationRefusedException {
    return channels.add(platform, time.now());
  }

  private static InboundMessage message(String thread, String key) {
    return new InboundMessage("main", thread, "me", "hi", List.of(), key);
  }

  private ListenerStatus.State state(String source) {
    return listeners.statuses().stream()
        .filter(status -> status.source().equals(source))
        .map(ListenerStatus::state)
        .findFirst()
        .orElseThrow();
  }

  private double restarts(String reason) {
    return meters.get(Listener.RESTARTS).tag("reason", reason).counter().count();
  }

  private double listening(String state) {
    return meters.get("holdfast.listeners").tag("state", state).gauge().value();
  }

  @Test
  void whatIsReceivedIsAcceptedAndItsPositionOutlivesARestart() throws Exception {
    AtomicReference<Object> first = new AtomicReference<>();
    AtomicReference<Object> second = new AtomicReference<>();
    CountDownLatch done = new CountDownLatch(2);
    Call work =
        sink -> {
          first.compareAndSet(null, sink.position());
          second.set(sink.position());
          sink.received();
          sink.accept(List.of(message("t1", "1"), message("t2", "2")));
          sink.dropped(List.of(DropReason.OWN_ECHO));
          sink.savePosition("7");
          done.countDown();
          Platform.forever();
        };
    Registration added = add(Platform.of(work));
    TimedWait.until("it listens", () -> done.getCount() == 1);
    assertThat(state("poll:main")).isInstanceOf(ListenerStatus.Receiving.class);
    assertThat(listening("up")).isOne();
    added.remove();
    assertThat(added.awaitEnd(Duration.ofSeconds(20))).isTrue();
    assertThat(listening("up")).isZero();
    add(Platform.of(work));
    TimedWait.until("it listens again", () -> done.getCount() == 0);
    assertThat(first.get()).hasToString("Optional.empty");
    assertThat(second.get()).hasToString("Optional[7]");
    assertThat(acceptance.taken).hasSize(4);
    assertThat(acceptance.dropped).hasSize(2);
  }

  @Test
  void anotherTokenBeginsWithoutAPosition() throws Exception {
    ListenerPositions positions = ListenerPositions.open(store.store.engine());
    positions.save(reader("a", ""), "5");
    assertThat(positions.find(reader("a", ""))).contains("5");
    assertThat(positions.find(reader("b", ""))).isEmpty();
    positions.save(reader("b", ""), "1");
    assertThat(positions.find(reader("b", ""))).contains("1");
    assertThat(positions.find(reader("a", ""))).isEmpty();
  }

  private static ListenerPositions.Reader reader(String lease, String bot) {
    return new ListenerPositions.Reader("poll:main", lease, bot);
  }

  @Test
  void aBotGoesOnWithItsPositionWhateverItsTokenAndNoOtherBotDoes() throws Exception {
    ListenerPositions positions = ListenerPositions.open(store.store.engine());
    positions.save(reader("a", ""), "of a version that did not know the bot");
    assertThat(positions.find(reader("a", "B1")))
        .contains("of a version that did not know the bot");
    assertThat(positions.find(reader("b", "B1"))).isEmpty();
    positions.save(reader("a", "B1"), "7");
    assertThat(positions.find(reader("b", "B1"))).contains("7");
    assertThat(positions.find(reader("a", "B2"))).isEmpty();
    assertThat(positions.find(reader("b", "B2"))).isEmpty();
    assertThat(positions.find(reader("a", ""))).as("a channel that says no bot").contains("7");
    assertThat(positions.find(reader("b", ""))).isEmpty();
  }

  @Test
  void aRenewedTokenGoesOnWhereTheOldOneHasStopped() throws Exception {
    AtomicReference<Object> found = new AtomicReference<>();
    CountDownLatch saved = new CountDownLatch(1);
    Platform old = new Platform("poll", Map.of("main", "secret-1"));
    old.calls.add(
        sink -> {
          sink.listensAs("U1");
          sink.savePosition("7");
          saved.countDown();
          Platform.forever();
        });
    Registration added = add(old);
    TimedWait.until("it has saved", () -> saved.getCount() == 0);
    added.remove();
    assertThat(added.awaitEnd(Duration.ofSeconds(20))).isTrue();
    Platform renewed = new Platform("poll", Map.of("main", "secret-2"));
    renewed.calls.add(
        sink -> {
          sink.listensAs("U1");
          found.set(sink.position());
          Platform.forever();
        });
    add(renewed);
    TimedWait.until("it listens again", () -> found.get() != null);
    assertThat(found.get()).hasToString("Optional[7]");
  }

  @Test
  void whereItIsMissingHoldsUntilItIsToldOtherwise() throws Exception {
    CountDownLatch isBack = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    add(
        Platform.of(
            sink -> {
              assertThatThrownBy(() -> sink.missingFrom(-1))
                  .isInstanceOf(IllegalArgumentException.class);
              sink.missingFrom(2);
            },
            sink -> {
              sink.received();
              isBack.await();
              sink.missingFrom(0);
              over.countDown();
              Platform.forever();
            }));
    TimedWait.until(
        "its second call", () -> state("poll:main").equals(new ListenerStatus.Receiving(2)));
    isBack.countDown();
    TimedWait.until("it has said so", () -> over.getCount() == 0);
    assertThat(state("poll:main")).isEqualTo(new ListenerStatus.Receiving(0));
  }

  @Test
  void whatIsNoNameOfABotIsRefused() throws Exception {
    AtomicReference<Object> thrown = new AtomicReference<>();
    add(
        Platform.of(
            sink -> {
              List<Throwable> all = new ArrayList<>();
              for (String bot : List.of("", " ", "x".repeat(1001))) {
                all.add(catchThrowable(() -> sink.listensAs(bot)));
              }
              sink.listensAs("x".repeat(1000));
              thrown.set(all);
              Platform.forever();
            }));
    TimedWait.until("it has tried", () -> thrown.get() != null);
    assertThat((List<?>) thrown.get())
        .hasSize(3)
        .allSatisfy(each -> assertThat(each).isInstanceOf(IllegalArgumentException.class));
  }

  @Test
  void aFullStoreIsWaitedForAndNothingIsMovedOn() throws Exception {
    acceptance.overloads.set(3);
    CountDownLatch done = new CountDownLatch(1);
    add(
        Platform.of(
            sink -> {
              sink.accept(List.of(message("t1", "1"), message("t1", "2")));
              done.countDown();
              Platform.forever();
            }));
    done.await();
    assertThat(acceptance.taken)
        .extracting(InboundMessage::dedupeKey)
        .containsExactlyInAnyOrder("1", "2");
    assertThat(time.sleeps()).containsExactly(Duration.ofMillis(50), Duration.ofMillis(100));
    assertThat(acceptance.refused).hasValue(0);
  }

  @Test
  void aClickIsOfferedUntilTheStoreTakesItAndTheChannelHearsWhatToTell() throws Exception {
    acceptance.overloads.set(2);
    BlockingQueue<Object> told = new LinkedBlockingQueue<>();
    add(
        Platform.of(
            sink -> {
              told.add(sink.clicked(new Click("main", "t1", "ann", "token", "r")));
              try {
                told.add(sink.clicked(new Click("other", "t1", "ann", "token", "r")));
              } catch (IllegalArgumentException e) {
                told.add(e);
              }
              Platform.forever();
            }));
    assertThat(told.take()).isEqualTo("Approved.");
    assertThat(told.take()).isInstanceOf(IllegalArgumentException.class);
    assertThat(time.sleeps()).containsExactly(Duration.ofMillis(50), Duration.ofMillis(100));
    assertThat(acceptance.clicks).hasSize(1);
  }

  @Test
  void whatCanNeverBeAcceptedIsToldWhenTheOthersAreOnDisk() throws Exception {
    BlockingQueue<Throwable> told = new LinkedBlockingQueue<>();
    InboundMessage foreign = new InboundMessage("other", "t", "me", "hi", List.of(), "3");
    add(
        Platform.of(
            sink -> {
              for (InboundMessage bad : List.of(message("bad", "1"), foreign)) {
                try {
                  sink.accept(List.of(bad, message("t1", "2")));
                } catch (CallFailedException e) {
                  told.add(e);
                }
              }
              Platform.forever();
            }));
    for (int i = 0; i < 2; i++) {
      assertThat(((CallFailedException) told.take()).isPassing()).isFalse();
    }
    assertThat(acceptance.taken).hasSize(2);
    assertThat(acceptance.refused).hasValue(2);
  }

  @Test
  void whatEndsIsCalledAgainAfterAGrowingWait() throws Exception {
    Call fails =
        _ -> {
          throw new CallFailedException(Failure.of(FailureCode.NETWORK, "reset"));
        };
    Call throwsError =
        _ -> {
          throw new NoClassDefFoundError("it/is/gone");
        };
    Call lasts =
        sink -> {
          sink.received();
          time.advance(Listener.LIFE_LEAST);
          throw new CallFailedException(
              Failure.of(FailureCode.RATE_LIMITED, "slow").withRetryAfter(Duration.ofSeconds(40)));
        };
    Call refused =
        _ -> {
          throw new CallFailedException(Failure.of(FailureCode.AUTH, "revoked"));
        };
    Platform platform = Platform.of(fails, throwsError, _ -> {}, lasts, fails, refused);
    add(platform);
    TimedWait.until("the seventh call", () -> platform.begun.get() == 7);
    assertThat(time.sleeps())
        .extracting(Duration::toSeconds)
        .containsExactly(1L, 2L, 4L, 40L, 2L, 60L);
    assertThat(restarts("failed")).isEqualTo(4);
    assertThat(restarts("threw")).isOne();
    assertThat(restarts("ended")).isOne();
    assertThat(state("poll:main"))
        .isInstanceOfSatisfying(
            ListenerStatus.NotReceiving.class,
            now -> {
              assertThat(now.failure()).extracting(Failure::code).isEqualTo(FailureCode.AUTH);
              assertThat(now.failures()).isEqualTo(3);
              assertThat(now.next()).isNull();
            });
    assertThat(listening("down")).isOne();
  }

  /** Some proxy lets each connection begin, and ends it. */
  @Test
  void whatEndsAsSoonAsItHasReceivedFailsAndIsToldUntilItLasts() throws Exception {
    CountDownLatch received = new CountDownLatch(1);
    Call flaps =
        sink -> {
          sink.received();
          time.advance(Listener.LIFE_LEAST.minusMillis(1));
        };
    Call lasts =
        sink -> {
          sink.received();
          received.countDown();
          Platform.forever();
        };
    add(Platform.of(flaps, flaps, flaps, flaps, lasts));
    received.await();
    assertThat(time.sleeps()).extracting(Duration::toSeconds).containsExactly(1L, 2L, 4L, 8L);
    assertThat(listeners.statuses())
        .singleElement()
        .matches(ListenerStatus::needsAttention, "is to be looked at");
    assertThat(listening("up")).isZero();
    time.advance(Listener.LIFE_LEAST);
    assertThat(state("poll:main")).isInstanceOf(ListenerStatus.Receiving.class);
    assertThat(listening("up")).isOne();
  }

  @Test
  void oneThatEndsSoonIsNoReasonToDoubtTheNext() throws Exception {
    CountDownLatch received = new CountDownLatch(1);
    add(
        Platform.of(
            MessageSink::received,
            sink -> {
              sink.received();
              received.countDown();
              Platform.forever();
            }));
    received.await();
    assertThat(state("poll:main")).isInstanceOf(ListenerStatus.Receiving.class);
  }

  /** Only what was received keeps it alive, and the time in which the server took nothing. */
  @Test
  void aConnectionThatIsSilentIsMadeAgain() throws Exception {
    CountDownLatch received = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    Platform platform =
        Platform.of(
            sink -> {
              time.advance(SILENCE.dividedBy(2));
              sink.received();
              received.countDown();
              asked.await();
            });
    add(platform);
    received.await();
    time.advance(SILENCE.minusMillis(1));
    assertThat(restarts("silent")).isZero();
    assertThat(platform.begun).hasValue(1);
    time.advance(Duration.ofMillis(1));
    TimedWait.until("the second call", () -> platform.begun.get() == 2);
    assertThat(restarts("silent")).isOne();
  }

  @Test
  void whoDoesNotEndWhenInterruptedIsInterruptedAgainAndNotCalledTwice() throws Exception {
    AtomicInteger interrupts = new AtomicInteger();
    Platform platform =
        Platform.of(
            _ -> {
              while (interrupts.get() < 2) {
                try {
                  Platform.forever();
                } catch (InterruptedException _) {
                  interrupts.incrementAndGet();
                }
              }
            });
    add(platform);
    TimedWait.until("it runs", () -> platform.running.get() == 1);
    time.advance(SILENCE);
    TimedWait.until("the first interrupt", () -> interrupts.get() == 1);
    assertThat(state("poll:main")).isInstanceOf(ListenerStatus.Silent.class);
    assertThat(platform.begun).hasValue(1);
    time.advance(Duration.ofSeconds(5));
    TimedWait.until("the second call", () -> platform.begun.get() == 2);
  }

  @Test
  void ofTwoWithOneTokenTheSecondWaitsForTheFirst() throws Exception {
    Platform first = new Platform("poll", Map.of("main", "one", "other", "one"));
    Registration added = add(first);
    TimedWait.until("one runs", () -> first.running.get() == 1);
    TimedWait.until(
        "the other waits",
        () ->
            listeners.statuses().stream()
                    .filter(status -> status.state() instanceof ListenerStatus.TokenInUse)
                    .count()
                == 1);
    added.remove();
    assertThat(added.awaitEnd(Duration.ofSeconds(20))).isTrue();
    assertThat(listeners.statuses()).isEmpty();
    assertThat(first.begun).hasValue(1);
    Platform second = new Platform("poll", Map.of("main", "one"));
    add(second);
    TimedWait.until("the next version runs", () -> second.running.get() == 1);
  }

  /** The old one may take its time: until then the new one does not disturb it. */
  @Test
  void aReplacementBeginsWhenTheOneBeforeHasEnded() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    Platform old =
        Platform.of(
            _ -> {
              while (goOn.getCount() > 0) {
                try {
                  goOn.await();
                } catch (InterruptedException _) {
                  assertThat(Thread.currentThread().isVirtual()).isTrue();
                }
              }
            });
    Registration added = add(old);
    TimedWait.until("the old one runs", () -> old.running.get() == 1);
    added.remove();
    Platform replacement = Platform.of();
    add(replacement);
    TimedWait.until(
        "the new one waits",
        () ->
            listeners.statuses().stream()
                .anyMatch(status -> status.state() instanceof ListenerStatus.TokenInUse));
    assertThat(replacement.begun).hasValue(0);
    goOn.countDown();
    TimedWait.until("the new one runs", () -> replacement.running.get() == 1);
    assertThat(added.awaitEnd(Duration.ofSeconds(20))).isTrue();
  }

  @Test
  void aSinkIsGoodForOneCallOnly() throws Exception {
    CompletableFuture<MessageSink> kept = new CompletableFuture<>();
    Platform platform = Platform.of(kept::complete);
    add(platform);
    TimedWait.until("the second call", () -> platform.begun.get() == 2);
    assertThatThrownBy(() -> kept.get().accept(message("t1", "1")))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> kept.get().received()).isInstanceOf(IllegalStateException.class);
    assertThat(acceptance.taken).isEmpty();
  }

  @Test
  void whatListensMustBeAnAccountOfTheChannel() {
    assertThatThrownBy(() -> add(new Platform("poll", Map.of("third", "t"))))
        .isInstanceOf(RegistrationRefusedException.class)
        .hasMessageContaining("accounts");
  }

  @Test
  void noTokenIsShownOrKept() throws Exception {
    assertThat(new ListenSpec("secret-1", SILENCE).toString()).doesNotContain("secret-1");
    add(Platform.of());
    assertThat(channels.facts("poll").orElseThrow().toString()).doesNotContain("secret-1");
  }
}
