package dev.holdfast.training;

import dev.holdfast.config.Secret;
import dev.holdfast.time.Time;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/**
 * A server of the same jar, Java and flags, in a folder of its own under {@code java.io.tmpdir} and
 * on free ports of loopback, that does its first minutes' work and then leaves a cache behind.
 */
public final class Training {
  /** Behind everybody else on a busy machine, and slowed by what Java writes down. */
  private static final Duration READY_MAX = Duration.ofMinutes(5);

  /** The JVM assembles the cache after the server has stopped. */
  private static final Duration ASSEMBLED_MAX = Duration.ofMinutes(3);

  private static final int WORKERS = 12;
  private static final String SECRET = "whsec_dHJhaW5pbmcgYWxvbmUga25vd3MgdGhpcyBzZWNyZXQ=";

  private final CacheFile cache;
  private final List<String> java;
  private final Path jar;
  private final Time time;

  /**
   * @param java the program and its flags, as the server will be started with
   */
  public Training(CacheFile cache, List<String> java, Path jar, Time time) {
    this.cache = cache;
    this.java = java;
    this.jar = jar;
    this.time = time;
  }

  /**
   * Makes the cache; an older one stays in its place until this one is whole.
   *
   * @param span how long the server is under load
   * @param progress hears several times a second how many messages were sent; negative while the
   *     cache is assembled
   */
  public void run(Duration span, LongConsumer progress)
      throws IOException, InterruptedException, TrainingFailedException {
    try (TerminationHook _ = new TerminationHook()) {
      train(span, progress);
    }
  }

  private void train(Duration span, LongConsumer progress)
      throws IOException, InterruptedException, TrainingFailedException {
    Path folder = Files.createTempDirectory("holdfast-training");
    Path made = cache.path().resolveSibling(cache.path().getFileName() + ".new");
    try (TrainingPeer peer = new TrainingPeer()) {
      run(folder, made, peer, span, progress);
      cache.replaceWith(made);
    } finally {
      Files.deleteIfExists(made);
      Files.deleteIfExists(made.resolveSibling(made.getFileName() + ".config"));
      delete(folder);
    }
  }

  private void run(Path folder, Path made, TrainingPeer peer, Duration span, LongConsumer progress)
      throws IOException, InterruptedException, TrainingFailedException {
    int port = freePort();
    int metricsPort = freePort();
    Files.writeString(folder.resolve("holdfast.yaml"), configuration(port, metricsPort, peer));
    Process server = start(folder, made);
    try {
      String base = "http://127.0.0.1:" + port;
      awaitReady(server, folder, URI.create(base + "/ready"));
      String token = Files.readString(folder.resolve("data").resolve("token")).strip();
      try (TrainingLoad load =
          new TrainingLoad(
              base,
              "http://127.0.0.1:" + metricsPort + "/metrics",
              token,
              new Secret(SECRET),
              peer,
              time)) {
        exercise(server, load, peer, span, progress);
      }
      server.destroy();
      long end = time.nanos() + ASSEMBLED_MAX.toNanos();
      while (!server.waitFor(300, TimeUnit.MILLISECONDS)) {
        progress.accept(-1);
        if (time.nanos() > end) {
          throw new TrainingFailedException("the JVM did not finish the cache in time");
        }
      }
      if (!Files.isRegularFile(made) || Files.size(made) == 0) {
        throw new TrainingFailedException("the JVM made no cache: " + tail(folder));
      }
    } finally {
      kill(server);
    }
  }

  /** With the JVM that assembles the cache for it. */
  private static void kill(Process server) throws InterruptedException {
    List<ProcessHandle> assembling = server.descendants().toList();
    server.destroyForcibly().waitFor();
    assembling.forEach(ProcessHandle::destroyForcibly);
  }

  private void exercise(
      Process server, TrainingLoad load, TrainingPeer peer, Duration span, LongConsumer progress)
      throws InterruptedException, TrainingFailedException {
    long start = time.nanos();
    long end = start + span.toNanos();
    List<Thread> workers = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      workers.add(Thread.startVirtualThread(() -> work(load, end)));
    }
    try {
      while (time.nanos() < end) {
        if (!server.isAlive()) {
          throw new TrainingFailedException("the server ended with " + server.exitValue());
        }
        if (time.nanos() - start > span.toNanos() / 4) {
          peer.letModelCome(); // until then the embedded one has answered
        }
        progress.accept(load.sent());
        time.sleep(Duration.ofMillis(250));
      }
    } finally {
      for (Thread worker : workers) {
        worker.interrupt();
        worker.join();
      }
    }
    if (load.sent() < WORKERS) {
      throw new TrainingFailedException("the server answered nothing");
    }
  }

  private void work(TrainingLoad load, long end) {
    while (time.nanos() < end && !Thread.currentThread().isInterrupted()) {
      try {
        load.next();
      } catch (IOException _) {
        // A request that failed has trained the server as well.
      } catch (InterruptedException _) {
        return;
      }
    }
  }

  private Process start(Path folder, Path made) throws IOException {
    List<String> command = new ArrayList<>(java);
    command.add("-XX:AOTCacheOutput=" + made.toAbsolutePath());
    command.addAll(List.of("-jar", jar.toAbsolutePath().toString()));
    command.addAll(List.of("run", "--config", "holdfast.yaml", "--data", "data"));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("output").toFile());
    // Keys of the operator's models and platforms must not reach it.
    builder.environment().keySet().retainAll(Set.of("PATH", "LANG", "LC_ALL", "TZ"));
    builder.environment().put("HOME", folder.toString());
    return builder.start();
  }

  private static String configuration(int port, int metricsPort, TrainingPeer peer) {
    return """
    http: {port: %d}
    metrics: {port: %d}
    channels:
      webhook:
        accounts:
          training: {secret: "%s", reply_url: "%s", allow: ["*"]}
    models:
      levels: {operational: [openai/training, embedded/echo]}
      providers: {openai: {api_key: training, base_url: "%s"}}
    breakers: {default: {initial_backoff_ms: 1000, max_backoff_ms: 1000}}
    """
        .formatted(port, metricsPort, SECRET, peer.url("/replies"), peer.url("/v1"));
  }

  private void awaitReady(Process server, Path folder, URI ready)
      throws IOException, InterruptedException, TrainingFailedException {
    long end = time.nanos() + READY_MAX.toNanos();
    try (HttpClient client = HttpClient.newHttpClient()) {
      while (!isReady(client, ready)) {
        if (!server.isAlive()) {
          throw new TrainingFailedException("the server did not start: " + tail(folder));
        }
        if (time.nanos() > end) {
          throw new TrainingFailedException("the server did not become ready: " + tail(folder));
        }
        time.sleep(Duration.ofMillis(50));
      }
    }
  }

  private static boolean isReady(HttpClient client, URI ready) throws InterruptedException {
    try {
      HttpRequest request = HttpRequest.newBuilder(ready).timeout(Duration.ofSeconds(5)).build();
      return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException _) {
      return false; // not listening yet
    }
  }

  private static String tail(Path folder) throws IOException {
    String output = Files.readString(folder.resolve("output"));
    return output.substring(Math.max(0, output.length() - 1000)).strip();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
