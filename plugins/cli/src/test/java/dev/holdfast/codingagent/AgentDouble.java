package dev.holdfast.codingagent;

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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The program with a coding agent of ours, which writes down what it is told. */
final class AgentDouble {
  final Path folder;
  final Path work;
  private final Map<String, Object> settings = new LinkedHashMap<>();
  private final List<String> told = new ArrayList<>();

  /**
   * @param kind whose form it has
   * @param offers what it can do; empty for what is usual
   */
  AgentDouble(Path folder, String kind, String offers) throws IOException {
    this.folder = folder;
    this.work = Files.createDirectories(folder.resolve("work")).toRealPath();
    Path script = Path.of("src/test/resources/doubles", kind + ".py").toAbsolutePath();
    settings.put("program", kind);
    settings.put(
        "command",
        List.of(
            "env",
            "DOUBLE_FOLDER=" + folder,
            "DOUBLE_OFFERS=" + offers,
            "python3",
            script.toString()));
  }

  AgentDouble set(String key, Object value) {
    settings.put(key, value);
    return this;
  }

  /** A task of the chat thread {@code t}. */
  Map<String, Object> work(String key, String task) throws Exception {
    return work(key, "t", Map.of("task", task), Map.of());
  }

  /** The same with the answer to its question. */
  Map<String, Object> answered(String key, String task, Map<String, Object> asks, String answer)
      throws Exception {
    Map<String, Object> state = JsonText.map(data(asks), "state");
    return work(key, "t", Map.of("task", task), Map.of("answer", answer, "state", state));
  }

  Map<String, Object> work(
      String key, String thread, Map<String, Object> payload, Map<String, Object> input)
      throws Exception {
    return run(
        "work",
        payload,
        Map.of("idempotency_key", key, "thread_id", thread, "timeout_secs", 600, "input", input));
  }

  Map<String, Object> run(String action, Map<String, Object> payload, Map<String, Object> context)
      throws Exception {
    Map<String, Object> request =
        Map.of("request_id", "r", "action", action, "context", context, "payload", payload);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Path own = Files.createDirectories(folder.resolve("own"));
    RootFolders roots = RootFolders.of(List.of(work.toString(), "--", work.toString()), own);
    new ActionProgram(
            CodingAgent.actions(ProgramSettings.read(JsonText.write(settings)), roots, own, ""))
        .run(
            new ByteArrayInputStream(JsonText.write(request).getBytes(StandardCharsets.UTF_8)),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            System.err);
    List<String> lines = out.toString(StandardCharsets.UTF_8).lines().toList();
    told.clear();
    lines
        .subList(0, lines.size() - 1)
        .forEach(line -> told.add(JsonText.text(JsonText.object(line), "message")));
    return JsonText.object(lines.getLast());
  }

  /** What was told before the last answer. */
  List<String> told() {
    return told;
  }

  static Map<String, Object> data(Map<String, Object> answer) {
    return JsonText.map(JsonText.map(answer, "result"), "data");
  }

  /** The data of a success. */
  static Map<String, Object> done(Map<String, Object> answer) {
    assertThat(answer).containsEntry("status", "success");
    return data(answer);
  }

  static String failure(Map<String, Object> answer) {
    assertThat(answer).containsEntry("status", "error");
    return answer.get("code") + " " + JsonText.text(JsonText.map(answer, "error"), "message");
  }

  static String question(Map<String, Object> answer) {
    assertThat(answer).containsEntry("status", "awaiting_input");
    assertThat(data(answer)).containsEntry("kind", "approval");
    return JsonText.text(data(answer), "question");
  }

  /** What the double asks a permission for from now on, where it is told to. */
  void asksFor(Map<String, Object> request) throws IOException {
    Files.writeString(folder.resolve("request.json"), JsonText.write(request));
  }

  /** Lines that the double has written down. */
  List<String> noted(String name) throws IOException {
    return Files.exists(folder.resolve(name))
        ? Files.readAllLines(folder.resolve(name))
        : List.of();
  }
}
