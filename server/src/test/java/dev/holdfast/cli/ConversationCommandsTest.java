package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Commands for conversations and what agents do in them. */
class ConversationCommandsTest extends CommandFixture {
  @Test
  void threadsAreListedShownAndReset() {
    server
        .on(
            "GET /api/v1/threads?limit=50",
            200,
            "{\"threads\":[{\"thread_id\":\"web:main:a\",\"last_at\":\"2026-01-01T10:00:00Z\","
                + "\"events\":3,\"open\":1,\"doing\":\"model\"}]}")
        .on(
            "GET /api/v1/threads/a%2Fb",
            200,
            "{\"thread_id\":\"web:main:a/b\",\"usage\":{\"calls\":2,\"input_tokens\":1500,"
                + "\"output_tokens\":20,\"cost_usd\":0.5}}")
        .on(
            "GET /api/v1/threads/a%2Fb/log?limit=50",
            200,
            "{\"entries\":[{\"role\":\"user\",\"sender\":\"ada\",\"text\":\"hi\",\"pending\":true}]}")
        .on("POST /api/v1/threads/a%2Fb/reset", 200, "{\"reset\":true}");
    assertThat(line.run(server, "threads", "list")).isZero();
    assertThat(line.out()).contains("web:main:a  2026-01-01 10:00:00Z  3       1     model");
    assertThat(line.run(server, "threads", "show", "a/b")).isZero();
    assertThat(line.out()).contains("ada: hi", "pending");
    assertThat(line.out()).contains("2 model calls, 1,500 tokens in, 20 out, $0.5000");
    assertThat(line.run(server, "threads", "reset", "a/b")).isZero();
  }

  @Test
  void theLastMessageIsAskedAgain() {
    server
        .on(
            "GET /api/v1/threads/a/log?limit=200",
            200,
            "{\"entries\":[{\"role\":\"user\",\"event_id\":\"e1\",\"text\":\"hi\"},"
                + "{\"role\":\"user\",\"event_id\":\"e2\",\"text\":\"and\",\"attachments\":"
                + "[{\"file\":\"f.png\",\"name\":\"a.png\"},{\"name\":\"b\",\"lost\":\"x\"}]},"
                + "{\"role\":\"assistant\",\"event_id\":\"e2\",\"text\":\"no\"}]}")
        .on("POST /api/v1/threads/a/messages", 202, "{\"event_id\":\"e3\"}");
    assertThat(line.run(server, "threads", "again", "a")).isZero();
    assertThat(line.out()).contains("accepted as e3");
    assertThat(line.run(server, "threads", "again", "a", "--event", "e9")).isNotZero();
    assertThat(line.err()).contains("no such message");
    assertThat(line.run(server, "threads", "again", "a", "hello", "--event", "e1", "--force"))
        .isZero();
  }

  @Test
  void wakeUpsAreListedAndCancelled() {
    server
        .on(
            "GET /api/v1/schedules?limit=100&thread=a%2Fb",
            200,
            "{\"schedules\":[{\"id\":\"0a1b\",\"thread_id\":\"web:main:a/b\",\"kind\":\"cron\","
                + "\"spec\":\"0 9 * * *\",\"zone\":\"UTC\",\"text\":\"look\\naround\","
                + "\"next_at\":\"2026-01-01T09:00:00Z\"}]}")
        .on("DELETE /api/v1/schedules/0a1b", 200, "{\"cancelled\":true}");
    assertThat(line.run(server, "schedules", "list", "--thread", "a/b")).isZero();
    assertThat(line.out())
        .contains("0a1b     2026-01-01 09:00:00Z  cron 0 9 * * * UTC  web:main:a/b  look\\naround");
    assertThat(line.run(server, "schedules", "cancel", "0a1b")).isZero();
    assertThat(line.out()).contains("0a1b will no longer fire");
  }

  @Test
  void approvalsAreListedWithTheirArgumentsAndAnsweredByIdOrCode() {
    String approval =
        "{\"id\":\"0199-a\",\"code\":\"7F3KX\",\"tool\":\"shell\",\"arguments\":\"{\\\"command\\\":\\\"ls\\\"}\","
            + "\"person\":\"ann\",\"state\":\"%s\",\"thread_id\":\"web:main:t\"}";
    server.on(
        "GET /api/v1/approvals?state=waiting",
        200,
        "{\"approvals\":[" + approval.formatted("waiting") + "]}");
    server.on(
        "GET /api/v1/approvals", 200, "{\"approvals\":[" + approval.formatted("waiting") + "]}");
    server.on("POST /api/v1/approvals/0199-a/approve", 200, approval.formatted("approved"));
    server.on(
        "POST /api/v1/approvals/0199-a/deny",
        409,
        "{\"error\":{\"code\":\"INVALID_REQUEST\",\"message\":\"it is used\"}}");
    assertThat(line.run(server, "approvals", "list")).isZero();
    assertThat(line.out()).contains("7F3KX", "ann", "{\"command\":\"ls\"}");
    assertThat(line.run(server, "approvals", "approve", "7f3kx")).isZero();
    assertThat(line.out()).contains("approved: shell");
    assertThat(line.run(server, "approvals", "deny", "0199-a")).isEqualTo(1);
    assertThat(line.err()).contains("it is used");
    assertThat(line.run(server, "approvals", "approve", "WRONG")).isEqualTo(1);
  }

  @Test
  void aBrokenAuditIsNotGood() {
    server.on("GET /api/v1/audit/verify", 200, "{\"whole\":true,\"count\":3}");
    assertThat(line.run(server, "audit", "verify")).isZero();
    assertThat(line.out()).isEqualTo("intact: 3 rows\n");
    server.on(
        "GET /api/v1/audit/verify", 200, "{\"whole\":false,\"broken_at\":2,\"why\":\"gone\"}");
    assertThat(line.run(server, "audit", "verify")).isEqualTo(1);
    assertThat(line.out()).isEqualTo("BROKEN at row 2: gone\n");
  }

  @Test
  void aRollbackSaysHowManyFilesAndPassesForceOn() {
    server.on("POST /api/v1/executions/e1.1.1/rollback", 200, "{\"files\":2}");
    assertThat(line.run(server, "rollback", "e1.1.1", "--force")).isZero();
    assertThat(line.out()).isEqualTo("undone: 2 files\n");
    assertThat(server.requests).anyMatch(request -> request.endsWith("{\"force\":true}"));
  }
}
