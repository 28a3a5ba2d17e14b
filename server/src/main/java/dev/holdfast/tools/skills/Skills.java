package dev.holdfast.tools.skills;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.holdfast.store.engine.TextFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folders of {@code data/skills}, each with a SKILL.md that begins with its name and
 * description in YAML. Read fresh each time. Thread-safe.
 */
public final class Skills {
  private static final Logger LOG = LoggerFactory.getLogger(Skills.class);
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  /** So many are listed, by their names; the others are left out. */
  static final int LISTED_MAX = 100;

  static final int FILE_BYTES_MAX = 65_536;
  private static final int HEAD_MAX = 4096;
  private static final int DESCRIPTION_MAX = 500;
  private static final int PROBLEMS_MAX = 1000;
  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,63}");
  private static final Pattern HEAD =
      Pattern.compile(
          "\\A\\uFEFF?---[ \\t]*\\r?\\n(.*?)\\r?\\n---[ \\t]*(?:\\r?\\n|\\z)", Pattern.DOTALL);

  private final Path folder;
  private final TextFiles texts;

  /** What was complained of, so that a turn does not do it again. */
  private final Set<String> problems = ConcurrentHashMap.newKeySet();

  public Skills(Path dataDir, TextFiles texts) {
    this.folder = dataDir.resolve("skills");
    this.texts = texts;
  }

  /** A skill; its body is everything behind the front matter. */
  public record Skill(String name, String description, String body) {}

  /** By their names, without those that cannot be read. */
  public List<Skill> list() {
    if (!Files.exists(folder) || !Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      return List.of();
    }
    try (Stream<Path> folders = Files.list(folder)) {
      List<Skill> skills = new ArrayList<>();
      folders
          .map(each -> String.valueOf(each.getFileName()))
          .filter(name -> NAME.matcher(name).matches())
          .sorted()
          .limit(LISTED_MAX)
          .forEach(name -> find(name).ifPresent(skills::add));
      return skills;
    } catch (IOException e) {
      reportProblem("the folder", "cannot be read");
      return List.of();
    }
  }

  /** Empty when there is none under that name, which is never a path. */
  public Optional<Skill> find(String name) {
    if (!NAME.matcher(name).matches()) {
      return Optional.empty();
    }
    Path own = folder.resolve(name);
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
        || !Files.isDirectory(own, LinkOption.NOFOLLOW_LINKS)) {
      return Optional.empty();
    }
    try {
      Optional<String> text = texts.read(own.resolve("SKILL.md"), FILE_BYTES_MAX);
      if (text.isEmpty()) {
        reportProblem(name, "has no plain file SKILL.md");
      }
      return text.flatMap(all -> parsed(name, all));
    } catch (IOException e) {
      reportProblem(name, "cannot be read");
      return Optional.empty();
    }
  }

  private Optional<Skill> parsed(String name, String text) {
    var head = HEAD.matcher(text);
    if (!head.find() || head.group(1).length() > HEAD_MAX) {
      reportProblem(
          name, "does not begin with a front matter of at most " + HEAD_MAX + " characters");
      return Optional.empty();
    }
    try {
      JsonNode front = YAML.readTree(head.group(1));
      String description = front.path("description").asText("").replaceAll("\\s+", " ").strip();
      if (!front.path("name").asText("").equals(name) || description.isEmpty()) {
        reportProblem(name, "needs its folder's name as name, and a description");
        return Optional.empty();
      }
      String shown =
          description.length() <= DESCRIPTION_MAX
              ? description
              : description.substring(0, DESCRIPTION_MAX) + "…";
      return Optional.of(new Skill(name, shown, text.substring(head.end())));
    } catch (JacksonException e) {
      reportProblem(name, "has a front matter that is not YAML");
      return Optional.empty();
    }
  }

  private void reportProblem(String name, String what) {
    if (problems.size() < PROBLEMS_MAX && problems.add(name + " " + what)) {
      LOG.warn("skill {}: skipped, it {}", name, what);
    }
  }
}
