package dev.holdfast.tests.bench;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.ServerRig;
import java.time.Duration;
import java.util.Locale;

/** From kill -9 to ready, and to the first answer of a message that is sent then. */
final class RecoveryRow implements Row {
  private static final int IDLE_ROUNDS = 5;

  @Override
  public void run(Scale scale, Report report) throws Exception {
    try (ServerRig rig = new ServerRig(false)) {
      rig.setup().withoutStartCache();
      rig.start();
      rig.converse("warm", "warm", "hello");
      measure(rig, "nothing pending, without a start-up cache", report, IDLE_ROUNDS);
    }
    try (ServerRig rig = new ServerRig(false)) {
      rig.start();
      rig.converse("warm", "warm", "hello");
      measure(rig, "nothing pending", report, IDLE_ROUNDS);
    }
    int pending = scale.count(100_000, 10_000);
    try (HeldRig held = new HeldRig();
        LoadClient client = new LoadClient(held.rig().start().setup().httpPort(), 256)) {
      client.send(pending);
      FakeModel model = held.model();
      model.always(ModelScript.echo());
      measure(held.rig(), String.format(Locale.ROOT, "%,d pending", pending), report, 1);
    }
  }

  private static void measure(ServerRig rig, String what, Report report, int rounds) {
    double[] ready = new double[rounds];
    double[] first = new double[rounds];
    double[] own = new double[rounds];
    for (int i = 0; i < rounds; i++) {
      int postsBefore = rig.platform().posts().size();
      long killed = System.nanoTime();
      rig.server().kill9();
      rig.launch().awaitReady(Duration.ofMinutes(1));
      ready[i] = millisSince(killed);
      String id = "new-" + killed;
      rig.accept(id, "new-thread-" + i, "a new message");
      Await.until(
          "any answer", Duration.ofMinutes(1), () -> rig.platform().posts().size() > postsBefore);
      first[i] = millisSince(killed);
      rig.platform().awaitPost(id, Duration.ofMinutes(5));
      own[i] = millisSince(killed);
    }
    report.figure("kill -9 to ready, " + what, StartRow.median(ready), "see start");
    report.figure("kill -9 to the first answer, " + what, StartRow.median(first), "");
    report.figure("kill -9 to the answer of a new message, " + what, StartRow.median(own), "");
  }

  private static double millisSince(long nanos) {
    return (System.nanoTime() - nanos) / 1e6;
  }
}
