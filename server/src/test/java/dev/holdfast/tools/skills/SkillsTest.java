package dev.holdfast.tools.skills;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SkillsTest {
  @TempDir Path folder;
  @TempDir Path elsewhere;
  private SkillRig rig;
  private Skills skills;

  @BeforeEach
  void open() {
    rig = new SkillRig(folder);
    skills = rig.skills;
  }

  private void skill(String name, String text) throws Exception {
    Path _ = rig.write(name, "SKILL.md", text);
  }

  private Skill found(String name) {
    return skills.all().stream()
        .filter(skill -> skill.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aSkillIsListedByItsFrontMatterAndItsBodyReadOnDemand() throws Exception {
    skill(
        "brew-tea",
        """
        ---
        name: brew-tea
        description: >
          How tea
          is made.
        ---
        1. Boil.
        ---
        2. Pour.
        """);
    assertThat(skills.list())
        .singleElement()
        .satisfies(skill -> assertThat(skill.description()).isEqualTo("How tea is made."));
    assertThat(rig.read("brew-tea")).isEqualTo("1. Boil.\n---\n2. Pour.");
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
        "---\nname: bad\nname: bad\ndescription: twice\n---\n",
        "---\nname: bad\ndescription: Use this: always\n---\n",
      })
  void aBadFrontMatterLeavesThatSkillOutAndNoOther(String text) throws Exception {
    skill("bad", text);
    skill("good", SkillRig.GOOD.formatted("good"));
    assertThat(skills.list()).extracting(Skill::name).containsExactly("good");
    assertThat(rig.read("bad")).isEqualTo("There is no skill with that name.");
    assertThat(found("bad").state()).isEqualTo(SkillState.INVALID);
    assertThat(found("bad").problems()).allMatch(problem -> problem.startsWith("SKILL.md: "));
  }

  @ParameterizedTest
  @ValueSource(strings = {"../../secret", "..", "/etc", "good/../good", "Good", "good\u0000", ""})
  void aNameIsNeverAPath(String name) throws Exception {
    skill("good", SkillRig.GOOD.formatted("good"));
    Files.writeString(folder.resolve("SKILL.md"), "---\nname: x\ndescription: y\n---\nTOP SECRET");
    assertThat(rig.read(name)).isEqualTo("There is no skill with that name.");
  }

  @Test
  void symbolicLinksLeadNowhere() throws Exception {
    String text = "---\nname: %s\ndescription: x\n---\nTOP SECRET";
    Files.writeString(elsewhere.resolve("SKILL.md"), text.formatted("link"));
    Files.createDirectories(rig.first.resolve("file"));
    Files.createSymbolicLink(rig.first.resolve("link"), elsewhere);
    Files.createSymbolicLink(
        rig.first.resolve("file/SKILL.md"),
        Files.writeString(elsewhere.resolve("other"), text.formatted("file")));
    assertThat(skills.list()).isEmpty();
    assertThat(rig.read("link")).doesNotContain("TOP SECRET");
    assertThat(rig.read("file")).doesNotContain("TOP SECRET");
    assertThat(found("link").reason()).contains("links are not followed");
    assertThat(found("file").reason()).contains("links are not followed");
  }

  @Test
  void ofOneNameTheDataFoldersIsUsedAndTheOtherSaid() throws Exception {
    skill("tea", "---\nname: tea\ndescription: ours\n---\n");
    for (String name : new String[] {"tea", "coffee"}) {
      Path own = Files.createDirectories(rig.second.resolve(name));
      Files.writeString(
          own.resolve("SKILL.md"), "---\nname: %s\ndescription: theirs\n---\n".formatted(name));
    }
    assertThat(skills.list()).extracting(Skill::description).containsExactly("theirs", "ours");
    assertThat(found("tea").notices())
        .containsExactly(
            "there is another one in " + rig.second.resolve("tea") + ", which is not used");
  }

  @Test
  void aFolderThatOthersCouldHaveFilledIsNotUsedAndSaysWhy() throws Exception {
    Path own = Files.createDirectories(rig.second.resolve("tea"));
    Files.writeString(own.resolve("SKILL.md"), SkillRig.GOOD.formatted("tea"));
    assertThat(skills.list()).hasSize(1);
    Files.setPosixFilePermissions(rig.second, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertThat(skills.list()).isEmpty();
    assertThat(skills.find("tea")).isEmpty();
    assertThat(skills.places())
        .singleElement()
        .satisfies(place -> assertThat(place.problem()).contains("chmod o-w"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "SKILL.md"})
  void whatOthersMayWriteIsNoSkill(String file) throws Exception {
    skill("tea", SkillRig.GOOD.formatted("tea"));
    Path written = rig.first.resolve("tea").resolve(file);
    Files.setPosixFilePermissions(written, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertThat(skills.list()).isEmpty();
    assertThat(found("tea").reason()).endsWith("is writable by everybody: run chmod o-w on it");
    Files.setPosixFilePermissions(written, PosixFilePermissions.fromString("rwxr-xr-x"));
    assertThat(skills.list()).hasSize(1);
  }

  @Test
  void whatModelsMayWriteIsNoSkill() throws Exception {
    Path place = Files.createDirectories(folder.resolve("writable/project/skills"));
    Path own = Files.createDirectories(place.resolve("tea"));
    Files.writeString(own.resolve("SKILL.md"), SkillRig.GOOD.formatted("tea"));
    SkillFolder inIt = new SkillFolder(place, List.of(folder.resolve("writable")));
    assertThat(inIt.problem().orElseThrow()).contains("to which models may write");
    Path link = rig.second;
    Files.createDirectories(folder.resolve("work/.agents"));
    Files.createSymbolicLink(link, place);
    assertThat(skills.list()).isEmpty();
    assertThat(skills.places().getFirst().problem()).contains("link");
  }

  @Test
  void anEmptyPlaceIsNoProblem() throws Exception {
    assertThat(skills.all()).isEmpty();
    assertThat(skills.places()).isEmpty();
    Files.createDirectories(rig.first.resolve(".git"));
    Files.writeString(rig.first.resolve("README.md"), "not a skill");
    assertThat(skills.all()).isEmpty();
    Files.createDirectories(rig.first.resolve("No_Skill"));
    assertThat(found("No_Skill").reason()).contains("rename it");
    Files.createDirectories(rig.first.resolve("empty"));
    assertThat(found("empty").reason()).isEqualTo("there is no SKILL.md: write one");
  }

  @Test
  void howManyAndHowMuchIsBounded() throws Exception {
    for (int i = 0; i < 300; i++) {
      skill(
          "s%03d".formatted(i),
          "---\nname: s%03d\ndescription: %s\n---\n%s"
              .formatted(i, "d".repeat(1024), "b".repeat(60_000)));
    }
    assertThat(skills.list()).hasSize(Skills.LISTED_MAX);
    assertThat(skills.all()).hasSize(300);
    assertThat(found("s099").notices()).isEmpty();
    assertThat(found("s100").notices())
        .containsExactly("models are told of the first 100 skills alone, by their names");
    assertThat(rig.read("s299")).hasSize(60_000);
  }

  @Test
  void aHugeFileIsNotRead() throws Exception {
    Path file = rig.write("huge", "SKILL.md", SkillRig.GOOD.formatted("huge"));
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      open.setLength(1L << 30);
    }
    assertThat(skills.list()).isEmpty();
    assertThat(found("huge").reason())
        .isEqualTo("SKILL.md: is larger than 65536 bytes: move parts of it to files of their own");
  }

  @Test
  void bombsOfYamlEndBeforeTheyGrow() throws Exception {
    StringBuilder bomb = new StringBuilder("---\nname: bomb\ndescription: x\na: &a [x, x]\n");
    for (char c = 'b'; c <= 'z'; c++) {
      char before = (char) (c - 1);
      bomb.append("%c: &%c [*%c, *%c, *%c, *%c]\n".formatted(c, c, before, before, before, before));
    }
    skill("bomb", bomb + "---\n");
    skill("deep", "---\nname: deep\ndescription: x\na: " + "[".repeat(15_000) + "\n---\n");
    skill("long", "---\nname: long\ndescription: x\na: " + "x".repeat(60_000) + "\n---\n");
    assertThat(found("deep").state()).isEqualTo(SkillState.INVALID);
    assertThat(found("long").reason()).contains("more than 16384 characters");
    assertThat(found("bomb").state()).isEqualTo(SkillState.READY); // names are not expanded
    assertThat(found("bomb").notices()).hasSize(26);
  }

  @Test
  void bytesThatAreNoTextAreSaid() throws Exception {
    byte[] good = SkillRig.GOOD.formatted("bytes").getBytes(StandardCharsets.UTF_8);
    good[good.length - 1] = (byte) 0xff;
    Path file = rig.write("bytes", "SKILL.md", "");
    Files.write(file, good);
    assertThat(found("bytes").reason()).isEqualTo("SKILL.md: is not UTF-8: save it as such");
  }

  @Test
  void aSkillThatChangesWhileItIsReadIsReadWholeOrNotAtAll() throws Exception {
    String text = "---\nname: moving\ndescription: x\n---\n";
    Path file = rig.write("moving", "SKILL.md", text + "a".repeat(50_000));
    AtomicBoolean done = new AtomicBoolean();
    Thread writer =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    for (int i = 0; !done.get(); i++) {
                      Files.writeString(file, text + (i % 2 == 0 ? "b" : "a").repeat(50_000));
                    }
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                });
    try {
      for (int i = 0; i < 300; i++) {
        String body = skills.find("moving").map(Skill::body).orElse("");
        assertThat(body.chars().distinct().count()).isLessThanOrEqualTo(1);
      }
    } finally {
      done.set(true);
      writer.join();
    }
    assertThat(skills.list()).hasSize(1);
  }
}
