package dev.holdfast.store.opening;

import dev.holdfast.store.engine.AtomicFiles;
import dev.holdfast.store.engine.Connections;
import dev.holdfast.store.engine.Integrity;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.Statements;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;

/** A copy of the database as of one moment, whoever writes to it meanwhile. */
public final class Snapshot {
  private Snapshot() {}

  /**
   * Blocks. What stands in the target is lost.
   *
   * @param inUse whether a server uses the folder; if not, nothing may be missing there
   * @throws StartRefusedException 65 when the database is damaged or lacks commits
   */
  public static void write(Path folder, Path target, boolean inUse)
      throws IOException, StartRefusedException {
    Path file = folder.resolve(Connections.FILE);
    RunRecord run = new RunRecord(folder);
    boolean left = CleanMarker.read(folder).isThere();
    if (!inUse) {
      run.check(left);
    }
    for (String suffix : List.of("", "-wal", "-shm")) { // of one that was cut off
      Files.deleteIfExists(target.resolveSibling(target.getFileName() + suffix));
    }
    AtomicFiles.create(target);
    Path log = folder.resolve(Connections.FILE + "-wal");
    try (Statements sql = Connections.readOnly(file, Files.exists(log))) {
      if (!inUse) {
        Database.requireKnownVersion(sql, file);
      }
      if (!inUse && !left) {
        Database.requireAllCommits(sql, run, folder);
      }
      sql.of("pragma query_only = off").execute(); // the copy is written to; the file is not
      copy(sql, target);
    } catch (SQLException e) {
      throw Connections.refusal(file, e);
    }
    try (Statements copy = Connections.open(target)) {
      Integrity found = Integrity.full(copy);
      if (Database.isOfThisVersion(copy)) {
        Database.requireSchema(copy, file);
      }
      if (!found.isWhole()) {
        throw new StartRefusedException(
            StartRefusedException.DAMAGED, file + " is damaged: " + found.text());
      }
      // It belongs to no run: what the run writes later will not be there.
      copy.of("pragma application_id = " + RunRecord.ENDED).execute();
      copy.list(row -> row.getString(1), "pragma journal_mode = delete");
    } catch (SQLException e) {
      throw Connections.refusal(target, e);
    }
  }

  /** What cannot be written is the copy: the database is only read. */
  private static void copy(Statements sql, Path target) throws IOException, SQLException {
    try {
      sql.update("vacuum into ?", target.toString());
    } catch (SQLException e) {
      if (Connections.isRefused(e)) {
        throw new IOException(target + ": " + Connections.reason(e), e);
      }
      throw e;
    }
  }
}
