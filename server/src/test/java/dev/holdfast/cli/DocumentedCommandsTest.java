package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Each command line that a document names is one that the program understands. */
class DocumentedCommandsTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern COMMAND =
      Pattern.compile(
          "(?:`|^ *|\\| )(?:\\./holdfast|holdfast|java -jar \"\\$HOLDFAST_JAR\") ([a-z][^`\\n]*)",
          Pattern.MULTILINE);

  /** Where the command ends in a block of a shell: a comment, or what takes its output. */
  private static final Pattern END = Pattern.compile(" +(?:#|\\||>|<[^a-z]|&&|;).*");

  private static final Pattern WORD = Pattern.compile("'[^']*'|\"[^\"]*\"|\\S+");
  private static final Pattern OWN_CASE = Pattern.compile("^  ([a-z-]+)\\)", Pattern.MULTILINE);

  @TempDir Path folder;

  @Test
  void everyCommandOfADocumentIsUnderstood() {
    Set<String> ofLauncher =
        OWN_CASE
            .matcher(read(ROOT.resolve("holdfast")))
            .results()
            .map(own -> own.group(1))
            .collect(Collectors.toSet());
    assertThat(ofLauncher).contains("test", "bench", "build");
    List<String> wrong = new ArrayList<>();
    int understood = 0;
    for (Path page : pages()) {
      Matcher command = COMMAND.matcher(read(page));
      while (command.find()) {
        for (List<String> words : alternatives(command.group(1))) {
          if (ofLauncher.contains(words.getFirst())) {
            continue;
          }
          try {
            new CommandLineOf(folder).parse(words.toArray(String[]::new));
            understood++;
          } catch (CommandLine.MissingParameterException _) {
            understood++; // a sentence names the command without what it is about
          } catch (CommandLine.ParameterException e) {
            wrong.add(page + ": " + words + ": " + e.getMessage());
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(understood).isGreaterThan(100);
  }

  @Test
  void whatIsNotUnderstoodIsSeen() {
    for (String bad : List.of("dlq lst", "dlq list --knd event", "statsu", "incidents show 1 2")) {
      String[] words = alternatives(bad).getFirst().toArray(String[]::new);
      assertThatThrownBy(() -> new CommandLineOf(folder).parse(words))
          .as(bad)
          .isInstanceOf(CommandLine.ParameterException.class);
    }
  }

  /** {@code schedules list|cancel} are two; what is in brackets may be left out. */
  private static List<List<String>> alternatives(String command) {
    String plain =
        END.matcher(command)
            .replaceFirst("")
            .replaceAll("\\[[^ ]*(?: [^\\]]*)?]+", "")
            .replaceAll("<[a-z]+>|\\bID\\b|\\$\\([^)]*\\)", "1")
            .replace(" ...", "");
    List<List<String>> all = new ArrayList<>(List.of(List.of()));
    Matcher word = WORD.matcher(plain);
    while (word.find()) {
      String[] choices =
          word.group().matches("[a-z]+(?:\\|[a-z]+)+")
              ? word.group().split("\\|", -1)
              : new String[] {word.group().replaceAll("^['\"]|['\"]$", "")};
      all =
          all.stream()
              .flatMap(
                  begun ->
                      Arrays.stream(choices)
                          .map(next -> Stream.concat(begun.stream(), Stream.of(next)).toList()))
              .toList();
    }
    return all;
  }

  private static List<Path> pages() {
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(
              docs.filter(file -> file.toString().endsWith(".md")).toList().stream(),
              Stream.of("README.md", "CONTRIBUTING.md", "conf/alerts.yaml").map(ROOT::resolve))
          .toList();
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
