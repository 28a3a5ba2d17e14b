package dev.holdfast.tests.bench;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.Rig;
import java.time.Duration;
import java.util.Locale;

/** From kill -9 to ready, and to the first answer of a message that is sent then. */
final class RecoveryRow implements Row {
  @Override
  public void run(Scale scale, Report report) throws Exception {
    try (Rig rig = new Rig(false)) {
      rig.start();
      rig.converse("warm", "warm", "hello");
      measure(rig, "nothing pending", report);
    }
    int pending = scale.count(100_000, 10_000);
    try (HeldRig held = new HeldRig();
        LoadClient client = new LoadClient(held.rig().start().setup().httpPort(), 256)) {
      client.send(pending);
      FakeModel model = held.model();
      model.always(ModelScript.echo());
      measure(held.rig(), String.format(Locale.ROOT, "%,d pending", pending), report);
    }
  }

  private static void measure(Rig rig, String what, Report report) {
    int postsBefore = rig.platform().posts().size();
    long killed = System.nanoTime();
    rig.server().kill9();
    rig.launch().awaitReady(Duration.ofMinutes(1));
    long ready = System.nanoTime();
    String id = "new-" + killed;
    rig.accept(id, "new-thread", "a new message");
    Await.until(
        "any answer", Duration.ofMinutes(1), () -> rig.platform().posts().size() > postsBefore);
    long first = System.nanoTime();
    rig.platform().awaitPost(id, Duration.ofMinutes(5));
    long own = System.nanoTime();
    report.figure("kill -9 to ready, " + what, Report.millis((ready - killed) / 1e6), "see start");
    report.figure(
        "kill -9 to the first answer, " + what, Report.millis((first - killed) / 1e6), "");
    report.figure(
        "kill -9 to the answer of a new message, " + what, Report.millis((own - killed) / 1e6), "");
  }
}
