package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.AgentScript;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.PlanApi;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What went wrong is told to whoever runs the server: by the API, on the command line, in a file.
 */
@Timeout(420)
@Outside(
    covers = {
      "server/src/main/java/dev/holdfast/incidents",
      "server/src/main/java/dev/holdfast/IncidentSources.java"
    })
class IncidentTest {
  private static final Duration LIMIT = Duration.ofSeconds(40);

  /** A report hears of what it follows every half a minute, and as long lies between two modes. */
  private static final int TIME_SCALE = 5;

  private static final String SECRET = "s3cret-of-the-extension-4711";

  private static List<JsonNode> listed(ServerRig rig, String kind) throws IOException {
    JsonNode answer = rig.api().get("/api/v1/incidents?state=all").json();
    return answer
        .path("incidents")
        .valueStream()
        .filter(incident -> incident.path("kind").asText().equals(kind))
        .toList();
  }

  private static JsonNode awaitOne(ServerRig rig, String kind) {
    Await.until("an incident of " + kind, LIMIT, () -> listed(rig, kind).size() == 1);
    try {
      return find(rig, listed(rig, kind).getFirst().path("id").asText());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static JsonNode find(ServerRig rig, String id) throws IOException {
    return rig.api().get("/api/v1/incidents/" + id).json();
  }

  private static String page(ServerRig rig, String id) throws IOException {
    Path folder = rig.setup().dataDir().resolve("memory/incidents");
    if (!Files.isDirectory(folder)) {
      return "";
    }
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> found = files.filter(file -> file.toString().endsWith(id + ".md")).toList();
      if (found.isEmpty()) {
        return "";
      }
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(found.getFirst())))
          .isEqualTo("rw-------");
      return Files.readString(found.getFirst());
    }
  }

  private static HoldfastCommand.Result incidents(ServerRig rig, String... arguments) {
    String[] all = new String[arguments.length + 1];
    all[0] = "incidents";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    HoldfastCommand.Result result = HoldfastCommand.run(rig.setup(), all);
    assertThat(result.exitCode()).as(result.err()).isZero();
    return result;
  }

  @Test
  void aKillAmidTurnsIsToldWithWhatBecameOfEach() throws Exception {
    try (ShellRig shell = new ShellRig()) {
      ServerRig rig = shell.rig();
      rig.setup().set("tools.shell.timeout_secs", 30 * TIME_SCALE).timeScale(TIME_SCALE);
      shell.start();
      assertThat(listed(rig, "unclean_start")).as("a first start").isEmpty();
      rig.accept("unsafe", "t1", ShellRig.command("touch begun; sleep 25; echo private-output"));
      rig.accept("other", "t2", ShellRig.command("touch begun; sleep 25"));
      Await.until("it runs", LIMIT, () -> Files.exists(shell.scratch("t1").resolve("begun")));
      Await.until("it runs", LIMIT, () -> Files.exists(shell.scratch("t2").resolve("begun")));
      String event = rig.api().event("unsafe").path("event_id").asText();
      assertThat(event).isNotEmpty();
      rig.restart();

      JsonNode told = awaitOne(rig, "unclean_start");
      String id = told.path("id").asText();
      assertThat(told.path("summary").asText()).contains("2 events were interrupted");
      rig.api().awaitState("unsafe", Set.of("answered"), LIMIT);
      rig.api().awaitState("other", Set.of("answered"), LIMIT);
      Await.until(
          "both are followed to their ends",
          LIMIT,
          () ->
              find(rig, id).path("details").path("affected").findValuesAsText("done").stream()
                      .filter(done -> done.contains("was answered"))
                      .filter(done -> done.contains("outcome of the tool shell is unknown"))
                      .count()
                  == 2);
      Await.until("its page says so too", LIMIT, () -> page(rig, id).contains("was answered"));
      String page = page(rig, id);
      assertThat(page)
          .contains("last sign of life", "is intact", event, "holdfast trace " + event)
          .contains("holdfast incidents resolve " + id)
          .doesNotContain("private-output", "sleep 25");
      assertThat(rig.server().output()).contains("holdfast incidents show " + id);
      assertThat(HoldfastCommand.run(rig.setup(), "trace", event).out())
          .contains("its outcome is unknown");
      assertThat(shell.say("ask", "t3", ShellRig.call("recall", Map.of("query", "unclean stop"))))
          .contains("2 events were interrupted", id);

      assertThat(incidents(rig, "list").out()).contains(id, "2 events were interrupted");
      assertThat(incidents(rig, "show", id).out()).contains(event, "holdfast trace " + event);
      assertThat(HoldfastCommand.run(rig.setup(), "doctor").out()).contains("1 open, 0 of them");
      assertThat(incidents(rig, "resolve", id).out()).contains("resolved by token:");
      assertThat(incidents(rig, "list").out()).contains("there are no open incidents");
      assertThat(incidents(rig, "list", "--all", "--json").json().findValuesAsText("id"))
          .contains(id);
      assertThat(HoldfastCommand.run(rig.setup(), "audit", "list").out())
          .contains("operator.incident_resolved");
      assertThat(rig.metrics().sum("holdfast_incidents_total", "kind=\"unclean_start\"")).isOne();
      assertThat(rig.metrics().sum("holdfast_incidents_open")).isZero();

      assertThat(rig.server().stop()).isZero();
      rig.start();
      assertThat(listed(rig, "unclean_start")).as("a clean stop is none").hasSize(1);
    }
  }

  @Test
  void aKillAmidTasksIsToldWithWhatBecameOfEach() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      AgentScript worker = new AgentScript(rig, "worker");
      rig.setup()
          .set("extensions", List.of(worker.declaration()))
          .set("agents", Map.of("default", Map.of("timeout_secs", 30 * TIME_SCALE)))
          .timeScale(TIME_SCALE);
      rig.start();
      for (String action : List.of("look", "act")) {
        String _ = new PlanApi(rig).make("worker", action, Map.of("first", Map.of("hang", true)));
      }
      Await.until("both run", LIMIT, () -> worker.runs().size() == 2);
      rig.restart();

      String id = awaitOne(rig, "unclean_start").path("id").asText();
      Await.until(
          "both are followed to their ends",
          LIMIT,
          () -> {
            String facts = find(rig, id).path("details").path("facts").toString();
            return facts.contains("Tasks that were being worked on: 2.")
                && facts.contains("by agent worker was cut off; it became a dead letter")
                && facts.contains("by agent worker was cut off; a later attempt succeeded");
          });
      assertThat(incidents(rig, "show", id).out())
          .contains("holdfast plans show ", "holdfast dlq list --kind task");
      new ModeView(rig).await("full", "all_well");
    }
  }

  @Test
  void anExtensionThatDiesForGoodIsToldWithItsLastWordsAndResolvedWhenItRuns() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      Path mended = rig.folder().resolve("mended");
      rig.setup().env("DYING_TOKEN", SECRET);
      rig.setup().set("extensions", List.of(dying(mended))).timeScale(TIME_SCALE);
      rig.start();
      JsonNode told = awaitOne(rig, "extension_down");
      String id = told.path("id").asText();
      assertThat(told.path("part").asText()).isEqualTo("dying");
      assertThat(told.path("severity").asText()).isEqualTo("warning");
      assertThat(told.path("details").path("output").toString())
          .contains("cannot go on", "***")
          .doesNotContain(SECRET);
      Await.until("its page is there", LIMIT, () -> page(rig, id).contains("cannot go on"));
      assertThat(page(rig, id)).contains("holdfast extensions logs dying").doesNotContain(SECRET);
      ModeView mode = new ModeView(rig);
      mode.await("reduced_agents", "workers_given_up");
      mode.assertShown("reduced_agents");
      rig.converse("m1", "t", "hello");

      rig.setup()
          .set(
              "extensions",
              List.of(
                  Map.of(
                      "id",
                      "dying",
                      "command",
                      List.of(
                          Commands.PYTHON,
                          "-c",
                          Files.readString(
                                  Path.of("../server/src/test/resources/extensions/mcp_server.py"))
                              .replace("${", "$${")))))
          .write();
      Await.until(
          "it is resolved",
          LIMIT,
          () -> find(rig, id).path("resolved_by").asText().equals("recovered"));
      mode.await("full", "all_well");
    }
  }

  private static Map<String, Object> dying(Path mended) {
    return Map.of(
        "id",
        "dying",
        "command",
        List.of("bash", "-c", "echo cannot go on with $DYING_TOKEN >&2; exit 3", mended.toString()),
        "env",
        List.of("DYING_TOKEN"),
        "restart",
        Map.of("max", 1, "initial_backoff_ms", 100));
  }
}
