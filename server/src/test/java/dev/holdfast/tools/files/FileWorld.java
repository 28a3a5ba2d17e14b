package dev.holdfast.tools.files;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.time.ManualTime;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The tools in a data folder of their own, with an audit that can refuse or crash. */
final class FileWorld {
  final Path data;
  final Path scratch;
  final Path outside;
  final ManualTime time = new ManualTime();
  final List<AuditEntry> audit = Collections.synchronizedList(new ArrayList<>());
  final Set<String> unfinished = new HashSet<>();

  /** Hears of each look at whether an event is unfinished. */
  Runnable looked = () -> {};

  List<Path> roots = List.of();
  List<Path> hidden = List.of();
  int megabytesMax = 1024;
  boolean auditRefuses;
  boolean auditCrashes;
  private int calls;
  private FileTools tools;

  /** The process is gone. */
  static final class Crash extends Error {
    private static final long serialVersionUID = 1L;
  }

  FileWorld(Path folder) throws Exception {
    data = Files.createDirectories(folder.resolve("data"));
    outside = Files.createDirectories(folder.resolve("outside"));
    scratch = Files.createDirectories(data.resolve("threads/web/ab/t~0123/scratch"));
    Files.writeString(data.resolve("token"), "SECRET");
    Files.writeString(outside.resolve("secret.txt"), "SECRET");
    restart();
  }

  /** The tools as a new process has them. */
  void restart() throws Exception {
    FilesConfig config = new FilesConfig(true, roots, new FilesConfig.Retention(30, megabytesMax));
    ChangeServices services =
        new ChangeServices(
            time,
            this::told,
            text -> {
              throw new AssertionError(text);
            },
            event -> {
              looked.run();
              return unfinished.contains(event);
            });
    tools = FileTools.open(config, data, () -> hidden, services);
  }

  private void told(AuditEntry entry) throws StoreException {
    if (auditCrashes) {
      throw new Crash();
    }
    if (auditRefuses) {
      throw new StoreException(Failure.of(FailureCode.IO, "the disk is full"));
    }
    audit.add(entry);
  }

  Tool tool(String name) {
    return tools.tools().stream()
        .filter(tool -> tool.spec().name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  Backups backups() {
    return tools.backups();
  }

  /** Each call has a key of its own. */
  ToolResult call(String name, String... arguments) throws InterruptedException {
    return callAs("event." + ++calls + ".1", name, arguments);
  }

  /** {@code arguments}: names and texts by turns. */
  ToolResult callAs(String key, String name, String... arguments) throws InterruptedException {
    JsonObject json = new JsonObject();
    for (int i = 0; i < arguments.length; i += 2) {
      json.put(arguments[i], arguments[i + 1]);
    }
    return callWith(key, name, json);
  }

  ToolResult callWith(String key, String name, JsonObject arguments) throws InterruptedException {
    return tool(name).run(arguments.encode(), context(key));
  }

  ToolContext context(String key) {
    return new ToolContext(
        "web:main:t", "event", "me", "c1", key, scratch, ToolContext.Progress.SILENT);
  }

  Path put(String name, String text) throws IOException {
    Path file = scratch.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  /** Every file name in the scratch folder, in order. */
  List<String> names() {
    return namesIn(scratch);
  }

  static List<String> namesIn(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(file -> !file.equals(folder))
          .map(file -> folder.relativize(file).toString())
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The names of the executions that are kept. */
  List<String> kept() throws IOException {
    try (Stream<Path> files = Files.list(data.resolve("backups"))) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  Path manifest(String execution) {
    return data.resolve("backups").resolve(execution).resolve("manifest.json");
  }
}
