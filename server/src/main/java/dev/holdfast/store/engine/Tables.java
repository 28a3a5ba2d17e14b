package dev.holdfast.store.engine;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

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
  private static final String ENGINES =
      "create table meta (name text primary key, value text not null) without rowid;"
          + "create table counters (name text primary key, n integer not null) without rowid;";

  public Tables {
    scripts = List.copyOf(scripts);
  }

  /** What the scripts make; they use no table of others but the engine's. */
  Schema schema() throws SQLException {
    List<String> all = new ArrayList<>(List.of(ENGINES));
    all.addAll(scripts);
    return Schema.of(all).only(table -> table.startsWith(owner));
  }

  /**
   * Runs the scripts that have not run yet. Returns how many had run before.
   *
   * @throws SQLException without a result code when a script is wrong: that is no damage
   */
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
        run(sql, script);
      }
      sql.update(
          "insert into meta (name, value) values (?, ?)"
              + " on conflict (name) do update set value = excluded.value",
          VERSION + owner,
          Integer.toString(scripts.size()));
    }
    return before;
  }

  private void run(Statements sql, String script) throws SQLException {
    try {
      sql.script(script);
    } catch (SQLiteException e) {
      throw e.getResultCode() == SQLiteErrorCode.SQLITE_ERROR
          ? new SQLException("a script of " + owner + " failed: " + e.getMessage(), e)
          : e;
    }
  }
}
