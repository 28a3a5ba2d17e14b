package dev.holdfast.tests.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.Npm;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.TurnModel;
import dev.holdfast.tests.harness.TurnModel.Wish;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Skills in the real server, judged by its own words and by a validator that others wrote. */
@Timeout(240)
class AgentSkillsTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String VALIDATOR = "skills-ref@0.1.5";

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
    write("tea", "SKILL.md", "---\nname: tea\ndescription: How tea is made.\n---\nBoil water.");
    write("tea", "references/green.md", "At 80 degrees.");
    write(
        "tea",
        "scripts/brew.sh",
        "echo \"a cup of $1 tea\" > cup; cat cup; echo x > \"$(dirname \"$0\")/../new\" || echo"
            + " kept; env | grep -c -i key");
    write(
        "coffee", "SKILL.md", front("coffee", "description: x\nrequires: {bins: [no-such-mill]}"));
    write("water", "SKILL.md", front("water", "description: x\nrequires: {bin: [sh]}"));
    MODEL.use(RIG.setup());
    RIG.setup().set("tools.skills.scripts.enabled", true);
    RIG.start();
  }

  @AfterAll
  static void stop() {
    RIG.close();
    MODEL.close();
  }

  private static void write(String skill, String file, String text) throws IOException {
    Path path = RIG.setup().dataDir().resolve("skills").resolve(skill).resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  private static String front(String name, String lines) {
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

  @Test
  void theVerdictIsThatOfTheReferenceValidator() throws Exception {
    Path programs = ServerRig.newFolder("holdfast-skills-ref");
    try {
      Npm.install(programs, VALIDATOR);
      Map<String, String> texts = new TreeMap<>();
      texts.put("plain", front("plain", "description: A description."));
      texts.put(
          "whole",
          front(
              "whole",
              """
              description: All fields.
              license: MIT
              compatibility: Requires git
              metadata: {author: somebody, version: "1.0"}
              allowed-tools: Read Write\
              """));
      texts.put("longest", front("longest", "description: " + "d".repeat(1024)));
      texts.put("too-long", front("too-long", "description: " + "d".repeat(1025)));
      texts.put("no-description", front("no-description", "license: MIT"));
      texts.put("empty-description", front("empty-description", "description: \"\""));
      texts.put("other-name", front("another-name", "description: x"));
      texts.put("double--hyphen", front("double--hyphen", "description: x"));
      texts.put("-first", front("-first", "description: x"));
      texts.put("last-", front("last-", "description: x"));
      texts.put("UPPER", front("UPPER", "description: x"));
      texts.put("under_score", front("under_score", "description: x"));
      texts.put("n".repeat(64), front("n".repeat(64), "description: x"));
      texts.put("n".repeat(65), front("n".repeat(65), "description: x"));
      texts.put("wide", front("wide", "description: x\ncompatibility: " + "c".repeat(500)));
      texts.put("too-wide", front("too-wide", "description: x\ncompatibility: " + "c".repeat(501)));
      texts.put("no-front", "# Only a body\n");
      texts.put("no-end", "---\nname: no-end\ndescription: x\n");
      texts.put("no-yaml", front("no-yaml", "description: [x"));
      for (Map.Entry<String, String> text : texts.entrySet()) {
        write(text.getKey(), "SKILL.md", text.getValue());
      }
      Files.createDirectories(RIG.setup().dataDir().resolve("skills/no-file"));
      texts.put("no-file", "");

      Map<String, Boolean> ours = new TreeMap<>();
      for (JsonNode skill : RIG.api().get("/api/v1/skills").json().path("skills")) {
        ours.put(skill.path("name").asText(), skill.path("state").asText().equals("ready"));
      }
      ours.keySet().retainAll(texts.keySet());
      Map<String, Boolean> theirs = new TreeMap<>();
      for (String name : texts.keySet()) {
        theirs.put(name, validates(programs, name));
      }
      assertThat(theirs).containsValue(true).containsValue(false);
      assertThat(ours).isEqualTo(theirs);
    } finally {
      ServerRig.delete(programs);
    }
  }

  private static boolean validates(Path programs, String skill) throws Exception {
    Process process =
        new ProcessBuilder(
                programs.resolve("node_modules/.bin/skills-ref").toString(),
                "validate",
                RIG.setup().dataDir().resolve("skills/" + skill).toString())
            .redirectErrorStream(true)
            .redirectOutput(programs.resolve("validate.log").toFile())
            .start();
    boolean hasEnded = process.waitFor(60, TimeUnit.SECONDS);
    process.destroyForcibly();
    assertThat(hasEnded).isTrue();
    return process.exitValue() == 0;
  }
}
