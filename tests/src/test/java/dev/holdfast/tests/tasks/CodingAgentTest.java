package dev.holdfast.tests.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Npm;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.PlanApi;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The bundled agent {@code cli} in the real jar, with a coding agent on the other side that is made
 * with the library of those who wrote the Agent Client Protocol.
 */
@Timeout(240)
@Outside(covers = {"plugins/agent-kit", "plugins/cli", "tests/src/main/doubles/acp-agent.mjs"})
class CodingAgentTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Pattern CODE = Pattern.compile("/(?:answer|approve) ([0-9A-F]{8})");

  /** Two processes of the coding agent that hangs, one of which has left its session. */
  private static final String HANGS = "sleep 86555.";

  @AutoClose private final ServerRig rig = new ServerRig();
  private final PlanApi plans = new PlanApi(rig);
  private Path work = rig.folder();

  @BeforeEach
  void install() throws Exception {
    Path folder = rig.folder().toRealPath();
    Path programs = Files.createDirectories(folder.resolve("programs"));
    work = Files.createDirectories(folder.resolve("work"));
    Npm.install(programs, "@agentclientprotocol/sdk@2.4.0", "zod@4");
    Path script = programs.resolve("acp-agent.mjs");
    Files.copy(Path.of("src/main/doubles/acp-agent.mjs"), script);
    Path program = programs.resolve("acp-agent");
    Files.writeString(program, "#!/bin/sh\nexec node " + script + "\n");
    assertThat(program.toFile().setExecutable(true)).isTrue();
    rig.setup()
        .plugin("cli")
        .env("PATH", programs + ":" + System.getenv("PATH"))
        .set(
            "plugins.cli",
            Map.of(
                "idle_secs",
                5,
                "folders",
                List.of(
                    Map.of("path", work.toString(), "write", true),
                    Map.of("path", programs.toString()))))
        .set("agents.cli.retry.max_attempts", 1);
    rig.start();
    Await.until(
        "the agent is there", LIMIT, () -> rig.api().get("/api/v1/extensions/cli").status() == 200);
  }

  private Map<String, Object> task(String words) {
    return Map.of("task", words, "folder", work.toString());
  }

  private String delegate(String words, int waitSecs) {
    return ShellRig.call(
        "delegate",
        Map.of("agent", "cli", "action", "work", "payload", task(words), "wait_secs", waitSecs));
  }

  private String say(String event, String thread, String text) {
    return rig.converse(event, thread, text).text();
  }

  private String awaitSaid(String words) {
    return rig.platform().awaitSaid(words, LIMIT);
  }

  private String plan(String words) throws IOException {
    return plans.make("cli", "work", task(words));
  }

  private void awaitHanging() {
    Await.until("it hangs", LIMIT, () -> ShellRig.processes(HANGS).size() >= 2);
  }

  private void awaitNothingLeft() {
    Await.until("nothing of it is left", LIMIT, () -> ShellRig.processes(HANGS).isEmpty());
    assertThat(ShellRig.processes("acp-agent.mjs")).isEmpty();
  }

  @Test
  void whatItDoesIsSeenWhatItWantsIsAskedAndTheNextTaskGoesOnInItsSession() throws Exception {
    assertThat(say("e1", "t", delegate("look slowly", 0))).contains("runs");
    JsonNode listed =
        Await.value(
            "its plan is there",
            LIMIT,
            () ->
                Optional.of(rig.api().get(PlanApi.PLANS).json().path("plans"))
                    .filter(all -> !all.isEmpty()));
    String plan = listed.path(0).path("plan_id").asText();
    Await.until(
        "it tells what it does",
        LIMIT,
        () -> plans.step(plan).path("doing").asText().equals("Reads notes.txt"));
    Files.writeString(work.resolve("go"), "");
    assertThat(awaitSaid("has succeeded")).contains("Prompt 1 of");
    assertThat(plans.step(plan).path("doing").asText()).isEmpty();
    JsonNode usage = plans.step(plan).path("output").path("usage");
    assertThat(usage.path("turns").asInt()).isEqualTo(1);
    assertThat(usage.path("session_cost").asDouble()).isEqualTo(0.5);

    assertThat(say("e2", "t", delegate("publish it", 30))).contains("waits for a person");
    String question = awaitSaid("May the coding agent do this");
    assertThat(question).contains("npm publish --tag next", work.toString());
    Matcher code = CODE.matcher(question);
    assertThat(code.find()).as(question).isTrue();
    assertThat(work.resolve("published.txt")).doesNotExist();
    rig.restart();
    assertThat(say("e3", "t", "/approve " + code.group(1))).isEqualTo("Your answer was passed on.");
    assertThat(awaitSaid("Prompt 3 of")).contains("has succeeded");
    assertThat(work.resolve("published.txt")).hasContent("yes");
    assertThat(say("e4", "u", delegate("look", 30))).contains("Prompt 1 of");
    assertThat(say("e5", "t", delegate("look", 30))).contains("Prompt 4 of");
    assertThat(Files.readAllLines(work.resolve("prompts.txt"))).hasSize(5);
  }

  @Test
  void nothingOfItIsLeftWhenItHangsIsStoppedOrTheServerIsKilled() throws Exception {
    String hangs = plan("stall");
    JsonNode lost = plans.awaitState(hangs, "dead_lettered", LIMIT);
    assertThat(lost.path("code").asText()).isEqualTo("TIMEOUT");
    assertThat(lost.path("reason").asText()).contains("has said nothing for 5 s");
    awaitNothingLeft();

    rig.accept("e1", "t", delegate("stall", 120));
    awaitHanging();
    assertThat(say("e2", "t", "/stop")).isEqualTo("Stopped.");
    awaitNothingLeft();

    String cut = plan("stall");
    awaitHanging();
    rig.server().kill9();
    awaitNothingLeft();
    rig.start();
    JsonNode done = plans.awaitState(cut, "succeeded", LIMIT);
    assertThat(done.path("output").path("text").asText())
        .as("it goes on in the session that was cut off")
        .startsWith("Prompt 2 of");
  }
}
