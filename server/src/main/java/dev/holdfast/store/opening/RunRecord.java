package dev.holdfast.store.opening;

import dev.holdfast.store.engine.AtomicFiles;
import dev.holdfast.store.engine.Connections;
import dev.holdfast.store.engine.StartRefusedException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;

/**
 * {@code data/holdfast.run}: which database file the log beside it belongs to.
 *
 * <p>SQLite applies any log with valid checksums to any database of the same name, so a restored
 * database beside the log of another one would become a mix of both; and after the loss of a log it
 * would serve without the last commits. Each run therefore writes a random number into the header
 * of the database file (as its application id, which SQLite leaves to its users) before it fills
 * the log, and the same number into this file. A clean end takes both away: a database that has the
 * number alone was copied while its run went on.
 */
final class RunRecord {
  static final String NAME = "holdfast.run";

  /** Of a database that no run uses. */
  static final int ENDED = 0;

  /** What an operator writes into the file to start without commits that are lost. */
  private static final String ACCEPTED = "accept-loss";

  static final String RESTORING = "restoring";

  /** Of the very first start, until the database is made: nothing was accepted yet. */
  private static final String CREATING = "creating";

  /** What only a run that has accepted messages, or one that has ended, leaves in a folder. */
  private static final List<String> TRACES =
      List.of(CleanMarker.NAME, NAME, CommitMark.NAME, Connections.FILE + "-wal", "threads");

  static final String HOW_TO_ACCEPT =
      "write the word " + ACCEPTED + " into " + NAME + " to start without them";

  private static final int APPLICATION_ID_OFFSET = 68;

  private final Path folder;
  private final int epoch;

  /** Make it before the database is opened: its header is read past SQLite. */
  RunRecord(Path folder) throws IOException {
    this.folder = folder;
    this.epoch = epoch(folder.resolve(Connections.FILE));
  }

  /**
   * Before the database is opened.
   *
   * @param claimedClean whether a clean marker lies there; then a missing log is as it should be
   * @throws StartRefusedException 65 when the log is missing, damaged or belongs to another
   *     database
   */
  void check(boolean claimedClean) throws IOException, StartRefusedException {
    List<String> words = words();
    if (words.contains(ACCEPTED)) {
      return;
    }
    Path log = folder.resolve(Connections.FILE + "-wal");
    boolean filled = Files.exists(log) && Files.size(log) > 0;
    if (filled && !words.isEmpty() && !words.contains(Integer.toString(epoch))) {
      throw new StartRefusedException(
          StartRefusedException.DAMAGED,
          log
              + " does not belong to "
              + Connections.FILE
              + " next to it; restore the database that it belongs to, or move the log away and "
              + HOW_TO_ACCEPT);
    }
    if (filled && !words.isEmpty() && WalScan.damaged(log)) {
      throw new StartRefusedException(
          StartRefusedException.DAMAGED,
          log
              + " is damaged, and there are commits after the damage; restore a backup, or "
              + HOW_TO_ACCEPT);
    }
    if (words.contains("running") && !Files.exists(log) && !claimedClean) {
      throw new StartRefusedException(
          StartRefusedException.DAMAGED,
          log + " is missing, and with it the last commits; put it back, or " + HOW_TO_ACCEPT);
    }
  }

  /** Whether the database was taken away from a run that went on: without its log, or this file. */
  boolean isWithoutItsRun() throws IOException {
    return epoch != ENDED && words().isEmpty();
  }

  /** Whether the operator gives up what is lost. */
  boolean acceptsLoss() throws IOException {
    return words().contains(ACCEPTED);
  }

  boolean isRestoring() throws IOException {
    Path record = folder.resolve(NAME);
    // A restore that was cut off while it said so: each other record is put in place as a whole.
    boolean isCutOff =
        Files.exists(record)
            && Files.size(record) == 0
            && !Files.exists(folder.resolve(Connections.FILE));
    return isCutOff || words().contains(RESTORING);
  }

  /** Written before a restore begins, and removed when it is done. */
  static void restoring(Path folder) throws IOException {
    write(folder, RESTORING);
  }

  /**
   * Also before a new database is made.
   *
   * @throws StartRefusedException 65 when the folder is not wholly restored
   */
  void requireRestored() throws IOException, StartRefusedException {
    if (isRestoring()) {
      throw new StartRefusedException(
          StartRefusedException.DAMAGED,
          folder.resolve(NAME)
              + " says that a restore was cut off; empty the folder and restore the backup again");
    }
  }

  /**
   * Also before a new database is made: whether none has ever been in use here.
   *
   * @return false when there is one
   * @throws StartRefusedException 65 when the database of an earlier run is gone or empty
   */
  boolean isFirst() throws IOException, StartRefusedException {
    Path file = folder.resolve(Connections.FILE);
    boolean missing = !Files.exists(file);
    if (!missing && Files.size(file) > 0) {
      return false;
    }
    List<String> words = words();
    if (!words.contains(CREATING) && !words.contains(ACCEPTED)) {
      for (String trace : TRACES) {
        if (Files.exists(folder.resolve(trace))) {
          throw new StartRefusedException(
              StartRefusedException.DAMAGED,
              file
                  + (missing ? " is missing" : " is empty")
                  + ", and with it every message, though "
                  + trace
                  + " next to it shows that a server has run here; put it back or restore a backup, or "
                  + HOW_TO_ACCEPT);
        }
      }
    }
    return true;
  }

  /** Before a new database is made; durable on return. */
  void creating() throws IOException {
    write(folder, CREATING + " " + ENDED);
  }

  /** A new number, announced beside the old one: a crash may leave either in the database. */
  int next() throws IOException {
    int next = new SecureRandom().nextInt(1, Integer.MAX_VALUE);
    String phase = words().contains(CREATING) ? CREATING : "starting";
    write(folder, phase + " " + epoch + " " + next);
    return next;
  }

  /** The number is in the database file, and the log holds only what comes after it. */
  void running(int now) throws IOException {
    write(folder, "running " + now);
  }

  /** Before the database says that its run has ended: a crash may leave either in its file. */
  static void ending(Path folder, int now) throws IOException {
    write(folder, "running " + now + " " + ENDED);
  }

  /** The database is whole without its log. */
  static void ended(Path folder) throws IOException {
    AtomicFiles.delete(folder.resolve(NAME));
  }

  private static void write(Path folder, String text) throws IOException {
    AtomicFiles.write(folder.resolve(NAME), (text + "\n").getBytes(StandardCharsets.US_ASCII));
  }

  private List<String> words() throws IOException {
    Path file = folder.resolve(NAME);
    return Files.exists(file)
        ? List.of(Files.readString(file, StandardCharsets.ISO_8859_1).strip().split("\\s+"))
        : List.of();
  }

  /**
   * Only while this process has the file not open: closing any handle of it would drop SQLite's
   * locks.
   */
  private static int epoch(Path database) throws IOException {
    if (!Files.exists(database)) {
      return 0;
    }
    try (RandomAccessFile file = new RandomAccessFile(database.toFile(), "r")) {
      if (file.length() < APPLICATION_ID_OFFSET + Integer.BYTES) {
        return 0;
      }
      file.seek(APPLICATION_ID_OFFSET);
      return file.readInt();
    }
  }
}
