package dev.holdfast.tests.bench;

import dev.holdfast.tests.harness.HoldfastProcess;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.ServerRig;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

/** From the start of the process to the first 200 of /ready, with and without a start-up cache. */
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
      rig.setup().withoutStartCache();
      report.figure(
          "start to ready without a start-up cache, median of 5",
          median(starts(rig)),
          median(bare));
    }
    try (ServerRig rig = new ServerRig(false)) {
      report.figure("start to ready, as the launcher starts it", median(starts(rig)), median(bare));
    }
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
}
