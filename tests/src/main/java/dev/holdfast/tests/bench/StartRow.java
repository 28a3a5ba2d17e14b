package dev.holdfast.tests.bench;

import dev.holdfast.tests.harness.HoldfastProcess;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.ServerRig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

/** From the start of the process to the first 200 of /ready, with and without an AOT cache. */
final class StartRow implements Row {
  private static final int ROUNDS = 5;

  @Override
  public void run(Scale scale, Report report) throws Exception {
    double[] bare = new double[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      try (BareProcess process = new BareProcess()) {
        bare[i] = process.startTook().toNanos() / 1e6;
      }
    }
    try (ServerRig rig = new ServerRig(false)) {
      report.figure("start to ready, median of 5", median(starts(rig)), median(bare));
    }
    try (ServerRig rig = new ServerRig(false)) {
      Path cache = rig.folder().resolve("holdfast.aot");
      train(rig, cache);
      if (!Files.exists(cache)) {
        report.line("no AOT cache was made: " + tail(rig.server().output()));
        return;
      }
      rig.setup().flag("-XX:AOTCache=" + cache);
      report.figure(
          "start to ready with an AOT cache of " + Report.mebibytes(Files.size(cache)),
          median(starts(rig)),
          median(bare));
    }
  }

  /** Starts {@code rig} once to make the cache that the launcher makes for its users. */
  static void train(ServerRig rig, Path cache) {
    rig.setup().flag("-XX:AOTCacheOutput=" + cache);
    rig.start();
    for (int i = 0; i < 20; i++) {
      rig.converse("train-" + i, "train", "hello " + i);
    }
    rig.server().terminate();
    // The JVM assembles the cache after the server has stopped: seconds on a small machine.
    rig.server().exitCode(Duration.ofMinutes(2));
    rig.setup().noFlag("-XX:AOTCacheOutput=" + cache);
  }

  private static double[] starts(ServerRig rig) {
    rig.start(); // the first start makes the database
    rig.server().stop();
    double[] millis = new double[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      long start = System.nanoTime();
      HoldfastProcess process = rig.launch();
      Probe.awaitOk(new Http(), rig.setup().url("/ready"), Map.of(), process::isAlive);
      millis[i] = (System.nanoTime() - start) / 1e6;
      process.stop();
    }
    return millis;
  }

  static String median(double[] millis) {
    double[] sorted = millis.clone();
    Arrays.sort(sorted);
    return String.format(
        Locale.ROOT,
        "%.0f ms (%.0f to %.0f)",
        sorted[sorted.length / 2],
        sorted[0],
        sorted[sorted.length - 1]);
  }

  private static String tail(String text) {
    return text.substring(Math.max(0, text.length() - 500));
  }
}
