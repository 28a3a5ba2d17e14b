package dev.holdfast.tests.bench;

import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.ServerRig;

/**
 * A server whose model says nothing, so that everything accepted stays pending and only the intake
 * works.
 */
final class HeldRig implements AutoCloseable {
  private final ServerRig rig = new ServerRig(false);
  private final FakeModel model = new FakeModel();

  HeldRig() {
    model.asOpenAi(rig.setup()).always(ModelScript.hang());
    rig.setup().set("models.providers.openai.max_concurrent", 300); // more than turns at a time
    rig.setup().set("models.park_after_secs", 3600);
    rig.setup().set("models.timeouts.first_token_secs", 3600);
    rig.setup().set("models.timeouts.total_secs", 7200);
    rig.setup().set("turn.timeout_secs", 7200);
    rig.setup().set("inbox.max_pending", 5_000_000);
  }

  ServerRig rig() {
    return rig;
  }

  FakeModel model() {
    return model;
  }

  @Override
  public void close() {
    rig.close();
    model.close();
  }
}
