package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What strangers chose is shown as it is: it moves no cursor, begins no line and turns no text. */
@Timeout(30)
class HostileTextTest extends CommandFixture {
  /**
   * In JSON, and as it is shown. It clears the screen, goes up a line, turns what follows, and
   * writes a line of its own.
   */
  private static final String JSON =
      "x\\u001B[2J\\r\\u009B1A\\u202Ey\\u2066\\u200F\\u2028\\nFORGED line";

  private record Case(List<String> command, String path, String answer) {}

  private static Case of(String command, String path, String answer) {
    return new Case(List.of(command.split(" ")), path, answer.replace("%", JSON));
  }

  static Stream<Case> commands() {
    return Stream.of(
        of(
            "status",
            "/api/v1/status",
            """
            {"ready":true,"version":"%","data_dir":"%","conditions":[
             {"type":"%","status":"%","message":"%","exit_rule":"%","since":"%"}]}
            """),
        of(
            "trace e1",
            "/api/v1/events/e1",
            """
            {"event_id":"%","dedupe_key":"%","thread_id":"%","sender":"%","source":"%","text":"%",
             "state":"%","reason":"%","sent_at":"%","received_at":"%",
             "story":[{"at":"%","what":"%","reason":"%","more":{"a":"%"}},
                      {"what":"tool.started","tool":"%","arguments":"%","execution":"%"},
                      {"what":"tool.ended","tool":"%","result":"%"}],
             "model_calls":[{"at":"%","provider":"%","model":"%","outcome":"%"}],
             "replies":[{"reply_id":"%","state":"%","detail":"%","text":"%"}]}
            """),
        of(
            "dlq list",
            "/api/v1/dead-letters?limit=50",
            """
            {"counts":{"event":1},"dead_letters":[
             {"id":"%","kind":"%","at":"%","attempts":1,"thread_id":"%","reason":"%"}]}
            """),
        of(
            "dlq show 1",
            "/api/v1/dead-letters/1",
            """
            {"id":"%","kind":"%","event_id":"%","dedupe_key":"%","thread_id":"%","attempts":1,
             "reason":"%","at":"%","payload":"%"}
            """),
        of(
            "threads list",
            "/api/v1/threads?limit=50",
            """
            {"next":"%","threads":[{"thread_id":"%","last_at":"%","doing":"%","waiting":"%"}]}
            """),
        of(
            "audit list",
            "/api/v1/audit?limit=50",
            """
            {"entries":[
             {"no":1,"at":"%","what":"%","actor":"%","thread_id":"%","details":{"reason":"%"}}]}
            """),
        of(
            "approvals list",
            "/api/v1/approvals?state=waiting",
            """
            {"approvals":[{"id":"%","code":"%","state":"%","tool":"%","person":"%","thread_id":"%",
              "expires_at":"%","arguments":"%","decided_by":"%"}]}
            """),
        of(
            "schedules list",
            "/api/v1/schedules?limit=100",
            """
            {"schedules":[{"id":"%","next_at":"%","kind":"%","spec":"%","zone":"%",
              "thread_id":"%","text":"%"}]}
            """),
        of(
            "extensions list",
            "/api/v1/extensions",
            """
            {"extensions":[{"id":"%","protocol":"%","state":"%","restarts":"%","last_error":"%"}]}
            """),
        of(
            "extensions info a",
            "/api/v1/extensions/a",
            """
            {"id":"%","server":"%","last_error":"%","target":["%"],"tools":["%"],"refused":["%"],
              "held":[{"name":"%","change":"changed","parts":["%","description","schema"],
                "before":{"description":"%","schema":"%","result_schema":"%","annotations":"%"},
                "now":{"description":"y%","schema":"{\\"%\\":1}","result_schema":"%"}},
               {"name":"%","change":"new","parts":[],"now":{"description":"%"}}]}
            """),
        of(
            "extensions logs a",
            "/api/v1/extensions/a/log",
            """
            {"id":"%","lines":["%"]}
            """));
  }

  @ParameterizedTest
  @MethodSource("commands")
  void commandsShowItEscaped(Case of) {
    server.on("GET " + of.path, 200, of.answer);
    assertThat(line.run(server, of.command.toArray(String[]::new))).isZero();
    String shown = line.out() + line.err();
    assertThat(shown).contains("x\\u001B[2J").matches("[ -~\\n\u2026]+");
    assertThat(shown.lines()).noneMatch(text -> text.strip().startsWith("FORGED"));
  }

  /** A program reads the same text as without the escapes. */
  @ParameterizedTest
  @MethodSource("commands")
  void jsonShowsItEscapedToo(Case of) throws Exception {
    server.on("GET " + of.path, 200, of.answer);
    String[] args = Stream.concat(of.command.stream(), Stream.of("--json")).toArray(String[]::new);
    assertThat(line.run(server, args)).isZero();
    assertThat(line.out()).contains(JSON).matches("[ -~\\n]+");
    assertThat(CliJson.parse(line.out())).isEqualTo(CliJson.parse(of.answer));
  }

  @Test
  void aLogShowsTheLinesOfAMessageBehindItsHead() {
    server.on("GET /api/v1/threads/t", 200, "{\"thread_id\":\"t\"}");
    server.on(
        "GET /api/v1/threads/t/log?limit=50",
        200,
        "{\"entries\":[{\"role\":\"user\",\"sender\":\"%1$s\",\"text\":\"%1$s\"}]}"
            .formatted(JSON));
    assertThat(line.run(server, "threads", "show", "t")).isZero();
    assertThat(line.out()).matches("[ -~\\n]+").contains("x\\u001B[2J", "\n  FORGED line");
    assertThat(line.out().lines()).noneMatch(text -> text.startsWith("FORGED"));
  }

  @Test
  void whatOthersSayInAChatForgesNoLine() {
    server.on("GET /api/v1/events/e1", 200, "{\"event_id\":\"e1\",\"state\":\"pending\"}");
    server.on(
        "POST /api/v1/threads/web%3Amain%3Acli/messages",
        202,
        "{\"event_id\":\"e1\"}",
        () ->
            server
                .tell(
                    "b-1",
                    "event.accepted",
                    "{\"event_id\":\"e0\",\"sender\":\"%1$s\",\"text\":\"%1$s\"}".formatted(JSON))
                .tell(
                    "b-2", "turn.parked", "{\"event_id\":\"e1\",\"reason\":\"%s\"}".formatted(JSON))
                .tell("b-3", "event.finished", "{\"event_id\":\"e1\",\"outcome\":\"answered\"}"));
    assertThat(line.atATerminal().run(server, "chat", "hi")).isZero();
    String shown = (line.out() + line.err()).replace("\r\u001b[K", "");
    assertThat(shown).contains("x\\u001B[2J").matches("[ -~\\n]+");
    assertThat(shown.lines()).noneMatch(text -> text.startsWith("FORGED"));
  }
}
