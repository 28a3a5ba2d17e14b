package dev.holdfast.drills;

import dev.holdfast.store.engine.Engine;
import java.util.concurrent.atomic.AtomicLong;

/** A disk that accepts no writes of the database. Thread-safe. */
public final class DiskFault implements Injection.Fault {
  private final Engine engine;
  private final AtomicLong strikes = new AtomicLong();

  private DiskFault(Engine engine) {
    this.engine = engine;
  }

  public static Injection of(Engine engine) {
    return _ -> {
      DiskFault fault = new DiskFault(engine);
      engine.refuseWhile(fault::strike);
      return fault;
    };
  }

  private boolean strike() {
    strikes.incrementAndGet();
    return true;
  }

  @Override
  public long strikes() {
    return strikes.get();
  }

  @Override
  public void close() {
    engine.refuseWhile(() -> false);
  }
}
