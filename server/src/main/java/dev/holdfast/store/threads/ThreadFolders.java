package dev.holdfast.store.threads;

import dev.holdfast.store.engine.AtomicFiles;
import dev.holdfast.store.engine.FailStop;
import dev.holdfast.time.Time;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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

  /** So many threads are worked with again and again. */
  private static final int REMEMBERED_MAX = 10_000;

  private final Path root;
  private final ThreadFiles.Host host;

  /**
   * Folders of which something waits in memory for a full disk: their next user must find it.
   * Whoever logs a line and the thread's agent may hold such lines each by itself.
   */
  private final Map<String, List<ThreadFiles>> unsaved = new ConcurrentHashMap<>();

  private volatile Consumer<String> logged = _ -> {};
  private final Map<String, FolderClaim> remembered = new ConcurrentHashMap<>();

  public ThreadFolders(Path root, FailStop failStop, Time time, ThreadFilesConfig limits) {
    this.root = root;
    this.host =
        new ThreadFiles.Host(
            failStop,
            time,
            new AtomicLong(UNWRITTEN_MAX),
            this::unsavedChanged,
            limits,
            new DamagedLines(),
            new LogTurns(),
            threadId -> logged.accept(threadId));
  }

  /** How many lines of logs were found damaged since the start. */
  public long damagedLines() {
    return host.damaged().count();
  }

  /** Hears of each thread whose log has grown; hand over and return. */
  public void onLogged(Consumer<String> listener) {
    logged = listener;
  }

  /**
   * Removes the folder with all that is in it, durably; one that is missing is no fault. Nobody
   * else may use the thread's files meanwhile.
   *
   * @throws IOException when the disk refuses: some of it may be left
   */
  public void erase(String threadId) throws IOException {
    FolderClaim claim = folder(threadId);
    Path folder = claim.path();
    Lock turn = host.logTurns().of(threadId);
    turn.lock();
    try {
      for (ThreadFiles files : unsaved.getOrDefault(threadId, List.of())) {
        files.forget();
      }
      claim.claimed(false);
      if (!Files.exists(folder)) {
        return;
      }
      if (!ThreadFiles.belongsTo(folder, threadId)) {
        throw new IOException(folder + " belongs to another thread than " + threadId);
      }
      try (Stream<Path> all = Files.walk(folder)) {
        for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
      AtomicFiles.syncFolder(Objects.requireNonNull(folder.getParent()));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    } finally {
      turn.unlock();
    }
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

  private FolderClaim folder(String threadId) {
    @Nullable FolderClaim known = remembered.get(threadId);
    if (known != null) {
      return known;
    }
    if (remembered.size() >= REMEMBERED_MAX) {
      remembered.clear();
    }
    return remembered.computeIfAbsent(threadId, id -> new FolderClaim(path(id)));
  }

  private Path path(String threadId) {
    int colon = threadId.indexOf(':');
    String channel = slug(colon < 0 ? "other" : threadId.substring(0, colon));
    String hash = hash(threadId);
    return root.resolve(channel)
        .resolve(hash.substring(0, 2))
        .resolve(slug(threadId.substring(colon + 1)) + "~" + hash.substring(0, 12));
  }

  /** Whether the folder of that thread may have such a name; else that thread is not its owner. */
  static boolean isNameOf(Path folder, String threadId) {
    String name = String.valueOf(folder.getFileName());
    int mark = name.lastIndexOf('~');
    return mark < 0 || hash(threadId).startsWith(name.substring(mark + 1));
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
}
