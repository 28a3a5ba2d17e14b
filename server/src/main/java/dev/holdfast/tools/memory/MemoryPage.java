package dev.holdfast.tools.memory;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A MEMORY.md, line by line. A line is a fact of Holdfast's when it looks exactly as one that
 * {@code remember} writes; every other one is a person's, and keeps its bytes whatever is changed.
 *
 * @param lines with their ends
 */
public record MemoryPage(List<Line> lines) {
  private static final Pattern FACT =
      Pattern.compile(
          "- ([0-9]{4}-[0-9]{2}-[0-9]{2}): (.*?\\S)((?: <!-- by [0-9a-f]{12} -->)+)\n?");
  private static final Pattern ANY_MARK = Pattern.compile("<!-- by ");

  public MemoryPage {
    lines = List.copyOf(lines);
  }

  /**
   * @param fact empty for a person's line
   */
  @SuppressWarnings("ArrayRecordComponent") // a file's own bytes, not to be changed
  public record Line(byte[] bytes, Optional<Fact> fact) {
    boolean isEnded() {
      return bytes.length > 0 && bytes[bytes.length - 1] == '\n';
    }

    /** What people read; bytes that are no UTF-8 are replaced. */
    public String text() {
      return new String(bytes, StandardCharsets.UTF_8).strip();
    }
  }

  /**
   * Something that was remembered.
   *
   * @param marks which calls have added it, as comments of Markdown with a space before each
   */
  public record Fact(LocalDate day, String text, String marks) {
    private byte[] bytes(boolean ended) {
      return ("- " + day + ": " + text + marks + (ended ? "\n" : ""))
          .getBytes(StandardCharsets.UTF_8);
    }
  }

  public static MemoryPage of(byte[] content) {
    List<Line> lines = new ArrayList<>();
    int start = 0;
    for (int i = 0; i < content.length; i++) {
      if (content[i] == '\n' || i == content.length - 1) {
        byte[] line = Arrays.copyOfRange(content, start, i + 1);
        lines.add(new Line(line, fact(line)));
        start = i + 1;
      }
    }
    return new MemoryPage(lines);
  }

  private static Optional<Fact> fact(byte[] line) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString();
      Matcher parts = FACT.matcher(text);
      return parts.matches() && !ANY_MARK.matcher(parts.group(2)).find()
          ? Optional.of(new Fact(LocalDate.parse(parts.group(1)), parts.group(2), parts.group(3)))
          : Optional.empty();
    } catch (CharacterCodingException | DateTimeException _) {
      return Optional.empty(); // Holdfast writes no such line
    }
  }

  /** The facts, in the order of the file. */
  public List<Fact> facts() {
    return lines.stream().flatMap(line -> line.fact().stream()).toList();
  }

  /**
   * The whole file with other facts.
   *
   * @param changed by the number of a fact, from 0: what stands in its place, or nothing; one that
   *     is not named stays as it is
   */
  public byte[] with(Map<Integer, Optional<Fact>> changed) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int number = 0;
    for (Line line : lines) {
      if (line.fact().isEmpty()) {
        out.writeBytes(line.bytes());
      } else {
        changed
            .getOrDefault(number, line.fact())
            .ifPresent(fact -> out.writeBytes(fact.bytes(line.isEnded())));
      }
      number += line.fact().isPresent() ? 1 : 0;
    }
    return out.toByteArray();
  }
}
