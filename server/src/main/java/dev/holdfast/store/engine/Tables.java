package dev.holdfast.store.engine;

import java.sql.SQLException;
import java.util.List;

/**
 * The tables of one package, made and changed by scripts. The database remembers how many of them
 * have run, so each runs once.
 *
 * @param owner the name of the package; its tables begin with it
 * @param scripts SQL, oldest first, each of one or more statements; a script that was ever released
 *     is never changed, what is wrong with it is mended by another one behind it
 */
public record Tables(String owner, List<String> scripts) {
  private static final String VERSION = "tables.";

  public Tables {
    scripts = List.copyOf(scripts);
  }

  /** Runs the scripts that have not run yet. Returns how many had run before. */
  int bring(Transaction tx) throws SQLException {
    Statements sql = tx.sql();
    int before =
        sql.first(
                row -> Integer.parseInt(row.getString(1)),
                "select value from meta where name = ?",
                VERSION + owner)
            .orElse(0);
    if (before < scripts.size()) {
      for (String script : scripts.subList(before, scripts.size())) {
        sql.script(script);
      }
      sql.update(
          "insert into meta (name, value) values (?, ?)"
              + " on conflict (name) do update set value = excluded.value",
          VERSION + owner,
          Integer.toString(scripts.size()));
    }
    return before;
  }
}
