package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

class ChannelCommandsTest extends CommandFixture {
  private static final String CHANNELS =
      """
      {"channels":[{"name":"chat","plugin":"chat-plugin","more":0,"accounts":[
        {"account":"main","way":"listens","state":"waiting","webhook":"","url":"",
         "listener":{"since":"2026-01-01T00:00:00Z","received_at":null,"restarts":2,
                     "failure":"AUTH","next_attempt_at":null},
         "breaker":"open","open_until":"2026-01-01T00:01:00Z","paced_until":null,
         "replies_waiting":3},
        {"account":"hook","way":"webhook","state":"ready","webhook":"/webhooks/chat/hook",
         "url":"","listener":null,"breaker":"closed","open_until":null,"paced_until":null,
         "replies_waiting":0}]}]}
      """;

  private static String report(boolean isMet) {
    return """
    {"name":"chat","more":0,"accounts":[{"account":"main","checks":[
      {"what":"it listens","met":true,"step":""},
      {"what":"the token is valid","met":%s,"step":"%s"}]}]}
    """
        .formatted(isMet, isMet ? "" : "Ask for \\u001b[2Janother.");
  }

  @Test
  void channelsAreListedWithTheirWaysAndWhatIsWrong() {
    server.on("GET /api/v1/channels", 200, CHANNELS);
    assertThat(line.run(server, "channels", "list")).isZero();
    assertThat(line.out())
        .contains("chat:main", "plugin chat-plugin", "it listens", "2 restarts (AUTH)")
        .contains("3 waiting, breaker open to 2026-01-01T00:01:00Z")
        .contains("chat:hook", "/webhooks/chat/hook");
    assertThat(line.run(server, "channels", "list", "--json")).isZero();
    assertThat(line.out()).contains("\"replies_waiting\" : 3");
  }

  @Test
  void aCheckOfChannelsSaysWhatMendsThemAndIsNotGood() {
    server.on("GET /api/v1/channels", 200, CHANNELS);
    server.on("POST /api/v1/channels/chat/check", 200, report(false));
    server.on("POST /api/v1/channels/chat/check?account=main", 200, report(true));
    assertThat(line.run(server, "channels", "check")).isEqualTo(1);
    assertThat(line.out())
        .contains("ok   chat:main  it listens", "BAD  chat:main  the token is valid", "Ask for ")
        .doesNotContain("\u001b[2J");
    assertThat(line.run(server, "channels", "check", "chat:main")).isZero();
    assertThat(line.run(server, "channels", "check", "--json")).isEqualTo(1);
    assertThat(line.out()).contains("\"good\" : false", "\"step\" : \"Ask for ");
    assertThat(line.run(server, "channels", "check", "nosuch")).isEqualTo(1);
    assertThat(line.err()).contains("see holdfast channels list");
  }

  @Test
  void theDoctorChecksTheChannelsToo() throws IOException {
    Files.createDirectory(folder.resolve("data"));
    server.on("GET /api/v1/channels", 200, CHANNELS);
    server.on("POST /api/v1/channels/chat/check", 200, report(true));
    line.run(server, "doctor");
    assertThat(line.out()).contains("ok    channel        chat:main has what it needs");
    server.on("POST /api/v1/channels/chat/check", 200, report(false));
    assertThat(line.run(server, "doctor")).isEqualTo(1);
    assertThat(line.out()).contains("chat:main: not so: the token is valid", "Ask for ");
  }
}
