package dev.holdfast.discord;

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
import dev.holdfast.kit.testing.HttpDouble.Said;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class GatewayTest {
  private static final String HISTORY = "GET /channels/60/messages";

  @TempDir private Path folder;
  private final FakeSink sink = new FakeSink();
  private CompletableFuture<Exception> ended = new CompletableFuture<>();
  private DiscordRig rig;
  private Thread listener = Thread.ofVirtual().unstarted(() -> {});

  @BeforeEach
  void start() {
    rig = DiscordRig.gateway(folder);
  }

  @AfterEach
  void stop() throws InterruptedException {
    listener.interrupt();
    listener.join();
    rig.close();
  }

  private FakeSocket listen() throws InterruptedException {
    begin();
    return rig.sockets().take();
  }

  private void begin() {
    ended = new CompletableFuture<>();
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
  }

  /** As the server does it after a failure. */
  private FakeSocket listenAgain() throws Exception {
    Failure _ = failure();
    return listen();
  }

  private Failure failure() throws Exception {
    return ((CallFailedException) ended.get(10, TimeUnit.SECONDS)).failure();
  }

  private static void until(BooleanSupplier isTrue) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10); // for another thread
    while (!isTrue.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("it did not become true");
      }
      Thread.onSpinWait();
    }
  }

  private FakeSocket ready() throws InterruptedException {
    FakeSocket socket = listen();
    assertThat(socket.takeSent()).containsEntry("op", 2L);
    welcome(socket, "s1");
    return socket;
  }

  private static void dispatch(FakeSocket socket, long seq, String type, Map<String, ?> data) {
    socket.say(DiscordRig.event(seq, type, data));
  }

  private static void welcome(FakeSocket socket, String session) {
    dispatch(
        socket,
        1,
        "READY",
        Map.of("session_id", session, "resume_gateway_url", "wss://resume.example/"));
  }

  private static Map<String, Object> direct(String id, String text) {
    return DiscordRig.message("60", "", id, "7", text);
  }

  /** What the next heartbeat says; there was time for it. */
  private long beat(FakeSocket socket) throws InterruptedException {
    socket.quiet();
    Map<String, Object> beat = socket.takeSent();
    assertThat(beat).containsEntry("op", 1L);
    socket.say("{\"op\":11}");
    return JsonText.whole(beat, "d", -1);
  }

  @Test
  void itIdentifiesWithItsIntentsAndWithoutAnythingElse() throws Exception {
    FakeSocket socket = listen();
    assertThat(socket.request().url()).isEqualTo(rig.gatewayUrl() + "/?v=10&encoding=json");
    Map<String, Object> identify = JsonText.map(socket.takeSent(), "d");
    assertThat(identify).containsEntry("token", DiscordRig.TOKEN).containsEntry("intents", 46593L);
    assertThat(sink.receives()).as("a hello proves nothing").isZero();
    welcome(socket, "s1");
    until(() -> sink.receives() > 0);
  }

  @Test
  void withoutMessageContentItDoesNotAskForIt() throws Exception {
    rig.close();
    rig = DiscordRig.with(Map.of("message_content", false), folder);
    rig.application(0, "");
    assertThat(JsonText.map(listen().takeSent(), "d")).containsEntry("intents", 13825L);
  }

  @Test
  void anEventCountsOnlyWhenItIsOnDisk() throws Exception {
    CountDownLatch onDisk = new CountDownLatch(1);
    CountDownLatch offered = new CountDownLatch(1);
    FakeSocket socket = ready();
    assertThat(beat(socket)).isEqualTo(1L);
    sink.onAccept(
        () -> {
          offered.countDown();
          try {
            assertThat(onDisk.await(10, TimeUnit.SECONDS)).isTrue();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
    dispatch(socket, 2, "MESSAGE_CREATE", direct("2000", "hello"));
    assertThat(offered.await(10, TimeUnit.SECONDS)).isTrue();
    assertThat(socket.hasSent()).isFalse();
    socket.say("{\"op\":1}"); // Discord asks for a heartbeat
    onDisk.countDown();
    assertThat(socket.takeSent()).containsEntry("op", 1L).containsEntry("d", 2L);
    assertThat(GatewaySession.of(sink.position().orElseThrow()).orElseThrow().seq()).isEqualTo(2);
    assertThat(sink.texts()).containsExactly("hello");
  }

  @Test
  void whatWasNotTakenIsAskedForAgain() throws Exception {
    FakeSocket socket = ready();
    assertThat(beat(socket)).isEqualTo(1L);
    sink.onAccept(
        () -> {
          throw new IllegalStateException("the server stops");
        });
    dispatch(socket, 2, "MESSAGE_CREATE", direct("2000", "hello"));
    assertThat(ended.get(10, TimeUnit.SECONDS)).isInstanceOf(IllegalStateException.class);
    assertThat(socket.closedWith()).as("1000 would end the session").isEqualTo(4000);
    sink.onAccept(() -> {});
    rig.start(); // after a crash, too
    FakeSocket next = listen();
    assertThat(next.request().url()).isEqualTo("wss://resume.example/?v=10&encoding=json");
    assertThat(next.takeSent())
        .isEqualTo(
            Map.of(
                "op", 6L, "d", Map.of("token", DiscordRig.TOKEN, "session_id", "s1", "seq", 1L)));
    dispatch(next, 2, "MESSAGE_CREATE", direct("2000", "hello"));
    dispatch(next, 3, "RESUMED", Map.of());
    assertThat(beat(next)).isEqualTo(3L);
    assertThat(sink.texts()).containsExactly("hello");
  }

  @Test
  void aHeartbeatThatIsNotAnsweredEndsTheConnectionAndNotTheSession() throws Exception {
    FakeSocket socket = ready();
    assertThat(beat(socket)).isEqualTo(1L);
    socket.quiet();
    assertThat(socket.takeSent()).containsEntry("op", 1L);
    socket.quiet();
    FakeSocket next = rig.sockets().take();
    assertThat(socket.closedWith()).isEqualTo(4000);
    assertThat(next.takeSent()).containsEntry("op", 6L);
  }

  @Test
  void theFirstHeartbeatComesWithinOneInterval() throws Exception {
    long before = rig.context().nanos();
    FakeSocket socket = ready();
    assertThat(beat(socket)).isEqualTo(1L);
    assertThat(Duration.ofNanos(rig.context().nanos() - before))
        .isLessThanOrEqualTo(Duration.ofMillis(41_250));
  }

  @Test
  void whenDiscordAsksForAnotherConnectionItResumes() throws Exception {
    FakeSocket socket = ready();
    assertThat(beat(socket)).isEqualTo(1L);
    rig.context().advance(Duration.ofMinutes(1));
    socket.say("{\"op\":7}");
    assertThat(rig.sockets().take().takeSent()).containsEntry("op", 6L);
  }

  @Test
  void aSessionThatIsOverIsFollowedByANewOneAndByTheHistory() throws Exception {
    FakeSocket socket = ready();
    dispatch(socket, 2, "MESSAGE_CREATE", direct("2000000000000000000", "one"));
    assertThat(beat(socket)).isEqualTo(2L);
    rig.context().advance(Duration.ofMinutes(1));
    rig.says("GET /channels/60", "{\"id\":\"60\",\"type\":1}");
    rig.says(
        HISTORY,
        JsonText.write(
            List.of(direct("2000000000000000002", "three"), direct("2000000000000000001", "two"))));
    socket.drop(4009);
    FakeSocket next = rig.sockets().take();
    assertThat(next.takeSent()).containsEntry("op", 2L);
    welcome(next, "s2");
    dispatch(next, 2, "MESSAGE_CREATE", direct("2000000000000000003", "four"));
    until(() -> sink.texts().size() == 4);
    assertThat(sink.texts()).containsExactly("one", "two", "three", "four");
    assertThat(rig.asked(HISTORY).getFirst().path()).contains("after=2000000000000000000");
    until(() -> sink.position().orElseThrow().contains("s2"));
  }

  @Test
  void aHistoryThatWasNotReadToItsEndIsReadAgainAfterACrash() throws Exception {
    FakeSocket socket = ready();
    dispatch(socket, 2, "MESSAGE_CREATE", direct("2000000000000000000", "one"));
    assertThat(beat(socket)).isEqualTo(2L);
    rig.context().advance(Duration.ofMinutes(1));
    rig.always(HISTORY, Said.nothing());
    socket.drop(4009);
    FakeSocket next = rig.sockets().take();
    assertThat(next.takeSent()).containsEntry("op", 2L);
    welcome(next, "s2");
    until(() -> !rig.asked(HISTORY).isEmpty());
    assertThat(sink.position().orElseThrow()).as("the crash finds the old one").contains("s1");
  }

  /** A session that follows a lost one, and whose history is not read. */
  private FakeSocket behind(Said history) throws InterruptedException {
    FakeSocket socket = ready();
    dispatch(socket, 2, "MESSAGE_CREATE", direct("2000000000000000000", "one"));
    assertThat(beat(socket)).isEqualTo(2L);
    rig.context().advance(Duration.ofMinutes(1));
    rig.says("GET /channels/60", "{\"id\":\"60\",\"type\":1}");
    rig.always(HISTORY, history);
    socket.drop(4009);
    FakeSocket next = rig.sockets().take();
    assertThat(next.takeSent()).containsEntry("op", 2L);
    welcome(next, "s2");
    until(() -> !rig.asked(HISTORY).isEmpty());
    return next;
  }

  private static String history() {
    return JsonText.write(
        List.of(direct("2000000000000000002", "three"), direct("2000000000000000001", "two")));
  }

  @Test
  void whatAResumeBringsDoesNotHideWhatWasMissedBeforeIt() throws Exception {
    FakeSocket socket = behind(DiscordRig.error(502, 0));
    rig.context().advance(Duration.ofMinutes(1));
    socket.drop(1006);
    FakeSocket next = rig.sockets().take();
    assertThat(next.takeSent()).containsEntry("op", 6L);
    dispatch(next, 2, "MESSAGE_CREATE", direct("2000000000000000003", "four"));
    rig.says(HISTORY, history());
    dispatch(next, 3, "RESUMED", Map.of());
    next.quiet();
    next.quiet(); // the first may end with the first heartbeat, whose time is random
    until(() -> sink.texts().size() == 4);
    assertThat(sink.texts()).containsExactly("one", "two", "three", "four");
    assertThat(rig.asked(HISTORY)).allMatch(each -> each.path().contains("=2000000000000000000"));
  }

  @Test
  void aHistoryThatCannotBeReadNowIsToldAndReadLater() throws Exception {
    FakeSocket socket = behind(DiscordRig.error(502, 0));
    for (int tries = 1; tries <= 3 && !ended.isDone(); tries++) {
      socket.quiet();
    }
    assertThat(failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
    rig.says(HISTORY, history());
    FakeSocket next = listen();
    assertThat(next.takeSent()).as("its session is good").containsEntry("op", 6L);
    dispatch(next, 2, "RESUMED", Map.of());
    until(() -> sink.texts().size() == 3);
    assertThat(sink.texts()).containsExactly("one", "two", "three");
  }

  @Test
  void whileTheHistoryIsReadACommandIsTakenInAtOnce() throws Exception {
    FakeSocket socket = behind(Said.json(429, "{\"retry_after\":50}"));
    dispatch(socket, 2, "INTERACTION_CREATE", DiscordRig.ask("3000", "what now"));
    until(() -> !rig.asked("POST /interactions/3000/tok_3000/callback").isEmpty());
    assertThat(sink.texts()).containsExactly("one", "what now");
  }

  @Test
  void anHourThatTheHistoryHasToWaitHoldsUpNothingThatComes() throws Exception {
    FakeSocket socket = behind(Said.json(429, "{\"retry_after\":3600}"));
    socket.quiet();
    dispatch(socket, 2, "MESSAGE_CREATE", direct("2000000000000000003", "four"));
    until(() -> sink.texts().size() == 2);
    assertThat(sink.texts()).containsExactly("one", "four");
    assertThat(sink.position().orElseThrow()).as("a crash reads it again").contains("s1");
    rig.says(HISTORY, history());
    rig.context().advance(Duration.ofHours(1));
    socket.quiet();
    until(() -> sink.texts().size() == 4);
    assertThat(sink.texts()).containsExactly("one", "four", "two", "three");
    assertThat(ended).isNotDone();
  }

  @Test
  void whatCameMeanwhileDoesNotHideWhatIsStillToBeRead() throws Exception {
    FakeSocket socket = behind(Said.json(429, "{\"retry_after\":3600}"));
    socket.quiet();
    dispatch(socket, 2, "MESSAGE_CREATE", direct("2000000000000000003", "four"));
    until(() -> sink.texts().size() == 2);
    rig.says(HISTORY, history());
    rig.context().advance(Duration.ofHours(1));
    socket.drop(1006);
    FakeSocket next = rig.sockets().take();
    assertThat(next.takeSent()).containsEntry("op", 6L);
    dispatch(next, 3, "RESUMED", Map.of());
    until(() -> sink.texts().size() == 4);
    assertThat(rig.asked(HISTORY)).allMatch(each -> each.path().contains("=2000000000000000000"));
  }

  @Test
  void whenNoMoreCanWaitItSleepsUntilTheHistoryIsRead() throws Exception {
    FakeSocket socket = behind(Said.json(429, "{\"retry_after\":5}"));
    rig.says(HISTORY, "[]");
    for (int number = 1; number <= 5001; number++) {
      dispatch(
          socket,
          number + 1,
          "MESSAGE_CREATE",
          direct(Long.toString(2100000000000000000L + number), "x"));
    }
    until(() -> sink.texts().size() == 5002);
    assertThat(rig.context().sleeps()).isNotEmpty().allMatch(Duration.ofSeconds(1)::equals);
  }

  @Test
  void eventsThatMeanNothingDoNotFillWhatMayWait() throws Exception {
    FakeSocket socket = behind(Said.json(429, "{\"retry_after\":5}"));
    rig.says(HISTORY, "[]");
    for (int number = 1; number <= 5001; number++) {
      dispatch(socket, number + 1, "SOMETHING_NEW", Map.of());
    }
    socket.quiet();
    socket.quiet(); // the first may end with the first heartbeat, whose time is random
    until(() -> sink.position().orElseThrow().contains("5002"));
    assertThat(rig.context().sleeps()).isEmpty();
  }

  @Test
  void aHeartbeatThatDiscordAskedForPutsOffTheNext() throws Exception {
    FakeSocket socket = ready();
    assertThat(beat(socket)).isEqualTo(1L);
    until(() -> !socket.hasSent());
    rig.context().advance(Duration.ofSeconds(40));
    socket.say("{\"op\":1}");
    assertThat(socket.takeSent()).containsEntry("op", 1L);
    rig.context().advance(Duration.ofSeconds(40));
    dispatch(socket, 2, "MESSAGE_CREATE", direct("2000", "hello"));
    until(() -> !sink.texts().isEmpty());
    assertThat(socket.hasSent()).isFalse();
  }

  private void cannotConnect() throws Exception {
    rig.sockets().refuse(FakeSockets.network());
    begin();
    assertThat(failure().code()).isEqualTo(FailureCode.NETWORK);
    rig.sockets().refuse(null);
  }

  @Test
  void whileNoConnectionCanBeOpenedASessionIsKeptForFiveMinutes() throws Exception {
    FakeSocket socket = ready();
    assertThat(beat(socket)).isEqualTo(1L);
    rig.context().advance(Duration.ofMinutes(1));
    rig.sockets().refuse(FakeSockets.network());
    socket.drop(1006);
    assertThat(failure().code()).isEqualTo(FailureCode.NETWORK);
    for (int tries = 1; tries <= 5; tries++) {
      rig.context().advance(Duration.ofSeconds(59));
      cannotConnect();
    }
    FakeSocket next = listen();
    assertThat(next.takeSent()).containsEntry("op", 6L);
    dispatch(next, 2, "RESUMED", Map.of());
    next.drop(1006);
    Failure _ = failure();
    cannotConnect();
    rig.context().advance(Duration.ofMinutes(5));
    cannotConnect();
    assertThat(listen().takeSent()).containsEntry("op", 2L);
  }

  @Test
  void aResumeThatOnlyALookupHasEndedDoesNotCount() throws Exception {
    rig.always("GET /channels/50", DiscordRig.error(500, 0));
    FakeSocket socket = ready();
    assertThat(beat(socket)).isEqualTo(1L);
    rig.context().advance(Duration.ofMinutes(1));
    socket.drop(1006);
    for (int tries = 1; tries <= 4; tries++) {
      FakeSocket next = tries == 1 ? rig.sockets().take() : listenAgain();
      assertThat(next.takeSent()).containsEntry("op", 6L);
      dispatch(next, 2, "MESSAGE_CREATE", DiscordRig.message("50", "70", "2000", "7", "hello"));
    }
  }

  @Test
  void aChannelWhereNothingIsAnsweredIsNotReadLaterAndANewOneIsOnDiskAtOnce() throws Exception {
    rig.says("GET /channels/50", "{\"id\":\"50\",\"type\":0,\"guild_id\":\"70\"}");
    FakeSocket socket = ready();
    dispatch(socket, 2, "MESSAGE_CREATE", DiscordRig.message("50", "70", "2000", "7", "hello"));
    dispatch(socket, 3, "MESSAGE_CREATE", direct("2001", "hello"));
    until(() -> sink.position().orElse("").contains("\"seq\":3"));
    assertThat(Files.readString(folder.resolve("channels.json")))
        .contains("\"60\":2001")
        .doesNotContain("\"50\"");
    Map<String, Object> mention = DiscordRig.message("50", "70", "2002", "7", "<@900> hello");
    mention.put("mentions", List.of(Map.of("id", "900")));
    dispatch(socket, 4, "MESSAGE_CREATE", mention);
    until(() -> sink.position().orElse("").contains("\"seq\":4"));
    assertThat(Files.readString(folder.resolve("channels.json"))).contains("\"50\":2002");
  }

  @ParameterizedTest
  @CsvSource({"false,2", "true,6"})
  void anInvalidSessionIsResumedOrBegunAnew(boolean isResumable, long op) throws Exception {
    FakeSocket socket = ready();
    assertThat(beat(socket)).isEqualTo(1L);
    rig.context().advance(Duration.ofMinutes(1));
    socket.drop(1006);
    FakeSocket next = rig.sockets().take();
    assertThat(next.takeSent()).containsEntry("op", 6L);
    next.say("{\"op\":9,\"d\":" + isResumable + "}");
    FakeSocket last = isResumable ? listenAgain() : rig.sockets().take();
    assertThat(last.takeSent()).containsEntry("op", op);
  }

  @Test
  void afterThreeResumesInVainASessionIsBegun() throws Exception {
    FakeSocket socket = ready();
    assertThat(beat(socket)).isEqualTo(1L);
    rig.context().advance(Duration.ofMinutes(1));
    socket.drop(1006);
    for (int tries = 1; tries <= 3; tries++) {
      FakeSocket next = tries == 1 ? rig.sockets().take() : listenAgain();
      assertThat(next.takeSent()).containsEntry("op", 6L);
      next.drop(1006);
    }
    FakeSocket last = listenAgain();
    assertThat(last.request().url()).startsWith(rig.gatewayUrl());
    assertThat(last.takeSent()).containsEntry("op", 2L);
  }

  @Test
  void aConnectionThatDoesNotLastMakesTheServerWaitLongerEachTime() throws Exception {
    FakeSocket socket = ready();
    socket.drop(1006);
    assertThat(failure().retryAfter()).isEqualTo(Duration.ofSeconds(1));
    FakeSocket next = listen();
    dispatch(next, 2, "RESUMED", Map.of());
    next.drop(1006);
    assertThat(failure().retryAfter()).isEqualTo(Duration.ofSeconds(2));
  }

  @ParameterizedTest
  @CsvSource({
    "4004,AUTH,Reset Token",
    "4010,INVALID_REQUEST,too many servers",
    "4011,INVALID_REQUEST,too many servers",
    "4013,INVALID_REQUEST,intent",
    "4014,INVALID_REQUEST,Message Content Intent"
  })
  void whatAnotherConnectionWouldNotMendIsToldWithItsStep(
      int code, FailureCode failure, String step) throws Exception {
    FakeSocket socket = listen();
    socket.drop(code);
    assertThat(failure().code()).isEqualTo(failure);
    assertThat(failure().message()).contains(step).doesNotContain(DiscordRig.TOKEN);
    assertThat(rig.sockets().hasMore()).isFalse();
    if (code != 4004) { // each try is one of the day's sessions
      assertThat(failure().retryAfter()).isEqualTo(Duration.ofMinutes(5));
    }
  }

  @Test
  void anIntentThatIsTurnedOffIsToldBeforeASessionIsSpent() throws Exception {
    rig.application(0, "");
    begin();
    assertThat(failure().message()).contains("Message Content Intent", "message_content: false");
    assertThat(rig.sockets().hasMore()).isFalse();
  }

  @Test
  void aRevokedTokenIsToldBeforeAConnectionIsOpened() throws Exception {
    rig.always("GET /users/@me", DiscordRig.error(401, 0));
    begin();
    assertThat(failure().code()).isEqualTo(FailureCode.AUTH);
    assertThat(rig.sockets().hasMore()).isFalse();
  }

  @Test
  void whenTheSessionsOfADayAreUsedUpItWaits() throws Exception {
    rig.says(
        "GET /gateway/bot",
        "{\"url\":\"wss://gateway.example\",\"session_start_limit\":"
            + "{\"total\":1000,\"remaining\":3,\"reset_after\":1800000}}");
    begin();
    assertThat(failure().code()).isEqualTo(FailureCode.RATE_LIMITED);
    assertThat(failure().retryAfter()).isEqualTo(Duration.ofMinutes(30));
  }

  @Test
  void aRateLimitOfAnHourIsToldToTheServer() throws Exception {
    rig.always("GET /gateway/bot", Said.json(429, "{\"retry_after\":3600.5,\"global\":true}"));
    begin();
    assertThat(failure().code()).isEqualTo(FailureCode.RATE_LIMITED);
    assertThat(failure().retryAfter()).isEqualTo(Duration.ofMillis(3_600_500));
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://elsewhere.example", "wss:", "", "%%"})
  void whatIsNoAddressOfAGatewayIsNotConnectedTo(String url) throws Exception {
    rig.says("GET /gateway/bot", "{\"url\":\"" + url + "\"}");
    begin();
    assertThat(failure().message()).contains("base_url");
    assertThat(rig.sockets().hasMore()).isFalse();
  }

  @Test
  void ownPostsAndOtherNoticesAreNoMessages() throws Exception {
    FakeSocket socket = ready();
    dispatch(socket, 2, "MESSAGE_CREATE", DiscordRig.message("60", "", "2000", "900", "mine"));
    Map<String, Object> pinned = direct("2001", "x");
    pinned.put("type", 6);
    dispatch(socket, 3, "MESSAGE_CREATE", pinned);
    dispatch(socket, 4, "SOMETHING_NEW", Map.of());
    socket.say("no JSON");
    socket.say("{\"op\":99}");
    dispatch(socket, 5, "MESSAGE_CREATE", direct("2002", ""));
    assertThat(beat(socket)).isEqualTo(5L);
    assertThat(sink.messages()).isEmpty();
    assertThat(sink.drops()).containsExactly(DropReason.EMPTY);
  }

  @Test
  void aMessageThatCanNeverBeTakenDoesNotComeAgain() throws Exception {
    sink.refuses(message -> message.text().equals("too much"));
    FakeSocket socket = ready();
    dispatch(socket, 2, "MESSAGE_CREATE", direct("2000", "too much"));
    dispatch(socket, 3, "MESSAGE_CREATE", direct("2001", "fine"));
    assertThat(beat(socket)).isEqualTo(3L);
    assertThat(sink.texts()).containsExactly("fine");
  }

  @Test
  void whenAChannelCannotBeAskedAboutItsMessageComesAgain() throws Exception {
    rig.always("GET /channels/50", DiscordRig.error(500, 0));
    FakeSocket socket = ready();
    dispatch(socket, 2, "MESSAGE_CREATE", DiscordRig.message("50", "70", "2000", "7", "hello"));
    assertThat(failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
    rig.says("GET /channels/50", "{\"id\":\"50\",\"type\":0,\"guild_id\":\"70\"}");
    FakeSocket next = listen();
    assertThat(JsonText.map(next.takeSent(), "d")).containsEntry("seq", 1L);
    dispatch(next, 2, "MESSAGE_CREATE", DiscordRig.message("50", "70", "2000", "7", "hello"));
    until(() -> !sink.messages().isEmpty());
  }

  @Test
  void aCommandIsDeferredAfterItIsOnDiskAndAClickAnswered() throws Exception {
    sink.answersClicks("Approved.");
    FakeSocket socket = ready();
    sink.onAccept(() -> assertThat(rig.calls()).noneMatch(call -> call.contains("callback")));
    dispatch(socket, 2, "INTERACTION_CREATE", DiscordRig.ask("3000", "what now"));
    until(() -> !rig.asked("POST /interactions/3000/tok_3000/callback").isEmpty());
    assertThat(sink.messages().getFirst().dedupeKey()).isEqualTo("private:3000");
    assertThat(rig.bodies("POST /interactions/3000/tok_3000/callback").getFirst())
        .containsEntry("type", 5L);
    dispatch(
        socket,
        3,
        "INTERACTION_CREATE",
        DiscordRig.interaction("3001", 3, Map.of("custom_id", "abcdefghijklmnopqrst_-")));
    until(() -> !rig.asked("POST /interactions/3001/tok_3001/callback").isEmpty());
    assertThat(rig.bodies("POST /interactions/3001/tok_3001/callback").getFirst())
        .containsEntry("type", 4L)
        .extractingByKey("data")
        .asString()
        .contains("Approved.", "flags=64");
    assertThat(sink.clicks()).hasSize(1);
  }

  @Test
  void aCrossOnAPostOfTheBotStopsWhatIsDoneThere() throws Exception {
    FakeSocket socket = ready();
    dispatch(socket, 2, "MESSAGE_CREATE", DiscordRig.message("60", "", "2000", "900", "mine"));
    Map<String, ?> cross =
        Map.of(
            "channel_id", "60",
            "message_id", "2000",
            "user_id", "7",
            "emoji", Map.of("name", "\u274C"));
    dispatch(socket, 3, "MESSAGE_REACTION_ADD", cross);
    Map<String, Object> elsewhere = new LinkedHashMap<>(cross);
    elsewhere.put("message_id", "2009");
    dispatch(socket, 4, "MESSAGE_REACTION_ADD", elsewhere);
    assertThat(beat(socket)).isEqualTo(4L);
    assertThat(sink.texts()).containsExactly("/stop");
    assertThat(sink.messages().getFirst().dedupeKey()).isEqualTo("reaction:s1:3:2000");
  }

  @Test
  void aListenerThatIsInterruptedLeavesTheSessionForTheNextOne() throws Exception {
    FakeSocket socket = ready();
    assertThat(beat(socket)).isEqualTo(1L);
    listener.interrupt();
    assertThat(ended.get(10, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
    assertThat(socket.closedWith()).isEqualTo(4000);
  }

  @Test
  void whoeverCannotConnectIsTold() throws Exception {
    rig.sockets().refuse(FakeSockets.network());
    begin();
    assertThat(failure().code()).isEqualTo(FailureCode.NETWORK);
    assertThatThrownBy(() -> rig.channel().listen("other", sink))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
