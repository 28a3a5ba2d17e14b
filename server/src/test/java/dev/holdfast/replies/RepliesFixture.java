package dev.holdfast.replies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.bus.News;
import dev.holdfast.bus.NewsItem;
import dev.holdfast.channels.Channels;
import dev.holdfast.registry.Registration;
import dev.holdfast.registry.RegistrationRefusedException;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.store.messages.NewReply;
import dev.holdfast.store.messages.StoryLine;
import dev.holdfast.store.threads.AttachmentFolder;
import dev.holdfast.time.ManualTime;
import dev.holdfast.time.TimedWait;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;

/** Replies between an outbox in memory and a platform that does what a test says. */
abstract class RepliesFixture {
  static final Failure BUSY =
      Failure.of(FailureCode.RATE_LIMITED, "429").withRetryAfter(Duration.ofSeconds(30));
  static final Failure GONE =
      Failure.of(FailureCode.INVALID_REQUEST, "410").as(FailureKind.PERMANENT);
  static final Failure AWAY = Failure.of(FailureCode.NETWORK, "connection refused");

  final ManualTime time = new ManualTime();
  final FakeOutbox outbox = new FakeOutbox();
  final FakeAccount platform = new FakeAccount("main", "other");
  private final ConcurrentHashMap<String, FakePostGuard> fakes = new ConcurrentHashMap<>();
  Function<String, PostGuard> guards = this::fake;
  final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  final ConcurrentLinkedQueue<StoryLine> stories = new ConcurrentLinkedQueue<>();
  final ConcurrentLinkedQueue<NewsItem> items = new ConcurrentLinkedQueue<>();
  final Channels channels = new Channels(List.of());
  Registration channel = added(platform);
  Replies replies = replies(OnUnknown.RESEND_ONCE, 10_000);

  @AfterEach
  void stop() throws InterruptedException {
    replies.stop();
  }

  Replies replies(OnUnknown onUnknown, int threadsMax) {
    News news = new News(1000, Runnable::run);
    news.watch(items::add, () -> {});
    Replies made =
        new Replies(
            new ReplyPoster.Connections(outbox, channels, name -> guards.apply(name), noFiles()),
            new RepliesConfig(3, Duration.ofSeconds(1), Duration.ofHours(1), onUnknown),
            new ReplyEvents(news, stories::add, metrics, time),
            time,
            threadsMax);
    outbox.onPlanning(made);
    return made;
  }

  Registration added(FakeAccount adapter) {
    try {
      return channels.add(adapter, time.now());
    } catch (RegistrationRefusedException e) {
      throw new AssertionError(e);
    }
  }

  FakePostGuard guard(String account) {
    return fake("fake:" + account);
  }

  private FakePostGuard fake(String source) {
    return fakes.computeIfAbsent(source, _ -> new FakePostGuard());
  }

  void plan(String thread, String event, int part, int parts) {
    planAt("fake:main", thread, event, part, parts);
  }

  void planAt(String source, String thread, String event, int part, int parts) {
    Instant now = time.now();
    outbox.plan(reply(source, thread, event, part, parts), now);
    replies.wake(source + ":" + thread);
  }

  static NewReply reply(String source, String thread, String event, int part, int parts) {
    return new NewReply(
        event + ".a." + part,
        event,
        source,
        source + ":" + thread,
        thread,
        "m-" + event,
        "text",
        part,
        parts,
        false);
  }

  void drain() throws InterruptedException {
    assertThat(replies.drain(Deadline.in(time, Duration.ofHours(24)))).isTrue();
  }

  double count(String outcome) {
    return metrics.find("holdfast.replies").tag("outcome", outcome).counters().stream()
        .mapToDouble(io.micrometer.core.instrument.Counter::count)
        .sum();
  }

  static void await(BooleanSupplier condition) {
    TimedWait.until("the replies are where the test wants them", condition);
  }

  static Function<String, AttachmentFolder> noFiles() {
    return _ -> {
      throw new AssertionError("none of these replies has files");
    };
  }
}
