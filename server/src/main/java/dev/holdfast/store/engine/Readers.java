package dev.holdfast.store.engine;

import java.sql.SQLException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * A few connections on as many platform threads: a read in C code would hold the carrier of a
 * virtual thread. A caller waits for its turn; its interrupt never reaches the read. Thread-safe.
 */
final class Readers {
  private static final int COUNT = 3;
  private static final long STOP_SECONDS = 10;

  private final ExecutorService threads;
  private final BlockingQueue<Statements> free = new ArrayBlockingQueue<>(COUNT);
  private final FailStop failStop;

  Readers(Engine.Source source, FailStop failStop) throws SQLException {
    this.failStop = failStop;
    for (int i = 0; i < COUNT; i++) {
      Statements sql = source.another();
      sql.of("pragma query_only = on").execute();
      free.add(sql);
    }
    threads =
        new ThreadPoolExecutor(
            COUNT,
            COUNT,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().daemon().name("holdfast-store-reader-", 0).factory());
  }

  <T> T read(Engine.Read<T> read) {
    try {
      return CompletableFuture.supplyAsync(() -> run(read), threads).join();
    } catch (CompletionException e) {
      throw new IllegalStateException("the store cannot be read", e.getCause());
    }
  }

  <T> T ask(Engine.Ask<T> ask) {
    return read(
        sql -> {
          try (Handle handle = Jdbi.create(sql.connection()).open()) { // closes the handle alone
            return ask.of(handle);
          }
        });
  }

  private <T> T run(Engine.Read<T> read) {
    Statements sql = free.remove(); // there are as many as threads
    try {
      sql.of("begin").execute(); // all that it reads is of one moment
      try {
        return read.from(sql);
      } finally {
        end(sql);
      }
    } catch (SQLException e) {
      sql.forget();
      if (DiskErrors.of(e) == DiskErrors.Verdict.DAMAGED) {
        failStop.end(StartRefusedException.DAMAGED, "holdfast.db: " + e.getMessage());
      }
      throw new CompletionException(e);
    } finally {
      free.add(sql);
    }
  }

  private static void end(Statements sql) {
    try {
      sql.of("rollback").execute();
    } catch (SQLException _) {
      // The error that is told has ended it already.
    }
  }

  void stop() throws SQLException {
    threads.shutdown();
    boolean interrupted = Thread.interrupted();
    try {
      if (!threads.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
        threads.shutdownNow();
      }
    } catch (InterruptedException _) {
      interrupted = true;
    }
    for (Statements sql = free.poll(); sql != null; sql = free.poll()) {
      sql.close();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
