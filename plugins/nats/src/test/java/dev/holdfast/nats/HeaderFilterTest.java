package dev.holdfast.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeaderFilterTest {
  private static final String ACK = "$JS.ACK.ASK.holdfast.1.7.7.1795780800000000042.0";

  /** What the library sees, whatever pieces the network makes of it. */
  private static String filtered(String sent) throws IOException {
    byte[] bytes = sent.getBytes(StandardCharsets.ISO_8859_1);
    String whole = text(new HeaderFilter().filter(bytes, 0, bytes.length));
    for (int size = 1; size < bytes.length; size++) {
      HeaderFilter filter = new HeaderFilter();
      StringBuilder pieces = new StringBuilder();
      for (int at = 0; at < bytes.length; at += size) {
        pieces.append(text(filter.filter(bytes, at, Math.min(size, bytes.length - at))));
      }
      assertThat(pieces.toString()).isEqualTo(whole);
    }
    return whole;
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private static String message(String route, String headers, String body) {
    return "HMSG %s %d %d\r\n%s%s\r\n"
        .formatted(route, headers.length(), headers.length() + body.length(), headers, body);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "INFO {\"server_id\": \"x\"}\r\n",
        "PING\r\nPONG\r\n+OK\r\n-ERR 'Unknown Protocol Operation'\r\n",
        "MSG a.b 1 5\r\nHMSG \r\nPING\r\n",
        "MSG a.b 1 inbox 0\r\n\r\nPING\r\n",
        "HMSG a.b 1 inbox 25 27\r\nNATS/1.0\r\nName: value\r\n\r\n\r\n\r\nPING\r\n"
      })
  void whatTheLibraryCanReadStaysAsItIs(String sent) throws Exception {
    assertThat(filtered(sent)).isEqualTo(sent);
  }

  @Test
  void aNoticeOfNatsServerStaysAsItIs() throws Exception {
    String sent =
        message("_INBOX.x 1 ", "NATS/1.0 404 No Messages\r\n\r\n", "") // as 2.9 writes it
            + message("_INBOX.x 1", "NATS/1.0 503\r\n\r\n", "")
            + message("_INBOX.x 1", "NATS/1.0 409 Server Shutdown\r\nA: 1\r\n\r\n", "");
    assertThat(filtered(sent)).isEqualTo(sent);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "NATS/1.0\r\nNats-Msg-Id: M\u00fcller\r\n\r\n",
        "NATS/1.0\r\nM\u00fcller: 1\r\n\r\n",
        "NATS/1.0\r\nX Y: a\r\n\r\n",
        "NATS/1.0\r\nno colon\r\n\r\n",
        "NATS/1.0\r\n: no name\r\n\r\n",
        "NATS/1.0\r\nno: end\r\n",
        "NATS/1.0 404 No Messages\r\n\r\n",
        "NATS/1.0 100 FlowControl Request\r\n\r\n",
        "NATS/1.0 100 Idle Heartbeat\r\n\r\n",
        "NATS/1.0 409 Consumer Deleted\r\nA: 1\r\n\r\n",
        "NATS/1.0 503\r\n\r\n",
        "NATS/1.0 x\r\n\r\n",
        "NATS/1.0   ",
        "NATS/1.0",
        "HTTP/1.1\r\n\r\n",
        "x",
        ""
      })
  void headersOfAStoredMessageThatTheLibraryMustNotSeeAreReplaced(String headers) throws Exception {
    String before = message("ask.a 1 " + ACK, "NATS/1.0\r\nA: 1\r\n\r\n", "before");
    String route = "ask.b 1 " + ACK;
    assertThat(filtered(before + message(route, headers, "body\r\nPING\r\n") + "PING\r\n"))
        .isEqualTo(
            before
                + message(
                    route,
                    "NATS/1.0\r\n" + HeaderFilter.REPLACED + ": headers\r\n\r\n",
                    "body\r\nPING\r\n")
                + "PING\r\n");
  }

  @Test
  void aSubjectKeepsItsBytes() throws Exception {
    assertThat(filtered(message("ask.\u00c3\u00bc 1 " + ACK, "x", "body")))
        .startsWith("HMSG ask.\u00c3\u00bc 1 " + ACK + " ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"HMSG\r\n", "HMSG a 1 x 7\r\n", "MSG a 1 x\r\n"})
  void whatIsNotTheProtocolOfNatsEndsTheConnection(String sent) {
    assertThatThrownBy(() -> filtered(sent + "1234567")).isInstanceOf(IOException.class);
  }
}
