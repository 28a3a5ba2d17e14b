package dev.holdfast.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
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

  private static final Pattern COMMANDS =
      Pattern.compile("^ *```sh\\n(.*?)^ *```$", Pattern.MULTILINE | Pattern.DOTALL);

  /** A line with its comment, and the lines that continue it. */
  private static final Pattern WHOLE = Pattern.compile("(?:\\\\\n|#[^\n]*|'[^']*'|[^\n'#])+");

  private static final Path DOCS = ROOT.resolve("docs").normalize();

  /** How many blocks of commands a test of this package runs, word for word. */
  private static final Map<String, Integer> RUN =
      Map.ofEntries(
          Map.entry("docs/agents.md", 1),
          Map.entry("docs/plans.md", 1),
          Map.entry("docs/plugins.md", 3),
          Map.entry("docs/extensions.md", 6),
          Map.entry("docs/monitoring.md", 1),
          Map.entry("docs/terminal.md", 2),
          Map.entry("docs/guides/first-bot.md", 4),
          Map.entry("docs/guides/add-a-tool.md", 4),
          Map.entry("docs/guides/connect-a-channel.md", 3),
          Map.entry("docs/guides/production-week.md", 4),
          Map.entry("docs/guides/something-is-wrong.md", 8));

  /** Commands that no test runs word for word: how they begin, and why. */
  private static final Map<String, Map<String, String>> NOT_RUN =
      Map.of(
          "README.md",
              Map.of(
                  "./holdfast run", "runs until it is stopped; the guides' server is started so",
                  "./holdfast test", "is what runs this test",
                  "ANTHROPIC_API_KEY=", "needs a key"),
          "CONTRIBUTING.md",
              Map.of(
                  "./holdfast run", "runs until it is stopped",
                  "./holdfast test", "is what runs this test",
                  "./holdfast bench", "measures",
                  "mvn ", "builds and tests what is being tested"),
          "tests/README.md",
              Map.of(
                  "./holdfast test", "is what runs this test, and some of them run for hours",
                  "java -cp", "measures"),
          "docs/install.md",
              Map.of(
                  "./holdfast ", "InstallPageTest runs it",
                  "sudo ", "InstallPageTest runs it",
                  "podman ",
                      "needs a container engine; ContainerfileTest holds it against the file",
                  "~/.local/bin/holdfast", "InstallPageTest runs it",
                  "mkdir ", "InstallPageTest runs it",
                  "cp ", "InstallPageTest runs it",
                  "cd ", "InstallPageTest runs it",
                  "trivy ", "fetches what is known of holes; SbomTest checks the file it reads",
                  "osv-scanner ", "fetches what is known of holes; SbomTest checks its file",
                  "java @java.options", "InstallPageTest runs it"),
          "docs/backup.md",
              Map.of(
                  "holdfast backup", "names a folder; guides/production-week.md runs the same",
                  "holdfast restore", "names a folder; guides/production-week.md runs the same",
                  "holdfast promote", "needs a restored copy; RestoredCopyTest has one",
                  "sudo ", "InstallPageTest runs it"),
          "docs/incidents.md",
              Map.of(
                  "holdfast incidents list", "guides/production-week.md runs it",
                  "holdfast incidents show", "needs an incident; IncidentTest makes some",
                  "holdfast incidents resolve", "needs an incident; IncidentTest makes some"),
          "docs/channels/matrix.md", Map.of("curl ", "logs in to a homeserver of yours"),
          "docs/channels/nats.md",
              Map.of(
                  "apt-get ", "installs for the whole machine",
                  "nats-server ", "runs until it is stopped; NatsChannelTest starts one"));

  @Test
  void everyCommandIsRunOrSaysWhyNot() {
    List<String> unknown = new ArrayList<>();
    for (Path page : pages()) {
      String name = ROOT.relativize(page).toString();
      List<String> blocks = COMMANDS.matcher(read(page)).results().map(b -> b.group(1)).toList();
      if (blocks.size() == RUN.getOrDefault(name, 0)) {
        continue;
      }
      Set<String> excuses = new HashSet<>(NOT_RUN.getOrDefault(name, Map.of()).keySet());
      Set<String> used = new HashSet<>();
      for (String command : blocks.stream().flatMap(DocumentsTest::commands).toList()) {
        List<String> fitting = excuses.stream().filter(command::startsWith).toList();
        used.addAll(fitting);
        if (fitting.isEmpty()) {
          unknown.add(name + ": " + command);
        }
      }
      excuses.removeAll(used);
      excuses.forEach(excuse -> unknown.add(name + " has no command any more: " + excuse));
    }
    assertThat(unknown).isEmpty();
  }

  /** The commands of a block; lines that a backslash or a quotation mark joins are one. */
  private static Stream<String> commands(String block) {
    return WHOLE
        .matcher(block)
        .results()
        .map(command -> command.group().strip())
        .filter(command -> !command.isEmpty() && !command.startsWith("#"));
  }

  @Test
  void everyPageIsReachedFromTheIndex() {
    Set<Path> reached = new LinkedHashSet<>(List.of(ROOT.resolve("docs/README.md").normalize()));
    Deque<Path> open = new ArrayDeque<>(reached);
    while (!open.isEmpty()) {
      Path page = open.remove();
      LINK.matcher(read(page))
          .results()
          .map(link -> page.resolveSibling(link.group(1)).normalize())
          .filter(target -> target.toString().endsWith(".md") && Files.exists(target))
          .filter(reached::add)
          .forEach(open::add);
    }
    assertThat(pages().stream().map(Path::normalize).filter(page -> page.startsWith(DOCS)))
        .isNotEmpty()
        .allSatisfy(page -> assertThat(reached).contains(page));
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
