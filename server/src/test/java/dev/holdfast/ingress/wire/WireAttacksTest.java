package dev.holdfast.ingress.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ingress.IngressCase;
import dev.holdfast.ingress.IngressRig;
import dev.holdfast.ingress.Raw;
import dev.holdfast.time.SystemTime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a socket can be made to say that is not plain HTTP. */
@Timeout(60)
class WireAttacksTest extends IngressCase {
  private static final String HOOK = "POST /webhooks/webhook/ci HTTP/1.1\r\nHost: localhost\r\n";
  private static final String SIGNED = HOOK + "x-sign: ok\r\nContent-Type: application/json\r\n";

  private void isRefusedAndClosed(String request, int status) throws Exception {
    try (Raw raw = rig.raw()) {
      raw.send(request);
      assertThat(raw.answer().status()).isEqualTo(status);
      assertThat(raw.isClosed()).isTrue();
    }
    assertThat(rig.inbox.events).isEmpty();
  }

  /** S12: a body that is announced as too long is refused before it is read. */
  @Test
  void aBodyAnnouncedAsTooLongIs413() throws Exception {
    isRefusedAndClosed(SIGNED + "Content-Length: 1048577\r\n\r\nabc", 413);
  }

  /** Whoever asks why can name the request; a name that is none is not repeated. */
  @ParameterizedTest
  @ValueSource(strings = {"Content-Length: 1048577", "Transfer-Encoding: gzip"})
  void whatIsRefusedBeforeItIsReadHasACorrelationIdToo(String length) throws Exception {
    String named = rig.send(SIGNED + "X-Correlation-Id: c-17\r\n" + length + "\r\n\r\n").body();
    assertThat(named).endsWith(",\"correlation_id\":\"c-17\"}");
    String hostile = rig.send(SIGNED + "X-Correlation-Id: \"}<x>\r\n" + length + "\r\n\r\n").body();
    assertThat(hostile).matches(".*,\"correlation_id\":\"[0-9a-f-]{36}\"}");
  }

  /** S12: as long as allowed is allowed. */
  @Test
  void aBodyOfTheLimitIsRead() throws Exception {
    String body = "t1|" + "x".repeat(1_048_576 - 6) + "|m1";
    assertThat(rig.post("/webhooks/webhook/ci", body, "x-sign: ok").status()).isEqualTo(200);
    assertThat(rig.inbox.events).hasSize(1);
  }

  /** S12: endless chunks are cut at the limit, and the sender sees why. */
  @Test
  void endlessChunksAre413() throws Exception {
    String chunk = "8000\r\n" + "x".repeat(0x8000) + "\r\n";
    try (Raw raw = rig.raw()) {
      raw.send(SIGNED + "Transfer-Encoding: chunked\r\n\r\n");
      int sent = 0;
      try {
        for (; sent < 2000; sent++) {
          raw.send(chunk);
        }
      } catch (IOException _) {
        // Cut off, as it should be.
      }
      assertThat(sent).isLessThan(2000);
    }
    assertThat(rig.inbox.events).isEmpty();
    assertThat(rig.count("holdfast.http.refused", "status", "413")).isOne();
  }

  /** S12: the limit holds on every path, not only where somebody reads the body. */
  @Test
  void aLongBodyIs413EvenWhereNobodyReadsIt() throws Exception {
    String chunk = "8000\r\n" + "x".repeat(0x8000) + "\r\n";
    try (Raw raw = rig.raw()) {
      raw.send("GET /chat HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
      int sent = 0;
      try {
        for (; sent < 2000; sent++) {
          raw.send(chunk);
        }
      } catch (IOException _) {
        // Cut off, as it should be.
      }
      assertThat(sent).isLessThan(2000);
    }
  }

  /** S15: what two programs could read as different requests is read as none. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 8\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 8\r\n\r\n0\r\n\r\n",
        "Content-Length: 8\r\nContent-Length: 9\r\n\r\nt1|hi|m1",
        "Content-Length: 8\r\nContent-Length: 8\r\n\r\nt1|hi|m1",
        "Content-Length: 8, 8\r\n\r\nt1|hi|m1",
        "Content-Length: +8\r\n\r\nt1|hi|m1",
        "Content-Length: -8\r\n\r\nt1|hi|m1",
        "Content-Length: 0x8\r\n\r\nt1|hi|m1",
        "Content-Length: 8 8\r\n\r\nt1|hi|m1",
        "Content-Length: 99999999999999999999\r\n\r\nt1|hi|m1",
        "Content-Length : 8\r\n\r\nt1|hi|m1",
        "Transfer-Encoding: xchunked\r\n\r\n8\r\nt1|hi|m1\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked, identity\r\n\r\n8\r\nt1|hi|m1\r\n0\r\n\r\n",
        "Transfer-Encoding: identity, chunked\r\n\r\n8\r\nt1|hi|m1\r\n0\r\n\r\n",
        "Transfer-Encoding: identity\r\n\r\n8\r\nt1|hi|m1\r\n0\r\n\r\n",
        "Transfer-Encoding: gzip, chunked\r\n\r\n8\r\nt1|hi|m1\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nt1|hi|m1\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n8\r\nt1|hi|m1\r\n0\r\n\r\n",
        "Transfer-Encoding : chunked\r\n\r\n8\r\nt1|hi|m1\r\n0\r\n\r\n",
        "Transfer-Encoding:\u000bchunked\r\n\r\n8\r\nt1|hi|m1\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\nzz\r\nt1|hi|m1\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n-8\r\nt1|hi|m1\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n0x8\r\nt1|hi|m1\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\nfffffffff\r\nt1|hi|m1\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n8;a=\n\r\nt1|hi|m1\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n8\r\nt1|hi|m1XX0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n8\nt1|hi|m1\n0\n\n",
        "X: a\nContent-Length: 8\r\n\r\nt1|hi|m1",
        "X: a\rContent-Length: 8\r\n\r\nt1|hi|m1",
        "Host: other\r\nContent-Length: 8\r\n\r\nt1|hi|m1",
        "X: a\u0000b\r\nContent-Length: 8\r\n\r\nt1|hi|m1",
        "X a: b\r\nContent-Length: 8\r\n\r\nt1|hi|m1",
        ": b\r\nContent-Length: 8\r\n\r\nt1|hi|m1",
      })
  void framesOfTwoMeaningsAreRefused(String rest) throws Exception {
    isRefusedAndClosed(SIGNED + rest, 400);
  }

  /** S7: a header that goes on in the next line is refused, wherever the packets are cut. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void foldedHeadersAreRefused(int cut) throws Exception {
    String head = HOOK + "Content-Type: application/json\r\nx-sign: a,\r\n";
    String rest = " ok\r\nContent-Length: 8\r\n\r\nt1|hi|m1";
    try (Raw raw = rig.raw()) {
      switch (cut) {
        case 0 -> raw.send(head + rest);
        case 1 -> {
          raw.send(head);
          untilRead();
          raw.send(rest);
        }
        default -> raw.send("\r\n" + head + "\t" + rest);
      }
      assertThat(raw.answer().status()).isEqualTo(400);
      assertThat(raw.isClosed()).isTrue();
    }
    assertThat(rig.inbox.events).isEmpty();
  }

  /** A request on another connection is served after what was sent before on this one was read. */
  private void untilRead() throws Exception {
    for (int i = 0; i < 4; i++) {
      rig.get("/live");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP/1.2", "HTTP/2.0", "HTTP/0.9", "HTTP/1", "HTTP/11.1", "ICY/1.1"})
  void otherProtocolsAreRefused(String version) throws Exception {
    try (Raw raw = rig.raw()) {
      raw.send("GET /live " + version + "\r\nHost: localhost\r\n\r\n");
      assertThat(raw.answer().status()).isIn(400, 505);
      assertThat(raw.isClosed()).isTrue();
    }
  }

  /** F29: HTTP/2 is not spoken, neither at once nor by an upgrade; nor are web sockets. */
  @Test
  void onlyHttp1IsSpoken() throws Exception {
    try (Raw raw = rig.raw()) {
      raw.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
      assertThat(raw.answer().status()).isIn(400, 505);
      assertThat(raw.isClosed()).isTrue();
    }
    assertThat(
            rig.get(
                    "/live",
                    "Connection: Upgrade, HTTP2-Settings",
                    "Upgrade: h2c",
                    "HTTP2-Settings: AAMAAABkAAQAAP__")
                .status())
        .isEqualTo(200);
    assertThat(
            rig.get(
                    "/chat-socket",
                    "Connection: Upgrade",
                    "Upgrade: websocket",
                    "Sec-WebSocket-Version: 13",
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")
                .status())
        .isEqualTo(404);
  }

  /** F29: heads of more than 8 KiB and long request lines are refused. */
  @Test
  void bigHeadsAreRefused() throws Exception {
    isRefusedAndClosed(SIGNED + "X: " + "x".repeat(9000) + "\r\n\r\n", 431);
    isRefusedAndClosed("GET /" + "x".repeat(5000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n", 414);
  }

  /**
   * S14, F29: a head that takes too long is cut, on a new connection and on one that was used
   * before.
   */
  @Test
  void slowHeadsAreCut() throws Exception {
    try (IngressRig quick = quick();
        Raw silent = quick.raw();
        Raw used = quick.raw()) {
      used.send(Raw.request("GET", "/live", ""));
      assertThat(used.answer().status()).isEqualTo(200);
      used.send("GET /live HTTP/1.1\r\n");
      assertThat(used.answer().status()).isEqualTo(408);
      assertThat(used.isClosed()).isTrue();
      assertThat(silent.answer().status()).isEqualTo(408);
      assertThat(silent.isClosed()).isTrue();
    }
  }

  /** S14, F29: so is a head that grows by a byte now and then. */
  @Test
  void tricklingHeadsAreCut() throws Exception {
    try (IngressRig quick = quick();
        Raw raw = quick.raw()) {
      raw.socket().setSoTimeout(50);
      assertThat(trickle(raw, "GET /live HTTP/1.1\r\n")).isTrue();
    }
  }

  /** S14, F29: a body that takes too long is cut. */
  @Test
  void tricklingBodiesAreCut() throws Exception {
    try (IngressRig quick = quick();
        Raw raw = quick.raw()) {
      raw.send(SIGNED + "Content-Length: 1000\r\n\r\n");
      raw.socket().setSoTimeout(50);
      assertThat(trickle(raw, "")).isTrue();
      assertThat(quick.inbox.events).isEmpty();
    }
  }

  /** Sends a byte every 50 ms; whether the server spoke or hung up within 5 s. */
  private static boolean trickle(Raw raw, String first) throws IOException {
    raw.send(first);
    for (int i = 0; i < 100; i++) {
      try {
        raw.send("x");
        if (raw.socket().getInputStream().read() != 0) {
          return true;
        }
      } catch (java.net.SocketTimeoutException _) {
        // Nothing yet.
      } catch (IOException _) {
        return true;
      }
    }
    return false;
  }

  /** An idle connection is closed, quietly. */
  @Test
  void idleConnectionsAreClosed() throws Exception {
    try (IngressRig quick = quick();
        Raw raw = quick.raw()) {
      raw.send(Raw.request("GET", "/live", ""));
      assertThat(raw.answer().status()).isEqualTo(200);
      assertThat(raw.isClosed()).isTrue();
    }
  }

  /** S14, F29: whoever does not read what was sent is cut. */
  @Test
  void readersThatDoNotReadAreCut() throws Exception {
    try (IngressRig quick = quick();
        Raw raw = quick.raw()) {
      raw.socket().setReceiveBufferSize(4096);
      String request = Raw.request("GET", "/openapi.yaml", "");
      IngressRig.until(
          () -> {
            try {
              raw.send(request);
              return false;
            } catch (IOException _) {
              return true;
            }
          });
    }
  }

  private static IngressRig rigOfThreeConnections() throws Exception {
    return new IngressRig(
        free ->
            new HttpConfig(
                free.host(),
                0,
                "",
                List.of(),
                free.maxBodyBytes(),
                free.headerTimeout(),
                free.bodyTimeout(),
                free.idleTimeout(),
                3),
        new SystemTime()); // connections are real
  }

  /** Above the limit the connections that have been idle for longest are closed for new ones. */
  @Test
  void idleConnectionsMakeRoomForNewOnes() throws Exception {
    try (IngressRig small = rigOfThreeConnections()) {
      List<Raw> held = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        Raw raw = small.raw();
        raw.send(Raw.request("GET", "/live", ""));
        assertThat(raw.answer().status()).as("connection %d", i).isEqualTo(200);
        held.add(raw);
      }
      assertThat(held.getFirst().isClosed()).isTrue();
      assertThat(small.listener.connections().wasFullLately()).isTrue();
      for (Raw raw : held) {
        raw.close();
      }
    }
  }

  /**
   * A connection that waits for the server is not closed: the newcomer is told why, but a probe.
   */
  @Test
  void whenAllConnectionsAreBusyOnlyProbesAreAnswered() throws Exception {
    String auth = IngressRig.bearer(IngressRig.READ);
    try (IngressRig small = rigOfThreeConnections()) {
      List<Raw> busy = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        Raw raw = small.raw();
        raw.send(Raw.request("GET", "/api/v1/stream", "", auth));
        assertThat(raw.line()).contains("200");
        busy.add(raw);
      }
      for (int i = 0; i < 200; i++) {
        try (Raw one = small.raw()) {
          assertThat(one.send(Raw.request("GET", "/live", "")).answer().status()).isEqualTo(200);
          assertThat(one.isClosed()).isTrue();
        }
      }
      try (Raw one = small.raw()) {
        Raw.Answer refused = one.send(Raw.request("GET", "/chat", "")).answer();
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.body()).contains("OVERLOADED").contains("http.max_connections");
        assertThat(refused.header("retry-after")).isEqualTo("5");
        assertThat(one.isClosed()).isTrue();
      }
      for (Raw raw : busy) {
        raw.close();
      }
      int status = 0;
      for (int i = 0; i < 100 && status != 200; i++) {
        status = small.get("/chat").status();
      }
      assertThat(status).isEqualTo(200);
    }
  }

  /** Two requests in one packet are two answers, in order. */
  @Test
  void pipelinedRequestsAreAnsweredInOrder() throws Exception {
    try (Raw raw = rig.raw()) {
      raw.send(Raw.request("GET", "/live", "") + Raw.request("GET", "/nothing", ""));
      assertThat(raw.answer().status()).isEqualTo(200);
      assertThat(raw.answer().status()).isEqualTo(404);
    }
  }

  private static IngressRig quick() throws Exception {
    java.time.Duration soon = java.time.Duration.ofMillis(400);
    return new IngressRig(
        free ->
            new HttpConfig(
                free.host(), 0, "", List.of(), free.maxBodyBytes(), soon, soon, soon, 100),
        new SystemTime()); // connections are real
  }
}
