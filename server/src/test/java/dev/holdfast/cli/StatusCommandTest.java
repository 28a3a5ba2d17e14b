package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StatusCommandTest extends CommandFixture {
  @Test
  void statusShowsWhatIsNotWellInTheServersWords() {
    serverSays(true, "degraded");
    assertThat(line.run(server, "status")).isZero();
    assertThat(line.out())
        .contains("ready", "Holdfast 1.2", "messages   0 open, none ended yet")
        .contains("degraded  breaker/llm:x: No call goes to llm:x.")
        .contains("(for ", "Ends when it works. The next attempt is in ")
        .doesNotContain("\u001b");
    serverSays(false, "failed");
    assertThat(line.run(server, "status")).isEqualTo(1);
    assertThat(line.out()).contains("not ready", "failed  breaker/llm:x: ");
    assertThat(line.run(server, "status", "--json")).isEqualTo(1);
    assertThat(line.out()).contains("\"conditions\"", "\"next_attempt_at\"");
  }

  @Test
  void statusShowsEachPartInOneLook() {
    server
        .on(
            "GET /api/v1/status",
            200,
            """
            {"version":"1.2","ready":true,"pairings_pending":1,"threads_active":4,"outbox_depth":2,
             "counts":{"accepted":9,"running":2,"parked":1,"answered":6}}\
            """)
        .on("GET /api/v1/mode", 200, "{\"mode\":\"minimal\",\"reason\":\"No model.\"}")
        .on("GET /api/v1/approvals", 200, "{\"approvals\":[{},{}]}")
        .on(
            "GET /api/v1/usage?since_secs=86400",
            200,
            """
            {"sums":[{"provider":"p","calls":3,"input_tokens":5,"output_tokens":7,"cost_usd":0.5},
                     {"provider":"p","calls":1,"input_tokens":1,"output_tokens":0,"cost_usd":0.25}],
             "budget":{"daily_usd":2,"today_usd":0.75,"monthly_usd":0,"month_usd":3}}\
            """)
        .on(
            "GET /api/v1/breakers",
            200,
            """
            {"breakers":[{"name":"llm:p","state":"half_open"},{"name":"web","state":"open"}]}\
            """)
        .on(
            "GET /api/v1/channels",
            200,
            """
            {"channels":[{"name":"slack","accounts":[
              {"account":"main","way":"socket","state":"ready","replies_waiting":2}]}]}\
            """)
        .on(
            "GET /api/v1/plugins",
            200,
            "{\"plugins\":[{\"id\":\"x\",\"version\":\"2.0\",\"state\":\"started\"}]}");
    assertThat(line.run(server, "status")).isZero();
    assertThat(line.out())
        .startsWith("ready, mode minimal: No model.\n")
        .contains("messages   3 open (2 running, 1 parked), 6 answered\n")
        .contains("threads    4 active\n", "replies    2 waiting\n")
        .contains("cost       $0.7500 of $2.0000 today, $3.0000 this month\n")
        .contains("approvals  2 waiting; see holdfast approvals list")
        .contains("people     1 waiting to be let in; see holdfast pair list")
        .containsPattern("p +breaker half open +4 +13 +\\$0.7500\n")
        .containsPattern("slack:main +socket +ready +2\n")
        .containsPattern("x +2.0 +started\n")
        .doesNotContain("incidents", "web", "given up");
  }

  @Test
  void conditionsUsageAndBreakersAreShown() {
    server
        .on("GET /api/v1/conditions", 200, "{\"conditions\":[]}")
        .on(
            "GET /api/v1/usage?since_secs=604800",
            200,
            """
            {"since":"2026-01-01T00:00:00Z","total_cost_usd":1.5,"sums":[{"provider":"p",
             "model":"m","outcome":"ok","calls":3,"input_tokens":5,"output_tokens":7,
             "cost_usd":1.5}],"budget":{"today_usd":0,"month_usd":1.5}}\
            """)
        .on(
            "GET /api/v1/breakers",
            200,
            """
            {"breakers":[{"name":"llm:p","state":"open","consecutive_failures":5,"opens":2,
             "open_until":"2026-01-01T00:00:00Z"}]}\
            """)
        .on("POST /api/v1/breakers/llm%3Ap/reset", 200, "{\"name\":\"llm:p\",\"state\":\"closed\"}")
        .on("POST /api/v1/breakers/web/trip", 200, "{\"name\":\"web\",\"state\":\"open\"}");
    assertThat(line.run(server, "conditions")).isZero();
    assertThat(line.out()).isEqualTo("all is well\n");
    serverSays(true, "degraded");
    server.on(
        "GET /api/v1/conditions",
        200,
        "{\"conditions\":[{\"type\":\"disk\",\"status\":\"failed\",\"message\":\"Full.\"}]}");
    assertThat(line.run(server, "conditions")).isZero();
    assertThat(line.out()).contains("failed  disk: Full.");
    assertThat(line.run(server, "usage", "--since", "7d")).isZero();
    assertThat(line.out())
        .containsPattern("p +m +ok +3 +5 +7 +\\$1.5000\n")
        .contains("total $1.5000 since 2026-01-01", "$0 today, $1.5000 this month");
    assertThat(line.run(server, "usage", "--since", "soon")).isEqualTo(64);
    assertThat(line.run(server, "breakers", "list")).isZero();
    assertThat(line.out()).containsPattern("llm:p +open +5 +2 +2026-01-01 00:00:00Z");
    assertThat(line.run(server, "breakers", "reset", "llm:p")).isZero();
    assertThat(line.out()).isEqualTo("llm:p: closed\n");
    assertThat(line.run(server, "breakers", "trip", "web", "--json")).isZero();
    assertThat(line.out()).contains("\"state\" : \"open\"");
    assertThat(line.run(server, "breakers", "trip", "none")).isEqualTo(1);
    assertThat(line.err()).contains("holdfast breakers list names them all");
  }
}
