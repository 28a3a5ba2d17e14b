package dev.holdfast.store.threads;

import dev.holdfast.store.engine.FailStop;
import dev.holdfast.store.engine.Readers;
import dev.holdfast.store.engine.ThreadActivity;
import dev.holdfast.time.Time;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the folder of a chat thread: named by a hash of its id, so that no id leads anywhere else.
 * Thread-safe.
 */
public final class ThreadFolders {
  private static final Logger LOG = LoggerFactory.getLogger(ThreadFolders.class);
  private static final int SLUG_MAX = 40;
  private static final Pattern OTHERS = Pattern.compile("[^a-z0-9]+");
  private static final Pattern OUTER_DASHES = Pattern.compile("^-+|-+$");
  private static final long UNWRITTEN_MAX = 64L * 1024 * 1024;
  private static final String SELECT =
      "select t.thread_id, t.last_at, t.events, (select count(*) from events e where e.thread ="
          + " t.no and e.closed = 0), t.no from ";

  private final Path root;
  private final Readers readers;
  private final ThreadActivity touches;
  private final ThreadFiles.Host host;

  /**
   * Folders of which something waits in memory for a full disk: their next user must find it.
   * Whoever logs a line and the thread's agent may hold such lines each by itself.
   */
  private final Map<String, List<ThreadFiles>> unsaved = new ConcurrentHashMap<>();

  public ThreadFolders(Path root, Readers readers, ThreadActivity touches, Given given) {
    this.root = root;
    this.readers = readers;
    this.touches = touches;
    this.host =
        new ThreadFiles.Host(
            given.failStop,
            given.time,
            new AtomicLong(UNWRITTEN_MAX),
            this::unsavedChanged,
            given.limits,
            new DamagedLines(),
            new LogTurns());
  }

  /** What the folders are kept with. */
  public record Given(FailStop failStop, Time time, ThreadFilesConfig limits) {}

  /** How many lines of logs were found damaged since the start. */
  public long damagedLines() {
    return host.damaged().count();
  }

  private void unsavedChanged(ThreadFiles files, boolean any) {
    unsaved.compute(
        files.threadId(),
        (_, before) -> {
          List<ThreadFiles> all = new ArrayList<>(before == null ? List.of() : before);
          if (!any) {
            all.remove(files);
          } else if (!all.contains(files)) {
            all.add(files);
          }
          return all.isEmpty() ? null : List.copyOf(all);
        });
  }

  /** Makes the folder when it is missing, at the first write. */
  public ThreadFiles of(String threadId) {
    List<ThreadFiles> waiting = unsaved.getOrDefault(threadId, List.of());
    return waiting.stream()
        .filter(ThreadFiles::hasUnsavedContext)
        .findFirst()
        .or(() -> waiting.stream().findFirst())
        .orElseGet(() -> new ThreadFiles(threadId, folder(threadId), host));
  }

  private Path folder(String threadId) {
    int colon = threadId.indexOf(':');
    String channel = slug(colon < 0 ? "other" : threadId.substring(0, colon));
    String hash = hash(threadId);
    return root.resolve(channel)
        .resolve(hash.substring(0, 2))
        .resolve(slug(threadId.substring(colon + 1)) + "~" + hash.substring(0, 12));
  }

  /** What people recognise; nothing in it can leave the folder or mean something to a shell. */
  private static String slug(String text) {
    String dashed = OTHERS.matcher(text.toLowerCase(Locale.ROOT)).replaceAll("-");
    String plain = OUTER_DASHES.matcher(dashed).replaceAll("");
    String cut = plain.length() > SLUG_MAX ? plain.substring(0, SLUG_MAX) : plain;
    return cut.isEmpty() ? "x" : cut;
  }

  private static String hash(String threadId) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256")
                  .digest(threadId.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /**
   * Known chat threads, the one with the newest message first.
   *
   * @param after where the page before ended, by its last row's {@link ThreadRow#place}; empty for
   *     the first page. Threads that get a message meanwhile move to the front; none comes twice.
   * @throws IllegalArgumentException if {@code after} is not such a place
   */
  public List<ThreadRow> list(String after, int limit) {
    touches.settle();
    Place place = Place.of(after);
    return readers.read(
        sql ->
            sql.list(
                ThreadFolders::row,
                SELECT // the open events are counted for the page alone
                    + "(select * from threads where events > 0 and (last_at, no) < (?, ?)"
                    + " order by last_at desc, no desc limit ?) t"
                    + " order by t.last_at desc, t.no desc",
                place.lastAt(),
                place.no(),
                limit));
  }

  /** Where a thread stands in the order of their last messages. */
  private record Place(long lastAt, long no) {
    static Place of(String text) {
      if (text.isEmpty()) {
        return new Place(Long.MAX_VALUE, Long.MAX_VALUE);
      }
      if (!text.matches("-?[0-9]{1,18}-[0-9]{1,18}")) {
        throw new IllegalArgumentException("not a place in the list of threads");
      }
      int dash = text.lastIndexOf('-');
      return new Place(
          Long.parseLong(text.substring(0, dash)), Long.parseLong(text.substring(dash + 1)));
    }
  }

  /** One thread; empty when no event of it was ever accepted. */
  public Optional<ThreadRow> find(String threadId) {
    touches.settle();
    return readers.ask(
        handle ->
            handle
                .createQuery(SELECT + "threads t where t.events > 0 and t.thread_id = :id")
                .bind("id", threadId)
                .map((row, _) -> row(row))
                .findFirst());
  }

  private static ThreadRow row(ResultSet row) throws SQLException {
    return new ThreadRow(
        row.getString(1),
        Instant.ofEpochMilli(row.getLong(2)),
        row.getLong(3),
        row.getLong(4),
        row.getLong(2) + "-" + row.getLong(5));
  }

  /** The last try to write what a full disk refused. */
  public void close() {
    List<ThreadFiles> all = unsaved.values().stream().flatMap(List::stream).toList();
    for (ThreadFiles files : all) {
      try {
        files.sync();
      } catch (IOException e) {
        LOG.error("thread {}: its newest lines are lost: {}", files.threadId(), e.getMessage());
      }
    }
  }

  /**
   * A chat thread as the database knows it. {@code events}: all ever accepted; {@code open}: not
   * finished; {@code place}: for {@link #list}.
   */
  public record ThreadRow(String threadId, Instant lastAt, long events, long open, String place) {}
}
