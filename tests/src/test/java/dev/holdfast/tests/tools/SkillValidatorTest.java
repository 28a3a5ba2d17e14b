package dev.holdfast.tests.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Npm;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The server's verdict on skills beside that of a validator that others wrote. */
@Timeout(240)
@Outside(covers = "server/src/main/java/dev/holdfast/tools/skills")
class SkillValidatorTest {
  private static final String VALIDATOR = "skills-ref@0.1.5";

  @RegisterExtension static final Served SERVED = Served.alone(_ -> {});

  private final ServerRig rig = SERVED.rig();
  private final Path programs = ServerRig.newFolder("holdfast-skills-ref");

  @AfterEach
  void end() {
    ServerRig.delete(programs);
  }

  @Test
  void theVerdictIsThatOfTheReferenceValidator() throws Exception {
    Npm.install(programs, VALIDATOR);
    Map<String, String> texts = new TreeMap<>();
    texts.put("plain", AgentSkillsTest.front("plain", "description: A description."));
    texts.put(
        "whole",
        AgentSkillsTest.front(
            "whole",
            """
            description: All fields.
            license: MIT
            compatibility: Requires git
            metadata: {author: somebody, version: "1.0"}
            allowed-tools: Read Write\
            """));
    texts.put("longest", AgentSkillsTest.front("longest", "description: " + "d".repeat(1024)));
    texts.put("too-long", AgentSkillsTest.front("too-long", "description: " + "d".repeat(1025)));
    texts.put("no-description", AgentSkillsTest.front("no-description", "license: MIT"));
    texts.put("empty-description", AgentSkillsTest.front("empty-description", "description: \"\""));
    texts.put("other-name", AgentSkillsTest.front("another-name", "description: x"));
    texts.put("double--hyphen", AgentSkillsTest.front("double--hyphen", "description: x"));
    texts.put("-first", AgentSkillsTest.front("-first", "description: x"));
    texts.put("last-", AgentSkillsTest.front("last-", "description: x"));
    texts.put("UPPER", AgentSkillsTest.front("UPPER", "description: x"));
    texts.put("under_score", AgentSkillsTest.front("under_score", "description: x"));
    texts.put("n".repeat(64), AgentSkillsTest.front("n".repeat(64), "description: x"));
    texts.put("n".repeat(65), AgentSkillsTest.front("n".repeat(65), "description: x"));
    texts.put(
        "wide", AgentSkillsTest.front("wide", "description: x\ncompatibility: " + "c".repeat(500)));
    texts.put(
        "too-wide",
        AgentSkillsTest.front("too-wide", "description: x\ncompatibility: " + "c".repeat(501)));
    texts.put("no-front", "# Only a body\n");
    texts.put("no-end", "---\nname: no-end\ndescription: x\n");
    texts.put("no-yaml", AgentSkillsTest.front("no-yaml", "description: [x"));
    for (Map.Entry<String, String> text : texts.entrySet()) {
      AgentSkillsTest.write(rig, text.getKey(), "SKILL.md", text.getValue());
    }
    Files.createDirectories(rig.setup().dataDir().resolve("skills/no-file"));
    texts.put("no-file", "");

    Map<String, Boolean> ours = new TreeMap<>();
    for (JsonNode skill : rig.api().get("/api/v1/skills").json().path("skills")) {
      ours.put(skill.path("name").asText(), skill.path("state").asText().equals("ready"));
    }
    ours.keySet().retainAll(texts.keySet());
    Map<String, Boolean> theirs = new TreeMap<>();
    for (String name : texts.keySet()) {
      theirs.put(name, validates(name));
    }
    assertThat(theirs).containsValue(true).containsValue(false);
    assertThat(ours).isEqualTo(theirs);
  }

  private boolean validates(String skill) throws Exception {
    Process process =
        new ProcessBuilder(
                programs.resolve("node_modules/.bin/skills-ref").toString(),
                "validate",
                rig.setup().dataDir().resolve("skills/" + skill).toString())
            .redirectErrorStream(true)
            .redirectOutput(programs.resolve("validate.log").toFile())
            .start();
    boolean hasEnded = process.waitFor(60, TimeUnit.SECONDS);
    process.destroyForcibly();
    assertThat(hasEnded).isTrue();
    return process.exitValue() == 0;
  }
}
