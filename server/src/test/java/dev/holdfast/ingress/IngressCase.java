package dev.holdfast.ingress;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;

/** A listener of its own for each test. */
public abstract class IngressCase {
  @AutoClose protected IngressRig rig;

  @BeforeEach
  final void startRig() throws Exception {
    rig = new IngressRig();
  }
}
