package dev.holdfast.tools.skills;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.ToolResult;
import dev.holdfast.tools.files.FileFailedException;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SkillFilesTest {
  @TempDir Path folder;
  @TempDir Path elsewhere;
  private SkillRig rig;

  @BeforeEach
  void open() throws Exception {
    rig = new SkillRig(folder);
    Path _ = rig.write("tea", "SKILL.md", "---\nname: tea\ndescription: x\n---\nBoil.");
    Path _ = rig.write("tea", "references/green.md", "80 °C");
    Path _ = rig.write("tea", "assets/deep/cup.svg", "<svg/>");
    Path _ = rig.write("other", "SKILL.md", "---\nname: other\ndescription: x\n---\nTOP SECRET");
  }

  private ToolResult read(String file) {
    return rig.read(new JsonObject().put("name", "tea").put("file", file));
  }

  @Test
  void theBodyNamesTheFilesAndEachIsReadOnDemand() throws Exception {
    Path _ = rig.write("tea", ".git/config", "hidden");
    assertThat(rig.read("tea"))
        .isEqualTo(
            "Boil.\n\n[Files of this skill, for the argument file: assets/deep/cup.svg,"
                + " references/green.md]");
    assertThat(read("references/green.md").text()).isEqualTo("80 °C");
    assertThat(read("./assets//deep/cup.svg").text()).isEqualTo("<svg/>");
    assertThat(read("SKILL.md").text()).startsWith("---");
  }

  @ParameterizedTest
  @CsvSource({
    "../other/SKILL.md, a path must not hold",
    "references/../../other/SKILL.md, a path must not hold",
    "/etc/passwd, must be a path from the skill's folder",
    "/references/green.md, must be a path from the skill's folder",
    "., must be a path from the skill's folder",
    "references, is a folder",
    "references/none.md, no such file",
    "link/passwd, links are not followed",
    "references/linked.md, links are not followed",
    "references/second.md, hard links",
    "references/pipe, is not a plain file",
  })
  void nothingOutsideIsReached(String file, String sentence) throws Exception {
    Files.createSymbolicLink(rig.first.resolve("tea/link"), Path.of("/etc"));
    Path secret = Files.writeString(elsewhere.resolve("secret"), "TOP SECRET");
    Path references = rig.first.resolve("tea/references");
    Files.createSymbolicLink(references.resolve("linked.md"), secret);
    Files.createLink(references.resolve("second.md"), secret);
    Process pipe = new ProcessBuilder("mkfifo", references.resolve("pipe").toString()).start();
    assertThat(pipe.waitFor()).isZero();
    assertThat(read(file).isError()).isTrue();
    assertThat(read(file).text()).contains(sentence).doesNotContain("TOP SECRET");
  }

  private String script() throws Exception {
    Skill tea = rig.skills.find("tea").orElseThrow();
    try {
      return SkillScript.find(new SkillFiles(() -> rig.secrets), tea, "run.sh")
          .command()
          .getFirst();
    } catch (FileFailedException e) {
      return e.failure().message();
    }
  }

  @Test
  void aScriptRunsOnlyWhereNobodyElseWritesAndNoSecretLies() throws Exception {
    Path run = rig.write("tea", "scripts/run.sh", "cat ../keys");
    Path part = rig.write("tea", "scripts/deep/part.sh", "");
    assertThat(script()).isEqualTo("sh");
    for (Path file : List.of(run, part, part.getParent())) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxrwxrwx"));
      assertThat(script()).contains("is writable by everybody");
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    Path secret = Files.writeString(elsewhere.resolve("holdfast.yaml"), "TOP SECRET");
    Files.createLink(rig.first.resolve("tea/keys"), secret);
    assertThat(script()).as("another name of some file").isEqualTo("sh");
    assertThat(rig.secrets.add(secret)).isTrue();
    assertThat(script()).isEqualTo("keys: is the server's own, under another name");
  }

  @Test
  void controlCharactersAreNoPath() {
    assertThat(read("references/green.md\0.txt").text()).contains("control characters");
  }

  @Test
  void whatIsNoTextOrTooLargeIsSaid() throws Exception {
    Path cup = rig.write("tea", "assets/cup.png", "");
    Files.write(cup, new byte[] {(byte) 0x89, 'P', 'N', 'G', 0, 1});
    assertThat(read("assets/cup.png").text())
        .isEqualTo("assets/cup.png: is binary (6 bytes), not a text, and cannot be read here.");
    Path _ = rig.write("tea", "big.txt", "x".repeat(SkillFiles.FILE_BYTES_MAX + 1));
    assertThat(read("big.txt").text()).contains("is larger than 262144 bytes");
    Path _ = rig.write("tea", "full.txt", "x".repeat(SkillFiles.FILE_BYTES_MAX));
    assertThat(read("full.txt").text()).hasSize(SkillFiles.FILE_BYTES_MAX);
  }

  @Test
  void aFileOfSecretsIsTheServersOwn() throws Exception {
    Path env = rig.write("tea", "assets/keys.env", "KEY=TOP SECRET");
    rig.secrets.add(env);
    assertThat(read("assets/keys.env").text()).isEqualTo("assets/keys.env: is the server's own");
  }

  @Test
  void manyFilesAreListedInPart() throws Exception {
    for (int i = 0; i < 500; i++) {
      Path _ = rig.write("tea", "references/r%03d.md".formatted(i), "x");
    }
    assertThat(SkillFiles.list(rig.skills.find("tea").orElseThrow()))
        .hasSize(SkillFiles.LISTED_MAX)
        .contains("references/green.md");
    assertThat(read("references/r499.md").text()).isEqualTo("x");
  }
}
