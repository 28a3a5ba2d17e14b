package dev.holdfast.mattermost;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.testing.FakeSink;
import dev.holdfast.kit.testing.FakeSocket;
import dev.holdfast.kit.testing.FakeSockets;
import dev.holdfast.kit.testing.HttpDouble.Asked;
import dev.holdfast.kit.testing.HttpDouble.Said;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class MattermostListenerTest {
  /** The clock of the tests begins in 1970, and these are for times that lie in its past. */
  private static final Duration LATER = Duration.ofHours(100);

  private static final long HOUR = Duration.ofHours(1).toMillis();

  @TempDir private Path folder;
  private final FakeSink sink = new FakeSink();
  private CompletableFuture<Optional<Exception>> ended = new CompletableFuture<>();
  private MattermostRig rig;
  private Thread listener = Thread.ofVirtual().unstarted(() -> {});

  @BeforeEach
  void start() {
    rig = MattermostRig.in(folder);
    rig.context().advance(LATER);
  }

  @AfterEach
  void stop() throws InterruptedException {
    listener.interrupt();
    listener.join();
    rig.close();
  }

  /** Connects; the socket has been asked whether it lives, and has answered. */
  private FakeSocket listen() throws InterruptedException {
    begin();
    FakeSocket socket = rig.sockets().take();
    assertThat(socket.takeSent()).containsEntry("action", "authentication_challenge");
    assertThat(socket.takeSent()).containsEntry("action", "ping");
    return socket;
  }

  private void begin() {
    CompletableFuture<Optional<Exception>> end = new CompletableFuture<>();
    ended = end;
    listener =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    rig.channel().listen("main", sink);
                    end.complete(Optional.empty());
                  } catch (Exception e) {
                    end.complete(Optional.of(e));
                  }
                });
  }

  private Optional<Exception> end() throws Exception {
    return ended.get(10, TimeUnit.SECONDS);
  }

  private Failure failure() throws Exception {
    return ((CallFailedException) end().orElseThrow()).failure();
  }

  private static Map<String, Object> post(String id, long at, String text) {
    Map<String, Object> post = MattermostRig.post(id, "chan", text);
    post.put("create_at", at);
    return post;
  }

  private static Map<String, Object> elsewhere(String id, long at, String text) {
    Map<String, Object> post = post(id, at, text);
    post.put("channel_id", "chan2");
    return post;
  }

  private static Map<String, Object> channel(String id, String type, long lastPostAt) {
    return Map.of("id", id, "type", type, "team_id", "team1", "last_post_at", lastPostAt);
  }

  private void channels(Object... channels) {
    rig.always("GET /users/me/channels", Said.json(200, JsonText.write(channels)));
  }

  private long hoursAgo(double hours) {
    return rig.context().now().toEpochMilli() - (long) (hours * HOUR);
  }

  /** Ends the connection, be it right after its beginning, and waits for the end of the call. */
  private static void event(FakeSocket socket, int seq, String name, Map<String, ?> data) {
    socket.say(Map.of("event", name, "data", data, "seq", seq));
  }

  /** A post, as everybody in the channel is told of it. */
  private static void posted(FakeSocket socket, int seq, Map<String, ?> post, String type) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("post", JsonText.write(post));
    data.put("channel_type", type);
    data.put("team_id", type.equals("D") ? "" : "team1");
    data.put("sender_name", "@ann");
    event(socket, seq, "posted", data);
  }

  private void endBy(FakeSocket socket) throws Exception {
    socket.drop(1006);
    end().ifPresent(e -> assertThat(e).hasMessageContaining("right after its beginning"));
  }

  @Test
  void itSaysWhoItIsInTheHandshakeAndByTheChallenge() throws Exception {
    begin();
    FakeSocket socket = rig.sockets().take();
    assertThat(socket.request().headers().get("authorization"))
        .isEqualTo("Bearer " + MattermostRig.BOT_TOKEN);
    assertThat(socket.takeSent())
        .containsEntry("seq", 1L)
        .containsEntry("action", "authentication_challenge")
        .containsEntry("data", Map.of("token", MattermostRig.BOT_TOKEN));
    assertThat(rig.urls().getFirst()).startsWith("ws://127.0.0.1:").endsWith("/api/v4/websocket");
  }

  /** A call that returns has ended well; some proxy may end each connection after its beginning. */
  @Test
  void aConnectionThatEndsRightAfterItsBeginningHasFailed() throws Exception {
    FakeSocket socket = listen();
    rig.context().advance(MattermostListener.LIFE_LEAST.minusMillis(1));
    socket.drop(1006);
    assertThat(failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
    assertThat(failure().message()).contains("right after its beginning: it was closed");
    int received = sink.receives();
    FakeSocket next = listen();
    while (sink.receives() == received) {
      Thread.onSpinWait(); // its life begins when it was opened, which is after the ping
    }
    rig.context().advance(MattermostListener.LIFE_LEAST);
    next.drop(1006);
    assertThat(end()).as("it has lasted").isEmpty();
  }

  @Test
  void itListensAsItsUserSoThatARenewedTokenGoesOn() throws Exception {
    FakeSocket _ = listen();
    assertThat(sink.bot()).isEqualTo(MattermostRig.BOT);
  }

  @Test
  void thePositionMovesOnlyWhenTheMessageIsOnDisk() throws Exception {
    CountDownLatch offered = new CountDownLatch(1);
    CountDownLatch onDisk = new CountDownLatch(1);
    FakeSocket socket = listen();
    String before = sink.position().orElseThrow();
    sink.onAccept(
        () -> {
          offered.countDown();
          // The lock of the sink is held meanwhile: the position is read by the listener alone.
          try {
            assertThat(onDisk.await(10, TimeUnit.SECONDS)).isTrue();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
    posted(socket, 1, post("p1", hoursAgo(0), "@holdfast hello"), "O");
    assertThat(offered.await(10, TimeUnit.SECONDS)).isTrue();
    onDisk.countDown();
    endBy(socket);
    assertThat(sink.texts()).containsExactly("hello");
    assertThat(before).endsWith(" conn1 1");
    assertThat(sink.position().orElseThrow()).isEqualTo(hoursAgo(0) + " conn1 2");
  }

  @Test
  void aCrashBeforeTheCommitLeavesThePositionBehindTheMessage() throws Exception {
    sink.onAccept(
        () -> {
          throw new IllegalStateException("the server is gone");
        });
    FakeSocket socket = listen();
    posted(socket, 1, post("p1", hoursAgo(0), "hello"), "D");
    assertThat(end()).isPresent();
    assertThat(sink.position().orElseThrow()).endsWith(" conn1 1");
  }

  @Test
  void aBrokenConnectionGoesOnAtTheEventThatIsNotOnDisk() throws Exception {
    FakeSocket socket = listen();
    posted(socket, 1, post("p1", hoursAgo(0), "one"), "D");
    endBy(socket);
    int histories = rig.asked("GET /users/me/channels").size();
    rig.resume();
    socket = listen();
    posted(socket, 2, post("p2", hoursAgo(0), "two"), "D");
    endBy(socket);
    assertThat(rig.urls().getLast())
        .endsWith("/api/v4/websocket?connection_id=conn1&sequence_number=2");
    assertThat(sink.texts()).containsExactly("one", "two");
    assertThat(rig.asked("GET /users/me/channels")).hasSize(histories);
  }

  @Test
  void aQuietConnectionIsKnownToGoOnByThePongAlone() throws Exception {
    endBy(listen());
    int histories = rig.asked("GET /users/me/channels").size();
    rig.resume();
    int receives = sink.receives();
    endBy(listen());
    assertThat(sink.receives()).isGreaterThan(receives);
    assertThat(rig.asked("GET /users/me/channels")).hasSize(histories);
  }

  @Test
  void whatMattermostNoLongerHasComesOutOfTheHistory() throws Exception {
    FakeSocket socket = listen();
    posted(socket, 1, post("p1", hoursAgo(0), "one"), "D");
    endBy(socket);
    rig.put(post("p1", hoursAgo(0), "one"));
    rig.put(post("p2", hoursAgo(0), "two"));
    socket = listen(); // it is asked to go on, and says hello
    endBy(socket);
    assertThat(rig.urls()).hasSize(2);
    assertThat(sink.messages().stream().map(message -> message.dedupeKey()))
        .containsExactly("p1", "p1", "p2");
  }

  @Test
  void aConnectionThatGoesOnElsewhereIsBegunAnew() throws Exception {
    endBy(listen());
    rig.resume();
    rig.answerPings(false);
    FakeSocket wrong = listen();
    rig.answerPings(true);
    posted(wrong, 7, post("p7", hoursAgo(0), "seven"), "D");
    FakeSocket fresh = rig.sockets().take();
    assertThat(wrong.closedWith()).isNotZero();
    assertThat(rig.urls().getLast()).endsWith("/api/v4/websocket");
    endBy(fresh);
  }

  @Test
  void anEventThatIsMissingEndsTheConnectionAndTheHistoryTellsIt() throws Exception {
    FakeSocket socket = listen();
    rig.context().advance(MattermostListener.LIFE_LEAST);
    posted(socket, 1, post("p1", hoursAgo(0), "one"), "D");
    posted(socket, 3, post("p3", hoursAgo(0), "three"), "D");
    assertThat(end()).isEmpty();
    assertThat(sink.texts()).containsExactly("one");
    assertThat(socket.closedWith()).isNotZero();
    assertThat(sink.position().orElseThrow()).endsWith(" conn1 2");
  }

  @Test
  void aSilentConnectionIsAskedAndGivenUp() throws Exception {
    FakeSocket socket = listen();
    socket.onSend(_ -> {});
    socket.quiet(); // nothing for 30 s
    assertThat(socket.takeSent()).containsEntry("action", "ping");
    socket.quiet();
    assertThat(failure().code()).isEqualTo(FailureCode.TIMEOUT);
    assertThat(socket.closedWith()).isNotZero();
  }

  @Test
  void silenceIsNoReceive() throws Exception {
    FakeSocket socket = listen();
    socket.onSend(_ -> {});
    posted(socket, 1, post("p1", hoursAgo(0), "one"), "D");
    socket.quiet(); // what was read goes to the disk
    socket.quiet();
    int received = receivesAfter(socket);
    socket.say("{\"seq_reply\":99,\"status\":\"OK\"}");
    socket.say("no JSON");
    socket.quiet();
    socket.quiet();
    assertThat(failure().code()).isEqualTo(FailureCode.TIMEOUT);
    assertThat(sink.receives()).isEqualTo(received);
  }

  private int receivesAfter(FakeSocket socket) throws InterruptedException {
    socket.takeSent(); // the ping after the silence: all before it was read
    return sink.receives();
  }

  @Test
  void aTokenThatIsRevokedWhileItRunsIsNamed() throws Exception {
    FakeSocket socket = listen();
    MattermostRig.answerPings(socket, "\"status\":\"FAIL\",\"error\":{\"status_code\":401}");
    socket.quiet();
    Failure failure = failure();
    assertThat(failure.code()).isEqualTo(FailureCode.AUTH);
    assertThat(failure.message()).doesNotContain(MattermostRig.BOT_TOKEN);
  }

  @Test
  void aTokenThatIsNotTakenOpensNoSocket() throws Exception {
    rig.always("GET /users/me", MattermostRig.error(401, "api.context.session_expired.app_error"));
    begin();
    assertThat(failure().code()).isEqualTo(FailureCode.AUTH);
    assertThat(rig.urls()).isEmpty();
  }

  @Test
  void aSocketWithoutAHelloIsAFailureThatNamesTheProxy() throws Exception {
    rig.sockets().onOpen(_ -> {});
    begin();
    FakeSocket socket = rig.sockets().take();
    socket.quiet();
    Failure failure = failure();
    assertThat(failure.code()).isEqualTo(FailureCode.BACKEND_FAILURE);
    assertThat(failure.message()).contains("proxy");
    assertThat(sink.receives()).isZero();
  }

  @Test
  void aRefusedConnectionIsPassedOn() throws Exception {
    rig.sockets().refuse(FakeSockets.network());
    begin();
    assertThat(failure().code()).isEqualTo(FailureCode.NETWORK);
  }

  @Test
  void aMessageThatCanNeverBeTakenDoesNotHoldUpOthers() throws Exception {
    sink.refuses(message -> message.text().equals("too much"));
    FakeSocket socket = listen();
    posted(socket, 1, post("p1", hoursAgo(0), "too much"), "D");
    posted(socket, 2, post("p2", hoursAgo(0), "fine"), "D");
    endBy(socket);
    assertThat(sink.texts()).containsExactly("fine");
    assertThat(sink.position().orElseThrow()).endsWith(" conn1 3");
  }

  @Test
  void itsOwnPostsAreCountedAndOtherEventsIgnored() throws Exception {
    FakeSocket socket = listen();
    Map<String, Object> own = post("p1", hoursAgo(0), "echo: hello");
    own.put("user_id", MattermostRig.BOT);
    posted(socket, 1, own, "D");
    event(socket, 2, "typing", Map.of("user_id", "ann"));
    event(socket, 3, "user_removed", Map.of("channel_id", "chan", "remover_id", "ann"));
    event(socket, 4, "posted", Map.of("post", "no JSON"));
    event(socket, 5, "leave_team", Map.of("team_id", "team1", "user_id", MattermostRig.BOT));
    event(socket, 6, "something_new", Map.of());
    endBy(socket);
    assertThat(sink.messages()).isEmpty();
    assertThat(sink.drops()).containsExactly(DropReason.OWN_ECHO);
    assertThat(sink.position().orElseThrow()).endsWith(" conn1 7");
  }

  private static final String TEAMS = "GET /users/me/teams";
  private static final String MEMBER = "GET /channels/*/members/me";

  /** A bot that is to answer everybody in one channel, and is in it. */
  private void allowOneChannel() {
    rig.close();
    rig = MattermostRig.with(Map.of("allow", Map.of("chats", List.of("chan"))), folder);
    rig.context().advance(LATER);
  }

  /** Nothing comes for 30 s, but the answer to a ping. */
  private static void halfAMinute(FakeSocket socket) throws InterruptedException {
    socket.quiet();
    assertThat(socket.takeSent()).containsEntry("action", "ping");
  }

  private static void removed(FakeSocket socket, int seq) {
    event(socket, seq, "user_removed", Map.of("channel_id", "chan", "remover_id", "ann"));
  }

  @Test
  void aChannelThatItIsRemovedFromIsToldUntilItIsAddedAgain() throws Exception {
    allowOneChannel();
    Said in = MattermostRig.ok(Map.of("user_id", "me"));
    rig.next(MEMBER, in, MattermostRig.error(404, "app.channel.get_member.missing.app_error"), in);
    FakeSocket socket = listen();
    halfAMinute(socket);
    removed(socket, 1);
    halfAMinute(socket);
    event(socket, 2, "user_added", Map.of("team_id", "team1", "user_id", "ann"));
    event(socket, 3, "user_added", Map.of("team_id", "team1", "user_id", MattermostRig.BOT));
    endBy(socket);
    assertThat(sink.placesMissing()).containsExactly(0, 1, 0);
  }

  @Test
  void whereItWasRemovedWhileNobodyListenedIsFoundWithTheNextConnection() throws Exception {
    allowOneChannel();
    endBy(listen());
    rig.remove(true);
    rig.context().advance(ConfiguredPlaces.LOOK_LEAST);
    endBy(listen());
    assertThat(sink.placesMissing()).containsExactly(0, 1);
  }

  @Test
  void aBotThatIsInNoTeamIsTold() throws Exception {
    rig.always(TEAMS, Said.json(200, "[]"));
    endBy(listen());
    assertThat(sink.placesMissing()).containsExactly(1);
  }

  @Test
  void whoeverRemovesItAgainAndAgainCausesNoMoreQuestionsThanOneEachTenSeconds() throws Exception {
    allowOneChannel();
    FakeSocket socket = listen();
    for (int seq = 1; seq <= 50; seq++) {
      removed(socket, seq);
    }
    halfAMinute(socket);
    endBy(socket);
    assertThat(rig.asked(TEAMS)).hasSize(2);
  }

  @Test
  void whileItIsMissingItLooksEveryFiveMinutesAndThenNoMore() throws Exception {
    allowOneChannel();
    rig.next(
        MEMBER,
        MattermostRig.error(404, "app.channel.get_member.missing.app_error"),
        MattermostRig.error(500, "api.down"));
    FakeSocket socket = listen();
    for (int i = 0; i < 45; i++) {
      halfAMinute(socket);
    }
    endBy(socket);
    assertThat(sink.placesMissing()).as("what fails tells nothing").containsExactly(1, 0);
    assertThat(rig.asked(TEAMS)).hasSize(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "octagonal_sign"})
  void aCrossOnAPostOfTheBotStopsItsConversation(String emoji) throws Exception {
    rig.channel().post(MattermostRig.reply(MattermostRig.CHANNEL + ":root1", "working"));
    FakeSocket socket = listen();
    reaction(socket, 1, emoji, "post101");
    reaction(socket, 2, "thumbsup", "post101");
    endBy(socket);
    assertThat(sink.messages())
        .singleElement()
        .satisfies(
            message -> {
              assertThat(message.text()).isEqualTo("/stop");
              assertThat(message.thread()).isEqualTo(MattermostRig.CHANNEL + ":root1");
              assertThat(message.sender()).isEqualTo("ann");
              assertThat(message.origin().team()).isEqualTo(MattermostRig.TEAM);
            });
  }

  private static void reaction(FakeSocket socket, int seq, String emoji, String post) {
    Map<String, ?> reaction =
        Map.of("user_id", "ann", "post_id", post, "emoji_name", emoji, "create_at", 5);
    event(socket, seq, "reaction_added", Map.of("reaction", JsonText.write(reaction)));
  }

  @Test
  void aCrossOnAPostOfSomebodyElseDoesNothing() throws Exception {
    rig.put(post("p1", 5, "hello"));
    FakeSocket socket = listen();
    reaction(socket, 1, "x", "p1");
    reaction(socket, 2, "x", "../users");
    reaction(socket, 3, "x", "gone");
    endBy(socket);
    assertThat(sink.messages()).isEmpty();
  }

  @Test
  void reactionsToPostsOfOthersCostOneLookUpASecondAndAPost() throws Exception {
    rig.put(post("p1", 5, "hello"));
    FakeSocket socket = listen();
    for (int i = 1; i <= 20; i++) {
      reaction(socket, i, "x", "p" + i);
    }
    endBy(socket);
    rig.context().advance(Duration.ofSeconds(1));
    socket = listen();
    reaction(socket, 1, "x", "p1");
    endBy(socket);
    assertThat(rig.asked("GET /posts/*")).hasSize(1);
  }

  @Test
  void whatWasReadIsOnDiskBeforeAReactionIsLookedUp() throws Exception {
    List<Integer> asked = new ArrayList<>();
    sink.onAccept(() -> asked.add(rig.asked("GET /posts/*").size()));
    FakeSocket socket = listen();
    posted(socket, 1, post("p1", hoursAgo(0), "one"), "D");
    reaction(socket, 2, "x", "p9");
    endBy(socket);
    assertThat(asked).containsExactly(0);
    assertThat(rig.asked("GET /posts/*")).hasSize(1);
  }

  @Test
  void theFirstConnectionTakesNothingOutOfTheHistory() throws Exception {
    channels(channel("chan", "O", hoursAgo(1)));
    endBy(listen());
    assertThat(rig.asked("GET /channels/*/posts")).isEmpty();
    long after = hoursAgo(1) + MissedPosts.OVERLAP.toMillis() + 1;
    assertThat(sink.position().orElseThrow()).isEqualTo(after + " conn1 1");
  }

  @Test
  void whatIsPostedBeforeTheFirstConnectionIsOpenIsTakenThough() throws Exception {
    rig.put(post("p1", hoursAgo(1), "old"));
    rig.sockets().refuse(FakeSockets.network());
    begin();
    assertThat(failure().code()).isEqualTo(FailureCode.NETWORK);
    rig.sockets().refuse(null);
    rig.put(post("p2", hoursAgo(0.9), "new"));
    endBy(listen());
    assertThat(sink.texts()).containsExactly("new");
  }

  @Test
  void onAServerWithoutPostsTheFirstOneIsTaken() throws Exception {
    rig.sockets().refuse(FakeSockets.network());
    begin();
    assertThat(failure().code()).isEqualTo(FailureCode.NETWORK);
    rig.sockets().refuse(null);
    rig.put(post("p1", hoursAgo(0.9), "new"));
    endBy(listen());
    assertThat(sink.texts()).containsExactly("new");
  }

  @Test
  void whatWasMissedIsTakenOldestFirst() throws Exception {
    sink.savePosition(Long.toString(hoursAgo(3)));
    channels(
        channel("old", "O", hoursAgo(5)),
        channel("chan", "O", hoursAgo(1)),
        channel("strange", "X", hoursAgo(1)));
    Map<String, Object> own = post("p3", hoursAgo(1.5), "echo");
    own.put("user_id", MattermostRig.BOT);
    Map<String, Object> joined = post("p4", hoursAgo(1.4), "ann joined");
    joined.put("type", "system_join_channel");
    rig.put(post("p1", hoursAgo(4), "@holdfast before"));
    rig.put(post("p2", hoursAgo(2), "@holdfast one"));
    rig.put(own);
    rig.put(joined);
    rig.put(post("p5", hoursAgo(1), "@holdfast two"));
    rig.always("POST /users/ids", Said.json(200, "[{\"id\":\"ann\",\"username\":\"ann.lee\"}]"));
    endBy(listen());
    assertThat(sink.texts()).containsExactly("one", "two");
    assertThat(sink.messages())
        .allMatch(message -> message.origin().senderName().equals("ann.lee"));
    assertThat(sink.messages().getFirst().origin().addressed()).isTrue();
    assertThat(sink.messages().getFirst().thread()).isEqualTo("chan:p2");
    assertThat(sink.drops()).isEmpty();
    assertThat(rig.asked("GET /channels/*/posts"))
        .singleElement()
        .satisfies(asked -> assertThat(asked.path()).contains("/channels/chan/posts"));
    assertThat(sink.position().orElseThrow()).startsWith(hoursAgo(1) + " ");
  }

  @Test
  void postsOlderThanADayAreLeftOut() throws Exception {
    sink.savePosition(Long.toString(hoursAgo(60)));
    rig.put(post("p1", hoursAgo(30), "yesterday"));
    rig.put(post("p2", hoursAgo(1), "today"));
    endBy(listen());
    assertThat(sink.texts()).containsExactly("today");
  }

  @Test
  void pagesAreReadToAnEnd() throws Exception {
    sink.savePosition(Long.toString(hoursAgo(3)));
    for (int i = HistoryPage.SIZE * MissedPosts.PAGES_MAX; i >= 0; i--) {
      rig.put(post("n" + i, hoursAgo(1), "again"));
    }
    endBy(listen());
    List<Asked> pages = rig.asked("GET /channels/*/posts");
    assertThat(pages).hasSize(MissedPosts.PAGES_MAX);
    assertThat(pages).allMatch(page -> page.path().contains("&skipFetchThreads=true"));
    assertThat(pages.get(1).path()).endsWith("&before=n99");
    assertThat(sink.messages()).hasSize(HistoryPage.SIZE * MissedPosts.PAGES_MAX);
  }

  @Test
  void aChannelThatCannotBeReadDoesNotHoldUpTheOthers() throws Exception {
    sink.savePosition(Long.toString(hoursAgo(3)));
    rig.put(elsewhere("p1", hoursAgo(2), "here"));
    rig.put(post("p2", hoursAgo(1), "there"));
    rig.next("/channels/chan/posts", MattermostRig.error(403, "api.context.permissions.app_error"));
    endBy(listen());
    assertThat(sink.texts()).containsExactly("here");
  }

  @Test
  void aHistoryThatFailsForNowIsReadAgainBeforeThePositionMoves() throws Exception {
    String before = Long.toString(hoursAgo(3));
    sink.savePosition(before);
    channels(channel("chan", "D", hoursAgo(1)));
    Said failed = Said.json(500, "{}");
    rig.next("GET /channels/*/posts", failed, failed, failed);
    begin();
    assertThat(failure().isPassing()).isTrue();
    assertThat(sink.position()).contains(before);
    rig.next("GET /users/me/channels", new Said(429, Map.of("X-Ratelimit-Reset", "3600"), ""));
    begin();
    assertThat(failure().retryAfter()).isEqualTo(Duration.ofHours(1));
    assertThat(sink.position()).contains(before);
  }

  @Test
  void aPageThatFailsForNowOrIsLimitedIsAskedForAgain() throws Exception {
    sink.savePosition(Long.toString(hoursAgo(3)));
    rig.put(post("p1", hoursAgo(1), "here"));
    Said limited = new Said(429, Map.of("X-Ratelimit-Reset", "3600"), "");
    rig.next("GET /channels/*/posts", Said.json(500, "{}"), limited, limited, Said.nothing());
    endBy(listen());
    assertThat(sink.texts()).containsExactly("here");
    assertThat(rig.context().sleeps()).contains(MissedPosts.WAIT_MAX);
    assertThat(rig.context().sleeps()).allMatch(wait -> wait.compareTo(MissedPosts.WAIT_MAX) <= 0);
  }

  @Test
  void aLimitThatNeverEndsIsNotWaitedForForEver() throws Exception {
    sink.savePosition(Long.toString(hoursAgo(3)));
    channels(channel("chan", "D", hoursAgo(1)));
    rig.always("GET /channels/*/posts", new Said(429, Map.of("X-Ratelimit-Reset", "3600"), ""));
    begin();
    assertThat(failure().code()).isEqualTo(FailureCode.RATE_LIMITED);
    assertThat(rig.context().sleeps()).hasSize(MissedPosts.WAITS_MAX);
  }

  @Test
  void theNextTryGoesOnAtTheChannelThatFailed() throws Exception {
    sink.savePosition(Long.toString(hoursAgo(3)));
    rig.put(elsewhere("p2", hoursAgo(2), "two"));
    rig.put(post("p1", hoursAgo(1), "one"));
    Said failed = Said.json(500, "{}");
    rig.next("/channels/chan2/posts", failed, failed, failed);
    begin();
    assertThat(failure().isPassing()).isTrue();
    assertThat(rig.sockets().take().closedWith()).isNotZero();
    endBy(listen());
    assertThat(sink.texts()).containsExactly("one", "two");
  }

  @Test
  void whatWasPostedSinceAChannelWasReadIsReadByTheNextTry() throws Exception {
    sink.savePosition(Long.toString(hoursAgo(3)));
    rig.put(elsewhere("p2", hoursAgo(2), "two"));
    rig.put(post("p1", hoursAgo(1), "one"));
    Said failed = Said.json(500, "{}");
    rig.next("/channels/chan2/posts", failed, failed, failed);
    begin();
    assertThat(failure().isPassing()).isTrue();
    assertThat(rig.sockets().take().closedWith()).isNotZero();
    rig.put(post("p3", hoursAgo(0.5), "three"));
    endBy(listen());
    assertThat(sink.texts()).contains("three", "two");
  }

  @Test
  void aPageThatCannotBeReadIsLeftOutAndTheOthersAreRead() throws Exception {
    sink.savePosition(Long.toString(hoursAgo(3)));
    rig.put(elsewhere("p2", hoursAgo(2), "two"));
    rig.put(post("p1", hoursAgo(1), "one"));
    Said unreadable = Said.json(200, "{\"order\":");
    rig.next("/channels/chan/posts", unreadable, unreadable, unreadable);
    endBy(listen());
    assertThat(sink.texts()).containsExactly("two");
  }

  @Test
  void withoutAReadableListOfChannelsItGoesOnLive() throws Exception {
    rig.always("GET /users/me/channels", Said.json(200, "[" + "1,".repeat(100_001) + "1]"));
    endBy(listen()); // where an account begins
    FakeSocket socket = listen(); // and where one goes on
    posted(socket, 1, post("p1", hoursAgo(0), "one"), "D");
    endBy(socket);
    assertThat(sink.texts()).containsExactly("one");
  }

  @Test
  void aPositionThatMakesNoSenseIsNone() {
    assertThat(ReadPosition.of(Optional.of("x"))).isEqualTo(ReadPosition.NONE);
    assertThat(ReadPosition.of(Optional.of("5 a/b 1"))).isEqualTo(ReadPosition.NONE);
    ReadPosition position = new ReadPosition(5, "conn1", 7);
    assertThat(ReadPosition.of(Optional.of(position.text()))).isEqualTo(position);
    assertThat(ReadPosition.of(Optional.of("5"))).isEqualTo(new ReadPosition(5, "", 0));
  }
}
