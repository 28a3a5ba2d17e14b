package dev.holdfast.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * Two texts by lines: {@code -} is gone, {@code +} is new, {@code =} is as before; many of those
 * are counted.
 */
final class LineDifference {
  /** Of lines that are as before, around one that is not. */
  private static final int AROUND = 3;

  /** What is compared line by line; of longer texts all lines in between count as changed. */
  private static final long COMPARED_MAX = 4_000_000;

  private final List<String> before;
  private final List<String> now;
  private final List<Line> lines = new ArrayList<>();

  private record Line(char mark, String text) {}

  private LineDifference(List<String> before, List<String> now) {
    this.before = before;
    this.now = now;
  }

  static List<String> of(List<String> before, List<String> now) {
    LineDifference difference = new LineDifference(before, now);
    difference.compare();
    return difference.shown();
  }

  private void compare() {
    int shorter = Math.min(before.size(), now.size());
    int head = 0;
    while (head < shorter && before.get(head).equals(now.get(head))) {
      head++;
    }
    int tail = 0;
    while (tail < shorter - head
        && before.get(before.size() - 1 - tail).equals(now.get(now.size() - 1 - tail))) {
      tail++;
    }
    before.subList(0, head).forEach(line -> lines.add(new Line('=', line)));
    compare(before.subList(head, before.size() - tail), now.subList(head, now.size() - tail));
    now.subList(now.size() - tail, now.size()).forEach(line -> lines.add(new Line('=', line)));
  }

  private void compare(List<String> old, List<String> fresh) {
    if ((long) old.size() * fresh.size() > COMPARED_MAX) {
      old.forEach(line -> lines.add(new Line('-', line)));
      fresh.forEach(line -> lines.add(new Line('+', line)));
      return;
    }
    int[][] common = common(old, fresh);
    int i = 0;
    int j = 0;
    while (i < old.size() || j < fresh.size()) {
      if (i < old.size() && j < fresh.size() && old.get(i).equals(fresh.get(j))) {
        lines.add(new Line('=', old.get(i++)));
        j++;
      } else if (i < old.size() && (j == fresh.size() || common[i + 1][j] >= common[i][j + 1])) {
        lines.add(new Line('-', old.get(i++)));
      } else {
        lines.add(new Line('+', fresh.get(j++)));
      }
    }
  }

  /** How many lines the rests have in common, in their order. */
  private static int[][] common(List<String> old, List<String> fresh) {
    int[][] common = new int[old.size() + 1][fresh.size() + 1];
    for (int i = old.size() - 1; i >= 0; i--) {
      for (int j = fresh.size() - 1; j >= 0; j--) {
        common[i][j] =
            old.get(i).equals(fresh.get(j))
                ? common[i + 1][j + 1] + 1
                : Math.max(common[i + 1][j], common[i][j + 1]);
      }
    }
    return common;
  }

  private List<String> shown() {
    List<String> shown = new ArrayList<>();
    int left = 0;
    for (int i = 0; i < lines.size(); i++) {
      if (isNearAChange(i)) {
        addCount(left, shown);
        left = 0;
        shown.add(lines.get(i).mark() + " " + lines.get(i).text());
      } else {
        left++;
      }
    }
    addCount(left, shown);
    return shown;
  }

  private static void addCount(int left, List<String> shown) {
    if (left > 0) {
      shown.add("  (" + left + (left == 1 ? " line" : " lines") + " as before)");
    }
  }

  private boolean isNearAChange(int index) {
    int end = Math.min(lines.size(), index + AROUND + 1);
    return lines.subList(Math.max(0, index - AROUND), end).stream()
        .anyMatch(line -> line.mark() != '=');
  }
}
