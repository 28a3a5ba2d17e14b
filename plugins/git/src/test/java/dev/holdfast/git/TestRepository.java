package dev.holdfast.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agentkit.ActionProgram;
import dev.holdfast.agentkit.RootFolders;
import dev.holdfast.kit.JsonText;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A repository in a folder that the agent may reach, and the agent itself. */
final class TestRepository {
  final Path root;
  final Path folder;
  private final List<String> folders;
  private String author = "";
  private int requests;

  TestRepository(Path temporary) throws Exception {
    root = Files.createDirectories(temporary.toRealPath().resolve("root"));
    folder = Files.createDirectories(root.resolve("work"));
    folders = new ArrayList<>(List.of(root.toString(), "--", root.toString()));
    git("init", "--quiet", "--initial-branch=main");
    git("config", "user.name", "Ann");
    git("config", "user.email", "ann@example.org");
  }

  TestRepository readOnly() {
    folders.subList(1, folders.size()).clear();
    return this;
  }

  TestRepository committing(String person) {
    author = person;
    return this;
  }

  /** Git as a person would run it; returns what it says. */
  String git(String... arguments) throws IOException, InterruptedException {
    return git(folder, arguments);
  }

  static String git(Path where, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(where.toFile());
    builder.environment().put("GIT_CONFIG_GLOBAL", "/dev/null");
    builder.environment().put("GIT_CONFIG_NOSYSTEM", "1");
    builder.redirectErrorStream(true);
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said.strip();
  }

  /** A shell in the repository, for names that Java cannot write. */
  void shell(String script) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder("bash", "-c", script)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
  }

  void write(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.resolveSibling(""));
    Files.writeString(file, text);
  }

  void commitAll(String message) throws IOException, InterruptedException {
    git("add", "--all");
    git("commit", "--quiet", "--message", message);
  }

  /** The whole answer. */
  Map<String, Object> answer(String action, String key, Map<String, Object> payload)
      throws Exception {
    String id = "r" + requests++;
    Map<String, Object> request =
        Map.of(
            "request_id",
            id,
            "action",
            action,
            "context",
            Map.of("idempotency_key", key),
            "payload",
            payload);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    RootFolders roots = RootFolders.of(folders, root.resolve("unused"));
    new ActionProgram(new GitAgent(roots, author).actions())
        .run(
            new ByteArrayInputStream(JsonText.write(request).getBytes(StandardCharsets.UTF_8)),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            System.err);
    Map<String, Object> answer = JsonText.object(out.toString(StandardCharsets.UTF_8));
    assertThat(answer).containsEntry("request_id", id);
    return answer;
  }

  /** What a model reads of a success. */
  Map<String, Object> run(String action, Map<String, Object> payload) throws Exception {
    return run(action, "", payload);
  }

  Map<String, Object> run(String action, String key, Map<String, Object> payload) throws Exception {
    Map<String, Object> answer = answer(action, key, in(payload));
    assertThat(answer).as(answer.toString()).containsEntry("status", "success");
    return JsonText.map(JsonText.map(answer, "result"), "data");
  }

  /** The code and the sentence of a refusal. */
  String refusal(String action, Map<String, Object> payload) throws Exception {
    Map<String, Object> answer = answer(action, "", in(payload));
    assertThat(answer).as(answer.toString()).containsEntry("status", "error");
    Map<String, Object> error = JsonText.map(answer, "error");
    return error.get("code") + " " + error.get("message");
  }

  private static Map<String, Object> in(Map<String, Object> payload) {
    Map<String, Object> all = new java.util.LinkedHashMap<>(payload);
    all.putIfAbsent("repo", "work");
    return all;
  }
}
