package dev.holdfast.tests.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.TurnModel;
import dev.holdfast.tests.harness.TurnModel.Wish;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Skills in the real server, judged by its own words. */
@Timeout(240)
class AgentSkillsTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private static final ServerRig RIG = new ServerRig();
  private static final TurnModel MODEL = new TurnModel(AgentSkillsTest::wishes);

  private static List<Wish> wishes(String turn, int round) {
    return switch (round) {
      case 0 -> List.of(new Wish("read_skill", Map.of("name", "tea")));
      case 1 ->
          List.of(new Wish("read_skill", Map.of("name", "tea", "file", "references/green.md")));
      case 2 ->
          List.of(
              new Wish(
                  "run_skill_script",
                  Map.of("name", "tea", "script", "scripts/brew.sh", "args", List.of("green"))));
      default -> List.of();
    };
  }

  @BeforeAll
  static void start() throws IOException {
    write(
        RIG, "tea", "SKILL.md", "---\nname: tea\ndescription: How tea is made.\n---\nBoil water.");
    write(RIG, "tea", "references/green.md", "At 80 degrees.");
    write(
        RIG,
        "tea",
        "scripts/brew.sh",
        "echo \"a cup of $1 tea\" > cup; cat cup; echo x > \"$(dirname \"$0\")/../new\" || echo"
            + " kept; env | grep -c -i key");
    write(
        RIG,
        "coffee",
        "SKILL.md",
        front("coffee", "description: x\nrequires: {bins: [no-such-mill]}"));
    write(RIG, "water", "SKILL.md", front("water", "description: x\nrequires: {bin: [sh]}"));
    MODEL.use(RIG.setup());
    RIG.setup().set("tools.skills.scripts.enabled", true);
    RIG.start();
  }

  @AfterAll
  static void stop() {
    RIG.close();
    MODEL.close();
  }

  static void write(ServerRig rig, String skill, String file, String text) throws IOException {
    Path path = rig.setup().dataDir().resolve("skills").resolve(skill).resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  static String front(String name, String lines) {
    return "---\nname: %s\n%s\n---\nbody\n".formatted(name, lines);
  }

  @Test
  void aModelReadsASkillThenItsFileThenRunsItsScriptInTheSandbox() {
    RIG.accept("e1", "t", "turn brew");
    assertThat(RIG.platform().awaitPost("e1", LIMIT).text()).isEqualTo("done brew");
    List<String> bodies =
        MODEL.asked("brew").stream().map(asked -> asked.body().toString()).toList();
    assertThat(bodies.getFirst())
        .contains("- tea: How tea is made.", "run_skill_script")
        .doesNotContain("coffee", "water:", "Boil water", "80 degrees");
    assertThat(bodies.get(1)).contains("Boil water.", "references/green.md, scripts/brew.sh");
    assertThat(bodies.get(2)).contains("At 80 degrees.");
    assumeThat(bodies.get(3))
        .as("a machine without a sandbox runs no script")
        .doesNotContain("run in a sandbox only");
    assertThat(bodies.get(3)).contains("a cup of green tea\\nkept\\n0\\n");
    assertThat(RIG.setup().dataDir().resolve("skills/tea/new")).doesNotExist();
  }

  @Test
  void operatorsSeeEachSkillItsStateAndWhy() throws IOException {
    HoldfastCommand.Result list = HoldfastCommand.run(RIG.setup(), "skills", "list");
    assertThat(list.exitCode()).isZero();
    assertThat(list.out())
        .containsPattern("coffee +gated .*no-such-mill")
        .containsPattern("tea +ready")
        .containsPattern("water +invalid .*did you mean bins");
    JsonNode coffee = RIG.api().get("/api/v1/skills/coffee").json();
    assertThat(coffee.path("conditions").path(0).path("needs").asText())
        .isEqualTo("the program no-such-mill");
    assertThat(RIG.api().get("/api/v1/skills/none").status()).isEqualTo(404);

    String folder = RIG.setup().dataDir().resolve("skills/water").toString();
    HoldfastCommand.Result check = HoldfastCommand.run(RIG.setup(), "skills", "check", folder);
    assertThat(check.exitCode()).isEqualTo(1);
    assertThat(check.out()).contains("SKILL.md: requires.bin: there is no such gate");
  }
}
