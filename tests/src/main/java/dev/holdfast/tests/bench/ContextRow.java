package dev.holdfast.tests.bench;

import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * What a long conversation costs besides its request: the server's own turn time without the
 * model's, at different lengths of one context, and of the first turn after a start, which loads
 * it.
 */
final class ContextRow implements Row {
  private static final int MEASURED = 20;
  private int messages;

  @Override
  public void run(Scale scale, Report report) throws Exception {
    String fsync = "fsync " + Report.percentiles(FsyncRow.measure(Duration.ofSeconds(2)));
    List<Integer> lengths = scale.quick() ? List.of(100, 400, 1_000) : List.of(100, 1_000, 5_000);
    try (ServerRig rig = new ServerRig(false);
        FakeModel model = new FakeModel().asOpenAi(rig.setup()).unrecorded()) {
      // A window that no length of these fills.
      rig.setup().set("models.levels.operational", List.of("openai/gpt-4.1"));
      model.always(ModelScript.answer(_ -> "yes"));
      rig.start();
      talk(rig, "warm", 200);
      int entries = 0;
      for (int length : lengths) {
        talk(rig, "long", (length - entries) / 2 - MEASURED);
        report.figure(
            "turn without the model, context of " + length + " entries",
            Report.millis(overhead(rig, MEASURED)),
            fsync);
        entries = length;
      }
      rig.server().stop();
      rig.start();
      talk(rig, "other", 20);
      report.figure(
          "the same, first turn after a start: loads " + entries + " entries",
          Report.millis(overhead(rig, 1)),
          fsync);
    }
  }

  /** The mean of the next turns, in milliseconds. */
  private double overhead(ServerRig rig, int turns) throws IOException {
    double count = rig.metrics().sum("holdfast_turn_overhead_seconds_count");
    double sum = rig.metrics().sum("holdfast_turn_overhead_seconds_sum");
    talk(rig, "long", turns);
    return 1000
        * (rig.metrics().sum("holdfast_turn_overhead_seconds_sum") - sum)
        / (rig.metrics().sum("holdfast_turn_overhead_seconds_count") - count);
  }

  private void talk(ServerRig rig, String thread, int turns) {
    for (int i = 0; i < turns; i++) {
      rig.converse("context-" + messages++, thread, "and " + i + "?");
    }
  }
}
