package dev.holdfast.tests.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A real nats-server with JetStream, in a folder of its own. Its port stays the same over restarts.
 * Closing it kills the server and deletes the folder.
 */
public final class NatsServer implements AutoCloseable {
  private static final Duration START_MAX = Duration.ofSeconds(30);

  private final Path folder = ServerRig.newFolder("holdfast-nats");
  private final int port = Setup.freePort();
  private final Map<String, String> environment = new HashMap<>();
  private String more = "max_payload: 4MB";
  private @Nullable Process process;
  private Path store = folder.resolve("store");

  /** Leaves the test out where there is no nats-server. Starts nothing yet. */
  public NatsServer() {
    Commands.assumePresent("nats-server");
  }

  public String url() {
    return "nats://127.0.0.1:" + port;
  }

  /**
   * Adds to its configuration, from the next start or {@link #reload} on.
   *
   * @param lines in place of its {@code max_payload}
   * @param variables that they name
   */
  public NatsServer configured(String lines, Map<String, String> variables) {
    more = lines;
    environment.putAll(variables);
    return this;
  }

  public int port() {
    return port;
  }

  /** Keeps its store there from the next start on. */
  public NatsServer storeIn(Path otherFolder) {
    store = otherFolder;
    return this;
  }

  /** Makes it read its configuration again. */
  public void reload() {
    Path _ = writeConfig();
    Commands.run("kill", "-HUP", Long.toString(running().pid()));
  }

  private Path writeConfig() {
    try {
      return Files.writeString(
          folder.resolve("nats.conf"),
          """
          listen: "127.0.0.1:%d"
          jetstream { store_dir: "%s", max_file_store: 1GB }
          %s
          """
              .formatted(port, store, more));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The address for a user with a password. */
  public String url(String user, String password) {
    return "nats://" + user + ":" + password + "@127.0.0.1:" + port;
  }

  /** Its configuration, its log and its store. */
  public Path folder() {
    return folder;
  }

  /** Starts it with what its store holds, and waits until it listens. */
  public NatsServer start() {
    try {
      Path config = writeConfig();
      ProcessBuilder builder =
          new ProcessBuilder("nats-server", "-c", config.toString())
              .redirectErrorStream(true)
              .redirectOutput(
                  ProcessBuilder.Redirect.appendTo(folder.resolve("nats.log").toFile()));
      builder.environment().putAll(environment);
      process = builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Await.until("nats-server listens", START_MAX, this::listens);
    return this;
  }

  private boolean listens() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException _) {
      return false;
    }
  }

  private Process running() {
    if (process == null) {
      throw new IllegalStateException("not started");
    }
    return process;
  }

  /** SIGKILL; returns when it is over. */
  public void kill9() {
    running().destroyForcibly();
    try {
      int _ = running().waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** SIGSTOP: its connections stay, and nothing comes over them. */
  public void suspend() {
    Commands.run("kill", "-STOP", Long.toString(running().pid()));
  }

  /** SIGCONT. */
  public void resume() {
    Commands.run("kill", "-CONT", Long.toString(running().pid()));
  }

  /** Forgets all streams; while it does not run. */
  public void emptyStore() {
    ServerRig.delete(store);
  }

  /** Forgets one stream, while it does not run. Returns a store that holds nothing else. */
  public Path setAside(String stream) throws IOException {
    Path kept = Files.createTempDirectory(folder, "kept");
    Path streams = Path.of("jetstream", "$G", "streams");
    Path from = store.resolve(streams).resolve(stream);
    Path to = Files.createDirectories(kept.resolve(streams)).resolve(stream);
    if (Files.exists(from)) {
      Files.move(from, to);
    }
    return kept;
  }

  @Override
  public void close() {
    if (process != null) {
      kill9();
    }
    ServerRig.delete(folder);
  }
}
