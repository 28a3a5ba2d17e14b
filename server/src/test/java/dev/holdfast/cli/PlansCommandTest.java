package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What operators see and do of agents and plans. */
@Timeout(30)
class PlansCommandTest extends CommandFixture {
  private static final String STEPS =
      """
      [{"task_id":"t1","name":"look","agent":"files","action":"list","needs":[],
        "state":"succeeded","reason":"","attempts":[{"number":1}],"output":{"a":1},"due_at":null},
       {"task_id":"t2","name":"try","agent":"files","action":"get","needs":["look"],
        "state":"retried","reason":"it timed out","attempts":[{"number":1},{"number":2}],
        "output":null,"due_at":"2026-01-01T10:00:05Z"},
       {"task_id":"t3","name":"say","agent":"mail","action":"send","needs":["look","try"],
        "state":"queued","reason":"","attempts":[],"output":null,
        "due_at":"2026-01-01T10:00:00Z"}]
      """;

  private static String plan(String state, String steps) {
    boolean open = state.equals("running");
    return """
    {"plan_id":"p1","goal":"tell \\u001b[2Jall","state":"%s","reason":"","thread_id":"",
     "person":"ada","made_at":"2026-01-01T10:00:00Z","ended_at":%s,"steps":%s,
     "moves":[{"at":"2026-01-01T10:00:01Z","task_id":"t1","from":"queued","to":"dispatched",
               "reason":""},
              {"at":"2026-01-01T10:00:02Z","task_id":"","from":"pending","to":"running",
               "reason":"begun"}]}
    """
        .formatted(state, open ? "null" : "\"2026-01-01T10:01:00Z\"", steps);
  }

  @Test
  void agentsAreListedAndReset() {
    String agent =
        """
        {"agent_id":"files","health":"unhealthy","consecutive_failures":3,
         "recent_failures":4,"recent_results":20,
         "circuit_open_until":"2026-01-01T10:00:00Z","running":1,"max_concurrent":4,
         "actions":["get","list"]}
        """;
    server
        .on("GET /api/v1/agents", 200, "[" + agent + "]")
        .on("POST /api/v1/agents/files/reset", 200, agent.replace("unhealthy", "healthy"));
    assertThat(line.run(server, "agents", "list")).isZero();
    assertThat(line.out())
        .containsPattern("files +unhealthy +3 +4/20 +2026-01-01 10:00:00Z +1/4 +get, list");
    assertThat(line.run(server, "agents", "reset", "files")).isZero();
    assertThat(line.out()).isEqualTo("files is healthy\n");
    server.on("GET /api/v1/agents", 200, "[]");
    assertThat(line.run(server, "agents", "list")).isZero();
    assertThat(line.out()).isEqualTo("no worker agents\n");
  }

  @Test
  void theDeadLetterOfATaskLeadsToItsPlan() {
    server
        .on(
            "GET /api/v1/dead-letters/t2",
            200,
            "{\"id\":\"t2\",\"kind\":\"task\",\"event_id\":\"\",\"plan_id\":\"p1\","
                + "\"payload\":\"{}\"}")
        .on("GET /api/v1/plans/p1", 200, plan("failed", STEPS));
    assertThat(line.run(server, "trace", "t2")).isZero();
    assertThat(line.out())
        .containsSubsequence("plan id: p1", "state: failed", "it timed out", "begun");
    assertThat(line.run(server, "trace", "t2", "--json")).isZero();
    assertThat(line.out()).contains("\"plan_id\" : \"p1\"");
    assertThat(line.run(server, "dlq", "show", "t2")).isZero();
    assertThat(line.out()).contains("plan id    p1").doesNotContain("event id");
    assertThat(line.err()).contains("its plan: holdfast plans show p1");
  }

  @Test
  void plansAreListed() {
    server
        .on("GET /api/v1/plans?limit=50&state=open", 200, "{\"plans\":[]}")
        .on(
            "GET /api/v1/plans?limit=5&state=all&thread=t",
            200,
            """
            {"plans":[{"plan_id":"p1","state":"failed","steps_ended":1,"steps_total":3,
              "made_at":"2026-01-01T10:00:00Z","goal":"tell all","reason":"no answer"}]}
            """);
    assertThat(line.run(server, "plans", "list")).isZero();
    assertThat(line.out()).isEqualTo("no plans\n");
    assertThat(line.run(server, "plans", "list", "--all", "--thread", "t", "--limit", "5"))
        .isZero();
    assertThat(line.out())
        .containsPattern("p1 +failed +1/3 +2026-01-01 10:00:00Z +tell all +no answer");
  }

  /** A question may be as long as a page; a row of a table is not. */
  @Test
  void aLongQuestionIsCutInTablesAndStandsBelowThePlan() {
    String question = "Shall I? " + "x".repeat(3990);
    String input =
        """
        {"kind":"answer","question":"%s","choices":[],"deadline":"2026-01-01T10:00:00Z"}
        """
            .formatted(question);
    server
        .on(
            "GET /api/v1/tasks?state=awaiting_input&limit=1000",
            200,
            "{\"tasks\":[{\"task_id\":\"t1\",\"agent\":\"files\",\"input\":" + input + "}]}")
        .on(
            "GET /api/v1/plans/p1",
            200,
            plan(
                "running",
                """
                [{"task_id":"t1","name":"look","agent":"files","action":"list","needs":[],
                  "state":"awaiting_input","reason":"","attempts":[],"output":null,"input":%s}]
                """
                    .formatted(input)));
    assertThat(line.run(server, "plans", "waiting")).isZero();
    assertThat(line.out()).contains("Shall I? xxx").contains("\u2026");
    assertThat(line.out().lines()).allMatch(each -> each.length() < 250);
    assertThat(line.run(server, "--json", "plans", "waiting")).isZero();
    assertThat(line.out()).contains(question);
    assertThat(line.run(server, "plans", "show", "p1")).isZero();
    assertThat(line.out())
        .contains("\u2026 (holdfast plans answer t1)")
        .contains("question of look: " + question);
  }

  @Test
  void eachStepSaysWhatItWaitsFor() {
    server.on("GET /api/v1/plans/p1", 200, plan("running", STEPS));
    assertThat(line.run(server, "plans", "show", "p1")).isZero();
    assertThat(line.out())
        .contains("state: running", "person: ada", "output of look: {\"a\":1}")
        .containsPattern("look +succeeded +files +list +1")
        .containsPattern(
            "try +retried +files +get +2 +look +next attempt at 10:00:05.000Z: it timed out")
        .containsPattern("say +queued +mail +send +0 +look, try +waits for try")
        .doesNotContain("\u001b", "begun");
    assertThat(line.run(server, "plans", "show", "p1", "--moves")).isZero();
    assertThat(line.out())
        .contains("10:00:01.000Z  look: dispatched\n", "10:00:02.000Z  plan: running (begun)\n");
  }

  @Test
  void aStepIsRunToItsEnd() throws IOException {
    Files.writeString(folder.resolve("payload.json"), "{\"path\":\".\"}");
    server
        .on("POST /api/v1/plans", 202, plan("running", STEPS))
        .on("GET /api/v1/plans/p1", 200, plan("succeeded", "[]"));
    assertThat(
            line.run(
                server,
                "plans",
                "run",
                "--agent",
                "files",
                "--action",
                "list",
                "--payload",
                "@payload.json",
                "--goal",
                "see"))
        .isZero();
    assertThat(line.out()).contains("state: succeeded");
    assertThat(server.requests)
        .contains(
            "POST /api/v1/plans {\"agent\":\"files\",\"action\":\"list\","
                + "\"payload\":{\"path\":\".\"},\"goal\":\"see\"}");
  }

  @Test
  void howItEndsIsTheExitCode() throws IOException {
    Files.writeString(folder.resolve("plan.json"), "{\"steps\":[{}],\"wait_secs\":50}");
    server.on("POST /api/v1/plans", 200, plan("failed", "[]"));
    assertThat(line.run(server, "plans", "run", "-f", "plan.json")).isEqualTo(1);
    assertThat(server.requests).contains("POST /api/v1/plans {\"steps\":[{}]}");
    server.on("POST /api/v1/plans", 202, plan("running", STEPS));
    assertThat(line.run(server, "plans", "run", "-f", "plan.json", "--wait", "0")).isZero();
    assertThat(line.err()).contains("it is still running: holdfast plans show p1");
    server.on(
        "POST /api/v1/plans",
        503,
        "{\"error\":{\"code\":\"AGENT_UNAVAILABLE\",\"message\":\"Agent 'a' rests\"}}");
    assertThat(line.run(server, "plans", "run", "-f", "plan.json")).isEqualTo(1);
    assertThat(line.err()).contains("Agent 'a' rests (AGENT_UNAVAILABLE)");
  }

  @Test
  void aPlanThatCannotBeMeantIsNotSent() throws IOException {
    Files.writeString(folder.resolve("plan.json"), "[]");
    for (String[] args :
        new String[][] {
          {"plans", "run"},
          {"plans", "run", "--agent", "a"},
          {"plans", "run", "-f", "plan.json"},
          {"plans", "run", "-f", "nowhere.json"},
          {"plans", "run", "-f", "plan.json", "--agent", "a"},
          {"plans", "run", "--agent", "a", "--action", "b", "--payload", "{"}
        }) {
      assertThat(line.run(server, args)).isEqualTo(64);
      assertThat(line.err()).isNotEmpty();
    }
    assertThat(server.requests).isEmpty();
  }

  @Test
  void aPlanIsCancelledOnce() {
    server.on("POST /api/v1/plans/p1/cancel", 200, plan("cancelled", "[]"));
    assertThat(line.run(server, "plans", "cancel", "p1")).isZero();
    assertThat(line.out()).isEqualTo("p1 is cancelled\n");
    server.on(
        "POST /api/v1/plans/p1/cancel",
        409,
        "{\"error\":{\"code\":\"INVALID_REQUEST\",\"message\":\"the plan has ended already\"}}");
    assertThat(line.run(server, "plans", "cancel", "p1")).isEqualTo(1);
    assertThat(line.err()).contains("has ended already");
  }
}
