package dev.holdfast.tests.bench;

import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Setup;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * {@code holdfast backup} of a server while messages come in, and {@code restore}, as whole
 * commands: their Java starts within the time.
 */
final class BackupRow implements Row {
  private static final int PER_SECOND = 50;
  private static final Duration LIMIT = Duration.ofMinutes(30);

  /** What a command took, and the bytes of the files that it was about. */
  private record Taken(long bytes, long nanos) {
    String rate() {
      return String.format(
          Locale.ROOT, "%.1f MB/s (%.0f MB in %.1f s)", bytes * 1e3 / nanos, bytes / 1e6, secs());
    }

    private double secs() {
      return nanos / 1e9;
    }
  }

  @Override
  public void run(Scale scale, Report report) throws Exception {
    int messages = scale.count(50_000, 10_000);
    try (ServerRig rig = new ServerRig(false);
        ServerRig other = new ServerRig(false);
        LoadClient client = new LoadClient(rig.start().setup().httpPort(), 64)) {
      LoadResult _ = client.send(messages);
      rig.api().awaitQuiet(LIMIT);
      Histogram alone = client.steady(PER_SECOND, scale.span(10)).latency();

      Path file = rig.folder().resolve("backup.zip");
      Histogram during = new Histogram(3);
      Taken backedUp = backUp(rig.setup(), file, client, during);
      Taken restored = command(other.setup(), "restore", file.toString(), "--json");
      Taken copied = copy(other.setup().dataDir(), other.folder().resolve("copied"));

      String what = String.format(Locale.ROOT, "%,d messages, ", messages);
      report.figure(what + "backup at " + PER_SECOND + "/s", backedUp.rate(), copied.rate());
      report.figure(
          "acks meanwhile", Report.percentiles(during), "alone " + Report.percentiles(alone));
      report.figure(what + "restore", restored.rate(), copied.rate());
      report.line("the file: " + Report.mebibytes(Files.size(file)));
      report.line("bare: a plain copy of the restored files, with an fsync for each");
    }
  }

  private static Taken backUp(Setup setup, Path file, LoadClient client, Histogram latency)
      throws Exception {
    try (ExecutorService one = Executors.newSingleThreadExecutor()) {
      Future<Taken> made = one.submit(() -> command(setup, "backup", file.toString(), "--json"));
      while (!made.isDone()) {
        latency.add(client.steady(PER_SECOND, Duration.ofSeconds(1)).latency());
      }
      return made.get();
    }
  }

  private static Taken command(Setup setup, String... words) throws IOException {
    long start = System.nanoTime();
    try (HoldfastCommand command = HoldfastCommand.start(setup, words)) {
      HoldfastCommand.Result result = command.await(LIMIT);
      long nanos = System.nanoTime() - start;
      if (result.exitCode() != 0) {
        throw new IllegalStateException(String.join(" ", words) + ": " + result.err());
      }
      return new Taken(result.json().path("bytes").asLong(), nanos);
    }
  }

  private static Taken copy(Path from, Path to) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(from)) {
      files = all.filter(Files::isRegularFile).toList();
    }
    long start = System.nanoTime();
    long bytes = 0;
    for (Path file : files) {
      Path target = to.resolve(from.relativize(file).toString());
      Files.createDirectories(target.getParent());
      Files.copy(file, target);
      try (FileChannel channel = FileChannel.open(target, StandardOpenOption.WRITE)) {
        channel.force(true);
        bytes += channel.size();
      }
    }
    return new Taken(bytes, System.nanoTime() - start);
  }
}
