package dev.holdfast.tools.skills;

import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.processes.MachineGate;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Skills in two folders, of which the first wins. */
final class SkillRig {
  static final String GOOD = "---\nname: %s\ndescription: works\n---\nyes";

  final Path folder;
  final Path first;
  final Path second;
  final Map<String, String> environment = new ConcurrentHashMap<>();
  final Set<Path> secrets = ConcurrentHashMap.newKeySet();
  final Skills skills;

  SkillRig(Path folder) {
    this.folder = folder;
    this.first = folder.resolve("data/skills");
    this.second = folder.resolve("work/.agents/skills");
    this.skills =
        new Skills(
            List.of(first, second),
            List.of(folder.resolve("writable")),
            () -> new MachineGate(Map.copyOf(environment), Path.of("holdfast.env")));
    environment.put("PATH", System.getenv("PATH"));
  }

  /** Writes a file of a skill in the first folder. */
  Path write(String skill, String file, String text) throws IOException {
    Path path = first.resolve(skill).resolve(file);
    Files.createDirectories(path.getParent());
    return Files.writeString(path, text);
  }

  /** A skill with these lines behind its name and description. */
  Skill with(String lines) throws IOException {
    String text = "---\nname: some\ndescription: works\n" + lines + "\n---\nyes";
    Path _ = write("some", "SKILL.md", text);
    return skills.find("some").orElseThrow();
  }

  ToolResult read(JsonObject arguments) {
    return new ReadSkillTool(skills, new SkillFiles(() -> secrets))
        .run(
            arguments.encode(),
            new ToolContext("t", "e", "s", "c", "k", folder, ToolContext.Progress.SILENT));
  }

  String read(String name) {
    return read(new JsonObject().put("name", name)).text();
  }
}
