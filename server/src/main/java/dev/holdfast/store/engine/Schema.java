package dev.holdfast.store.engine;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * What a database says of its own tables, indexes and triggers. SQLite believes every word of it:
 * with one changed letter in a column's name it runs, and fails one statement.
 */
public final class Schema {
  private final Map<String, Entry> entries;

  private record Entry(String name, String of, String sql) {}

  private Schema(Map<String, Entry> entries) {
    this.entries = entries;
  }

  /** What scripts make of an empty database. */
  public static Schema of(List<String> scripts) throws SQLException {
    try (Statements memory = Connections.memory()) {
      for (String script : scripts) {
        memory.script(script);
      }
      return in(memory);
    }
  }

  /** What stands in a database. */
  public static Schema in(Statements sql) throws SQLException {
    Map<String, Entry> entries = new TreeMap<>();
    sql.list(
            row ->
                new Entry(
                    Objects.toString(row.getString(1), ""),
                    Objects.toString(row.getString(2), ""),
                    Objects.toString(row.getString(3), "").replaceAll("\\s+", " ").strip()),
            "select name, tbl_name, sql from sqlite_schema")
        .forEach(entry -> entries.put(entry.name(), entry));
    return new Schema(entries);
  }

  /** The part whose tables have such names. */
  Schema only(Predicate<String> ofTable) {
    Map<String, Entry> some = new TreeMap<>(entries);
    some.values().removeIf(entry -> !ofTable.test(entry.of()));
    return new Schema(some);
  }

  /** The names of what is here, and is missing or different there; more may stand there. */
  public List<String> differencesIn(Schema there) {
    List<String> names = new ArrayList<>();
    entries.forEach(
        (name, entry) -> {
          if (!entry.equals(there.entries.get(name))) {
            names.add(name);
          }
        });
    return names;
  }

  /** What to tell an operator of differences. */
  public static String damage(List<String> differences) {
    return "its description of "
        + String.join(", ", differences)
        + " is not the one that was written; restore a backup";
  }
}
