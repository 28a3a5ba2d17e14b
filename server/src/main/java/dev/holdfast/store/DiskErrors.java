package dev.holdfast.store;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Locale;
import org.sqlite.SQLiteException;

/** Sorts what the database or the disk said by what can be done about it. */
final class DiskErrors {
  private static final int PROBE_BYTES = 65_536;

  private DiskErrors() {}

  enum Verdict {
    /** No space or no right to write: nothing was changed, and it may pass. */
    FULL,
    /** A write or an fsync failed: what the page cache holds is no longer what the disk holds. */
    FAIL_STOP,
    /** The file is not what was written. */
    DAMAGED,
    /** Anything else. */
    OTHER
  }

  static Verdict of(SQLException e, Path dataDir) {
    if (!(e instanceof SQLiteException failure)) {
      return Verdict.OTHER;
    }
    return switch (failure.getResultCode()) {
      case SQLITE_FULL, SQLITE_READONLY, SQLITE_READONLY_DIRECTORY -> Verdict.FULL;
      case SQLITE_CORRUPT,
          SQLITE_CORRUPT_INDEX,
          SQLITE_CORRUPT_SEQUENCE,
          SQLITE_CORRUPT_VTAB,
          SQLITE_NOTADB ->
          Verdict.DAMAGED;
      case SQLITE_IOERR_FSYNC,
          SQLITE_IOERR_DIR_FSYNC,
          SQLITE_IOERR_CORRUPTFS,
          SQLITE_IOERR_DATA,
          SQLITE_READONLY_DBMOVED ->
          Verdict.FAIL_STOP;
      case SQLITE_IOERR_READ, SQLITE_IOERR_SHORT_READ, SQLITE_IOERR_NOMEM -> Verdict.OTHER;
      case SQLITE_IOERR,
          SQLITE_IOERR_WRITE,
          SQLITE_IOERR_TRUNCATE,
          SQLITE_IOERR_SHMSIZE,
          SQLITE_IOERR_SHMMAP,
          SQLITE_IOERR_SHMOPEN ->
          // The database does not tell why: only a full or read-only disk is harmless.
          writable(dataDir) ? Verdict.FAIL_STOP : Verdict.FULL;
      default -> Verdict.OTHER;
    };
  }

  /**
   * Whether something can be written; a disk that fails to write at all counts as writable, since
   * it is not full.
   */
  private static boolean writable(Path dataDir) {
    Path probe = dataDir.resolve("probe.tmp");
    try (FileOutputStream out = new FileOutputStream(probe.toFile())) {
      out.write(new byte[PROBE_BYTES]);
      return true;
    } catch (IOException e) {
      String text = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
      return text.contains("input/output error");
    } finally {
      try {
        Files.deleteIfExists(probe);
      } catch (IOException _) {
        // It is written over the next time.
      }
    }
  }
}
