package dev.holdfast.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.processes.ChildrenConfig.Sandbox;
import dev.holdfast.processes.ProcessSpec.Limits;
import dev.holdfast.time.SystemTime;
import dev.holdfast.time.Time;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** A data folder with a child's own folder in it, and what the tests ask of the machine. */
final class ChildRig {
  static final Time TIME = new SystemTime(); // children are real

  /**
   * On the command line of each process that a test leaves behind, so that it can be looked for.
   */
  final String mark = "hf-" + UUID.randomUUID();

  final Path data;
  final Path work;

  ChildRig(Path temporary) throws IOException {
    data = Files.createDirectories(temporary.resolve("data")).toRealPath();
    work = Files.createDirectories(data.resolve("threads/t1/scratch"));
    Files.writeString(data.resolve("token"), "canary");
  }

  /** The test is left out where this machine cannot do it. */
  Children children(Sandbox sandbox) throws InterruptedException {
    return children(sandbox, List::of);
  }

  Children children(Sandbox sandbox, Supplier<List<Path>> secrets) throws InterruptedException {
    try {
      return Children.open(ChildrenConfig.of(sandbox, data).hiding(secrets), TIME);
    } catch (CallFailedException e) {
      return Assumptions.abort(e.failure().message());
    }
  }

  /** As on a machine where the server may make no control group. */
  Children childrenWithoutGroups(Sandbox sandbox) throws InterruptedException {
    try {
      return Children.open(ChildrenConfig.of(sandbox, data), Optional.empty(), TIME);
    } catch (CallFailedException e) {
      return Assumptions.abort(e.failure().message());
    }
  }

  ProcessSpec shell(String command) {
    return spec(command, Duration.ofSeconds(30), Limits.DEFAULT);
  }

  ProcessSpec shell(String command, Duration timeout) {
    return spec(command, timeout, Limits.DEFAULT);
  }

  ProcessSpec spec(String command, Duration timeout, Limits limits) {
    return new ProcessSpec(
        List.of("bash", "-c", command), work, Map.of(), "", timeout, limits, 1 << 20);
  }

  /** Kept, with lines of 1000 bytes that are cut and 10,000 bytes of input. */
  LineProcessSpec lines(String command) {
    return lines(command, LineProcessSpec.LongLine.CUT);
  }

  LineProcessSpec lines(String command, LineProcessSpec.LongLine onLongLine) {
    return new LineProcessSpec(
        List.of("bash", "-c", command), work, Map.of(), Limits.DEFAULT, 1000, onLongLine, 10_000);
  }

  /** A command that sleeps under this test's name; it ends by itself within a minute. */
  String sleeper() {
    return "bash -c 'exec -a " + mark + " sleep 50'";
  }

  /**
   * How many processes of this test there are on the machine, counting shells that are about to
   * sleep.
   */
  long alive() {
    try (Stream<Path> entries = Files.list(Path.of("/proc"))) {
      return entries.filter(entry -> commandLine(entry).startsWith(mark)).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String commandLine(Path entry) {
    try {
      return entry.getFileName().toString().matches("[0-9]+")
          ? Files.readString(entry.resolve("cmdline"), StandardCharsets.ISO_8859_1)
          : "";
    } catch (IOException _) {
      return "";
    }
  }

  /** How long it took. */
  static Duration await(Duration limit, BooleanSupplier condition) throws InterruptedException {
    long begun = TIME.nanos();
    while (!condition.getAsBoolean()) {
      Duration waited = Duration.ofNanos(TIME.nanos() - begun);
      assertThat(waited).as("waiting").isLessThan(limit);
      TIME.sleep(Duration.ofMillis(10));
    }
    return Duration.ofNanos(TIME.nanos() - begun);
  }
}
