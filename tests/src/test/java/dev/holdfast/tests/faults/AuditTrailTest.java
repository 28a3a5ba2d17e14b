package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Served;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What people and tools did stands in the audit, can be undone, and a change of it is found. */
@Timeout(300)
class AuditTrailTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @RegisterExtension static final Served SERVED = Served.alone(_ -> {});

  private final ServerRig rig = SERVED.rig();
  private final String thread = SERVED.thread();
  private final String name = thread + ".txt";
  private int before;

  @BeforeEach
  void begin() throws IOException {
    before = all().size();
  }

  private List<String> all() throws IOException {
    return rig.api().get("/api/v1/audit").json().findValuesAsText("what");
  }

  private String say(String text) throws IOException {
    String path = "/api/v1/threads/" + thread + "/messages";
    String event = rig.api().post(path, Map.of("text", text)).json().path("event_id").asText();
    rig.api().awaitState(event, ServerApi.FINAL, LIMIT);
    return event;
  }

  /** What this test did, the newest first. */
  private List<String> whats() throws IOException {
    List<String> all = all();
    return all.subList(0, all.size() - before);
  }

  private Path file() throws IOException {
    try (Stream<Path> files = Files.walk(rig.setup().dataDir().resolve("threads"))) {
      return files.filter(path -> path.endsWith(name)).findFirst().orElse(Path.of("none"));
    }
  }

  private static HoldfastCommand.Result holdfast(ServerRig rig, String... arguments) {
    return HoldfastCommand.run(rig.setup(), arguments);
  }

  @Test
  void whatOperatorsDoIsWrittenDownWithTheNameOfTheirToken() throws Exception {
    say("hello");
    rig.api().post("/api/v1/threads/" + thread + "/stop", Map.of("all", true));
    rig.api().post("/api/v1/threads/" + thread + "/reset", Map.of());
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
    say("!tool write_file {\"path\": \"" + name + "\", \"content\": \"one\"}");
    String event = say("!tool write_file {\"path\": \"" + name + "\", \"content\": \"two\"}");
    assertThat(file()).hasContent("two");
    JsonNode ended =
        rig.api().event(event).path("story").findParents("result").stream()
            .findFirst()
            .orElseThrow();
    assertThat(ended.path("changed").asBoolean()).isTrue();
    String execution = ended.path("execution").asText();
    rig.restart();
    String path = "/api/v1/executions/" + ServerApi.encode(execution);
    assertThat(rig.api().get(path).json().path("changes").findPath("path").asText()).endsWith(name);
    HoldfastCommand.Result undone = holdfast(rig, "rollback", execution);
    assertThat(undone.out()).contains("undone: 1 file");
    assertThat(undone.exitCode()).isZero();
    assertThat(file()).hasContent("one");
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
    say("!tool write_file {\"path\": \"" + name + "\", \"content\": \"one\"}");
    String event = say("!tool write_file {\"path\": \"" + name + "\", \"content\": \"two\"}");
    Files.writeString(file(), "by hand");
    String execution = rig.api().event(event).path("story").findPath("execution").asText();
    String path = "/api/v1/executions/" + ServerApi.encode(execution) + "/rollback";
    Answer refused = rig.api().post(path, Map.of());
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.body()).contains(name);
    assertThat(file()).hasContent("by hand");
    assertThat(rig.api().post(path, Map.of("force", true)).status()).isEqualTo(200);
    assertThat(file()).hasContent("one");
  }

  @Test
  void theDoctorFindsAChangedRowWhetherAServerRunsOrNot() throws Exception {
    try (ServerRig rig = new ServerRig().start()) {
      for (int i = 0; i < 3; i++) {
        rig.api().post("/api/v1/threads/t/reset", Map.of());
      }
      assertThat(holdfast(rig, "audit", "verify").out()).contains("intact: 3 rows");
      HoldfastCommand.Result well = holdfast(rig, "doctor");
      assertThat(well.out()).containsPattern("ok +audit +intact, 3 rows").contains("isolation");
      rig.server().stop();
      assertThat(holdfast(rig, "doctor").out()).containsPattern("ok +audit +intact, 3 rows");
      try (Connection connection =
              DriverManager.getConnection(
                  "jdbc:sqlite:" + rig.setup().dataDir().resolve("holdfast.db"));
          Statement statement = connection.createStatement()) {
        String trigger;
        try (ResultSet row =
            statement.executeQuery(
                "select sql from sqlite_schema where name = 'audit_unchanged'")) {
          trigger = row.getString(1);
        }
        statement.executeUpdate("drop trigger audit_unchanged");
        statement.executeUpdate("update audit set actor = 'token:nobody' where no = 2");
        statement.executeUpdate(trigger); // a start would miss it
      }
      HoldfastCommand.Result ill = holdfast(rig, "doctor");
      assertThat(ill.exitCode()).isEqualTo(1);
      assertThat(ill.out()).containsPattern("BAD +audit +BROKEN at row 2");
      rig.start();
      assertThat(holdfast(rig, "doctor").out()).contains("BROKEN at row 2");
      HoldfastCommand.Result verified = holdfast(rig, "audit", "verify", "--json");
      assertThat(verified.exitCode()).isEqualTo(1);
      assertThat(Json.read(verified.out()).path("broken_at").asInt()).isEqualTo(2);
    }
  }
}
