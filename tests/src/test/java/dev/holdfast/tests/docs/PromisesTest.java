package dev.holdfast.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of CONTRIBUTING.md: each promise has a test that runs on every commit. */
class PromisesTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern PROMISE =
      Pattern.compile("^\\| *\\d* *\\| \\*\\*(.+?)\\.?\\*\\*", Pattern.MULTILINE);
  private static final Pattern ROW =
      Pattern.compile("^\\| ([^|`]+) \\| (`[^|]+) \\| ([^|]+) \\|$", Pattern.MULTILINE);
  private static final Pattern NAMED = Pattern.compile("`([A-Z]\\w+Test)(?:\\.(\\w+))?`");
  private static final Pattern PROPERTY = Pattern.compile("`-D([a-z._]+)=\\w+`");
  private static final Pattern TEST = Pattern.compile("@(Parameterized)?Test\\n");

  private final Map<String, String> sources =
      Stream.of("server/src/test", "tests/src/test")
          .flatMap(PromisesTest::tests)
          .collect(Collectors.toMap(PromisesTest::name, PromisesTest::read));
  private final List<MatchResult> rows = rows();

  private record Named(String test, String method) {}

  @Test
  void everyPromiseHasARow() {
    assertThat(rows)
        .extracting(row -> row.group(1))
        .containsExactlyElementsOf(
            PROMISE
                .matcher(read(ROOT.resolve("docs/guarantees.md")))
                .results()
                .map(promise -> promise.group(1))
                .toList());
  }

  @Test
  void itsTestIsInTheNormalRun() {
    for (MatchResult row : rows) {
      assertThat(named(row.group(2))).as(row.group()).isNotEmpty().allMatch(this::runsAlways);
    }
  }

  @Test
  void itsLongFormIsOne() {
    for (MatchResult row : rows) {
      String cell = row.group(3);
      List<Named> longer = named(cell);
      assertThat(longer.isEmpty()).as(row.group()).isEqualTo(cell.equals("–"));
      List<String> properties =
          PROPERTY.matcher(cell).results().map(property -> property.group(1)).toList();
      assertThat(longer)
          .as(row.group())
          .allMatch(
              named ->
                  properties.isEmpty()
                      ? cell.contains("`--full`") && isLongIn(named)
                      : properties.stream().allMatch(source(named)::contains));
    }
  }

  private boolean runsAlways(Named named) {
    String source = source(named);
    String ofTheClass = before(source, "class " + named.test() + " ");
    if (ofTheClass.contains("@OnlyInFull") || ofTheClass.contains("@Outside")) {
      return false;
    }
    return named.method().isEmpty()
        ? TEST.matcher(source).results().count() > source.split("@OnlyInFull\\(", -1).length - 1
        : !before(source, " void " + named.method() + "(").contains("@OnlyInFull");
  }

  /** With {@code --full} it is longer, or runs at all. */
  private boolean isLongIn(Named named) {
    String source = source(named);
    return source.contains("@OnlyInFull")
        || source.contains("RunLength.")
        || source.contains("\"holdfast.full\"");
  }

  private String source(Named named) {
    String source = sources.getOrDefault(named.test(), "");
    assertThat(source).as("%s", named).contains("class " + named.test(), named.method());
    return source;
  }

  /** The annotations and the comment. */
  private static String before(String source, String declaration) {
    int at = source.indexOf(declaration);
    assertThat(at).as(declaration).isPositive();
    return source.substring(source.lastIndexOf("\n\n", at), at);
  }

  private static List<MatchResult> rows() {
    return ROW.matcher(read(ROOT.resolve("CONTRIBUTING.md"))).results().toList();
  }

  private static List<Named> named(String cell) {
    return NAMED
        .matcher(cell)
        .results()
        .map(found -> new Named(found.group(1), found.group(2) == null ? "" : found.group(2)))
        .toList();
  }

  private static Stream<Path> tests(String folder) {
    try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
      return files.filter(file -> file.toString().endsWith("Test.java")).toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String name(Path file) {
    return file.getFileName().toString().replace(".java", "");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
