package dev.holdfast.tools.skills;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The rules of the specification, one by one, and those of what a skill requires. */
class SkillFieldsTest {
  @TempDir Path folder;
  private SkillRig rig;

  @BeforeEach
  void open() {
    rig = new SkillRig(folder);
  }

  @ParameterizedTest
  @CsvSource({
    "a, true",
    "2024, true",
    "pdf-processing, true",
    "a1-b2-c3, true",
    "-pdf, false",
    "pdf-, false",
    "pdf--processing, false",
    "PDF, false",
    "pdf_processing, false",
    "pdf processing, false",
    "pdf.processing, false",
  })
  void namesAreLowerCaseLettersDigitsAndSingleHyphens(String name, boolean isValid)
      throws Exception {
    Path _ = rig.write(name, "SKILL.md", SkillRig.GOOD.formatted(name));
    assertThat(rig.skills.all().getFirst().state() == SkillState.READY).isEqualTo(isValid);
  }

  @ParameterizedTest
  @CsvSource({"64, true", "65, false"})
  void aNameHasAtMost64Characters(int length, boolean isValid) throws Exception {
    String name = "n".repeat(length);
    Path _ = rig.write(name, "SKILL.md", SkillRig.GOOD.formatted(name));
    assertThat(rig.skills.all().getFirst().state() == SkillState.READY).isEqualTo(isValid);
  }

  @ParameterizedTest
  @CsvSource({"1, true", "1024, true", "1025, false"})
  void aDescriptionHasAtMost1024Characters(int length, boolean isValid) throws Exception {
    String text = "---\nname: some\ndescription: %s\n---\n".formatted("😀".repeat(length));
    Path _ = rig.write("some", "SKILL.md", text);
    Skill skill = rig.skills.find("some").orElseThrow();
    assertThat(skill.state() == SkillState.READY).isEqualTo(isValid);
    assertThat(skill.reason())
        .isEqualTo(
            isValid
                ? ""
                : "SKILL.md: description: has 1025 characters: shorten it to at most 1024");
  }

  static Stream<Arguments> wrong() {
    return Stream.of(
        arguments("compatibility: " + "c".repeat(501), "compatibility: has 501 characters"),
        arguments("compatibility: [a]", "compatibility: must be a text"),
        arguments("license: {a: b}", "license: must be a text"),
        arguments("metadata: text", "metadata: must hold names and texts"),
        arguments("metadata: [a]", "metadata: must hold names and texts"),
        arguments("allowed-tools: {a: b}", "allowed-tools: must be names of tools"),
        arguments("allowed-tools: [[a]]", "allowed-tools: must be names of tools"),
        arguments("requires: git", "requires: must hold bins, env or os"),
        arguments(
            "requires: {bin: [git]}",
            "requires.bin: there is no such gate: use bins, env or os; did you mean bins?"),
        arguments("requires: {config: [x]}", "requires.config: there is no such gate"),
        arguments("requires: {bins: []}", ""),
        arguments("requires: {bins: ['']}", "requires.bins: must be a list of 1 to 50 names"),
        arguments("requires: {bins: {a: b}}", "requires.bins: must be a list of 1 to 50 names"),
        arguments(
            "requires: {bins: [/bin/sh]}", "requires.bins: /bin/sh is not the name of a program"),
        arguments("requires: {bins: ['git|']}", "requires.bins:  is not the name of a program"),
        arguments("requires: {env: [A-B]}", "requires.env: A-B is not the name of a variable"),
        arguments(
            "requires: {os: [beos]}",
            "requires.os: there is no system beos: use linux, mac, windows"));
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void whatIsWrongIsSaidWithItsFieldAndWhatToDo(String line, String sentence) throws Exception {
    Skill skill = rig.with(line);
    if (sentence.isEmpty()) {
      assertThat(skill.state()).isEqualTo(SkillState.READY);
      return;
    }
    assertThat(skill.state()).isEqualTo(SkillState.INVALID);
    assertThat(skill.reason()).startsWith("SKILL.md: " + sentence).contains(": ");
  }

  @Test
  void everyFieldOfTheSpecificationIsKept() throws Exception {
    Skill skill =
        rig.with(
            """
            license: Proprietary. LICENSE.txt has complete terms
            compatibility: Requires git, docker, jq, and access to the internet
            metadata: {author: example-org, version: "1.0", build: 7}
            allowed-tools: Bash(git:*)  Read""");
    assertThat(skill.state()).isEqualTo(SkillState.READY);
    assertThat(skill.notices()).isEmpty();
    assertThat(skill.head().license()).startsWith("Proprietary");
    assertThat(skill.head().compatibility()).startsWith("Requires git");
    assertThat(skill.head().metadata())
        .containsEntry("author", "example-org")
        .containsEntry("version", "1.0")
        .containsEntry("build", "7");
    assertThat(skill.head().allowedTools()).containsExactly("Bash(git:*)", "Read");
    assertThat(rig.with("allowed-tools: [Read, Write]").head().allowedTools())
        .containsExactly("Read", "Write");
  }

  @Test
  void anUnknownFieldIsIgnoredAndSaid() throws Exception {
    Skill skill = rig.with("licence: MIT\nmetadata: {other: {requires: {bins: [git]}}}");
    assertThat(skill.state()).isEqualTo(SkillState.READY);
    assertThat(skill.notices())
        .containsExactly(
            "SKILL.md: licence: is no field of the specification, so it is ignored; did you mean"
                + " license?",
            "SKILL.md: metadata.other: is not a text, so it is ignored; what the skill needs stands"
                + " in requires");
  }

  @Test
  void whatIsMissingGatesASkillUntilItIsThere() throws Exception {
    Path bin = Files.createDirectories(folder.resolve("bin"));
    rig.environment.put("PATH", bin.toString());
    Skill gated = rig.with("requires: {bins: ['rg|grepx'], env: [SOME_KEY], os: [linux, mac]}");
    assertThat(gated.state()).isEqualTo(SkillState.GATED);
    assertThat(gated.reason())
        .isEqualTo(
            "needs the program rg or grepx: install rg where PATH leads; needs the variable"
                + " SOME_KEY: write SOME_KEY=... into holdfast.env");
    assertThat(rig.skills.list()).isEmpty();
    assertThat(rig.read("some")).startsWith("The skill some cannot be used now: needs the program");

    Files.createFile(
        bin.resolve("grepx"),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
    rig.environment.put("SOME_KEY", " ");
    assertThat(rig.skills.list()).isEmpty();
    rig.environment.put("SOME_KEY", "k");
    assertThat(rig.skills.list()).hasSize(1);
    assertThat(rig.read("some")).isEqualTo("yes");
  }

  @Test
  void anotherSystemGatesASkill() throws Exception {
    assertThat(rig.with("requires: {os: windows}").reason())
        .isEqualTo("needs the system windows: this machine runs linux");
  }
}
