package dev.holdfast.store;

import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.StoreHooks;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.time.SystemTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * Another process for the tests to hurt: it holds a data folder, or fills one and notes what was
 * confirmed to it.
 */
public final class CrashingProcess {
  private CrashingProcess() {}

  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[1]);
    switch (args[0]) {
      case "hold" -> hold(folder, false);
      case "take-over" -> hold(folder, true);
      case "open" -> open(folder).close();
      case "fill" -> fill(folder, Path.of(args[2]));
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private static void hold(Path folder, boolean takeOver) throws Exception {
    try {
      InstanceLock lock =
          takeOver
              ? InstanceLock.takeOver(folder, Duration.ofSeconds(2), new SystemTime())
              : InstanceLock.take(folder, new SystemTime());
      System.out.println("held");
      Thread.currentThread().join();
      lock.close();
    } catch (StartRefusedException e) {
      System.out.println(e.getMessage());
      Runtime.getRuntime().halt(e.exitCode());
    }
  }

  private static Store open(Path folder) throws StartRefusedException {
    return Store.open(
        new StoreConfig(TestStore.INBOX, 0, TestStore.FILES),
        folder,
        new SystemTime(), // another process looks at it
        new SimpleMeterRegistry(),
        new StoreHooks(() -> {}, (code, _) -> Runtime.getRuntime().halt(code)));
  }

  private static void fill(Path folder, Path acknowledged) throws Exception {
    Store store = open(folder);
    String run = Long.toHexString(ProcessHandle.current().pid());
    Semaphore inFlight = new Semaphore(64);
    try (FileOutputStream out = new FileOutputStream(acknowledged.toFile(), true)) {
      for (int i = 0; ; i++) {
        String key = run + "-" + i;
        inFlight.acquire();
        store
            .inbox()
            .append(TestStore.event("t" + i % 50, key))
            .whenComplete(
                (_, failure) -> {
                  if (failure == null) {
                    note(out, key);
                  }
                  inFlight.release();
                })
            .exceptionally(_ -> null);
        if (i % 10 == 9) {
          finishSome(store);
        }
      }
    }
  }

  private static void finishSome(Store store) throws StoreException {
    for (Event event : store.inbox().open(0, 3)) {
      store.inbox().start(event.seq(), 3);
      store
          .inbox()
          .finish(
              TestStore.finish(event, EventState.ANSWERED, TestStore.reply(event, "a.1", false)));
    }
  }

  private static void note(FileOutputStream out, String key) {
    try {
      out.write((key + "\n").getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      Runtime.getRuntime().halt(99);
    }
  }

  /** Starts one. {@code before}: what it is started through, for example strace. */
  public static Process start(List<String> before, Path output, String... args) throws IOException {
    return start(CrashingProcess.class, before, output, args);
  }

  /** The same of another class. */
  public static Process start(Class<?> main, List<String> before, Path output, String... args)
      throws IOException {
    List<String> command = new ArrayList<>(before);
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-Xmx128m",
            "-XX:TieredStopAtLevel=1",
            // It is killed, and could not remove what SQLite's driver unpacks.
            "-Djava.io.tmpdir=" + output.toAbsolutePath().getParent(),
            "-cp",
            System.getProperty("java.class.path"),
            main.getName()));
    command.addAll(List.of(args));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start();
  }

  public static List<String> lines(Path file) {
    try {
      return Files.exists(file) ? Files.readAllLines(file) : List.of();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
