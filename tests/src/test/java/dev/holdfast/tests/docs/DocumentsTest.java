package dev.holdfast.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A document that names a test, a file or a key names one that exists. */
class DocumentsTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern NAMED =
      Pattern.compile("`([A-Z][A-Za-z0-9]+Test)(?:\\.([a-z][A-Za-z0-9]+))?`");
  private static final Pattern CLASS = Pattern.compile("`((?:[a-z]+\\.)+[A-Z][A-Za-z]+)`");
  private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:)([^)#]*)(?:#([^)]+))?\\)");
  private static final Pattern HEADING = Pattern.compile("^#+ +(.+)$", Pattern.MULTILINE);
  private static final Pattern REASON =
      Pattern.compile("ConditionReport\\.(?:degraded|failed)\\(\\s*\"([a-z_]+)\"");
  private static final Pattern KEY = Pattern.compile("^#? *([a-z_]+):", Pattern.MULTILINE);

  private static final Pattern COMMANDS = Pattern.compile("^ *```sh$", Pattern.MULTILINE);

  /** How many blocks of commands a test of this package runs, word for word. */
  private static final Map<String, Integer> RUN =
      Map.of(
          "docs/agents.md", 1,
          "docs/plans.md", 1,
          "docs/plugins.md", 3,
          "docs/extensions.md", 6,
          "docs/monitoring.md", 1,
          "docs/guides/first-bot.md", 3,
          "docs/guides/add-a-tool.md", 4,
          "docs/guides/connect-a-channel.md", 3,
          "docs/guides/production-week.md", 4,
          "docs/guides/something-is-wrong.md", 8);

  /** Why the blocks of commands of a page are not run as they stand there. */
  private static final Map<String, String> NOT_RUN =
      Map.of(
          "README.md", "they run until they are stopped, test everything, or need a key",
          "CONTRIBUTING.md", "they build and test everything",
          "tests/README.md", "they run for hours, or measure",
          "docs/install.md",
              "they change a machine; the tests of the package do it in a root of their own",
          "docs/backup.md",
              "they name folders of a machine; guides/production-week.md runs the same",
          "docs/terminal.md", "they change the shell of whoever types them",
          "docs/incidents.md", "they need an incident; IncidentTest makes some",
          "docs/channels/matrix.md", "they log in to a homeserver of yours");

  @Test
  void everyBlockOfCommandsIsRunOrSaysWhyNot() {
    for (Path page : pages()) {
      String name = ROOT.relativize(page).toString();
      int blocks = Math.toIntExact(COMMANDS.matcher(read(page)).results().count());
      if (blocks > 0 && !NOT_RUN.containsKey(name)) {
        assertThat(RUN.getOrDefault(name, 0))
            .as("blocks of commands that are run of " + name)
            .isEqualTo(blocks);
      }
    }
  }

  @Test
  void everyTestThatIsNamedExists() {
    Map<String, List<String>> sources =
        Stream.of("server/src/test", "tests/src/test")
            .flatMap(folder -> walk(ROOT.resolve(folder)))
            .filter(file -> file.toString().endsWith("Test.java"))
            .collect(
                Collectors.groupingBy(
                    file -> file.getFileName().toString().replace(".java", ""),
                    Collectors.mapping(DocumentsTest::read, Collectors.toList())));
    List<String> missing = new ArrayList<>();
    for (Path page : pages()) {
      Matcher named = NAMED.matcher(read(page));
      while (named.find()) {
        String method = named.group(2) == null ? "" : " " + named.group(2) + "(";
        if (sources.getOrDefault(named.group(1), List.of()).stream()
            .noneMatch(text -> text.contains(method))) {
          missing.add(page + ": " + named.group());
        }
      }
    }
    assertThat(missing).isEmpty();
  }

  @Test
  void everyReasonOfAConditionIsExplained() {
    String page = read(ROOT.resolve("docs/conditions.md"));
    List<String> reasons =
        walk(ROOT.resolve("server/src/main/java"))
            .filter(file -> file.toString().endsWith(".java"))
            .map(DocumentsTest::read)
            .flatMap(text -> REASON.matcher(text).results())
            .map(found -> found.group(1))
            .toList();
    assertThat(reasons).hasSizeGreaterThan(15);
    assertThat(reasons).allSatisfy(reason -> assertThat(page).contains("`" + reason + "`"));
  }

  @Test
  void everyClassThatIsNamedWithItsPackageExists() {
    Path sources = ROOT.resolve("server/src/main/java/dev/holdfast");
    List<String> missing = new ArrayList<>();
    for (Path page : pages()) {
      CLASS
          .matcher(read(page))
          .results()
          .map(name -> name.group(1))
          .filter(name -> !Files.exists(sources.resolve(name.replace('.', '/') + ".java")))
          .forEach(name -> missing.add(page + ": " + name));
    }
    assertThat(missing).isEmpty();
  }

  @Test
  void everyLinkLeadsSomewhere() {
    List<String> broken = new ArrayList<>();
    for (Path page : pages()) {
      Matcher link = LINK.matcher(read(page));
      while (link.find()) {
        Path target = link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1));
        if (!Files.exists(target)
            || (link.group(2) != null && !anchors(read(target)).contains(link.group(2)))) {
          broken.add(page + ": " + link.group());
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void everyKeyOfTheConfigurationIsExplained() {
    String explained = read(ROOT.resolve("docs/configuration.md"));
    assertThat(
            KEY.matcher(read(ROOT.resolve("conf/holdfast.yaml")))
                .results()
                .map(key -> key.group(1))
                .filter(key -> !Pattern.compile("\\b" + key + "\\b").matcher(explained).find()))
        .isEmpty();
  }

  private static List<Path> pages() {
    return Stream.concat(
            walk(ROOT.resolve("docs")).filter(file -> file.toString().endsWith(".md")),
            Stream.of("README.md", "CONTRIBUTING.md", "tests/README.md").map(ROOT::resolve))
        .toList();
  }

  /** The anchors that a page's headings have, as the usual renderers of Markdown name them. */
  private static List<String> anchors(String text) {
    return HEADING
        .matcher(text)
        .results()
        .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^a-z0-9 _-]", "").replace(' ', '-'))
        .toList();
  }

  private static Stream<Path> walk(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
