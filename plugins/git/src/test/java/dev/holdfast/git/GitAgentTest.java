package dev.holdfast.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kit.JsonText;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the agent does in real repositories. */
@Timeout(60)
class GitAgentTest {
  @TempDir Path temporary;
  private TestRepository repository;

  @BeforeEach
  void makeRepository() throws Exception {
    repository = new TestRepository(temporary);
  }

  @Test
  void aRepositoryWithoutCommitsIsToldAsSuch() throws Exception {
    Map<String, Object> status = repository.run("status", Map.of());
    assertThat(status)
        .containsEntry("branch", "main")
        .containsEntry("commits", false)
        .containsEntry("clean", true);
    assertThat(repository.run("log", Map.of())).containsEntry("commits", List.of());
    assertThat(repository.run("diff", Map.of("staged", true))).containsEntry("diff", "");
    assertThat(repository.refusal("commit", Map.of("message", "x"))).startsWith("409 Nothing");
  }

  @Test
  void statusTellsWhatIsStagedAndWhatIsNot() throws Exception {
    for (String name : List.of("kept", "changed", "both", "gone", "gone staged")) {
      repository.write(name, "one\n");
    }
    repository.commitAll("Begin");
    repository.write("changed", "two\n");
    repository.write("both", "two\n");
    repository.write("new staged", "x");
    repository.git("add", "both", "new staged");
    repository.write("both", "three\n");
    Files.delete(repository.folder.resolve("gone"));
    repository.git("rm", "--quiet", "gone staged");
    repository.write("folder/new", "x");
    repository.write("grüße", "x");
    Map<String, Object> status = repository.run("status", Map.of());
    assertThat(JsonText.maps(status, "staged"))
        .containsExactlyInAnyOrder(
            Map.of("path", "both", "change", "modified"),
            Map.of("path", "new staged", "change", "added"),
            Map.of("path", "gone staged", "change", "deleted"));
    assertThat(JsonText.maps(status, "unstaged"))
        .containsExactlyInAnyOrder(
            Map.of("path", "both", "change", "modified"),
            Map.of("path", "changed", "change", "modified"),
            Map.of("path", "gone", "change", "deleted"));
    assertThat(status).containsEntry("untracked", List.of("folder/", "grüße"));
    assertThat(status).containsEntry("clean", false).containsEntry("truncated", false);
    assertThat(JsonText.text(status, "commit")).isEqualTo(repository.git("rev-parse", "HEAD"));
  }

  @Test
  void statusTellsTheDistanceToTheUpstreamAndConflicts() throws Exception {
    repository.write("a", "one\n");
    repository.commitAll("Begin");
    TestRepository.git(repository.root, "clone", "--quiet", "--no-hardlinks", "work", "other");
    Path other = repository.root.resolve("other");
    Files.writeString(other.resolve("a"), "theirs\n");
    TestRepository.git(
        other, "-c", "user.name=B", "-c", "user.email=b@x", "commit", "--quiet", "-a", "-m", "B");
    repository.git("remote", "add", "origin", other.toString());
    repository.git("fetch", "--quiet", "origin");
    repository.git("branch", "--quiet", "--set-upstream-to=origin/main");
    Map<String, Object> status = repository.run("status", Map.of());
    assertThat(status).containsEntry("upstream", "origin/main").containsEntry("behind", 1L);
    repository.write("a", "ours\n");
    repository.commitAll("Ours");
    repository.shell("git merge origin/main || true");
    assertThat(repository.run("status", Map.of()))
        .containsEntry("conflicts", List.of("a"))
        .containsEntry("ahead", 1L);
    assertThat(repository.refusal("commit", Map.of("message", "x"))).startsWith("409 Git: ");
  }

  @Test
  void aListThatIsLongSaysHowMuchWasLeftOut() throws Exception {
    repository.shell("for i in $(seq 1 400); do echo x > file$i; done");
    Map<String, Object> status = repository.run("status", Map.of());
    assertThat((List<?>) status.get("untracked")).hasSize(300);
    assertThat(status).containsEntry("untracked_count", 400L).containsEntry("truncated", true);
  }

  @Test
  void aDiffShowsTheWorkingTreeOrWhatIsStaged() throws Exception {
    repository.write("a", "one\n");
    repository.write("b", "one\n");
    repository.commitAll("Begin");
    repository.write("a", "two\n");
    repository.git("add", "a");
    repository.write("b", "two\n");
    assertThat(JsonText.text(repository.run("diff", Map.of()), "diff"))
        .contains("+++ b/b", "-one", "+two")
        .doesNotContain("b/a");
    Map<String, Object> staged = repository.run("diff", Map.of("staged", true));
    assertThat(JsonText.text(staged, "diff")).contains("+++ b/a").doesNotContain("b/b");
    assertThat(JsonText.maps(staged, "files"))
        .containsExactly(Map.of("path", "a", "added", 1L, "deleted", 1L));
    assertThat(repository.run("diff", Map.of("path", "a"))).containsEntry("diff", "");
  }

  @Test
  void aHugeDiffIsCutAtALineAndABinaryOneIsNamed() throws Exception {
    repository.write("big", "x\n");
    repository.write("binary", "x\n");
    repository.write("latin", "x\n");
    repository.commitAll("Begin");
    repository.write("big", "a line of text that is new\n".repeat(200_000));
    Files.write(repository.folder.resolve("binary"), new byte[] {0, 1, 2, 0});
    Map<String, Object> diff = repository.run("diff", Map.of("path", "big"));
    assertThat(diff).containsEntry("truncated", true);
    assertThat(JsonText.text(diff, "diff").length()).isBetween(190_000, 200_000);
    assertThat(JsonText.text(diff, "diff")).endsWith("+a line of text that is new\n");
    assertThat(JsonText.maps(diff, "files"))
        .containsExactly(Map.of("path", "big", "added", 200_000L, "deleted", 1L));
    Map<String, Object> binary = repository.run("diff", Map.of("path", "binary"));
    assertThat(JsonText.text(binary, "diff")).contains("Binary files a/binary and b/binary differ");
    assertThat(JsonText.maps(binary, "files"))
        .containsExactly(Map.of("path", "binary", "binary", true));
    Files.write(
        repository.folder.resolve("latin"),
        "gr\u00fc\u00dfe\n".getBytes(StandardCharsets.ISO_8859_1));
    assertThat(repository.run("diff", Map.of("path", "latin")))
        .containsEntry("not_utf8", true)
        .containsEntry("truncated", false);
  }

  @Test
  void theLogIsNewestFirstAndBounded() throws Exception {
    for (int number = 1; number <= 12; number++) {
      repository.write(number % 2 == 0 ? "even" : "odd", "" + number);
      repository.commitAll("Change " + number + "\n\nbody");
    }
    Map<String, Object> log = repository.run("log", Map.of());
    assertThat(JsonText.maps(log, "commits")).hasSize(10);
    assertThat(JsonText.maps(log, "commits").getFirst())
        .containsEntry("subject", "Change 12")
        .containsEntry("author", "Ann <ann@example.org>")
        .containsEntry("hash", repository.git("rev-parse", "HEAD"));
    assertThat(log).containsEntry("truncated", true);
    assertThat(JsonText.maps(repository.run("log", Map.of("path", "even", "limit", 50)), "commits"))
        .hasSize(6);
    assertThat(repository.refusal("log", Map.of("limit", 101))).startsWith("400 limit");
  }

  @Test
  void whatIsAddedIsCommittedAlsoDeletions() throws Exception {
    repository.write("a", "one\n");
    repository.write("gone", "one\n");
    repository.commitAll("Begin");
    repository.write("a", "two\n");
    repository.write("folder/new file", "x\n");
    repository.write("left", "x\n");
    Files.delete(repository.folder.resolve("gone"));
    Map<String, Object> added =
        repository.run("add", Map.of("paths", List.of("a", "gone", "./folder//")));
    assertThat(added).containsEntry("added", List.of("a", "gone", "folder/new file"));
    Map<String, Object> commit =
        repository.run("commit", Map.of("message", "Do it\n\n# kept\n\nbecause"));
    assertThat(commit)
        .containsEntry("subject", "Do it")
        .containsEntry("author", "Ann <ann@example.org>");
    assertThat(repository.git("log", "-1", "--format=%B")).isEqualTo("Do it\n\n# kept\n\nbecause");
    assertThat(repository.git("show", "--stat", "--format=", "HEAD"))
        .contains("folder/new file", "gone", "a ")
        .doesNotContain("left");
    assertThat(repository.run("add", Map.of("paths", List.of("."))))
        .containsEntry("added", List.of("left"));
    assertThat(repository.run("add", Map.of("paths", List.of(".")))).containsEntry("count", 0L);
  }

  @Test
  void aCallThatIsMadeAgainFindsItsCommit() throws Exception {
    repository.write("a", "one\n");
    repository.git("add", "a");
    Map<String, Object> first =
        repository.run("commit", "web:t/1", Map.of("message", "Begin\n\nSigned-off-by: Ann"));
    repository.write("a", "two\n");
    repository.commitAll("By somebody else");
    repository.write("a", "three\n");
    repository.git("add", "a");
    Map<String, Object> again =
        repository.run("commit", "web:t/1", Map.of("message", "Begin\n\nSigned-off-by: Ann"));
    assertThat(again)
        .containsEntry("commit", first.get("commit"))
        .containsEntry("already_committed", true);
    assertThat(repository.git("rev-list", "--count", "HEAD")).isEqualTo("2");
    assertThat(repository.git("log", "--format=%B", "HEAD^"))
        .matches("Begin\n\nSigned-off-by: Ann\nHoldfast-Key: [0-9a-f]{32}");
    assertThat(repository.run("commit", "web:t/2", Map.of("message", "Next")))
        .doesNotContainKey("already_committed");
    assertThat(repository.git("rev-list", "--count", "HEAD")).isEqualTo("3");
  }

  @Test
  void theAuthorIsTheOneOfTheRequestAndTheCommitterTheConfiguredOne() throws Exception {
    repository.committing("Bot <bot@example.org>");
    repository.write("a", "one\n");
    repository.git("add", "a");
    repository.run(
        "commit",
        Map.of("message", "x", "author", Map.of("name", "Bea", "email", "bea@example.org")));
    assertThat(repository.git("log", "-1", "--format=%an %ae %cn %ce"))
        .isEqualTo("Bea bea@example.org Bot bot@example.org");
    repository.committing("").git("config", "--unset", "user.email");
    repository.write("a", "two\n");
    repository.git("add", "a");
    repository.run("commit", Map.of("message", "y"));
    assertThat(repository.git("log", "-1", "--format=%an %cn")).isEqualTo("Holdfast Holdfast");
    assertThat(
            repository.refusal(
                "commit",
                Map.of("message", "z", "author", Map.of("name", "A\n<b@c>", "email", "x@y"))))
        .startsWith("400 This is no author");
  }

  @Test
  void namesThatAreNoUtf8AreShownAndTakenBack() throws Exception {
    repository.shell("echo x > $'caf\\351.txt'; echo y > $'tab\\there'; echo z > '\"quoted\"'");
    Map<String, Object> status = repository.run("status", Map.of());
    assertThat(status)
        .containsEntry(
            "untracked", List.of("\"\\\"quoted\\\"\"", "\"caf\\351.txt\"", "\"tab\\011here\""));
    assertThat(repository.run("add", Map.of("paths", (List<?>) status.get("untracked"))))
        .containsEntry("count", 3L);
    repository.run("commit", Map.of("message", "Begin"));
    assertThat(repository.run("status", Map.of())).containsEntry("clean", true);
    assertThat(repository.refusal("diff", Map.of("path", "\"caf\\351.txt\""))).startsWith("400");
    assertThat(repository.refusal("add", Map.of("paths", List.of("\"caf\\999\""))))
        .startsWith("403");
  }

  @Test
  void whereOnlyReadingIsAllowedNothingIsChanged() throws Exception {
    repository.write("a", "one\n");
    repository.readOnly();
    assertThat(repository.run("status", Map.of())).containsEntry("untracked", List.of("a"));
    assertThat(repository.refusal("add", Map.of("paths", List.of("a")))).startsWith("403");
    assertThat(repository.refusal("commit", Map.of("message", "x"))).startsWith("403");
  }

  @Test
  void whatIsIgnoredOrNotThereIsRefused() throws Exception {
    repository.write(".gitignore", "*.log\n");
    repository.write("x.log", "x");
    assertThat(repository.refusal("add", Map.of("paths", List.of("x.log"))))
        .startsWith("409 Git: ")
        .contains("ignored");
    assertThat(repository.refusal("add", Map.of("paths", List.of("none")))).startsWith("409 Git: ");
    assertThat(repository.refusal("add", Map.of("paths", List.of()))).startsWith("400");
    assertThat(repository.refusal("push", Map.of())).startsWith("501");
  }
}
