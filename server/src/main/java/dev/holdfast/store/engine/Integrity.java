package dev.holdfast.store.engine;

import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What SQLite found when it read a database. An index that differs from its table can be made anew
 * from it; of anything else nobody knows what it was.
 *
 * @param problems in SQLite's words; empty when it is whole
 */
public record Integrity(List<String> problems) {
  private static final int PROBLEMS_MAX = 100;
  private static final int SHOWN_MAX = 5;
  private static final int ROUNDS_MAX = 5;
  private static final Pattern OF_INDEX = Pattern.compile(".* (?:of|in|from|to) index (\\w+)");

  /** Reads all of it, and looks each row up in each index. Blocks. */
  public static Integrity full(Statements sql) throws SQLException {
    return of(sql, "pragma integrity_check(" + PROBLEMS_MAX + ")");
  }

  /** Reads all of it, and compares no index with its table. Blocks. */
  public static Integrity quick(Statements sql) throws SQLException {
    return of(sql, "pragma quick_check(" + PROBLEMS_MAX + ")");
  }

  /** As {@link #full}, of one table and its indexes. */
  static Integrity ofTable(Statements sql, String table) throws SQLException {
    return of(sql, "pragma integrity_check('" + table + "')");
  }

  private static Integrity of(Statements sql, String pragma) throws SQLException {
    List<String> lines = sql.list(row -> row.getString(1), pragma);
    return new Integrity(lines.equals(List.of("ok")) ? List.of() : lines);
  }

  public boolean isWhole() {
    return problems.isEmpty();
  }

  /** The indexes to be made anew; empty when that would not help. */
  public Set<String> indexes() {
    Set<String> indexes = new TreeSet<>();
    for (String problem : problems) {
      Matcher index = OF_INDEX.matcher(problem);
      if (!index.matches()) {
        return Set.of();
      }
      indexes.add(index.group(1));
    }
    return indexes;
  }

  /**
   * Makes indexes anew until all is whole or nothing helps. Inside a transaction; blocks. Returns
   * which those are; empty when it could not be mended.
   */
  public Set<String> mend(Statements sql) throws SQLException {
    Set<String> mended = new TreeSet<>();
    Integrity now = this;
    for (int round = 0; round < ROUNDS_MAX && !now.isWhole(); round++) {
      Set<String> indexes = now.indexes();
      if (indexes.isEmpty()) {
        return Set.of();
      }
      for (String index : indexes) {
        sql.script("reindex " + index);
      }
      mended.addAll(indexes);
      now = full(sql);
    }
    return now.isWhole() ? mended : Set.of();
  }

  /** The first few problems. */
  public String text() {
    return String.join("; ", problems.subList(0, Math.min(SHOWN_MAX, problems.size())));
  }
}
