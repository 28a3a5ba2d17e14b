package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** How messages get to one MCP server and back. Thread-safe. */
sealed interface McpTransport extends AutoCloseable permits ProcessTransport, HttpTransport {
  /**
   * Hands a message over. Blocks while there is no room for it, no longer than {@code timeout}.
   *
   * @param lost hears, at most once, why no answer to this message can come any more although the
   *     server is still there
   * @throws CallFailedException when it was not handed over
   */
  void send(JsonObject message, Duration timeout, Consumer<Failure> lost)
      throws CallFailedException, InterruptedException;

  /** Nobody waits for the answer to this request any more. */
  void forget(long request);

  /** The greeting is over: both sides speak this version from now on. */
  void agreed(String version);

  /**
   * What comes next; empty when nothing comes in time.
   *
   * @throws CallFailedException when nothing will come any more
   */
  Optional<Inbound> read(Duration timeout) throws CallFailedException, InterruptedException;

  /** Completes with the reason when the server is gone; the message goes on from its name. */
  CompletableFuture<Failure> gone();

  /** The last lines of what went wrong, for an operator. */
  List<String> errors();

  /** What its processes held in bytes when they were looked at last; zero where nobody knows. */
  long memory();

  /** The ids of its processes on this machine; empty where there are none. */
  List<Long> processes();

  /**
   * Whether one of its processes on this machine was stopped, so that no call can come to an end.
   */
  boolean isStopped();

  /** False when files of secrets have come into its view since it was started. */
  boolean hidesSecrets();

  /** Begins to end it. Returns at once. */
  void end();

  /** Ends it. Blocks until nothing of it is left. */
  @Override
  void close();
}
