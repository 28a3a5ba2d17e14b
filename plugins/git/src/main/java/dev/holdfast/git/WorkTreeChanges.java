package dev.holdfast.git;

import dev.holdfast.agentkit.ActionRefusedException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What {@code git status --porcelain=v2 -z} says.
 *
 * @param headers such as {@code branch.head}
 * @param isCut whether there is more than was read
 */
record WorkTreeChanges(Map<String, String> headers, List<Entry> entries, boolean isCut) {
  private static final int BYTES_MAX = 16 << 20;
  private static final int CHANGED_FIELDS = 8;
  private static final int UNMERGED_FIELDS = 10;

  /** How an entry stands. */
  enum Kind {
    TRACKED,
    CONFLICT,
    UNTRACKED
  }

  /**
   * One file, or an untracked folder.
   *
   * @param staged what the next commit changes; {@code .} for nothing
   * @param unstaged what has changed since it was staged; {@code .} for nothing
   */
  @SuppressWarnings("ArrayRecordComponent") // made once, read once
  record Entry(Kind kind, char staged, char unstaged, byte[] name) {}

  /**
   * Looks at the working tree. Submodules are left out: looking into them would run Git there.
   *
   * @param isEachFile whether untracked folders are looked into
   */
  static WorkTreeChanges read(GitCommand git, boolean isEachFile)
      throws ActionRefusedException, IOException, InterruptedException {
    GitCommand.Result result =
        git.run(
            BYTES_MAX,
            "status",
            "--porcelain=v2",
            "--branch",
            "-z",
            "--no-renames",
            "--ignore-submodules=all",
            isEachFile ? "--untracked-files=all" : "--untracked-files=normal");
    if (result.exitCode() != 0) {
      throw result.refusal(ActionRefusedException.UNREADABLE);
    }
    Map<String, String> headers = new LinkedHashMap<>();
    List<Entry> entries = new ArrayList<>();
    for (byte[] line : lines(result.output())) {
      String text = new String(line, StandardCharsets.ISO_8859_1);
      switch (text.isEmpty() ? ' ' : text.charAt(0)) {
        case '#' -> {
          String[] parts = new String(line, StandardCharsets.UTF_8).split(" ", 3); // "# name value"
          if (parts.length == 3) {
            headers.put(parts[1], parts[2]);
          }
        }
        case '1' -> entries.add(entry(Kind.TRACKED, text, CHANGED_FIELDS));
        case 'u' -> entries.add(entry(Kind.CONFLICT, text, UNMERGED_FIELDS));
        case '?' ->
            entries.add(
                new Entry(
                    Kind.UNTRACKED,
                    '.',
                    '?',
                    text.substring(2).getBytes(StandardCharsets.ISO_8859_1)));
        default -> {
          // Nothing else is asked for.
        }
      }
    }
    return new WorkTreeChanges(headers, entries, result.isCut());
  }

  private static Entry entry(Kind kind, String line, int fields) {
    String[] parts = line.split(" ", fields + 1);
    return new Entry(
        kind,
        parts[1].charAt(0),
        parts[1].charAt(1),
        parts[fields].getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Up to each zero byte; what follows the last one is half a line. */
  static List<byte[]> lines(byte[] output) {
    List<byte[]> lines = new ArrayList<>();
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (byte each : output) {
      if (each == 0) {
        lines.add(line.toByteArray());
        line.reset();
      } else {
        line.write(each);
      }
    }
    return lines;
  }

  /** In a word, for a letter of Git's. */
  static String word(char letter) {
    return switch (letter) {
      case 'M' -> "modified";
      case 'A' -> "added";
      case 'D' -> "deleted";
      case 'T' -> "type changed";
      default -> String.valueOf(letter);
    };
  }
}
