package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TraceCommandTest extends CommandFixture {
  @Test
  void traceTellsAStory() {
    server.on(
        "GET /api/v1/events/e%2F1",
        200,
        """
        {"event_id":"e/1","dedupe_key":"w1","thread_id":"webhook:ci:t","source":"webhook:ci",
         "sender":"ada","text":"hello\\nthere","state":"answered","attempts":2,"cost_usd":0.0123,
         "sent_at":"2026-01-01T08:30:00Z","received_at":"2026-01-01T10:00:00Z",
         "story":[{"at":"2026-01-01T10:00:00Z","what":"event.accepted"},
                  {"at":"2026-01-01T10:00:02Z","what":"model.called","model":"p/m"},
                  {"at":"2026-01-01T10:00:06Z","what":"reply.planned","reply_id":"e/1.a.1"},
                  {"at":"2026-01-01T10:00:05.500Z","what":"turn.started","attempt":2}],
         "model_calls":[{"at":"2026-01-01T10:00:02Z","provider":"p","model":"m","outcome":"timeout",
                         "input_tokens":5,"output_tokens":0,"cost_usd":0,"first_token_millis":-1,
                         "millis":1500}],
         "replies":[{"reply_id":"e/1.a.1","part":1,"parts":1,"state":"sent","attempts":1,
                     "unknowns":1,"text":"hi"},
                    {"reply_id":"e/1.a.2","part":1,"parts":1,"state":"retry_at","attempts":1,
                     "next_at":"2999-01-01T00:00:00Z","detail":"OVERLOADED: 503","text":"ho"}]}
        """);
    assertThat(line.run(server, "trace", "e/1")).isZero();
    assertThat(line.out())
        .containsSubsequence(
            "event e/1",
            "ada on webhook:ci, 2026-01-01 08:30:00Z",
            "hello\\nthere",
            "answered after 2 attempts, cost $0.0123",
            "10:00:00.000Z",
            "received and committed",
            "10:00:02.000Z",
            "+2.0 s model p/m: timeout in 1.5 s, 5 tokens in",
            "+5.5 s turn started (attempt 2)",
            "part 1 of 1: sent after 1 attempt, 1 with an unknown outcome");
    assertThat(line.out())
        .as("told once")
        .doesNotContain("event accepted", "model called", "retry_at")
        .containsOnlyOnce("p/m")
        .containsPattern("part 1 of 1: waiting, next try in [0-9].* after 1 attempt: OVERLOADED");
    assertThat(line.run(server, "trace", "no")).isEqualTo(1);
    assertThat(line.err()).contains("unknown (NOT_FOUND)", "holdfast threads show");
    assertThat(line.run(server, "dlq", "show", "no")).isEqualTo(1);
    assertThat(line.err()).contains("unknown (NOT_FOUND)", "holdfast dlq list");
  }

  @Test
  void peopleReadOfDeadLetteredEvents() {
    server.on("GET /api/v1/events/e1", 200, "{\"event_id\":\"e1\",\"state\":\"dead_lettered\"}");
    assertThat(line.run(server, "trace", "e1")).isZero();
    assertThat(line.out()).contains("dead-lettered after 0 attempts");
    server
        .on("GET /api/v1/status", 200, "{\"ready\":true,\"counts\":{\"dead_lettered\":2}}")
        .on("GET /api/v1/dead-letters?limit=1", 200, "{\"counts\":{\"event\":2,\"reply\":1}}");
    assertThat(line.run(server, "status")).isZero();
    assertThat(line.out())
        .contains("0 open, 2 dead-lettered", "given up   3 dead-lettered; see holdfast dlq list");
  }

  @Test
  void aTraceSaysOnceWhyItWasGivenUpAndKnowsTheDeadLetterToo() {
    server
        .on("GET /api/v1/dead-letters/d1", 200, "{\"id\":\"d1\",\"event_id\":\"e1\"}")
        .on(
            "GET /api/v1/events/e1",
            200,
            """
            {"event_id":"e1","state":"dead_lettered","attempts":2,"reason":"BAD: refused with 400",
             "story":[{"at":"2026-01-01T00:00:00Z","what":"turn.failed","code":"AWAY",
                       "message":"no answer"},
                      {"at":"2026-01-01T00:00:01Z","what":"turn.failed","code":"BAD",
                       "message":"refused with 400"},
                      {"at":"2026-01-01T00:00:02Z","what":"event.finished","code":"BAD",
                       "outcome":"dead_lettered","reason":"BAD: refused with 400"}],
             "replies":[{"reply_id":"r","part":1,"parts":1,"state":"sent","attempts":0}]}\
            """);
    assertThat(line.run(server, "trace", "d1")).isZero();
    assertThat(line.out())
        .containsOnlyOnce("refused with 400")
        .contains("turn failed: AWAY: no answer", "turn failed\n", "finished: dead-lettered\n")
        .contains("part 1 of 1: sent\n");
  }

  @Test
  void aTraceTellsEachToolCallWithArgumentsResultAndTime() {
    server.on(
        "GET /api/v1/events/e1",
        200,
        "{\"event_id\":\"e1\",\"state\":\"answered\",\"story\":["
            + "{\"at\":\"2026-01-01T00:00:00Z\",\"what\":\"tool.started\",\"tool\":\"shell\","
            + "\"arguments\":\"{ls}\",\"execution\":\"e1.1.1\"},"
            + "{\"at\":\"2026-01-01T00:00:01Z\",\"what\":\"tool.ended\",\"tool\":\"shell\","
            + "\"error\":true,\"millis\":12,\"result\":\"no\\u001b[2J\"}]}");
    assertThat(line.run(server, "trace", "e1")).isZero();
    assertThat(line.out())
        .contains("tool shell called with {ls} (execution e1.1.1)")
        .contains("tool shell failed after 12 ms: no")
        .doesNotContain("\u001b");
  }
}
