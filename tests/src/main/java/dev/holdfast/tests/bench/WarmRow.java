package dev.holdfast.tests.bench;

import dev.holdfast.tests.harness.ServerRig;
import java.time.Duration;
import java.util.List;
import org.HdrHistogram.Histogram;

/** The first minute of a server, at a rate that a warm one does not feel. */
final class WarmRow implements Row {
  private static final int PER_SECOND = 50;

  @Override
  public void run(Scale scale, Report report) throws Exception {
    List<String> cold = firstMinute(scale, true);
    List<String> cached = firstMinute(scale, false);
    List<String> names = List.of("0 to 10", "10 to 30", "30 to 60");
    for (int i = 0; i < cold.size(); i++) {
      report.figure(
          "event due to reply posted, " + PER_SECOND + "/s, seconds " + names.get(i),
          cached.get(i),
          "without a start-up cache: " + cold.get(i));
    }
  }

  private static List<String> firstMinute(Scale scale, boolean isCold) throws Exception {
    List<Duration> spans =
        scale.quick()
            ? List.of(Duration.ofSeconds(10))
            : List.of(Duration.ofSeconds(10), Duration.ofSeconds(20), Duration.ofSeconds(30));
    try (ServerRig rig = new ServerRig(false)) {
      if (isCold) {
        rig.setup().withoutStartCache();
      }
      rig.start();
      List<Histogram> stretches = TurnRow.atRate(rig, PER_SECOND, spans);
      return stretches.stream().map(Report::percentiles).toList();
    }
  }
}
