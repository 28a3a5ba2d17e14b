package dev.holdfast.tests.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;

/** kill -9 of a rig's server at random moments, also while it recovers, and what of it hit. */
public final class Kills {
  private final ServerRig rig;
  private final Random random;
  private final Duration readyWithin;
  private boolean inRecovery;
  private int ofStarts;
  private long readyMillis;

  /**
   * @param readyWithin how soon the server must be ready after each start
   */
  public Kills(ServerRig rig, Random random, Duration readyWithin) {
    this.rig = rig;
    this.random = random;
    this.readyWithin = readyWithin;
  }

  public int hits() {
    return rig.killsAtNanos().size();
  }

  /** Those that came before the server was ready. */
  public int ofStarts() {
    return ofStarts;
  }

  public void awaitReady() {
    long from = System.nanoTime();
    HoldfastProcess _ = rig.server().awaitReady(readyWithin);
    readyMillis = Math.max(readyMillis, (System.nanoTime() - from) / 1_000_000);
  }

  /** The longest wait until one was ready. */
  public long readyMillis() {
    return readyMillis;
  }

  /** Waits for any moment of a life of up to three seconds. */
  public void awaitLife() {
    awaitReady();
    Await.pause(Duration.ofMillis(50L + random.nextInt(2_950)));
  }

  /** Waits for a moment within so many milliseconds after the last start. */
  public void awaitRecovery(int millisMax) {
    Await.pause(Duration.ofMillis(50L + random.nextInt(millisMax)));
    inRecovery = rig.server().isAlive();
  }

  /** Kills it and starts the next one. */
  public void now() {
    rig.server().kill9();
    ofStarts += inRecovery ? 1 : 0;
    inRecovery = false;
    assertThat(rig.server().exitNow()).as("killed by us").contains(137);
    HoldfastProcess _ = rig.launch();
  }
}
