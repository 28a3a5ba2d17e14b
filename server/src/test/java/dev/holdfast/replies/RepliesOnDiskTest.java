package dev.holdfast.replies;

import static dev.holdfast.replies.HttpPlatform.Behaviour.BUSY;
import static dev.holdfast.replies.HttpPlatform.Behaviour.BUSY_LONG;
import static dev.holdfast.replies.HttpPlatform.Behaviour.CUT_BODY;
import static dev.holdfast.replies.HttpPlatform.Behaviour.CUT_HEAD;
import static dev.holdfast.replies.HttpPlatform.Behaviour.GATEWAY_TIMEOUT;
import static dev.holdfast.replies.HttpPlatform.Behaviour.GONE;
import static dev.holdfast.replies.HttpPlatform.Behaviour.HANG;
import static dev.holdfast.replies.HttpPlatform.Behaviour.RESET;
import static org.assertj.core.api.Assertions.assertThat;

import com.standardwebhooks.Webhook;
import dev.holdfast.bus.News;
import dev.holdfast.channels.Channels;
import dev.holdfast.channels.WebhookChannel;
import dev.holdfast.channels.WebhookConfig;
import dev.holdfast.config.Secret;
import dev.holdfast.config.Section;
import dev.holdfast.net.HttpCaller;
import dev.holdfast.resilience.GuardMemory;
import dev.holdfast.resilience.Guards;
import dev.holdfast.resilience.GuardsConfig;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreConfig;
import dev.holdfast.store.engine.StoreHooks;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.Finish;
import dev.holdfast.store.messages.NewEvent;
import dev.holdfast.store.messages.NewReply;
import dev.holdfast.store.messages.Reply;
import dev.holdfast.store.messages.ReplyState;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.time.SystemTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import java.net.http.HttpHeaders;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The real store, guards, channel and sockets; only the platform is bad. */
@Timeout(30)
class RepliesOnDiskTest {
  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

  @TempDir Path folder;

  private final SystemTime time = new SystemTime(); // sockets are real
  private final Vertx vertx = Vertx.vertx();
  private final HttpCaller http = HttpCaller.create(vertx, time);
  private HttpPlatform platform;
  private int port;
  private OnUnknown onUnknown = OnUnknown.RESEND_ONCE;
  private Store store;
  private Replies replies;
  private SimpleMeterRegistry metrics = new SimpleMeterRegistry();

  RepliesOnDiskTest() throws Exception {
    platform = new HttpPlatform();
    port = platform.port();
  }

  @BeforeEach
  void boot() throws Exception {
    metrics = new SimpleMeterRegistry();
    store =
        Store.open(
            StoreConfig.from(Section.empty(), Section.empty(), Section.empty()),
            folder,
            time,
            metrics,
            new StoreHooks(() -> {}, (code, text) -> {}));
    WebhookConfig webhook =
        new WebhookConfig(
            Map.of(
                "ci",
                new WebhookConfig.Account(
                    List.of(new Secret(SECRET)),
                    "http://127.0.0.1:" + port + "/in",
                    List.of("*"))));
    replies =
        new Replies(
            store,
            new Channels(List.of(new WebhookChannel(webhook, http, time))),
            Guards.create(GuardsConfig.defaults(), GuardMemory.none(), time, metrics, vertx),
            new News(10),
            new RepliesConfig(3, Duration.ofMillis(50), Duration.ofHours(1), onUnknown),
            time,
            metrics);
    replies.start();
  }

  @AfterEach
  void close() throws Exception {
    shutDown();
    platform.close();
    http.close();
    vertx.close().await(5, TimeUnit.SECONDS);
  }

  private void shutDown() throws Exception {
    replies.stop();
    store.close();
  }

  @Test
  void aReplyArrivesSignedAndIsSent() throws Exception {
    Event event = answer("t1", "k1", 1);
    RepliesFixture.await(() -> stateOf(event, 1) == ReplyState.SENT);
    HttpPlatform.Post post = platform.posts().getFirst();
    new Webhook(SECRET)
        .verify(
            post.body(),
            HttpHeaders.of(
                Map.of(
                    "webhook-id", List.of(post.id()),
                    "webhook-timestamp",
                        List.of(post.headers().getOrDefault("webhook-timestamp", "")),
                    "webhook-signature",
                        List.of(post.headers().getOrDefault("webhook-signature", ""))),
                (_, _) -> true));
    assertThat(post.id()).isEqualTo(event.id() + ".a.1");
    assertThat(post.body())
        .isEqualTo(
            "{\"event_id\":\""
                + event.id()
                + "\",\"thread\":\"t1\",\"in_reply_to\":\"k1\",\"text\":\"part"
                + " 1\",\"part\":1,\"parts\":1}");
    assertThat(store.outbox().depth()).isZero();
  }

  @Test
  void everyLostAnswerAllowsOneMorePost() throws Exception {
    for (HttpPlatform.Behaviour lost : List.of(RESET, CUT_HEAD, GATEWAY_TIMEOUT)) {
      platform.next(lost);
      Event once = answer("t-" + lost, "k-" + lost, 1);
      RepliesFixture.await(() -> stateOf(once, 1) == ReplyState.RESENT);
      assertThat(postsOf(once)).isEqualTo(2);
      assertThat(find(once, 1).unknowns()).isEqualTo(1);
    }
    platform.next(RESET, GATEWAY_TIMEOUT);
    Event twice = answer("t-twice", "k-twice", 1);
    RepliesFixture.await(() -> stateOf(twice, 1) == ReplyState.RESENT);
    assertThat(postsOf(twice)).isEqualTo(3);
    assertThat(find(twice, 1).unknowns()).isEqualTo(2);
    assertThat(eventState(twice)).isEqualTo(EventState.ANSWERED);
  }

  @Test
  void anAnswerWithACutBodyIsAnAnswer() throws Exception {
    platform.next(CUT_BODY);
    Event event = answer("t1", "k1", 1);
    RepliesFixture.await(() -> stateOf(event, 1) == ReplyState.SENT);
    assertThat(postsOf(event)).isEqualTo(1);
  }

  @Test
  void aBusyPlatformIsWaitedForAndAGoneOneIsNot() throws Exception {
    platform.next(BUSY);
    Event busy = answer("t1", "k1", 1);
    RepliesFixture.await(() -> stateOf(busy, 1) == ReplyState.SENT);
    assertThat(postsOf(busy)).isEqualTo(2);
    platform.next(GONE);
    Event gone = answer("t2", "k2", 1);
    RepliesFixture.await(() -> stateOf(gone, 1) == ReplyState.REJECTED);
    assertThat(postsOf(gone)).isEqualTo(1);
    assertThat(eventState(gone)).isEqualTo(EventState.DEAD_LETTERED);
    platform.next(BUSY_LONG);
    Event late = answer("t3", "k3", 1);
    RepliesFixture.await(() -> stateOf(late, 1) == ReplyState.RETRY_AT);
    assertThat(find(late, 1).paced()).isEqualTo(Duration.ofHours(1));
  }

  @Test
  void aPlatformThatIsDownIsWaitedForWithoutCounting() throws Exception {
    platform.close();
    Event event = answer("t1", "k1", 1);
    RepliesFixture.await(() -> stateOf(event, 1) == ReplyState.RETRY_AT);
    RepliesFixture.await(() -> find(event, 1).detail().contains("NETWORK"));
    platform = new HttpPlatform(port);
    RepliesFixture.await(() -> stateOf(event, 1) == ReplyState.SENT);
    assertThat(platform.ids()).containsExactly(event.id() + ".a.1");
    assertThat(find(event, 1).attempts()).isEqualTo(1);
  }

  @Test
  void aStopInTheMiddleOfAPostIsUnknownAndResentOnceAfterTheStart() throws Exception {
    platform.next(HANG);
    Event event = answer("t1", "k1", 1);
    RepliesFixture.await(() -> platform.posts().size() == 1);
    shutDown();
    boot();
    RepliesFixture.await(() -> stateOf(event, 1) == ReplyState.RESENT);
    assertThat(postsOf(event)).isEqualTo(2);
    assertThat(find(event, 1).unknowns()).isEqualTo(1);
  }

  @Test
  void aCrashWhileSendingIsUnknownAndResentOnceAfterTheStart() throws Exception {
    replies.stop(); // what the crash leaves behind is made by hand
    Event event = answer("t1", "k1", 2);
    store.outbox().sending(find(event, 1).seq(), false);
    store.close();
    boot();
    RepliesFixture.await(() -> stateOf(event, 2) == ReplyState.SENT);
    assertThat(stateOf(event, 1)).isEqualTo(ReplyState.RESENT);
    assertThat(platform.ids()).containsExactly(event.id() + ".a.1", event.id() + ".a.2");
    shutDown();
    boot();
    assertThat(store.outbox().depth()).isZero();
  }

  @Test
  void aHeldReplyIsPostedWhenTheOperatorReplaysIt() throws Exception {
    shutDown();
    onUnknown = OnUnknown.HOLD;
    boot();
    platform.next(RESET);
    Event event = answer("t1", "k1", 1);
    RepliesFixture.await(() -> stateOf(event, 1) == ReplyState.HELD);
    String letter =
        store
            .deadLetters()
            .list(ThreadReader.OPERATOR, "reply", time.now().plusSeconds(9), 10)
            .getFirst()
            .id();
    assertThat(store.deadLetters().replay(letter)).isTrue();
    RepliesFixture.await(() -> !find(event, 1).state().isOpen());
    assertThat(postsOf(event)).isEqualTo(2);
    assertThat(eventState(event)).isEqualTo(EventState.ANSWERED);
  }

  @Test
  void manyThreadsKeepTheirOrder() throws Exception {
    platform.next(RESET, GATEWAY_TIMEOUT, BUSY); // a second loss of one reply would hold it
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      events.add(answer("t" + i % 20, "k" + i, 2));
    }
    RepliesFixture.await(() -> store.outbox().depth() == 0);
    assertThat(events).allMatch(event -> eventState(event) == EventState.ANSWERED);
    for (int thread = 0; thread < 20; thread++) {
      List<String> expected = new ArrayList<>();
      for (int i = thread; i < 200; i += 20) {
        expected.add(events.get(i).id() + ".a.1");
        expected.add(events.get(i).id() + ".a.2");
      }
      assertThat(platform.ids().stream().filter(expected::contains).distinct().toList())
          .isEqualTo(expected);
    }
  }

  private Event answer(String thread, String key, int parts) throws Exception {
    String threadId = "webhook:ci:" + thread;
    Event event =
        store
            .inbox()
            .append(new NewEvent("webhook:ci", threadId, key, "{}", time.now()))
            .join()
            .event();
    String id = event.id();
    store.inbox().start(event.seq(), 3);
    List<NewReply> planned = new ArrayList<>();
    for (int part = 1; part <= parts; part++) {
      planned.add(
          new NewReply(
              id + ".a." + part,
              id,
              "webhook:ci",
              threadId,
              thread,
              key,
              "part " + part,
              part,
              parts,
              false));
    }
    store
        .inbox()
        .finish(new Finish(List.of(event.seq()), EventState.ANSWERED, "", planned, List.of()));
    return event;
  }

  private Reply find(Event event, int part) {
    return store.outbox().find(event.id() + ".a." + part).orElseThrow();
  }

  private ReplyState stateOf(Event event, int part) {
    return find(event, part).state();
  }

  private EventState eventState(Event event) {
    return store.inbox().find(event.id()).orElseThrow().state();
  }

  private long postsOf(Event event) {
    return platform.ids().stream().filter(id -> id.startsWith(event.id())).count();
  }
}
