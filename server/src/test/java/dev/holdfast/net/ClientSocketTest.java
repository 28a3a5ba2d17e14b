package dev.holdfast.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.PluginSocket.Closed;
import dev.holdfast.api.PluginSocket.Event;
import dev.holdfast.api.PluginSocket.Request;
import dev.holdfast.api.PluginSocket.Text;
import dev.holdfast.time.ManualTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(30)
class ClientSocketTest extends HttpCase {
  private static final Duration WAIT = Duration.ofSeconds(10);
  private static final int BYTES_MAX = 100_000;

  private final CountDownLatch gone = new CountDownLatch(1);
  private final AtomicInteger timesGone = new AtomicInteger();

  /** What the other side does once the handshake is done. */
  private interface Peer {
    void play(SocketPeer peer) throws IOException, InterruptedException;
  }

  @BeforeEach
  void forget() {
    timesGone.set(0);
  }

  private static RawServer server(Peer peer) {
    return new RawServer(connection -> peer.play(SocketPeer.accept(connection)));
  }

  private static Request to(RawServer server) {
    return new Request(
        server.url().replace("http:", "ws:") + "/gateway?v=1",
        Map.of("Authorization", "Bearer secret"),
        Duration.ofSeconds(5),
        BYTES_MAX);
  }

  private ClientSocket connect(RawServer server) throws Exception {
    return http.connect(to(server), this::onGone);
  }

  private void onGone() {
    timesGone.incrementAndGet();
    gone.countDown();
  }

  private HttpFailedException refusal(Request request) throws InterruptedException {
    HttpFailedException refusal =
        catchThrowableOfType(HttpFailedException.class, () -> http.connect(request, this::onGone));
    assertThat(gone.await(10, TimeUnit.SECONDS)).isTrue();
    return refusal;
  }

  private HttpFailedException refusal(String answer) throws InterruptedException {
    try (RawServer server = new RawServer(connection -> connection.write(answer))) {
      return refusal(to(server));
    }
  }

  private static Event next(ClientSocket socket) throws InterruptedException {
    return socket.receive(WAIT).orElseThrow();
  }

  private void assertCut(ClientSocket socket, int code) throws InterruptedException {
    assertThat(next(socket))
        .isInstanceOfSatisfying(
            Closed.class,
            it -> {
              assertThat(it.code()).isEqualTo(code);
            });
    assertThat(gone.await(10, TimeUnit.SECONDS)).as("the connection is gone").isTrue();
    assertThat(timesGone).hasValue(1);
  }

  @Test
  void whatIsSentComesBackInOrder() throws Exception {
    try (RawServer server =
        server(
            peer -> {
              while (true) {
                peer.text("> " + peer.read().text());
              }
            })) {
      ClientSocket socket = connect(server);
      for (String each : List.of("one", "zwölf \uD83D\uDE00", "x".repeat(70_000))) {
        socket.send(each);
        assertThat(next(socket)).isEqualTo(new Text("> " + each));
      }
      for (int i = 0; i < 100; i++) {
        socket.send("n" + i);
      }
      for (int i = 0; i < 100; i++) {
        assertThat(next(socket)).isEqualTo(new Text("> n" + i));
      }
      assertThat(socket.receive(Duration.ofMillis(20))).isEmpty();
      socket.close(1000, "");
    }
  }

  @Test
  void theHandshakeHasTheHeadersAndNoOriginAndOffersNoCompression() throws Exception {
    CompletableFuture<String> head = new CompletableFuture<>();
    try (RawServer server =
        server(
            peer -> {
              head.complete(peer.connection().head());
              peer.connection().awaitClose();
            })) {
      connect(server).abort();
      assertThat(head.get(5, TimeUnit.SECONDS))
          .startsWith("GET /gateway?v=1 HTTP/1.1\r\n")
          .containsIgnoringCase("authorization: Bearer secret")
          .doesNotContainIgnoringCase("origin:")
          .doesNotContainIgnoringCase("extensions");
    }
  }

  @Test
  void aSlowReaderHoldsTheOtherSideBack() throws Exception {
    String filling = "x".repeat(4000);
    try (RawServer server =
        server(
            peer -> {
              for (int i = 0; i < 10_000; i++) {
                peer.text(i + filling);
              }
              peer.close(1000, "that is all");
              peer.connection().awaitClose();
            })) {
      ClientSocket socket = connect(server);
      long before = -1;
      while (before != server.written()) {
        before = server.written();
        new CountDownLatch(1).await(200, TimeUnit.MILLISECONDS);
      }
      assertThat(server.written()).isLessThan(20_000_000);
      assertThat(socket.kept()).isLessThan(ClientSocket.MESSAGES_AHEAD + 65_536 / 4000 + 1);
      for (int i = 0; i < 10_000; i++) {
        assertThat(next(socket)).isEqualTo(new Text(i + filling));
      }
      assertThat(next(socket)).isEqualTo(new Closed(1000, "that is all"));
      assertThat(next(socket)).as("again").isEqualTo(new Closed(1000, "that is all"));
      assertThat(gone.await(5, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void largeMessagesAreKeptUpToTheBytesOfOne() throws Exception {
    String large = "x".repeat(BYTES_MAX);
    try (RawServer server =
        server(
            peer -> {
              for (int i = 0; i < 300; i++) {
                peer.text(large);
              }
              peer.connection().awaitClose();
            })) {
      ClientSocket socket = connect(server);
      long before = -1;
      while (before != server.written()) {
        before = server.written();
        new CountDownLatch(1).await(200, TimeUnit.MILLISECONDS);
      }
      assertThat(socket.kept()).isEqualTo(1);
      for (int i = 0; i < 300; i++) {
        assertThat(next(socket)).isEqualTo(new Text(large));
      }
      socket.close(1000, "");
    }
  }

  @Test
  void aMessageInPartsIsPutTogetherAlsoWithinACharacter() throws Exception {
    byte[] bytes = "a \uD83D\uDE00 b".getBytes(StandardCharsets.UTF_8);
    try (RawServer server =
        server(
            peer -> {
              peer.write(SocketPeer.TEXT, false, new byte[0]);
              for (byte each : bytes) {
                peer.write(SocketPeer.CONTINUED, false, new byte[] {each});
                peer.write(SocketPeer.PING, true, new byte[] {each});
              }
              peer.write(SocketPeer.CONTINUED, true, new byte[0]);
              for (byte each : bytes) {
                SocketPeer.Frame pong = peer.read();
                if (pong.opcode() != SocketPeer.PONG || pong.payload()[0] != each) {
                  throw new IOException("no pong");
                }
              }
              peer.text("answered");
              peer.connection().awaitClose();
            })) {
      ClientSocket socket = connect(server);
      assertThat(next(socket)).isEqualTo(new Text("a \uD83D\uDE00 b"));
      assertThat(next(socket)).isEqualTo(new Text("answered"));
      socket.close(1000, "");
    }
  }

  @Test
  void bytesThatComeOneByOneAreAMessageInTheEnd() throws Exception {
    try (RawServer server =
        server(
            peer -> {
              for (byte each :
                  SocketPeer.frame(
                      SocketPeer.TEXT, true, "slow".getBytes(StandardCharsets.UTF_8))) {
                peer.connection().write(new byte[] {each});
                new CountDownLatch(1).await(20, TimeUnit.MILLISECONDS);
              }
              peer.connection().awaitClose();
            })) {
      ClientSocket socket = connect(server);
      assertThat(next(socket)).isEqualTo(new Text("slow"));
      socket.close(1000, "");
    }
  }

  /** Sends what must not be sent behind something good, and wants to hear why it was closed. */
  private void refused(int code, Peer bad) throws Exception {
    CompletableFuture<Integer> heard = new CompletableFuture<>();
    try (RawServer server =
        server(
            peer -> {
              peer.text("good");
              try {
                bad.play(peer);
                heard.complete(peer.read().code());
              } catch (IOException e) {
                heard.completeExceptionally(e);
              }
              peer.connection().awaitClose();
            })) {
      ClientSocket socket = connect(server);
      assertThat(next(socket)).isEqualTo(new Text("good"));
      assertCut(socket, code);
      assertThat(heard.get(5, TimeUnit.SECONDS)).isEqualTo(code);
    }
  }

  @Test
  void aMessageThatIsTooLongClosesTheSocket() throws Exception {
    refused(1009, peer -> peer.write(SocketPeer.TEXT, true, new byte[BYTES_MAX + 1]));
  }

  @Test
  void partsThatAreTooLongTogetherCloseTheSocket() throws Exception {
    refused(
        1009,
        peer -> {
          peer.write(SocketPeer.TEXT, false, new byte[BYTES_MAX]);
          peer.write(SocketPeer.CONTINUED, false, new byte[1]);
        });
  }

  @Test
  void aMessageOfBytesClosesTheSocket() throws Exception {
    refused(1003, peer -> peer.write(SocketPeer.BINARY, true, new byte[] {1}));
  }

  @Test
  void textThatIsNotUtf8ClosesTheSocket() throws Exception {
    refused(1007, peer -> peer.write(SocketPeer.TEXT, true, new byte[] {(byte) 0xC3, 0x28}));
  }

  @Test
  void aContinuationOfNothingClosesTheSocket() throws Exception {
    refused(1002, peer -> peer.write(SocketPeer.CONTINUED, true, new byte[1]));
  }

  @Test
  void aFrameThatIsAnnouncedWithManyGigabytesIsNotWaitedFor() throws Exception {
    try (RawServer server =
        server(
            peer -> {
              peer.connection().write(new byte[] {(byte) 0x81, 127, 0, 0, 1, 0, 0, 0, 0, 0});
              peer.connection().awaitClose();
            })) {
      assertCut(connect(server), 1009);
    }
  }

  @Test
  void anEndInTheMiddleOfAMessageComesAfterTheOthers() throws Exception {
    try (RawServer server =
        server(
            peer -> {
              peer.text("one");
              peer.text("two");
              peer.write(SocketPeer.TEXT, false, new byte[10]);
            })) {
      ClientSocket socket = connect(server);
      assertThat(next(socket)).isEqualTo(new Text("one"));
      assertThat(next(socket)).isEqualTo(new Text("two"));
      assertCut(socket, 1006);
    }
  }

  @Test
  void aResetInTheMiddleOfAMessageEndsIt() throws Exception {
    try (RawServer server =
        server(
            peer -> {
              peer.write(SocketPeer.TEXT, false, new byte[10]);
              peer.connection().reset();
            })) {
      ClientSocket socket = connect(server);
      assertCut(socket, 1006);
      assertThat(((Closed) next(socket)).reason()).doesNotContain("gateway");
    }
  }

  @Test
  void aCloseInTheSameBreathAsTheHandshakeIsToldOf() throws Exception {
    try (RawServer server =
        new RawServer(
            connection -> {
              byte[] close =
                  SocketPeer.frame(SocketPeer.CLOSE, true, new byte[] {0x0F, (byte) 0xA4});
              connection.write(
                  SocketPeer.answer(connection) + new String(close, StandardCharsets.ISO_8859_1));
              connection.awaitClose();
            })) {
      ClientSocket socket = connect(server);
      assertThat(next(socket)).isInstanceOf(Closed.class);
      assertThat(gone.await(5, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void theOtherSidesCloseIsAnsweredAndTheConnectionEndsEvenIfItLeavesItOpen() throws Exception {
    CompletableFuture<Integer> answer = new CompletableFuture<>();
    try (RawServer server =
        server(
            peer -> {
              peer.close(4004, "Authentication failed.");
              answer.complete(peer.read().code());
              peer.connection().awaitClose();
            })) {
      ClientSocket socket = connect(server);
      assertThat(next(socket)).isEqualTo(new Closed(4004, "Authentication failed."));
      assertThat(answer.get(5, TimeUnit.SECONDS)).isEqualTo(4004);
      assertThat(gone.await(5, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aPoliteCloseIsAnswered() throws Exception {
    CompletableFuture<SocketPeer.Frame> close = new CompletableFuture<>();
    try (RawServer server =
        server(
            peer -> {
              peer.text("not received");
              close.complete(peer.read());
              peer.close(4321, "");
            })) {
      ClientSocket socket = connect(server);
      socket.close(4321, "ö".repeat(100));
      assertThat(close.get(5, TimeUnit.SECONDS).code()).isEqualTo(4321);
      assertThat(close.join().payload()).hasSizeLessThanOrEqualTo(125);
      assertThat(next(socket))
          .isInstanceOfSatisfying(
              Closed.class,
              it -> {
                assertThat(it.code()).isEqualTo(4321);
              });
      assertThat(gone.await(5, TimeUnit.SECONDS)).isTrue();
      HttpFailedException e =
          catchThrowableOfType(HttpFailedException.class, () -> socket.send("late"));
      assertThat(e.failure().code()).isEqualTo(FailureCode.NETWORK);
      socket.close(1000, "once more");
      assertThat(((Closed) next(socket)).code()).isEqualTo(4321);
    }
  }

  @Test
  void aCloseThatIsNotAnsweredCutsTheConnection() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    try (RawServer server = server(peer -> end.await())) {
      ClientSocket socket = connect(server);
      socket.close(1000, "");
      assertThat(gone.await(5, TimeUnit.SECONDS)).isTrue();
      end.countDown();
    }
  }

  @Test
  void aCloseOfASocketThatReadsNothingIsAnsweredToo() throws Exception {
    try (RawServer server =
        server(
            peer -> {
              for (int i = 0; i < 2000; i++) {
                peer.text("x".repeat(1000));
              }
              peer.connection().awaitClose();
            })) {
      ClientSocket socket = connect(server);
      while (socket.kept() < ClientSocket.MESSAGES_AHEAD) {
        new CountDownLatch(1).await(10, TimeUnit.MILLISECONDS);
      }
      socket.close(1000, "");
      assertThat(socket.kept()).isZero();
      assertThat(gone.await(5, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void whoSendsToOneWhoReadsNothingIsToldAfterTenSeconds() throws Exception {
    ManualTime time = new ManualTime();
    CountDownLatch end = new CountDownLatch(1);
    try (HttpCaller slow = HttpCaller.create(vertx, time);
        RawServer server = server(peer -> end.await())) {
      ClientSocket socket = slow.connect(to(server), this::onGone);
      CompletableFuture<HttpFailedException> failed = new CompletableFuture<>();
      String text = "x".repeat(1_000_000);
      Thread _ =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      while (true) {
                        socket.send(text);
                      }
                    } catch (HttpFailedException e) {
                      failed.complete(e);
                    } catch (InterruptedException e) {
                      failed.completeExceptionally(e);
                    }
                  });
      while (!failed.isDone()) {
        new CountDownLatch(1).await(50, TimeUnit.MILLISECONDS);
        time.advance(Duration.ofSeconds(1));
      }
      assertThat(failed.get().failure().code()).isEqualTo(FailureCode.TIMEOUT);
      assertCut(socket, 1006);
      end.countDown();
    }
  }

  @Test
  void anInterruptEndsTheWaitAndNotTheSocket() throws Exception {
    CountDownLatch waits = new CountDownLatch(1);
    try (RawServer server =
        server(
            peer -> {
              peer.read();
              peer.text("still here");
              peer.connection().awaitClose();
            })) {
      ClientSocket socket = connect(server);
      CompletableFuture<Throwable> thrown = new CompletableFuture<>();
      Thread receiver =
          Thread.ofPlatform()
              .start(
                  () -> {
                    waits.countDown();
                    try {
                      socket.receive(WAIT);
                    } catch (InterruptedException e) {
                      thrown.complete(e);
                    }
                  });
      waits.await();
      receiver.interrupt();
      assertThat(thrown.get(5, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
      socket.send("go on");
      assertThat(next(socket)).isEqualTo(new Text("still here"));
      socket.close(1000, "");
    }
  }

  @Test
  void aSecondThreadMayNotReceive() throws Exception {
    try (RawServer server = server(peer -> peer.connection().awaitClose())) {
      ClientSocket socket = connect(server);
      CompletableFuture<Optional<Event>> first = new CompletableFuture<>();
      Thread receiver =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      first.complete(socket.receive(WAIT));
                    } catch (InterruptedException e) {
                      first.completeExceptionally(e);
                    }
                  });
      while (receiver.getState() != Thread.State.TIMED_WAITING) {
        Thread.onSpinWait();
      }
      assertThatThrownBy(() -> socket.receive(Duration.ZERO))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("another thread");
      socket.close(1000, "");
      assertThat(first.get(5, TimeUnit.SECONDS)).contains(new Closed(1000, ""));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "401, AUTH, PERMANENT, 0",
    "403, AUTH, PERMANENT, 0",
    "429, RATE_LIMITED, TRANSIENT, 7",
    "503, BACKEND_FAILURE, TRANSIENT, 7",
    "500, BACKEND_FAILURE, TRANSIENT, 7",
    "302, INVALID_REQUEST, INVALID, 0",
    "404, INVALID_REQUEST, INVALID, 0",
    "200, INVALID_REQUEST, INVALID, 0",
  })
  void aRefusalIsToldByItsStatus(int status, FailureCode code, FailureKind kind, int seconds)
      throws Exception {
    HttpFailedException e =
        refusal(
            "HTTP/1.1 %d No\r\nRetry-After: 7\r\ncontent-length: 6\r\n\r\nsecret"
                .formatted(status));
    assertThat(e.failure().code()).isEqualTo(code);
    assertThat(e.failure().kind()).isEqualTo(kind);
    assertThat(e.failure().context()).containsEntry("status", Integer.toString(status));
    assertThat(e.failure().retryAfter()).isEqualTo(Duration.ofSeconds(seconds));
    assertThat(e.failure().message()).doesNotContain("secret").doesNotContain("gateway");
    assertThat(e.surelyNotSent()).isFalse();
  }

  @Test
  void anAnswerThatIsNoWebSocketsIsAFailure() throws Exception {
    assertThat(
            refusal(
                    "HTTP/1.1 101 Ok\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: no\r\n\r\n")
                .failure()
                .code())
        .isEqualTo(FailureCode.BACKEND_FAILURE);
    assertThat(refusal("SSH-2.0-OpenSSH_9.2\r\n\r\n").failure().code())
        .isIn(FailureCode.NETWORK, FailureCode.BACKEND_FAILURE);
    assertThat(refusal("").failure().code()).isIn(FailureCode.NETWORK, FailureCode.BACKEND_FAILURE);
  }

  @Test
  void aHandshakeThatIsNeverAnsweredEndsAtItsLimit() throws Exception {
    try (RawServer server = new RawServer(RawServer.Connection::awaitClose)) {
      HttpFailedException e =
          refusal(
              new Request(
                  server.url().replace("http:", "ws:"), Map.of(), Duration.ofMillis(300), 1000));
      assertThat(e.failure().code()).isEqualTo(FailureCode.TIMEOUT);
      assertThat(server.gone().await(5, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aRefusalWithoutAnEndEndsAtTheLimitToo() throws Exception {
    try (RawServer server =
        new RawServer(
            connection -> {
              connection.write("HTTP/1.1 401 No\r\ntransfer-encoding: chunked\r\n\r\n");
              while (true) {
                connection.chunk("x".repeat(1000));
                new CountDownLatch(1).await(20, TimeUnit.MILLISECONDS);
              }
            })) {
      HttpFailedException e =
          refusal(
              new Request(
                  server.url().replace("http:", "ws:"), Map.of(), Duration.ofMillis(500), 1000));
      assertThat(e.failure().code()).isEqualTo(FailureCode.TIMEOUT);
      assertThat(server.gone().await(5, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aSlowHandshakeIsWaitedFor() throws Exception {
    try (RawServer server =
        new RawServer(
            connection -> {
              for (byte each :
                  SocketPeer.answer(connection).getBytes(StandardCharsets.ISO_8859_1)) {
                connection.write(new byte[] {each});
                new CountDownLatch(1).await(2, TimeUnit.MILLISECONDS);
              }
              connection.awaitClose();
            })) {
      connect(server).abort();
      assertThat(gone.await(5, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aRefusedConnectionWasSurelyNotSent() throws Exception {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    HttpFailedException e = refusal(Request.to("ws://127.0.0.1:" + port + "/secret", Map.of()));
    assertThat(e.failure().code()).isEqualTo(FailureCode.NETWORK);
    assertThat(e.failure().message()).doesNotContain("secret");
    assertThat(e.surelyNotSent()).isTrue();
  }

  @Test
  void whatCannotBeSentIsRefused() throws Exception {
    List<Request> bad = new ArrayList<>();
    bad.add(Request.to("http://127.0.0.1:1/", Map.of()));
    bad.add(Request.to("ws:no host", Map.of()));
    bad.add(Request.to("ws://127.0.0.1:1/", Map.of("a", "b\r\nc: d")));
    bad.add(Request.to("ws://127.0.0.1:1/", Map.of("Sec-WebSocket-Extensions", "x")));
    for (Request each : bad) {
      HttpFailedException e = refusal(each);
      assertThat(e.failure().code()).isEqualTo(FailureCode.INVALID_REQUEST);
      assertThat(e.surelyNotSent()).isTrue();
    }
    assertThat(timesGone).hasValue(bad.size());
  }

  @Test
  void anInterruptGivesTheHandshakeUp() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    try (RawServer server =
        new RawServer(
            connection -> {
              asked.countDown();
              connection.awaitClose();
            })) {
      CompletableFuture<Throwable> thrown = new CompletableFuture<>();
      Thread caller =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      connect(server);
                    } catch (Exception e) {
                      thrown.complete(e);
                    }
                  });
      assertThat(asked.await(5, TimeUnit.SECONDS)).isTrue();
      caller.interrupt();
      assertThat(thrown.get(5, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
      assertThat(server.gone().await(5, TimeUnit.SECONDS)).isTrue();
      assertThat(gone.await(5, TimeUnit.SECONDS)).isTrue();
    }
  }
}
