package dev.holdfast.slack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.testing.FakeSink;
import dev.holdfast.kit.testing.FakeSocket;
import dev.holdfast.kit.testing.FakeSockets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SocketModeTest {
  private static final String DISCONNECT = "{\"type\":\"disconnect\",\"reason\":\"%s\"}";

  @TempDir private Path folder;
  private final FakeSink sink = new FakeSink();
  private final CompletableFuture<Exception> ended = new CompletableFuture<>();
  private SlackRig rig;
  private Thread listener = Thread.ofVirtual().unstarted(() -> {});

  @BeforeEach
  void start() {
    rig = SlackRig.socket(folder);
  }

  @AfterEach
  void stop() throws InterruptedException {
    listener.interrupt();
    listener.join();
    rig.close();
  }

  private FakeSocket listen() throws InterruptedException {
    listener =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    rig.channel().listen("main", sink);
                  } catch (Exception e) {
                    ended.complete(e);
                  }
                });
    return rig.sockets().take();
  }

  private Failure failure() throws Exception {
    return ((CallFailedException) ended.get(10, TimeUnit.SECONDS)).failure();
  }

  private static String envelope(String id, String type, Map<String, ?> payload) {
    return JsonText.write(Map.of("envelope_id", id, "type", type, "payload", payload));
  }

  private static String message(String id, String ts, String text) {
    Map<String, ?> event = SlackRig.message("C1", ts, "U1", text);
    return envelope(
        id, "events_api", Map.of("type", "event_callback", "team_id", "T1", "event", event));
  }

  private static Map<String, Object> ack(String id) {
    return Map.of("envelope_id", id);
  }

  @Test
  void anEnvelopeIsAcknowledgedOnlyWhenItsMessageIsOnDisk() throws Exception {
    CountDownLatch onDisk = new CountDownLatch(1);
    CountDownLatch offered = new CountDownLatch(1);
    sink.onAccept(
        () -> {
          offered.countDown();
          try {
            assertThat(onDisk.await(10, TimeUnit.SECONDS)).isTrue();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
    FakeSocket socket = listen();
    socket.say(message("E1", "10.000001", "hello"));
    assertThat(offered.await(10, TimeUnit.SECONDS)).isTrue();
    assertThat(socket.sent()).isEmpty();
    onDisk.countDown();
    assertThat(socket.takeSent()).isEqualTo(ack("E1"));
    assertThat(sink.texts()).containsExactly("hello");
  }

  @Test
  void itListensAsItsBotSoThatARenewedTokenGoesOn() throws Exception {
    FakeSocket _ = listen();
    assertThat(sink.bot()).isEqualTo("T1 UBOT");
  }

  private static String history(String ts, String text) {
    return "\"messages\":[{\"type\":\"message\",\"ts\":\"%s\",\"user\":\"U1\",\"text\":\"%s\"}]"
        .formatted(ts, text);
  }

  @Test
  void eachAbsenceOfARunIsFilled() throws Exception {
    FakeSocket socket = listen();
    String ts = "10.000001";
    for (int absence = 1; absence <= 2; absence++) {
      socket.say(message("E" + absence, ts, "before " + absence));
      assertThat(socket.takeSent()).isEqualTo(ack("E" + absence));
      ts = 10 + absence + ".000001";
      rig.next("conversations.history", SlackRig.ok(history(ts, "<@UBOT> missed " + absence)));
      CountDownLatch filled = new CountDownLatch(1);
      sink.onAccept(filled::countDown);
      rig.context().advance(Duration.ofMinutes(10));
      socket.drop(1006);
      socket = rig.sockets().take();
      assertThat(filled.await(10, TimeUnit.SECONDS)).isTrue();
      ts = 10 + absence + ".000002";
    }
    assertThat(sink.texts()).containsExactly("before 1", "missed 1", "before 2", "missed 2");
  }

  @Test
  void whatIsDroppedOrIgnoredIsAcknowledgedToo() throws Exception {
    FakeSocket socket = listen();
    Map<String, ?> own = SlackRig.message("C1", "10.000001", "UBOT", "mine");
    socket.say(
        envelope(
            "E1", "events_api", Map.of("type", "event_callback", "team_id", "T1", "event", own)));
    socket.say(envelope("E2", "events_api", Map.of("type", "app_rate_limited")));
    socket.say(envelope("E3", "something_new", Map.of()));
    socket.say("no JSON");
    socket.say("{\"type\":\"pong\"}");
    assertThat(List.of(socket.takeSent(), socket.takeSent(), socket.takeSent()))
        .containsExactly(ack("E1"), ack("E2"), ack("E3"));
    assertThat(sink.messages()).isEmpty();
    assertThat(sink.drops()).containsExactly(DropReason.OWN_ECHO);
  }

  @Test
  void aMessageThatCanNeverBeTakenDoesNotComeAgain() throws Exception {
    sink.refuses(message -> message.text().equals("too much"));
    FakeSocket socket = listen();
    socket.say(message("E1", "10.000001", "too much"));
    socket.say(message("E2", "11.000001", "fine"));
    assertThat(socket.takeSent()).isEqualTo(ack("E1"));
    assertThat(socket.takeSent()).isEqualTo(ack("E2"));
    assertThat(sink.texts()).containsExactly("fine");
  }

  @Test
  void aCommandAndAClickComeOverTheSocket() throws Exception {
    sink.answersClicks("Approved.");
    FakeSocket socket = listen();
    socket.say(
        envelope(
            "E1",
            "slash_commands",
            Map.of(
                "command", "/holdfast",
                "team_id", "T1",
                "user_id", "U1",
                "channel_id", "C1",
                "trigger_id", "t1",
                "text", "what now")));
    assertThat(socket.takeSent()).isEqualTo(ack("E1"));
    assertThat(sink.messages().getFirst().dedupeKey()).isEqualTo("command:t1");
    socket.say(
        envelope(
            "E2",
            "interactive",
            Map.of(
                "type", "block_actions",
                "user", Map.of("id", "U1"),
                "team", Map.of("id", "T1"),
                "channel", Map.of("id", "C1"),
                "message", Map.of("ts", "12.000001", "thread_ts", "10.000001"),
                "actions", List.of(Map.of("action_id", "holdfast_choice_1", "value", "tok")))));
    assertThat(socket.takeSent()).isEqualTo(ack("E2"));
    assertThat(sink.clicks().getFirst().token()).isEqualTo("tok");
    socket.say(message("E3", "13.000001", "after"));
    assertThat(socket.takeSent()).isEqualTo(ack("E3"));
    SlackRig.Called told = rig.calls("chat.postEphemeral").getFirst();
    assertThat(told.get("user")).isEqualTo("U1");
    assertThat(told.get("text")).isEqualTo("Approved.");
    assertThat(told.get("thread_ts")).isEqualTo("10.000001");
  }

  @Test
  void theSuccessorIsThereBeforeTheOldSocketGoes() throws Exception {
    FakeSocket old = listen();
    old.say(DISCONNECT.formatted("refresh_requested"));
    FakeSocket fresh = rig.sockets().take();
    assertThat(old.closedWith()).isZero();
    old.say(message("E1", "10.000001", "to the old one"));
    fresh.say(message("E2", "11.000001", "to the new one"));
    assertThat(old.takeSent()).isEqualTo(ack("E1"));
    assertThat(fresh.takeSent()).isEqualTo(ack("E2"));
    assertThat(sink.texts()).containsExactlyInAnyOrder("to the old one", "to the new one");
    rig.context().advance(Duration.ofSeconds(10));
    old.quiet();
    listener.interrupt();
    listener.join();
    assertThat(old.closedWith()).isNotZero();
  }

  @Test
  void aSocketThatIsQuietIsReplaced() throws Exception {
    FakeSocket first = listen();
    int receives = sink.receives();
    first.quiet();
    FakeSocket second = rig.sockets().take();
    second.say(message("E1", "10.000001", "hello"));
    assertThat(second.takeSent()).isEqualTo(ack("E1"));
    assertThat(sink.receives()).as("its hello counts").isGreaterThan(receives);
    assertThat(rig.calls("apps.connections.open")).hasSize(2);
    assertThat(rig.calls("apps.connections.open").getFirst().token())
        .isEqualTo("Bearer " + SlackRig.APP_TOKEN);
  }

  /** The server then waits, each time longer, and tells of the third in a row. */
  @Test
  void aSocketThatEndsRightAfterItsHelloEndsTheCall() throws Exception {
    FakeSocket socket = listen();
    socket.awaitServed();
    rig.context().advance(SocketMode.LIFE_LEAST.minusMillis(1));
    socket.drop(1006);
    assertThat(failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
    assertThat(failure().message()).contains("it was closed (1006) right after its hello");
    assertThat(rig.sockets().hasMore()).isFalse();
  }

  @Test
  void oneThatHasLastedIsFollowedByTheNextAtOnce() throws Exception {
    FakeSocket socket = listen();
    for (int i = 0; i < 3; i++) {
      socket.awaitServed();
      rig.context().advance(SocketMode.LIFE_LEAST);
      socket.drop(1006);
      socket = rig.sockets().take();
    }
    assertThat(rig.context().sleeps()).isEmpty();
  }

  @Test
  void oneOfSeveralThatEndsSoonIsOpenedAgainEachTimeLater() throws Exception {
    rig.close();
    rig = SlackRig.with(Map.of("app_token", SlackRig.APP_TOKEN, "sockets", 2), folder);
    listen();
    for (int i = 0; i < 3; i++) {
      rig.sockets().take().drop(1006);
    }
    rig.sockets().take();
    assertThat(rig.context().sleeps())
        .containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(4));
  }

  @Test
  void whenTheLastSocketIsGoneAndNoneCanBeOpenedTheServerIsTold() throws Exception {
    FakeSocket socket = listen();
    rig.sockets().refuse(FakeSockets.network());
    socket.awaitServed();
    rig.context().advance(SocketMode.LIFE_LEAST);
    socket.drop(1006);
    assertThat(failure().code()).isEqualTo(FailureCode.NETWORK);
  }

  @Test
  void whenTheLastSocketIsSilentAndNoneCanBeOpenedTheServerIsTold() throws Exception {
    FakeSocket socket = listen();
    rig.sockets().refuse(FakeSockets.network());
    socket.quiet();
    assertThat(failure().code()).isEqualTo(FailureCode.NETWORK);
    assertThat(rig.calls("apps.connections.open")).as("with the first one").hasSize(4);
    assertThat(socket.closedWith()).isNotZero();
  }

  @Test
  void aRevokedTokenIsToldByName() throws Exception {
    rig.always("auth.test", SlackRig.error("token_revoked"));
    assertThatThrownBy(() -> rig.channel().listen("main", sink))
        .isInstanceOfSatisfying(
            CallFailedException.class,
            e -> {
              assertThat(e.failure().code()).isEqualTo(FailureCode.AUTH);
              assertThat(e.getMessage()).contains("token_revoked").doesNotContain("canary");
            });
  }

  @Test
  void anAppTokenOfTheWrongKindIsToldByName() throws Exception {
    rig.always("apps.connections.open", SlackRig.error("not_allowed_token_type"));
    assertThatThrownBy(() -> rig.channel().listen("main", sink))
        .hasMessageContaining("AUTH")
        .hasMessageContaining("connections:write");
  }

  @Test
  void socketModeThatWasTurnedOffIsToldByName() throws Exception {
    FakeSocket socket = listen();
    socket.say(DISCONNECT.formatted("link_disabled"));
    assertThat(failure().message()).contains("Socket Mode is turned off");
    assertThat(socket.closedWith()).isNotZero();
  }

  @Test
  void aSocketWithoutHelloIsOfNoUse() {
    rig.sockets().onOpen(socket -> socket.say("{\"type\":\"welcome\"}"));
    assertThatThrownBy(() -> rig.channel().listen("main", sink))
        .hasMessageContaining("does not begin with hello");
    rig.sockets().onOpen(socket -> socket.say(DISCONNECT.formatted("link_disabled")));
    assertThatThrownBy(() -> rig.channel().listen("main", sink)).hasMessageContaining("turned off");
  }

  @Test
  void whatCannotBeAcknowledgedEndsNothing() throws Exception {
    FakeSocket socket = listen();
    socket.say(message("E1", "10.000001", "hello"));
    assertThat(socket.takeSent()).isEqualTo(ack("E1"));
    socket.awaitServed();
    rig.context().advance(SocketMode.LIFE_LEAST);
    socket.close();
    FakeSocket next = rig.sockets().take();
    next.say(message("E1", "10.000001", "hello"));
    assertThat(next.takeSent()).isEqualTo(ack("E1"));
  }

  @Test
  void severalSocketsAreKeptWhenAskedFor() throws Exception {
    rig.close();
    rig = SlackRig.with(Map.of("app_token", SlackRig.APP_TOKEN, "sockets", 2), folder);
    FakeSocket one = listen();
    FakeSocket other = rig.sockets().take();
    one.say(message("E1", "10.000001", "a"));
    other.say(message("E2", "11.000001", "b"));
    assertThat(one.takeSent()).isEqualTo(ack("E1"));
    assertThat(other.takeSent()).isEqualTo(ack("E2"));
    assertThat(rig.sockets().hasMore()).isFalse();
  }

  @Test
  void theTokenOfTheAppIsWhatOnlyOneMayListenWith() {
    assertThat(rig.channel().listens())
        .hasEntrySatisfying("main", spec -> assertThat(spec.token()).isEqualTo(SlackRig.APP_TOKEN));
  }
}
