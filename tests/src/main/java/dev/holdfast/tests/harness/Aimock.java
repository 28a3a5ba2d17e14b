package dev.holdfast.tests.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The double of the model providers that others made, as a process of its own: so that not only our
 * own reading of their contracts is tested.
 */
public final class Aimock implements AutoCloseable {
  private static final Path SOURCES = Path.of("src", "main", "doubles");
  private static final Path HOME = Path.of("target", "doubles");

  private final Process process;
  private final int port;

  private Aimock(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /**
   * Installs it when that was not done before; returns when it answers.
   *
   * @param folder where its fixtures and its output go
   * @throws IllegalStateException when npm is missing or fails, with what it said
   */
  public static Aimock start(Path folder, String fixtures) {
    try {
      install();
      Path home = HOME.toRealPath();
      Path given = Files.createDirectories(folder.resolve("fixtures"));
      Files.writeString(given.resolve("all.json"), fixtures);
      int port = freePort();
      Process process =
          new ProcessBuilder(
                  "node",
                  home.resolve("node_modules/@copilotkit/aimock/dist/cli.js").toString(),
                  "-p",
                  Integer.toString(port),
                  "-f",
                  given.toString(),
                  "--validate-on-load")
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("aimock.log").toFile())
              .start();
      Aimock aimock = new Aimock(process, port);
      Await.value("aimock answers", Duration.ofSeconds(30), () -> aimock.look(folder));
      return aimock;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Its address without a path. */
  public String url() {
    return "http://127.0.0.1:" + port;
  }

  private Optional<Boolean> look(Path folder) throws IOException {
    if (!process.isAlive()) {
      throw new AssertionError("aimock ended: " + Files.readString(folder.resolve("aimock.log")));
    }
    try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return Optional.of(true);
    }
  }

  /** Once at a time: test classes run in parallel. */
  private static synchronized void install() throws IOException {
    Files.createDirectories(HOME);
    boolean same = Files.isDirectory(HOME.resolve("node_modules"));
    for (String file : List.of("package.json", "package-lock.json", ".npmrc")) {
      Path copy = HOME.resolve(file);
      same &= Files.exists(copy) && Files.mismatch(SOURCES.resolve(file), copy) < 0;
      Files.copy(SOURCES.resolve(file), copy, StandardCopyOption.REPLACE_EXISTING);
    }
    if (!same) {
      String home = HOME.toString();
      Commands.run("timeout", "180", "npm", "--prefix", home, "ci");
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
