package dev.holdfast.cli;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Rows under a heading, one line each, in columns. Control characters and line ends of cells are
 * shown as {@link VisibleText}.
 */
final class Table {
  private static final String GAP = "  ";

  /** No column is cut to less, however narrow the terminal is. */
  private static final int COLUMN_MIN = 8;

  /** What is longer is no id that a person wants to see whole. */
  private static final int ID_MAX = 80;

  private Table() {}

  /**
   * The lines, the heading first.
   *
   * @param heading one for each column
   * @param rows each with as many cells as the heading
   * @param lineMax the widest columns of texts are cut until a line is no longer; 0: nothing is
   *     cut. A column in which no cell has a blank is of ids and numbers: they are pasted, so they
   *     stay whole even if the line gets too long
   */
  static List<String> lines(List<String> heading, List<List<String>> rows, int lineMax) {
    List<List<String>> all =
        Stream.concat(Stream.of(heading), rows.stream())
            .map(row -> row.stream().map(Table::cell).toList())
            .toList();
    int[] widths = new int[heading.size()];
    for (List<String> row : all) {
      for (int column = 0; column < widths.length; column++) {
        widths[column] = Math.max(widths[column], length(row.get(column)));
      }
    }
    if (lineMax > 0) {
      shrink(widths, cuttable(all), lineMax - GAP.length() * (widths.length - 1));
    }
    return all.stream().map(row -> line(row, widths)).toList();
  }

  /** The columns that hold texts. */
  private static int[] cuttable(List<List<String>> all) {
    return IntStream.range(0, all.getFirst().size())
        .filter(column -> all.stream().skip(1).anyMatch(row -> isText(row.get(column))))
        .toArray();
  }

  private static boolean isText(String cell) {
    return cell.indexOf(' ') >= 0 || length(cell) > ID_MAX;
  }

  private static void shrink(int[] widths, int[] cuttable, int sumMax) {
    int sum = Arrays.stream(widths).sum();
    while (sum > sumMax) {
      int widest = -1;
      for (int column : cuttable) {
        widest = widest < 0 || widths[column] >= widths[widest] ? column : widest;
      }
      if (widest < 0 || widths[widest] <= COLUMN_MIN) {
        return;
      }
      widths[widest]--;
      sum--;
    }
  }

  private static String cell(String text) {
    return VisibleText.line(text).strip();
  }

  private static int length(String cell) {
    return cell.codePointCount(0, cell.length());
  }

  private static String line(List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int column = 0; column < widths.length; column++) {
      String cell = cut(cells.get(column), widths[column]);
      line.append(cell).append(" ".repeat(widths[column] - length(cell))).append(GAP);
    }
    return line.toString().stripTrailing();
  }

  private static String cut(String cell, int width) {
    return length(cell) <= width
        ? cell
        : cell.substring(0, cell.offsetByCodePoints(0, width - 1)) + "\u2026";
  }
}
