package dev.holdfast.tests.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A server in a folder of its own with a fake platform on the other side. The platform's ledger
 * lies in a second folder. Closing it kills the server and deletes both folders.
 */
public final class ServerRig implements AutoCloseable {
  /** The secret of the webhook account {@code ci}. */
  public static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(60);
  private static final Duration DELETE_MAX = Duration.ofSeconds(20);
  private final Path folder = newFolder("holdfast-rig");
  private final Path ledgers = newFolder("holdfast-ledgers");
  private final Setup setup = new Setup(folder);
  private final FakePlatform platform;
  private final ServerApi api = new ServerApi(setup);
  private final Metrics metrics = new Metrics(setup);
  private final WebhookSender sender =
      new WebhookSender(setup.url("/webhooks/webhook/ci"), SECRET, setup::now);
  private final List<HoldfastProcess> started = new CopyOnWriteArrayList<>();
  private @Nullable HoldfastProcess process;
  private Instant launchedAt = Instant.EPOCH;

  /** Events and posts are written down and synced. */
  public ServerRig() {
    this(true);
  }

  /**
   * @param ledger whether posts are synced to a file; benchmarks keep them in memory
   */
  public ServerRig(boolean ledger) {
    platform = new FakePlatform(SECRET, ledger ? ledgers.resolve("posts.log") : null);
    setup.setNamed(
        "channels.webhook.accounts",
        "ci",
        Map.of("secret", SECRET, "reply_url", platform.replyUrl(), "allow", List.of("*")));
  }

  public Setup setup() {
    return setup;
  }

  public FakePlatform platform() {
    return platform;
  }

  public ServerApi api() {
    return api;
  }

  public Metrics metrics() {
    return metrics;
  }

  public WebhookSender sender() {
    return sender;
  }

  public Path folder() {
    return folder;
  }

  /** The process that was started last. */
  public HoldfastProcess server() {
    if (process == null) {
      throw new IllegalStateException("not started");
    }
    return process;
  }

  /** Starts the server and returns at once. */
  public HoldfastProcess launch() {
    if (process != null && process.isAlive()) {
      throw new IllegalStateException("runs already");
    }
    launchedAt = setup.now();
    HoldfastProcess next = HoldfastProcess.start(setup);
    started.add(next);
    process = next;
    return next;
  }

  /** When the last process was started, by the server's clock. */
  public Instant launchedAt() {
    return launchedAt;
  }

  /** When its servers were killed, by {@link System#nanoTime}. */
  public List<Long> killsAtNanos() {
    return started.stream()
        .map(HoldfastProcess::killedAtNanos)
        .filter(nanos -> nanos != 0)
        .toList();
  }

  /** Starts the server and waits until it is ready. */
  public ServerRig start() {
    launch().awaitReady();
    return this;
  }

  /** Starts it without what makes starts of tests cheap, and waits until it is ready. */
  HoldfastProcess startPlain(Duration limit) {
    HoldfastProcess started = HoldfastProcess.startPlain(setup);
    process = started;
    return started.awaitReady(limit);
  }

  public void restart() {
    server().kill9();
    start();
  }

  /** Has the running server take over what has been set and needs no restart. */
  public void reload() {
    long before = reloads();
    try {
      setup.write();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Await.until("the changed configuration is taken", ANSWER_LIMIT, () -> reloads() > before);
  }

  private long reloads() {
    return server().output().lines().filter(line -> line.contains("config: applied")).count();
  }

  /** Sends a message that must be accepted. */
  public void accept(String id, String thread, String text) {
    try {
      Answer answer = sender.send(id, thread, text);
      if (!answer.isAccepted()) {
        throw new AssertionError(id + " was refused: " + answer.status() + " " + answer.body());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends a message and waits for its answer: the proof that the server does its work. */
  public Post converse(String id, String thread, String text) {
    accept(id, thread, text);
    return platform.awaitPost(id, ANSWER_LIMIT);
  }

  public static Path newFolder(String prefix) {
    try {
      return Files.createTempDirectory(prefix);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    if (process != null) {
      process.close();
    }
    platform.close();
    if (Boolean.getBoolean("holdfast.keep")) {
      System.out.println("kept: " + folder + " " + ledgers);
      return;
    }
    delete(folder);
    delete(ledgers);
  }

  /** Has no effect on one that is gone. Programs that a server left may write a little longer. */
  public static void delete(Path folder) {
    Await.until("it is deleted: " + folder, DELETE_MAX, () -> isDeleted(folder));
  }

  private static boolean isDeleted(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      }
    }
    return true;
  }
}
