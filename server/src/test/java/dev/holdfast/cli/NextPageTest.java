package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The command that a full page names goes on with the same list. */
class NextPageTest extends CommandFixture {
  private static final String INCIDENTS =
      """
      {"incidents":[{"id":"i1","at":"2026-01-01T10:00:00Z","severity":"info","resolved_at":null,
        "times":1,"summary":"It failed."}]}
      """;

  private static final String AUDIT =
      """
      {"entries":[{"no":7,"details":{}}]}
      """;
  private static final String THREADS =
      """
      {"threads":[{"thread_id":"web:a"}],"next":"web:a"}
      """;

  @BeforeEach
  void start() {
    server.on("GET /api/v1/incidents?state=all&limit=1", 200, INCIDENTS);
    server.on("GET /api/v1/incidents?state=open&limit=1", 200, INCIDENTS);
    server.on("GET /api/v1/audit?limit=1", 200, AUDIT);
    server.on("GET /api/v1/threads?limit=1", 200, THREADS);
    server.on("GET /api/v1/threads?limit=50", 200, THREADS);
  }

  private String said(String... arguments) {
    assertThat(line.run(server, arguments)).isZero();
    return line.out() + line.err();
  }

  @Test
  void itKeepsWhatWasAskedFor() {
    assertThat(said("incidents", "list", "--all", "--limit", "1"))
        .contains("more: holdfast incidents list --all --limit 1 --before i1");
    assertThat(said("incidents", "list", "--limit", "1"))
        .contains("more: holdfast incidents list --limit 1 --before i1");
    assertThat(said("audit", "list", "--limit", "1"))
        .contains("more: holdfast audit list --limit 1 --before 7");
    assertThat(said("threads", "list", "--limit", "1"))
        .contains("more: holdfast threads list --limit 1 --after web:a");
    assertThat(said("threads", "list")).contains("more: holdfast threads list --after web:a");
  }
}
