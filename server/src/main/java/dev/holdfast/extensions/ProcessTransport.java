package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.processes.ChildExit;
import dev.holdfast.processes.LineProcess;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** A child process, one message a line. */
record ProcessTransport(LineProcess process) implements McpTransport {
  /** How long a child may take to end by itself once its input has ended. */
  private static final Duration OWN_END_MAX = Duration.ofSeconds(5);

  @Override
  public void send(JsonObject message, Duration timeout, Consumer<Failure> lost)
      throws CallFailedException, InterruptedException {
    process.write(message.encode(), timeout);
  }

  @Override
  public void forget(long request) {
    // What is said all the same is dropped when it comes.
  }

  @Override
  public void agreed(String version) {
    // It stands in no line.
  }

  @Override
  public Optional<Inbound> read(Duration timeout) throws CallFailedException, InterruptedException {
    return process
        .read(timeout)
        .map(
            line ->
                line.isWhole() || line.text().isBlank()
                    ? Inbound.of(line.text())
                    : Inbound.noMessage("it is too long, or no UTF-8"));
  }

  @Override
  public CompletableFuture<Failure> gone() {
    return process
        .exit()
        .thenApply(exit -> Failure.of(FailureCode.BACKEND_FAILURE, describe(exit)));
  }

  private static String describe(ChildExit exit) {
    return exit.hasStarted()
        ? "ended with exit code " + exit.exitCode()
        : "could not be started: " + String.join(" ", exit.errors());
  }

  @Override
  public List<String> errors() {
    return process.errors();
  }

  @Override
  public long memory() {
    return process.memory();
  }

  @Override
  public List<Long> processes() {
    return process.processes();
  }

  @Override
  public boolean isStopped() {
    return process.isStopped();
  }

  @Override
  public boolean hidesSecrets() {
    return process.hidesSecrets();
  }

  @Override
  public void end() {
    process.end();
  }

  /** Its input first, then TERM and KILL. */
  @Override
  public void close() {
    process.closeInput();
    try {
      process.exit().get(OWN_END_MAX.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException | ExecutionException _) {
      // It is not asked any more.
    }
    process.close();
  }
}
