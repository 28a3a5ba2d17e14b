package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What people and tools did stands in the audit, can be undone, and a change of it is found. */
@Timeout(300)
class AuditTrailTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final ServerRig rig = new ServerRig();

  @AfterEach
  void stop() {
    rig.close();
  }

  private String say(String thread, String text) throws IOException {
    String path = "/api/v1/threads/" + thread + "/messages";
    String event = rig.api().post(path, Map.of("text", text)).json().path("event_id").asText();
    rig.api().awaitState(event, ServerApi.FINAL, LIMIT);
    return event;
  }

  private List<String> whats() throws IOException {
    return rig.api().get("/api/v1/audit").json().findValuesAsText("what");
  }

  private Path file(String name) throws IOException {
    try (Stream<Path> files = Files.walk(rig.setup().dataDir().resolve("threads"))) {
      return files.filter(path -> path.endsWith(name)).findFirst().orElse(Path.of("none"));
    }
  }

  private HoldfastCommand.Result holdfast(String... arguments) {
    return HoldfastCommand.run(rig.setup(), arguments);
  }

  @Test
  void whatOperatorsDoIsWrittenDownWithTheNameOfTheirToken() throws Exception {
    rig.start();
    say("t", "hello");
    rig.api().post("/api/v1/threads/t/stop", Map.of("all", true));
    rig.api().post("/api/v1/threads/t/reset", Map.of());
    String breaker =
        rig.api().get("/api/v1/breakers").json().path("breakers").findPath("name").asText();
    rig.api().post("/api/v1/breakers/" + ServerApi.encode(breaker) + "/trip", Map.of());
    rig.api().post("/api/v1/breakers/" + ServerApi.encode(breaker) + "/reset", Map.of());
    assertThat(rig.api().post("/api/v1/breakers/nope/trip", Map.of()).status()).isEqualTo(404);
    assertThat(whats())
        .containsExactly(
            "operator.breaker_reset",
            "operator.breaker_trip",
            "operator.thread_reset",
            "operator.thread_stop");
    JsonNode rows = rig.api().get("/api/v1/audit?limit=1").json().path("entries");
    assertThat(rows).hasSize(1);
    assertThat(rows.get(0).path("actor").asText()).isEqualTo("token:operator");
    assertThat(rows.get(0).path("details").path("name").asText()).isEqualTo(breaker);
    assertThat(rig.api().get("/api/v1/audit").body()).doesNotContain(rig.api().token());
  }

  @Test
  void aFinishedChangeOfAFileIsUndoneAlsoAfterAKill() throws Exception {
    rig.start();
    say("t", "!tool write_file {\"path\": \"a.txt\", \"content\": \"one\"}");
    String event = say("t", "!tool write_file {\"path\": \"a.txt\", \"content\": \"two\"}");
    assertThat(file("a.txt")).hasContent("two");
    JsonNode ended =
        rig.api().event(event).path("story").findParents("result").stream()
            .findFirst()
            .orElseThrow();
    assertThat(ended.path("changed").asBoolean()).isTrue();
    String execution = ended.path("execution").asText();
    rig.restart();
    String path = "/api/v1/executions/" + ServerApi.encode(execution);
    assertThat(rig.api().get(path).json().path("changes").findPath("path").asText())
        .endsWith("a.txt");
    HoldfastCommand.Result undone = holdfast("rollback", execution);
    assertThat(undone.out()).contains("undone: 1 file");
    assertThat(undone.exitCode()).isZero();
    assertThat(file("a.txt")).hasContent("one");
    assertThat(rig.api().get(path).json().path("rolled_back").asBoolean()).isTrue();
    Answer again = rig.api().post(path + "/rollback", Map.of());
    assertThat(again.status()).isEqualTo(409);
    assertThat(again.body()).contains("already");
    assertThat(rig.api().post("/api/v1/executions/nope/rollback", Map.of()).status())
        .isEqualTo(404);
    assertThat(whats()).containsSubsequence("tool.rolled_back", "tool.change", "tool.change");
  }

  @Test
  void whatSomebodyChangedSinceIsOverwrittenByForceAlone() throws Exception {
    rig.start();
    say("t", "!tool write_file {\"path\": \"a.txt\", \"content\": \"one\"}");
    String event = say("t", "!tool write_file {\"path\": \"a.txt\", \"content\": \"two\"}");
    Files.writeString(file("a.txt"), "by hand");
    String execution = rig.api().event(event).path("story").findPath("execution").asText();
    String path = "/api/v1/executions/" + ServerApi.encode(execution) + "/rollback";
    Answer refused = rig.api().post(path, Map.of());
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.body()).contains("a.txt");
    assertThat(file("a.txt")).hasContent("by hand");
    assertThat(rig.api().post(path, Map.of("force", true)).status()).isEqualTo(200);
    assertThat(file("a.txt")).hasContent("one");
  }

  @Test
  void theDoctorFindsAChangedRowWhetherAServerRunsOrNot() throws Exception {
    rig.start();
    for (int i = 0; i < 3; i++) {
      rig.api().post("/api/v1/threads/t/reset", Map.of());
    }
    assertThat(holdfast("audit", "verify").out()).contains("intact: 3 rows");
    HoldfastCommand.Result well = holdfast("doctor");
    assertThat(well.out()).containsPattern("ok +audit +intact, 3 rows").contains("isolation");
    rig.server().stop();
    assertThat(holdfast("doctor").out()).containsPattern("ok +audit +intact, 3 rows");
    try (Connection connection =
            DriverManager.getConnection(
                "jdbc:sqlite:" + rig.setup().dataDir().resolve("holdfast.db"));
        Statement statement = connection.createStatement()) {
      String trigger;
      try (ResultSet row =
          statement.executeQuery("select sql from sqlite_schema where name = 'audit_unchanged'")) {
        trigger = row.getString(1);
      }
      statement.executeUpdate("drop trigger audit_unchanged");
      statement.executeUpdate("update audit set actor = 'token:nobody' where no = 2");
      statement.executeUpdate(trigger); // a start would miss it
    }
    HoldfastCommand.Result ill = holdfast("doctor");
    assertThat(ill.exitCode()).isEqualTo(1);
    assertThat(ill.out()).containsPattern("BAD +audit +BROKEN at row 2");
    rig.start();
    assertThat(holdfast("doctor").out()).contains("BROKEN at row 2");
    HoldfastCommand.Result verified = holdfast("audit", "verify", "--json");
    assertThat(verified.exitCode()).isEqualTo(1);
    assertThat(Json.read(verified.out()).path("broken_at").asInt()).isEqualTo(2);
  }
}
