package dev.holdfast.models;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The double of the model providers that others made, so that not only our own reading of the
 * contracts is tested.
 */
final class AimockServer implements AutoCloseable {
  private static final Path HOME = Path.of("target", "doubles");
  private static final Path SOURCES = Path.of("src", "test", "doubles");

  private final Process process;
  private final int port;

  private AimockServer(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /**
   * Installs it when that was not done before; fails with the reason when node or npm is missing.
   */
  static AimockServer start(String fixtures) throws IOException, InterruptedException {
    install();
    Path folder = Files.createDirectories(HOME.resolve("fixtures"));
    Files.writeString(folder.resolve("all.json"), fixtures);
    int port = freePort();
    Process process =
        new ProcessBuilder(
                "node",
                "node_modules/@copilotkit/aimock/dist/cli.js",
                "-p",
                Integer.toString(port),
                "-f",
                "fixtures",
                "--validate-on-load")
            .directory(HOME.toFile())
            .redirectErrorStream(true)
            .redirectOutput(HOME.resolve("aimock.log").toFile())
            .start();
    AimockServer aimock = new AimockServer(process, port);
    aimock.awaitReady();
    return aimock;
  }

  String url() {
    return "http://127.0.0.1:" + port;
  }

  private static void install() throws IOException, InterruptedException {
    Files.createDirectories(HOME);
    boolean same = Files.isDirectory(HOME.resolve("node_modules"));
    for (String file : List.of("package.json", "package-lock.json", ".npmrc")) {
      Path copy = HOME.resolve(file);
      same &= Files.exists(copy) && Files.mismatch(SOURCES.resolve(file), copy) < 0;
      Files.copy(SOURCES.resolve(file), copy, StandardCopyOption.REPLACE_EXISTING);
    }
    if (!same) {
      run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund");
    }
  }

  private static void run(String... command) throws IOException, InterruptedException {
    Process process;
    try {
      process =
          new ProcessBuilder(command)
              .directory(HOME.toFile())
              .redirectErrorStream(true)
              .redirectOutput(HOME.resolve("npm.log").toFile())
              .start();
    } catch (IOException e) {
      throw new IllegalStateException(
          "the doubles of the model providers need node 20 and npm on the PATH", e);
    }
    if (!process.waitFor(3, TimeUnit.MINUTES) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new IllegalStateException(
          String.join(" ", command) + " failed: " + Files.readString(HOME.resolve("npm.log")));
    }
  }

  private void awaitReady() throws IOException, InterruptedException {
    for (int i = 0; i < 200; i++) {
      try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
        return;
      } catch (IOException _) {
        if (process.waitFor(100, TimeUnit.MILLISECONDS)) {
          break;
        }
      }
    }
    throw new IllegalStateException(
        "aimock did not start: " + Files.readString(HOME.resolve("aimock.log")));
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The address that a provider's configuration would hold. */
  String baseUrl(String provider) {
    return url() + Map.of("openai", "/v1").getOrDefault(provider, "");
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  static String read(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
