package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Reads the sources for what a compiler does not see: missing package-infos, names that say
 * nothing, work that is not finished.
 */
class TidyTest {
  private static final Pattern EMPTY_NAMES =
      Pattern.compile(".*(Util|Utils|Helper|Helpers|Manager|Impl|Misc|Common)\\.java");
  private static final Path ROOT = Path.of("..");

  @Test
  void everyPackageSaysWhatItIsFor() {
    assertThat(
            sources()
                .filter(file -> file.toString().contains("src/main/java"))
                .map(Path::getParent)
                .distinct()
                .filter(folder -> !Files.exists(folder.resolve("package-info.java"))))
        .isEmpty();
  }

  @Test
  void namesSayWhatAThingIs() {
    assertThat(sources().filter(file -> EMPTY_NAMES.matcher(file.toString()).matches())).isEmpty();
  }

  @Test
  void noSimpleNameStandsTwice() {
    Map<String, Long> count =
        sources()
            .map(file -> file.getFileName().toString())
            .filter(name -> !name.equals("package-info.java"))
            .collect(Collectors.groupingBy(name -> name, Collectors.counting()));
    assertThat(count.entrySet().stream().filter(name -> name.getValue() > 1)).isEmpty();
  }

  @Test
  void noSourceSpeaksOfUnfinishedWork() {
    Set<String> unfinished =
        Set.of("TO" + "DO", "FIX" + "ME", "new Unsupported" + "OperationException");
    assertThat(
            sources()
                .filter(file -> file.toString().contains("src/main/java"))
                .filter(
                    file ->
                        lines(file).stream()
                            .anyMatch(line -> unfinished.stream().anyMatch(line::contains))))
        .isEmpty();
  }

  private static Stream<Path> sources() {
    return Stream.of("plugin-api/src", "nats-kit/src", "server/src", "plugins", "tests/src")
        .map(ROOT::resolve)
        .filter(Files::isDirectory)
        .flatMap(TidyTest::walk)
        .filter(file -> file.toString().endsWith(".java") && !file.toString().contains("/target/"));
  }

  private static Stream<Path> walk(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
