package dev.holdfast.notes;

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
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** A vault, and the agent that works in it. */
final class TestVault {
  final Path folder;
  final Path own;
  private final List<String> folders;

  TestVault(Path temporary) throws IOException {
    folder = Files.createDirectories(temporary.toRealPath().resolve("vault"));
    own = temporary.toRealPath().resolve("own");
    folders = List.of(folder.toString(), "--", folder.toString());
  }

  void write(String name, String content) throws IOException {
    Files.createDirectories(folder.resolve(name).resolveSibling(""));
    Files.writeString(folder.resolve(name), content);
  }

  /** {@code day}: of a month, on which it was changed last. */
  void write(String name, String content, int day) throws IOException {
    write(name, content);
    Instant then = Instant.parse("2026-03-01T00:00:00Z").plusSeconds(day * 86_400L);
    Files.setLastModifiedTime(folder.resolve(name), FileTime.from(then));
  }

  String content(String name) throws IOException {
    return Files.readString(folder.resolve(name));
  }

  Map<String, Object> answer(List<String> given, String action, String key, Map<String, ?> payload)
      throws Exception {
    Map<String, Object> request =
        Map.of(
            "request_id",
            "r",
            "action",
            action,
            "context",
            Map.of("idempotency_key", key),
            "payload",
            payload);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    RootFolders roots = RootFolders.of(given, own.resolve("notes"));
    new ActionProgram(new NotesAgent(roots, own).actions())
        .run(
            new ByteArrayInputStream(
                JsonText.write(request)
                    .replace("\"@null\"", "null") // a map in Java has none
                    .getBytes(StandardCharsets.UTF_8)),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            System.err);
    return JsonText.object(out.toString(StandardCharsets.UTF_8));
  }

  Map<String, Object> run(String action, Map<String, ?> payload) throws Exception {
    return run(action, "", payload);
  }

  Map<String, Object> run(String action, String key, Map<String, ?> payload) throws Exception {
    Map<String, Object> answer = answer(folders, action, key, payload);
    assertThat(answer).as(answer.toString()).containsEntry("status", "success");
    return JsonText.map(JsonText.map(answer, "result"), "data");
  }

  String refusal(String action, Map<String, ?> payload) throws Exception {
    return refusal(folders, action, "", payload);
  }

  String refusal(List<String> given, String action, String key, Map<String, ?> payload)
      throws Exception {
    Map<String, Object> answer = answer(given, action, key, payload);
    assertThat(answer).as(answer.toString()).containsEntry("status", "error");
    Map<String, Object> error = JsonText.map(answer, "error");
    return error.get("code") + " " + error.get("message");
  }
}
