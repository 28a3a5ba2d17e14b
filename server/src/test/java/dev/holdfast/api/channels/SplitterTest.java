package dev.holdfast.api.channels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class SplitterTest {
  @Test
  void aTextThatFitsIsOnePartAsItIs() {
    assertThat(Splitter.split("", 10)).containsExactly("");
    assertThat(Splitter.split("0123456789", 10)).containsExactly("0123456789");
  }

  @Test
  void cutsAtParagraphsFirstThenLinesThenSpaces() {
    assertThat(Splitter.split("aaaa aa\n\nbb b\nccc", 14))
        .containsExactly("aaaa aa\n\n", "bb b\nccc");
    assertThat(Splitter.split("aaaa aa\nbb bcc cc", 14)).containsExactly("aaaa aa\n", "bb bcc cc");
    assertThat(Splitter.split("aaaa aaa bb bcc cc", 14)).containsExactly("aaaa aaa bb ", "bcc cc");
    assertThat(Splitter.split("aaaaaaaaaabbbbb", 10)).containsExactly("aaaaaaaaaa", "bbbbb");
  }

  @Test
  void anEarlyParagraphDoesNotMakeATinyPart() {
    assertThat(Splitter.split("a\n\n" + "b".repeat(60) + "\n" + "c".repeat(40), 80))
        .containsExactly("a\n\n" + "b".repeat(60) + "\n", "c".repeat(40));
  }

  @Test
  void aFenceThatIsCutIsClosedAndOpenedAgainWithItsLanguage() {
    String code = "let x = 1;\n".repeat(10);
    List<String> parts = Splitter.split("Look:\n```javascript\n" + code + "```\nDone.", 100);
    assertThat(parts).hasSize(2).allSatisfy(part -> assertThat(openAtEnd(part)).isFalse());
    assertThat(parts.getFirst()).startsWith("Look:\n```javascript\n").endsWith(";\n```");
    assertThat(parts.getLast()).startsWith("```javascript\nlet x").endsWith("```\nDone.");
  }

  @Test
  void aFenceIsNotOpenedForNothing() {
    List<String> parts =
        Splitter.split("a".repeat(86) + "\n```java\n" + "int i;\n".repeat(5) + "```\n", 100);
    assertThat(parts.getFirst()).isEqualTo("a".repeat(86) + "\n");
  }

  @Test
  void blankPartsAreLeftOut() {
    assertThat(Splitter.split("a" + "\n".repeat(50) + "b", 10))
        .containsExactly("a\n\n\n\n\n\n\n\n\n", "\nb")
        .allSatisfy(part -> assertThat(part).isNotBlank());
    assertThat(Splitter.split(" ".repeat(50), 10)).hasSize(1);
  }

  @Test
  void aTableThatIsCutBeginsAgainWithItsHead() {
    String head = "| no | name |\n|----|:----:|\n";
    String row = "| 1 | one |\n";
    assertThat(Splitter.split("Look:\n" + head + row.repeat(18) + "\nDone.", 112))
        .containsExactly(
            "Look:\n" + head + row.repeat(6),
            head + row.repeat(7),
            head + row.repeat(5) + "\nDone.");
    for (int before : new int[] {80, 90}) { // the end of a part is behind the head, or within it
      String words = "a".repeat(before) + "\n";
      assertThat(Splitter.split(words + head + row, 112)).containsExactly(words, head + row);
    }
    String wide = "| 1 | " + "x".repeat(70) + " |\n";
    assertThat(Splitter.split("Look:\n" + head + wide + wide, 112))
        .as("no row is cut that fits into a part")
        .containsExactly("Look:\n", head + wide, head + wide);
  }

  @Test
  void whatFollowsATableIsNotPartOfIt() {
    String table = "|a|b|\n|-|-|\n" + "|1|2|\n".repeat(10);
    for (String next : List.of("\nwords | words", "words", "# a | b", "```\na | b\n```\n")) {
      String text = table + next + "\n" + "x".repeat(40);
      List<String> parts = Splitter.split(text, table.length());
      assertThat(parts.getFirst()).isEqualTo(table);
      assertThat(parts.get(1)).as(next).doesNotContain("|-|");
    }
  }

  @Test
  void rowsInACodeBlockAndHeadsThatAreTooLongAreText() {
    String code = "```\n| a | b |\n|---|---|\n" + "| 1 | 2 |\n".repeat(20) + "```\n";
    assertThat(Splitter.split(code, 100).get(1)).startsWith("```\n| 1 | 2 |");
    String wide = "| " + "x".repeat(40) + " | b |\n|---|---|\n" + "| 1 | 2 |\n".repeat(20);
    assertThat(Splitter.split(wide, 100).get(1)).startsWith("| 1 | 2 |");
  }

  @Test
  void refusesALimitThatNoPairFits() {
    assertThatIllegalArgumentException().isThrownBy(() -> Splitter.split("abc", 1));
  }

  @Property(tries = 500)
  void noPartIsTooLongNorEndsInsideAPair(
      @ForAll("texts") String text, @ForAll @IntRange(min = 2, max = 200) int max) {
    List<String> parts = Splitter.split(text, max);
    assertThat(parts).isNotEmpty();
    for (String part : parts) {
      assertThat(part.length()).isLessThanOrEqualTo(max);
      assertThat(part.codePoints().filter(point -> point >= 0xd800 && point <= 0xdfff)).isEmpty();
    }
  }

  @Property(tries = 500)
  void withoutFencesThePartsJoinToTheTextButForBlankOnes(
      @ForAll("plainTexts") String text, @ForAll @IntRange(min = 2, max = 200) int max) {
    String joined = String.join("", Splitter.split(text, max));
    assertThat(joined.replaceAll("\\s", "")).isEqualTo(text.replaceAll("\\s", ""));
    if (!text.contains("   ") && !text.contains("\n\n\n") && max > 40) {
      assertThat(joined).isEqualTo(text);
    }
  }

  /** Each row stands in one part, below the head of its own table. */
  @Property(tries = 1000)
  void everyRowOfATableIsBelowItsHead(
      @ForAll("tables") List<List<String>> tables,
      @ForAll @IntRange(min = 120, max = 400) int max) {
    List<String> rows = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    for (int number = 0; number < tables.size(); number++) {
      text.append("Words before it.\n| t%1$d | x |\n| --- | --- |\n".formatted(number));
      for (String cell : tables.get(number)) {
        rows.add("| t%d | %s |".formatted(number, cell));
        text.append(rows.getLast()).append('\n');
      }
      text.append("\nAnd words after it.\n\n");
    }
    List<String> seen = new ArrayList<>();
    for (String part : Splitter.split(text.toString(), max)) {
      assertThat(part.length()).isLessThanOrEqualTo(max);
      String head = "";
      List<String> lines = part.lines().toList();
      for (int at = 0; at < lines.size(); at++) {
        String line = lines.get(at);
        if (line.startsWith("| --- ")) {
          assertThat(at).as(part).isPositive();
          head = lines.get(at - 1);
          assertThat(head).endsWith("| x |");
        } else if (rows.contains(line)) {
          assertThat(line).as(part).startsWith(head.substring(0, 4)).isNotEqualTo(head);
          seen.add(line);
        } else if (!line.endsWith("| x |")) {
          assertThat(line).as(part).doesNotContain("|");
        }
      }
    }
    assertThat(seen).isEqualTo(rows);
  }

  @Property(tries = 1000)
  void balancedFencesStayBalancedInEachPart(
      @ForAll("fencedTexts") String text, @ForAll @IntRange(min = 64, max = 300) int max) {
    List<String> parts = Splitter.split(text, max);
    for (String part : parts) {
      assertThat(openAtEnd(part)).as(part).isFalse();
      assertThat(part.length()).isLessThanOrEqualTo(max);
    }
    assertThat(content(String.join("\n", parts))).isEqualTo(content(text));
  }

  @Test
  void takesLinearTime() {
    String hostile = ("a".repeat(30_000) + "\n```\n" + "b\n".repeat(30_000) + "```\n").repeat(20);
    String line = "x".repeat(3_000_000);
    String ticks = "`".repeat(1_000_000);
    String pipes = "|-|\n".repeat(250_000);
    org.junit.jupiter.api.Assertions.assertTimeout(
        Duration.ofSeconds(5),
        () -> {
          for (String text : List.of(hostile, line, ticks, pipes, " ".repeat(1_000_000) + "x")) {
            assertThat(Splitter.split(text, 2000).stream().mapToLong(String::length).sum())
                .isPositive();
            assertThat(Splitter.split(text, 40)).isNotEmpty();
          }
        });
  }

  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.of(
            "a",
            "word",
            " ",
            "\n",
            "\n\n",
            "|",
            "|-|\n",
            "```",
            "```java\n",
            "~~~",
            "😀",
            "é",
            "\r\n",
            "````\n")
        .list()
        .ofMaxSize(200)
        .map(pieces -> String.join("", pieces));
  }

  @Provide
  Arbitrary<String> plainTexts() {
    return Arbitraries.of("a", "word", " ", "\n", "\n\n", "😀", "é", "-", "longerword")
        .list()
        .ofMaxSize(200)
        .map(pieces -> String.join("", pieces));
  }

  @Provide
  Arbitrary<String> fencedTexts() {
    Arbitrary<String> words =
        Arbitraries.of("word", "x", "longer", "😀", "`code`")
            .list()
            .ofMinSize(1)
            .ofMaxSize(40)
            .map(list -> String.join(" ", list));
    Arbitrary<String> code =
        words
            .list()
            .ofMinSize(0)
            .ofMaxSize(8)
            .flatMap(
                lines ->
                    Arbitraries.of("```", "```js", "~~~", "````md")
                        .map(
                            open ->
                                open
                                    + "\n"
                                    + lines.stream()
                                        .map(line -> line + "\n")
                                        .collect(Collectors.joining())
                                    + marker(open)));
    return Arbitraries.frequencyOf(
            net.jqwik.api.Tuple.of(3, words), net.jqwik.api.Tuple.of(2, code))
        .list()
        .ofMaxSize(12)
        .map(blocks -> String.join("\n\n", blocks));
  }

  /** The cells of some tables. */
  @Provide
  Arbitrary<List<List<String>>> tables() {
    return Arbitraries.of("1", "word", "some words here", "`code`", "😀", "-")
        .list()
        .ofMinSize(1)
        .ofMaxSize(60)
        .list()
        .ofMaxSize(3);
  }

  private static String marker(String opener) {
    return opener.replaceAll("[a-z]", "");
  }

  /** A second, simpler reading of fences: whether one is open after the last line. */
  private static boolean openAtEnd(String part) {
    String open = "";
    for (String line : part.split("\n", -1)) {
      String bare = line.strip();
      if (open.isEmpty()
          && (bare.startsWith("```") || bare.startsWith("~~~"))
          && !bare.substring(3).contains("` ")) {
        open = marker(bare);
      } else if (!open.isEmpty()
          && bare.startsWith(open)
          && bare.replace(open.substring(0, 1), "").isEmpty()) {
        open = "";
      }
    }
    return !open.isEmpty();
  }

  private static List<String> content(String text) {
    List<String> words = new ArrayList<>();
    for (String word : text.split("\\s+", -1)) {
      if (!word.startsWith("```") && !word.startsWith("~~~") && !word.isEmpty()) {
        words.add(word);
      }
    }
    return words;
  }
}
