package dev.holdfast.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.PluginSocket;
import dev.holdfast.net.RawServer;
import dev.holdfast.net.SocketPeer;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HostedSocketTest extends PluginHostCase {
  private final Queue<Integer> closes = new ConcurrentLinkedQueue<>();

  private RawServer gateway() {
    return new RawServer(
        connection -> {
          SocketPeer peer = SocketPeer.accept(connection);
          while (true) {
            SocketPeer.Frame frame = peer.read();
            if (frame.opcode() == SocketPeer.CLOSE) {
              closes.add(frame.code());
              connection.write(SocketPeer.frame(SocketPeer.CLOSE, true, frame.payload()));
              return;
            }
            if (frame.text().equals("end")) {
              peer.close(4000, "with secret-in-env");
            }
            peer.text(frame.text());
          }
        });
  }

  private void load(String start, RawServer gateway) throws Exception {
    PluginJars.of(folder, "hello", "1.0.0")
        .doing(
            """
            HTTP = context.http();
            %s
            """
                .formatted(start),
            """
            static volatile PluginHttp HTTP;
            static final List<PluginSocket> OPEN = new ArrayList<>();
            static PluginSocket open() throws Exception {
              return HTTP.connect(PluginSocket.Request.to("%s", Map.of()));
            }
            static String say(java.util.concurrent.Callable<?> what) {
              try {
                return String.valueOf(what.call());
              } catch (Exception e) {
                return e.toString();
              }
            }
            """
                .formatted(gateway.url().replace("http:", "ws:")))
        .into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.READY);
  }

  @Test
  void aPluginSendsAndReceives() throws Exception {
    try (RawServer gateway = gateway()) {
      load(
          """
          context.offer(tool("talk", () -> say(() -> {
            try (PluginSocket socket = open()) {
              socket.send("hi");
              String first = "" + socket.receive(Duration.ofSeconds(5));
              socket.send("end");
              return first + socket.receive(Duration.ofSeconds(5));
            }
          })));
          """,
          gateway);
      rig.secrets().add("secret-in-env");
      assertThat(rig.call("talk"))
          .contains("Text[text=hi]")
          .contains("Closed[code=4000, reason=with ")
          .doesNotContain("secret-in-env");
    }
  }

  @Test
  void itsSocketsEndWithIt() throws Exception {
    try (RawServer gateway = gateway()) {
      load(
          """
          for (int i = 0; i < 3; i++) {
            PluginSocket socket = open();
            OPEN.add(socket);
            context.run("receives " + i, () -> { while (true) { socket.receive(Duration.ofMinutes(5)); } });
          }
          """,
          gateway);
      assertThat(rig.host().enable("hello", false)).isTrue();
      rig.await(() -> closes.size() == 3);
      assertThat(closes).containsOnly(1001);
      rig.await(
          () -> {
            System.gc();
            return rig.host().vanishing() == 0;
          });
    }
  }

  @Test
  void theSixtyFifthIsRefusedUntilOneOfTheOthersIsClosed() throws Exception {
    try (RawServer gateway = gateway()) {
      load(
          """
          context.offer(tool("more", () -> say(() -> OPEN.add(open()))));
          context.offer(tool("less", () -> say(() -> { OPEN.removeLast().close(); return true; })));
          """,
          gateway);
      for (int i = 0; i < HostedSockets.OPEN_MAX; i++) {
        assertThat(rig.call("more")).isEqualTo("true");
      }
      assertThat(rig.call("more"))
          .contains("IllegalStateException")
          .contains("64 sockets of the plugin are open already");
      assertThat(rig.call("less")).isEqualTo("true");
      rig.await(() -> rig.call("more").equals("true"));
      assertThat(gateway.connections()).isEqualTo(HostedSockets.OPEN_MAX + 1);
    }
  }

  @Test
  void whatIsOutOfItsRangeIsRefused() throws Exception {
    try (RawServer gateway = gateway()) {
      load(
          """
          PluginSocket socket = open();
          context.offer(tool("code", () -> say(() -> { socket.close(1001, ""); return 1; })));
          context.offer(tool("wait", () -> say(() -> socket.receive(Duration.ofMinutes(11)))));
          context.offer(tool("size", () -> say(() -> HTTP.connect(
              new PluginSocket.Request("ws://a", Map.of(), Duration.ofSeconds(1), 17 << 20)))));
          context.offer(tool("time", () -> say(() -> HTTP.connect(
              new PluginSocket.Request("ws://a", Map.of(), Duration.ofSeconds(61), 1)))));
          """,
          gateway);
      assertThat(rig.call("code")).contains("IllegalArgumentException").contains("3000 to 4999");
      assertThat(rig.call("wait")).contains("IllegalArgumentException").contains("wait");
      assertThat(rig.call("size")).contains("IllegalArgumentException").contains("messageBytesMax");
      assertThat(rig.call("time")).contains("IllegalArgumentException").contains("connectTimeout");
    }
  }

  /** A refused handshake is a failed call, and the guard then leaves the other side alone. */
  @Test
  void handshakesThatFailOpenTheBreakerAndARefusedTokenDoesNot() throws Exception {
    AtomicInteger status = new AtomicInteger(401);
    try (RawServer server =
        new RawServer(
            connection ->
                connection.write("HTTP/1.1 " + status + " No\r\ncontent-length: 0\r\n\r\n"))) {
      load("context.offer(tool(\"open\", () -> say(() -> open())));", server);
      for (int i = 0; i < 10; i++) {
        assertThat(rig.call("open")).contains("AUTH").contains("401");
      }
      status.set(500);
      rig.await(() -> rig.call("open").contains("CIRCUIT_OPEN"));
      assertThat(server.connections()).isEqualTo(15);
    }
  }

  @Test
  void anAskedWaitHoldsTheNextHandshakeBack() throws Exception {
    try (RawServer server =
        new RawServer(
            connection ->
                connection.write(
                    "HTTP/1.1 429 No\r\nRetry-After: 3600\r\ncontent-length: 0\r\n\r\n"))) {
      load("context.offer(tool(\"open\", () -> say(() -> open())));", server);
      assertThat(rig.call("open")).contains("RATE_LIMITED");
      assertThat(rig.call("open")).contains("RATE_LIMITED");
      assertThat(server.connections()).isEqualTo(1);
    }
  }

  @Test
  void behindTheStopNoneIsOpened() {
    HostedSockets sockets = new HostedSockets(new PluginTexts(text -> text));
    sockets.close();
    try (RawServer gateway = gateway()) {
      assertThatThrownBy(
              () ->
                  sockets.open(
                      rig.http(),
                      PluginSocket.Request.to(gateway.url().replace("http:", "ws:"), Map.of())))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("stopped");
      assertThat(gateway.connections()).isZero();
    }
  }
}
