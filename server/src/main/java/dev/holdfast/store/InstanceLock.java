package dev.holdfast.store;

import dev.holdfast.store.engine.AtomicFiles;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.time.Time;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The right to use a data folder: an operating-system lock, freed by the kernel however the process
 * ends.
 *
 * <p>A lock of POSIX belongs to the process and is lost when any handle of the file is closed, so
 * the file is opened once and who holds it stands in another file, {@code holdfast.pid}.
 */
public final class InstanceLock implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(InstanceLock.class);
  private static final Duration KILL_WAIT = Duration.ofSeconds(5);
  private static final String OTHER_FOLDER = "name another folder with --data or server.data_dir";
  private static final Duration STEP = Duration.ofMillis(50);

  /** The kernel may take seconds to give back a killed process's memory, and its locks last. */
  private static final Duration DEATH_WAIT = Duration.ofSeconds(10);

  private final FileChannel channel;
  private final FileLock lock;
  private final Path pidFile;

  private InstanceLock(FileChannel channel, FileLock lock, Path pidFile) {
    this.channel = channel;
    this.lock = lock;
    this.pidFile = pidFile;
  }

  /**
   * Takes the folder, and makes it when it is missing. The holder is whoever holds this very lock
   * file, never a process that merely stands in a file that was copied from somewhere else.
   *
   * <p>Waits for a holder that was killed and has not let go yet.
   *
   * @throws StartRefusedException exit code 73 when another process holds the folder; then nothing
   *     was changed
   */
  public static InstanceLock take(Path dataDir, Time time)
      throws StartRefusedException, InterruptedException {
    return take(dataDir, Optional.empty(), time);
  }

  /**
   * As {@link #take}, but asks a holder to stop: SIGTERM, then SIGKILL. Blocks until it is gone.
   * One that took the folder after this process began has won against it and is left alone.
   *
   * @param stopMax how long the holder has to stop before it is killed
   */
  public static InstanceLock takeOver(Path dataDir, Duration stopMax, Time time)
      throws StartRefusedException, InterruptedException {
    return take(dataDir, Optional.of(stopMax), time);
  }

  private static InstanceLock take(Path dataDir, Optional<Duration> stopMax, Time time)
      throws StartRefusedException, InterruptedException {
    try {
      AtomicFiles.createFolders(dataDir);
      Optional<ProcessHandle> holder = living(dataDir, time);
      if (holder.isPresent()) {
        ProcessHandle process = holder.get();
        // Not even the lock file is opened: were this the same process, closing it would free the
        // lock.
        if (stopMax.isEmpty() || process.pid() == ProcessHandle.current().pid()) {
          throw refusal(dataDir, describe(process), "stop it first, or start with --take-over");
        }
        if (hasJustTaken(dataDir, process, time)) {
          throw refusal(dataDir, describe(process), "it took the folder over at the same time");
        }
        LOG.warn("data folder: taking {} over from {}", dataDir, describe(process));
        end(process, stopMax.get(), time);
      } else {
        tellOfOriginal(dataDir);
      }
      return lock(dataDir, stopMax.isPresent(), time);
    } catch (IOException e) {
      throw new StartRefusedException(
          StartRefusedException.IO,
          "cannot use the data folder " + dataDir + ": " + reason(dataDir, e),
          e);
    }
  }

  /** Why, and what to do: most exceptions of files say no more than a path. */
  private static String reason(Path dataDir, IOException failure) {
    for (Path path = dataDir.toAbsolutePath(); path != null; path = path.getParent()) {
      if (Files.exists(path) && !Files.isDirectory(path)) {
        return path + " is a file, not a folder; " + OTHER_FOLDER;
      }
    }
    return switch (failure) {
      case AccessDeniedException denied ->
          "no right to write " + denied.getFile() + "; change its owner or " + OTHER_FOLDER;
      case FileSystemException e when e.getReason() != null ->
          e.getFile() + ": " + e.getReason() + "; " + advice(e.getReason());
      default -> failure.getMessage() + "; " + advice(String.valueOf(failure.getMessage()));
    };
  }

  private static String advice(String reason) {
    return reason.contains("No space left") || reason.contains("quota")
        ? "free some space"
        : OTHER_FOLDER;
  }

  private static boolean hasJustTaken(Path dataDir, ProcessHandle holder, Time time) {
    return Holder.read(dataDir)
        .filter(told -> told.pid() == holder.pid() && told.living().isPresent())
        .map(told -> told.taken().isAfter(time.now().minus(Holder.age())))
        .orElse(true); // it holds the lock and has not yet said so
  }

  /** A copied folder names the process of the original, which this start has nothing to do with. */
  private static void tellOfOriginal(Path dataDir) {
    Holder.read(dataDir)
        .filter(told -> !told.isOf(dataDir) && told.living().isPresent())
        .ifPresent(
            told ->
                LOG.warn(
                    "data folder: {} is a copy of {}, which process {} serves; that one is left alone",
                    dataDir,
                    told.path(),
                    told.pid()));
  }

  private static Optional<ProcessHandle> living(Path dataDir, Time time)
      throws InterruptedException {
    Optional<ProcessHandle> holder = LockHolder.process(dataDir);
    long end = time.nanos() + DEATH_WAIT.toNanos();
    while (holder.filter(LockHolder::isDying).isPresent() && time.nanos() - end < 0) {
      time.sleep(STEP);
      holder = LockHolder.process(dataDir);
    }
    return holder;
  }

  private static InstanceLock lock(Path dataDir, boolean takeOver, Time time)
      throws IOException, StartRefusedException {
    Path file = dataDir.resolve(Holder.LOCK_FILE);
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
      String who =
          LockHolder.process(dataDir).map(InstanceLock::describe).orElse("another process");
      throw refusal(
          dataDir,
          who,
          takeOver
              ? "it took the folder over at the same time"
              : "stop it first, or start with --take-over");
    }
    Path pidFile = dataDir.resolve(Holder.FILE);
    try {
      AtomicFiles.write(
          pidFile, Holder.self(dataDir, time.now()).text().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      channel.close(); // else this process would be in its own way at the next try
      throw e;
    }
    LOG.info("data folder: {} is held by process {}", dataDir, ProcessHandle.current().pid());
    return new InstanceLock(channel, lock, pidFile);
  }

  private static String describe(ProcessHandle process) {
    return "process " + process.pid() + ", since " + Holder.started(process);
  }

  private static StartRefusedException refusal(Path dataDir, String who, String advice) {
    return new StartRefusedException(
        StartRefusedException.ALREADY_RUNNING, dataDir + " is in use by " + who + "; " + advice);
  }

  private static void end(ProcessHandle process, Duration stopMax, Time time)
      throws InterruptedException {
    process.destroy();
    if (!waitFor(process, stopMax, time)) {
      LOG.warn("data folder: process {} has not stopped and is killed", process.pid());
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
