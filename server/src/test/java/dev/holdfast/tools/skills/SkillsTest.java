package dev.holdfast.tools.skills;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.ToolContext;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreConfig;
import dev.holdfast.store.engine.StoreHooks;
import dev.holdfast.store.messages.InboxConfig;
import dev.holdfast.store.threads.ThreadFilesConfig;
import dev.holdfast.time.ManualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SkillsTest {
  @TempDir Path folder;
  @TempDir Path elsewhere;
  private Store store;
  private Skills skills;

  @BeforeEach
  void open() throws Exception {
    InboxConfig inbox = new InboxConfig(1000, 512, Duration.ofMillis(1), Duration.ofDays(7), 3);
    store =
        Store.open(
            new StoreConfig(inbox, 0, new ThreadFilesConfig(4_194_304, 50)),
            folder,
            new ManualTime(),
            new SimpleMeterRegistry(),
            new StoreHooks(() -> {}, (_, _) -> {}));
    skills = new Skills(folder, store.texts());
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void skill(String name, String text) throws Exception {
    Path own = Files.createDirectories(folder.resolve("skills").resolve(name));
    Files.writeString(own.resolve("SKILL.md"), text);
  }

  private String read(String name) {
    return new ReadSkillTool(skills)
        .run(
            new JsonObject().put("name", name).encode(),
            new ToolContext("t", "e", "s", "c", "k", folder, ToolContext.Progress.SILENT))
        .text();
  }

  @Test
  void aSkillIsListedByItsFrontMatterAndItsBodyReadOnDemand() throws Exception {
    skill(
        "brew-tea",
        "---\nname: brew-tea\ndescription: >\n  How tea\n  is made.\n---\n1. Boil.\n---\n2. Pour.\n");
    assertThat(skills.list())
        .singleElement()
        .satisfies(skill -> assertThat(skill.description()).isEqualTo("How tea is made."));
    assertThat(read("brew-tea")).isEqualTo("1. Boil.\n---\n2. Pour.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "no front matter",
        "---\nname: bad\n---\nno description",
        "---\nname: other\ndescription: x\n---\n",
        "---\nname: [bad\ndescription: x\n---\n",
        "---\n- a list\n---\n",
        "---\nname: bad\ndescription: never ends",
        "---\nname: bad\ndescription: &a [*a, *a]\n---\n",
      })
  void aBadFrontMatterLeavesThatSkillOutAndNoOther(String text) throws Exception {
    skill("bad", text);
    skill("good", "---\nname: good\ndescription: works\n---\nyes");
    assertThat(skills.list()).extracting(Skills.Skill::name).containsExactly("good");
    assertThat(read("bad")).isEqualTo("There is no skill with that name.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"../../secret", "..", "/etc", "good/../good", "Good", "good\u0000", ""})
  void aNameIsNeverAPath(String name) throws Exception {
    skill("good", "---\nname: good\ndescription: works\n---\nyes");
    Files.writeString(folder.resolve("SKILL.md"), "---\nname: x\ndescription: y\n---\nTOP SECRET");
    assertThat(read(name)).isEqualTo("There is no skill with that name.");
  }

  @Test
  void symbolicLinksLeadNowhere() throws Exception {
    String text = "---\nname: %s\ndescription: x\n---\nTOP SECRET";
    Files.writeString(elsewhere.resolve("SKILL.md"), text.formatted("link"));
    Files.createDirectories(folder.resolve("skills"));
    Files.createSymbolicLink(folder.resolve("skills/link"), elsewhere);
    Files.createDirectories(folder.resolve("skills/file"));
    Files.createSymbolicLink(
        folder.resolve("skills/file/SKILL.md"),
        Files.writeString(elsewhere.resolve("other"), text.formatted("file")));
    assertThat(skills.list()).isEmpty();
    assertThat(read("link")).doesNotContain("TOP SECRET");
    assertThat(read("file")).doesNotContain("TOP SECRET");
  }

  @Test
  void howManyAndHowMuchIsBounded() throws Exception {
    for (int i = 0; i < 120; i++) {
      skill(
          "s%03d".formatted(i),
          "---\nname: s%03d\ndescription: %s\n---\n%s"
              .formatted(i, "d".repeat(2000), "b".repeat(100_000)));
    }
    assertThat(skills.list()).hasSize(Skills.LISTED_MAX);
    assertThat(skills.list().getFirst().description()).hasSizeLessThan(600);
    assertThat(read("s000")).hasSizeLessThan(Skills.FILE_BYTES_MAX);
  }
}
