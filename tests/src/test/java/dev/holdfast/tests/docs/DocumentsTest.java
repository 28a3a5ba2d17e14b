package dev.holdfast.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
  private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:)([^)#]+)\\)");
  private static final Pattern REASON =
      Pattern.compile("ConditionReport\\.(?:degraded|failed)\\(\\s*\"([a-z_]+)\"");
  private static final Pattern KEY = Pattern.compile("^#? *([a-z_]+):", Pattern.MULTILINE);

  @Test
  void everyPromiseNamesTestsThatExist() {
    Map<String, List<String>> sources =
        Stream.of("server/src/test", "tests/src/test")
            .flatMap(folder -> walk(ROOT.resolve(folder)))
            .filter(file -> file.toString().endsWith("Test.java"))
            .collect(
                Collectors.groupingBy(
                    file -> file.getFileName().toString().replace(".java", ""),
                    Collectors.mapping(DocumentsTest::read, Collectors.toList())));
    List<String> missing = new ArrayList<>();
    Matcher named = NAMED.matcher(read(ROOT.resolve("docs/guarantees.md")));
    while (named.find()) {
      String method = named.group(2) == null ? "" : " " + named.group(2) + "(";
      if (sources.getOrDefault(named.group(1), List.of()).stream()
          .noneMatch(text -> text.contains(method))) {
        missing.add(named.group());
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
  void everyLinkLeadsSomewhere() {
    List<Path> pages =
        new ArrayList<>(
            walk(ROOT.resolve("docs")).filter(file -> file.toString().endsWith(".md")).toList());
    pages.add(ROOT.resolve("README.md"));
    pages.add(ROOT.resolve("CONTRIBUTING.md"));
    List<String> broken = new ArrayList<>();
    for (Path page : pages) {
      LINK.matcher(read(page))
          .results()
          .map(link -> link.group(1))
          .filter(target -> !Files.exists(page.resolveSibling(target)))
          .forEach(target -> broken.add(page + ": " + target));
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
