package dev.holdfast.supervision;

import java.time.zone.ZoneRulesProvider;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/** The main class of the JVM that {@link PreloadTest} starts: reads zones and preloads at once. */
final class ZonesAtOnce {
  static final CountDownLatch BEGUN = new CountDownLatch(1);

  private ZonesAtOnce() {}

  public static void main(String[] args) throws InterruptedException {
    Thread reader = Thread.ofPlatform().start(ZonesAtOnce::readZones);
    BEGUN.await();
    Thread preload = Thread.ofPlatform().start(Preload::all);
    reader.join();
    preload.join();
    Runtime.getRuntime().halt(0);
  }

  private static void readZones() {
    Set<String> _ = ZoneRulesProvider.getAvailableZoneIds();
  }
}
