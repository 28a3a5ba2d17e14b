package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class DrillCommandTest extends CommandFixture {
  private static final String DRILL =
      """
      {"id":"d1","name":"model-away","fault":"every call is refused","target":"","state":"%s",
       "ends_at":"2026-01-01T10:00:20Z","strikes":7,"counts":{"turn.parked":3},
       "timeline":[{"at":"2026-01-01T10:00:00Z","what":"mode minimal: No \\u001b[2Jmodel."}],
       "held":%s,
       "promises":[{"promise":"nothing_twice","text":"No message is answered twice.",
         "held":"%s","why":"2 answered twice"}],
       "events":{"accepted":4,"threads":2,"states":{"answered":4},
         "told":[{"sentence":"I have your message.","times":2,"threads":2}],"settled_secs":2.5}}
      """;

  @Test
  void aRunTellsWhatWasPromisedWhatHappenedAndWhetherItHeld() {
    server.on("POST /api/v1/drills", 200, DRILL.formatted("running", "null", ""));
    server.on("GET /api/v1/drills/d1", 200, DRILL.formatted("done", "true", "yes"));
    assertThat(line.run(server, "drill", "run", "model-away", "--for", "5")).isZero();
    assertThat(line.out())
        .contains("model-away: every call is refused", "Promised", "mode minimal: No ")
        .contains("the fault struck 7 times", "turn.parked: 3", "answered: 4")
        .contains("told 2 times in 2 chat threads: I have your message.")
        .contains("yes  No message is answered twice.")
        .doesNotContain("\u001b[2J");
  }

  @Test
  void aBrokenPromiseIsAnExitCode() {
    server.on("POST /api/v1/drills", 200, DRILL.formatted("done", "false", "no"));
    assertThat(line.run(server, "drill", "run", "model-away")).isEqualTo(ExitCode.NOT_GOOD);
    assertThat(line.out()).contains("NO   No message is answered twice.", "2 answered twice");
    assertThat(line.run(server, "drill", "run", "model-away", "--json"))
        .isEqualTo(ExitCode.NOT_GOOD);
    assertThat(line.out()).contains("\"held\" : false");
  }

  @Test
  void thereIsAListAndAWayToEndOne() {
    server.on(
        "GET /api/v1/drills",
        200,
        """
        {"drills":[{"name":"channel-away","fault":"posts are refused","target":"an account",
          "promises":[]}],
         "runs":[{"id":"d1","name":"model-away","target":"","state":"done","by":"token:ops",
           "begun_at":"2026-01-01T10:00:00Z","ends_at":"2026-01-01T10:00:20Z","held":false}]}
        """);
    assertThat(line.run(server, "drill", "list")).isZero();
    assertThat(line.out()).contains("channel-away", "--target: an account", "d1", "no");
    server.on("POST /api/v1/drills/d1/stop", 200, DRILL.formatted("running", "null", ""));
    assertThat(line.run(server, "drill", "stop", "d1")).isZero();
    server.on("GET /api/v1/drills/d1", 200, DRILL.formatted("done", "true", "untested"));
    assertThat(line.run(server, "drill", "show", "d1")).isZero();
    assertThat(line.out()).contains("-    No message is answered twice.");
  }
}
