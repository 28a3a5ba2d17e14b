package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ModeCommandTest extends CommandFixture {
  private static final String SAFE =
      """
      {"mode":"safe","since":"2026-01-01T10:00:00Z","rule":"stopped_by_hand",
       "reason":"bad \\u001b[2Jrelease","exit_rule":"Ends when an operator says so.","by_hand":true,
       "changes":[{"number":1,"at":"2026-01-01T10:00:00Z","from":"full","to":"safe",
         "rule":"stopped_by_hand","reason":"bad \\u001b[2Jrelease","by":"token:ops"}]}
      """;

  @Test
  void itIsShownWithItsReasonItsEndAndItsHistory() {
    server.on("GET /api/v1/mode", 200, SAFE);
    assertThat(line.run(server, "mode")).isZero();
    assertThat(line.out())
        .contains("safe since 2026-01-01", "release", "Ends when an operator says so.")
        .contains("full", "token:ops")
        .doesNotContain("\u001b[2J");
    assertThat(line.run(server, "mode", "--json")).isZero();
    assertThat(line.out()).contains("\"rule\" : \"stopped_by_hand\"");
  }

  @Test
  void aNewServerHasNoHistory() {
    server.on(
        "GET /api/v1/mode",
        200,
        "{\"mode\":\"full\",\"since\":null,\"reason\":\"Nothing is missing.\",\"changes\":[]}");
    assertThat(line.run(server, "mode")).isZero();
    assertThat(line.out()).contains("full\nNothing is missing.\n").doesNotContain("FROM");
  }

  @Test
  void anOperatorsWordGoesToTheServerWithItsReason() {
    server.on("POST /api/v1/mode", 200, SAFE);
    assertThat(line.run(server, "mode", "safe", "--reason", "bad release")).isZero();
    assertThat(server.requests)
        .contains("POST /api/v1/mode {\"mode\":\"safe\",\"reason\":\"bad release\"}");
  }

  @Test
  void whatIsNoModeIsMisuse() {
    assertThat(line.run(server, "mode", "full")).isEqualTo(64);
    assertThat(line.err()).contains("safe or auto");
    assertThat(line.run(server, "mode", "--reason", "why")).isEqualTo(64);
    assertThat(server.requests).isEmpty();
  }
}
