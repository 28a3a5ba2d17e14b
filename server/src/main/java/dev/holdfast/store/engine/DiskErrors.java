package dev.holdfast.store.engine;

import java.sql.SQLException;
import org.sqlite.SQLiteException;

/** Sorts what the database said by what can be done about it. */
final class DiskErrors {
  private DiskErrors() {}

  enum Verdict {
    /** No space or no right to write: nothing was changed, and it may pass. */
    REFUSED,
    /** An fsync failed: what the page cache holds is no longer what the disk holds. */
    FAIL_STOP,
    /** The file is not what was written. */
    DAMAGED,
    /** Anything else. */
    OTHER
  }

  static Verdict of(SQLException e) {
    if (!(e instanceof SQLiteException failure)) {
      return Verdict.OTHER;
    }
    return switch (failure.getResultCode()) {
      // A write that failed has changed nothing that counts: its transaction is rolled back, and
      // the next one writes to the same place. Whether the disk is full, read-only, over its quota
      // or broken is not told, and need not be: the next write finds out.
      case SQLITE_FULL,
          SQLITE_READONLY,
          SQLITE_READONLY_DIRECTORY,
          SQLITE_READONLY_CANTINIT,
          SQLITE_IOERR_WRITE,
          SQLITE_IOERR_TRUNCATE,
          SQLITE_IOERR_SHMSIZE,
          SQLITE_IOERR_SHMMAP,
          SQLITE_IOERR_SHMOPEN,
          SQLITE_CANTOPEN,
          SQLITE_CANTOPEN_FULLPATH ->
          Verdict.REFUSED;
      case SQLITE_CORRUPT,
          SQLITE_CORRUPT_INDEX,
          SQLITE_CORRUPT_SEQUENCE,
          SQLITE_CORRUPT_VTAB,
          SQLITE_NOTADB,
          // The statements are constants that ran against these tables before: it is the tables
          // that have changed, and a wait would not bring them back.
          SQLITE_ERROR ->
          Verdict.DAMAGED;
      case SQLITE_IOERR,
          SQLITE_IOERR_FSYNC,
          SQLITE_IOERR_DIR_FSYNC,
          SQLITE_IOERR_CORRUPTFS,
          SQLITE_IOERR_DATA,
          SQLITE_READONLY_DBMOVED ->
          Verdict.FAIL_STOP;
      default -> Verdict.OTHER;
    };
  }
}
