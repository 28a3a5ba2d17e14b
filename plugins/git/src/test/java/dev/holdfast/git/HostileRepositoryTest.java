package dev.holdfast.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kit.JsonText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that want out of their folders, and repositories that want something to be run. */
@Timeout(60)
class HostileRepositoryTest {
  @TempDir Path temporary;
  private TestRepository repository;
  private Path ran;
  private Path script;
  private Path outside;
  private int keys;

  @BeforeEach
  void makeRepository() throws Exception {
    repository = new TestRepository(temporary);
    ran = temporary.toRealPath().resolve("ran");
    script =
        Files.writeString(
            temporary.toRealPath().resolve("script"),
            "#!/bin/sh\necho $0 $@ >> " + ran + "\ncat\n");
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    outside = Files.createDirectories(temporary.toRealPath().resolve("outside"));
    TestRepository.git(outside, "init", "--quiet", "--initial-branch=main");
    Files.writeString(outside.resolve("secret"), "canary");
    TestRepository.git(outside, "add", "secret");
    TestRepository.git(
        outside, "-c", "user.name=O", "-c", "user.email=o@x", "commit", "--quiet", "-m", "canary");
    repository.write("a", "one\n");
    repository.write("b", "one\n");
    repository.commitAll("Begin");
    repository.write("a", "two\n");
    repository.write("new", "x\n");
  }

  /** Whatever a test did, nothing of the repository's was run. */
  @AfterEach
  void nothingRan() throws IOException {
    assertThat(ran).as(Files.exists(ran) ? Files.readString(ran) : "").doesNotExist();
  }

  private void everyAction() throws Exception {
    repository.run("status", Map.of());
    repository.run("diff", Map.of());
    repository.run("diff", Map.of("staged", true));
    repository.run("log", Map.of());
    repository.run("add", Map.of("paths", List.of(".")));
    repository.run("diff", Map.of("staged", true));
    repository.run("commit", "key" + keys++, Map.of("message", "x"));
    assertThat(repository.run("status", Map.of())).containsEntry("clean", true);
  }

  @Test
  void noHookRuns() throws Exception {
    Path hooks = repository.folder.resolve(".git/hooks");
    for (String hook :
        List.of(
            "pre-commit",
            "commit-msg",
            "prepare-commit-msg",
            "post-commit",
            "post-index-change",
            "reference-transaction",
            "pre-auto-gc",
            "fsmonitor-watchman")) {
      Files.copy(script, hooks.resolve(hook), java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
    }
    everyAction();
    Path others = Files.createDirectories(repository.folder.resolve("others"));
    Files.copy(
        script, others.resolve("pre-commit"), java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
    repository.git("config", "core.hooksPath", others.toString());
    repository.write("a", "three\n");
    everyAction();
  }

  @Test
  void noProgramOfItsConfigurationRuns() throws Exception {
    for (String key :
        List.of(
            "core.fsmonitor",
            "diff.external",
            "diff.evil.command",
            "diff.evil.textconv",
            "core.pager",
            "pager.log",
            "pager.diff",
            "pager.status",
            "core.editor",
            "sequence.editor",
            "core.askPass",
            "core.sshCommand",
            "gpg.program",
            "gpg.ssh.program",
            "credential.helper",
            "trailer.x.command",
            "trailer.x.cmd",
            "core.alternateRefsCommand",
            "alias.status")) {
      repository.shell("git config '%s' '%s'".formatted(key, script));
    }
    repository.git("config", "commit.gpgSign", "true");
    repository.git("config", "log.showSignature", "true");
    repository.git("config", "commit.verbose", "true");
    repository.git("config", "gc.auto", "1");
    repository.write(".gitattributes", "* diff=evil\n");
    everyAction();
    assertThat(JsonText.text(repository.run("log", Map.of()), "repo")).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"evil", "e=v", "e.v", "x y"})
  void noFilterRunsAndWhatNeedsOneIsNotAdded(String driver) throws Exception {
    for (String part : List.of("clean", "smudge", "process")) {
      repository.shell("git config 'filter.%s.%s' '%s'".formatted(driver, part, script));
    }
    repository.git("config", "filter." + driver + ".required", "true");
    repository.write(".gitattributes", "a filter=" + driver.replace(' ', '-') + "\n");
    repository.run("status", Map.of());
    repository.run("diff", Map.of());
    assertThat(repository.refusal("add", Map.of("paths", List.of("a"))))
        .startsWith("403")
        .contains("needs the filter");
    assertThat(repository.refusal("add", Map.of("paths", List.of(".")))).startsWith("403");
    assertThat(repository.run("add", Map.of("paths", List.of("new"))))
        .containsEntry("added", List.of("new"));
    repository.run("commit", Map.of("message", "x"));
  }

  @Test
  void whatAPartialCloneLacksIsNotFetched() throws Exception {
    repository.git("config", "core.repositoryFormatVersion", "1");
    repository.git("config", "extensions.partialClone", "origin");
    repository.git("config", "remote.origin.promisor", "true");
    repository.git("config", "remote.origin.url", outside.toString());
    repository.git("config", "remote.origin.uploadpack", script.toString());
    repository.git("config", "protocol.allow", "always");
    repository.shell("rm -f .git/objects/$(git rev-parse HEAD:b | sed 's|^..|&/|')");
    repository.write("b", "two\n");
    assertThat(repository.refusal("diff", Map.of("path", "b"))).startsWith("422");
    repository.git("config", "remote.origin.url", "ext::" + script);
    assertThat(repository.refusal("diff", Map.of("path", "b"))).startsWith("422");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../outside",
        "work/../../outside",
        "/etc",
        "..",
        "link",
        "work/link",
        "linked",
        "--upload-pack=x",
        "-c"
      })
  void noNameOfARepositoryLeadsOut(String name) throws Exception {
    Files.createSymbolicLink(repository.root.resolve("link"), outside);
    Files.createSymbolicLink(repository.folder.resolve("link"), outside);
    Path linked = Files.createDirectories(repository.root.resolve("linked"));
    Files.createSymbolicLink(linked.resolve(".git"), outside.resolve(".git"));
    assertThat(repository.refusal("status", Map.of("repo", name)))
        .matches("40[34] .*")
        .doesNotContain("canary");
    assertThat(repository.refusal("log", Map.of("repo", repository.root + "/../outside")))
        .startsWith("403");
  }

  @Test
  void aGitFileAndBorrowedObjectsMayLeadToTheFoldersOfTheAgentOnly() throws Exception {
    Path pointing = Files.createDirectories(repository.root.resolve("pointing"));
    Files.writeString(pointing.resolve(".git"), "gitdir: " + outside.resolve(".git") + "\n");
    assertThat(repository.refusal("log", Map.of("repo", "pointing"))).startsWith("403");
    Files.writeString(pointing.resolve(".git"), "gitdir: ../../outside/.git\n");
    assertThat(repository.refusal("log", Map.of("repo", "pointing"))).startsWith("403");
    Files.writeString(pointing.resolve(".git"), "gitdir: /none\n");
    assertThat(repository.refusal("log", Map.of("repo", "pointing"))).startsWith("403");
    Files.writeString(pointing.resolve(".git"), "nothing of the kind");
    assertThat(repository.refusal("log", Map.of("repo", "pointing"))).startsWith("422");

    repository.git("worktree", "add", "--quiet", repository.root.resolve("tree").toString());
    assertThat(repository.run("status", Map.of("repo", "tree"))).containsEntry("branch", "tree");
    Files.writeString(
        repository.folder.resolve(".git/worktrees/tree/commondir"), outside.resolve(".git") + "\n");
    assertThat(repository.refusal("log", Map.of("repo", "tree"))).startsWith("403");

    repository.write(".git/objects/info/alternates", outside.resolve(".git/objects") + "\n");
    assertThat(repository.refusal("log", Map.of())).startsWith("403");
    repository.write(".git/objects/info/alternates", repository.root + "/x\n");
    assertThat(repository.refusal("log", Map.of())).startsWith("403");
    Files.delete(repository.folder.resolve(".git/objects/info/alternates"));
    Files.delete(repository.folder.resolve(".git/refs/heads/main"));
    Files.createSymbolicLink(
        repository.folder.resolve(".git/refs/heads/main"), outside.resolve(".git/refs/heads/main"));
    assertThat(repository.refusal("log", Map.of())).startsWith("403");
  }

  @Test
  void theWorkingTreeIsTheFolderWhateverTheConfigurationSays() throws Exception {
    repository.git("config", "core.worktree", outside.toString());
    assertThat(repository.run("status", Map.of())).containsEntry("untracked", List.of("new"));
    assertThat(repository.run("diff", Map.of()).toString()).doesNotContain("secret");
    assertThat(repository.run("add", Map.of("paths", List.of("."))))
        .containsEntry("added", List.of("a", "new"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"../outside/secret", "/etc/passwd", ".git/config", "x/.GIT/config", "a/../b", ""})
  void noPathLeadsOutOfTheWorkingTree(String path) throws Exception {
    assertThat(repository.refusal("add", Map.of("paths", List.of(path)))).startsWith("403");
    assertThat(repository.refusal("diff", Map.of("path", path))).startsWith("403");
  }

  @Test
  void whatIsBehindALinkIsNotAdded() throws Exception {
    Files.createSymbolicLink(repository.folder.resolve("link"), outside);
    assertThat(repository.refusal("add", Map.of("paths", List.of("link/secret"))))
        .startsWith("409 Git: ")
        .contains("symbolic link");
    repository.run("add", Map.of("paths", List.of("link")));
    assertThat(JsonText.text(repository.run("diff", Map.of("staged", true)), "diff"))
        .contains("+" + outside)
        .doesNotContain("canary");
  }

  /** A name is a name: no option, no pattern, no magic. */
  @ParameterizedTest
  @ValueSource(
      strings = {"-A", "--all", "--upload-pack=touch ran", "*", ":!a", ":(glob)**", "@file"})
  void aNameIsNeitherAnOptionNorAPattern(String name) throws Exception {
    assertThat(repository.refusal("add", Map.of("paths", List.of(name)))).startsWith("409");
    assertThat(repository.run("diff", Map.of("path", name))).containsEntry("diff", "");
    assertThat(repository.run("log", Map.of("path", name))).containsEntry("commits", List.of());
    repository.write(name, "x");
    Map<String, Object> added = repository.run("add", Map.of("paths", List.of(name)));
    assertThat(added).containsEntry("added", List.of(name));
  }

  @Test
  void aMessageIsATextAndForgesNoMark() throws Exception {
    repository.git("add", "a");
    assertThat(repository.refusal("commit", Map.of("message", "x\n\nHoldfast-Key: 0")))
        .startsWith("400");
    assertThat(repository.refusal("commit", Map.of("message", " \n"))).startsWith("400");
    repository.run("commit", Map.of("message", "--amend"));
    assertThat(repository.git("rev-list", "--count", "HEAD")).isEqualTo("2");
  }
}
