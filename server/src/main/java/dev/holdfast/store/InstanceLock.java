package dev.holdfast.store;

import dev.holdfast.store.engine.AtomicFiles;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.time.Time;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The right to use a data folder: an operating-system lock, freed by the kernel however the process
 * ends.
 *
 * <p>A lock of POSIX belongs to the process and is lost when any handle of the file is closed, so
 * the file is opened once and who holds it stands in another file, {@code holdfast.pid}.
 */
public final class InstanceLock implements AutoCloseable {
  private static final Duration TERM_WAIT = Duration.ofSeconds(5);
  private static final Duration KILL_WAIT = Duration.ofSeconds(5);
  private static final Duration STEP = Duration.ofMillis(50);

  /**
   * The kernel counts a process's start in ticks since boot, so two readings of it may differ a
   * little.
   */
  private static final Duration START_SLACK = Duration.ofSeconds(2);

  private final FileChannel channel;
  private final FileLock lock;
  private final Path pidFile;

  private InstanceLock(FileChannel channel, FileLock lock, Path pidFile) {
    this.channel = channel;
    this.lock = lock;
    this.pidFile = pidFile;
  }

  /** Who holds a data folder. */
  private record Holder(long pid, Instant started) {
    String text() {
      return pid + " " + started + "\n";
    }

    static @Nullable Holder read(Path file) {
      try {
        String[] words = Files.readString(file, StandardCharsets.US_ASCII).strip().split(" ", 2);
        return new Holder(Long.parseLong(words[0]), Instant.parse(words[1]));
      } catch (IOException | RuntimeException _) {
        return null; // absent or unreadable: then the lock alone decides
      }
    }

    static Holder self() {
      ProcessHandle self = ProcessHandle.current();
      return new Holder(self.pid(), self.info().startInstant().orElse(Instant.EPOCH));
    }

    /**
     * The living process that this is about; empty when it ended and its number went to another.
     */
    Optional<ProcessHandle> living() {
      return ProcessHandle.of(pid)
          .filter(ProcessHandle::isAlive)
          .filter(
              process ->
                  process
                      .info()
                      .startInstant()
                      .map(at -> Duration.between(at, started).abs().compareTo(START_SLACK) <= 0)
                      .orElse(true));
    }
  }

  /**
   * Takes the folder, and makes it when it is missing.
   *
   * @param takeOver ask a holder to stop: SIGTERM, 5 s, SIGKILL. Blocks until it is gone
   * @throws StartRefusedException exit code 73 when another process holds the folder; then nothing
   *     was changed
   */
  public static InstanceLock take(Path dataDir, boolean takeOver, Time time)
      throws StartRefusedException, InterruptedException {
    Path pidFile = dataDir.resolve("holdfast.pid");
    try {
      AtomicFiles.createFolders(dataDir);
      Holder holder = Holder.read(pidFile);
      Optional<ProcessHandle> living = holder == null ? Optional.empty() : holder.living();
      if (living.isPresent() && takeOver && living.get().pid() != Holder.self().pid()) {
        end(living.get(), time);
        living = Optional.empty();
      }
      if (living.isPresent()) {
        // Not even the lock file is opened: were this the same process, closing it would free the
        // lock.
        throw refusal(dataDir, holder);
      }
      return lock(dataDir, pidFile, holder);
    } catch (IOException e) {
      throw new StartRefusedException(
          StartRefusedException.IO, "cannot lock " + dataDir + ": " + e.getMessage(), e);
    }
  }

  private static InstanceLock lock(Path dataDir, Path pidFile, @Nullable Holder holder)
      throws IOException, StartRefusedException {
    Path file = dataDir.resolve("holdfast.lock");
    AtomicFiles.create(file);
    FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
    FileLock lock;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException _) {
      lock = null;
    }
    if (lock == null) {
      channel.close();
      throw refusal(dataDir, holder);
    }
    AtomicFiles.write(pidFile, Holder.self().text().getBytes(StandardCharsets.US_ASCII));
    return new InstanceLock(channel, lock, pidFile);
  }

  private static StartRefusedException refusal(Path dataDir, @Nullable Holder holder) {
    String who =
        holder == null
            ? "another process"
            : "process " + holder.pid() + ", since " + holder.started();
    return new StartRefusedException(
        StartRefusedException.ALREADY_RUNNING,
        dataDir + " is in use by " + who + "; stop it first, or start with --take-over");
  }

  private static void end(ProcessHandle process, Time time) throws InterruptedException {
    process.destroy();
    if (!waitFor(process, TERM_WAIT, time)) {
      process.destroyForcibly();
      waitFor(process, KILL_WAIT, time);
    }
  }

  private static boolean waitFor(ProcessHandle process, Duration wait, Time time)
      throws InterruptedException {
    long end = time.nanos() + wait.toNanos();
    while (process.isAlive() && time.nanos() - end < 0) {
      time.sleep(STEP);
    }
    return !process.isAlive();
  }

  /** Frees the folder: the last thing before the process exits. */
  @Override
  public void close() {
    try (channel) {
      Files.deleteIfExists(pidFile);
      lock.release();
    } catch (IOException _) {
      // The process ends now, and with it the lock.
    }
  }
}
