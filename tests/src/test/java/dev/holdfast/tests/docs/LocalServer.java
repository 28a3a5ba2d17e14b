package dev.holdfast.tests.docs;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.Setup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A server as the pages have it: the jar alone, started in a folder with {@code run}. Only its
 * ports are others, so that tests do not meet. Closing it kills it and deletes the folder.
 */
final class LocalServer implements AutoCloseable {
  private static final Duration START = Duration.ofSeconds(60);

  private final Path folder;
  private final Process process;

  private LocalServer(Path folder, Process process) {
    this.folder = folder;
    this.process = process;
  }

  /** Waits until it is ready. */
  static LocalServer start(Path folder) throws IOException {
    Setup ports = new Setup(folder);
    Path config = Files.createDirectories(folder.resolve("conf")).resolve("holdfast.yaml");
    Files.writeString(
        config,
        "http: {port: %d}\nmetrics: {port: %d}\n".formatted(ports.httpPort(), ports.metricsPort()),
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
    Process process =
        new ProcessBuilder(List.of(Setup.java(), "-Xmx512m", "-jar", Setup.jar().toString(), "run"))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("output.log").toFile())
            .start();
    LocalServer server = new LocalServer(folder, process);
    Await.until(
        "the server is ready",
        START,
        () -> {
          try {
            return new Http().get(ports.url("/ready"), Map.of()).status() == 200;
          } catch (IOException _) {
            return false;
          }
        });
    return server;
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly().onExit().join();
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
