package dev.holdfast.supervision;

import java.time.zone.ZoneRules;
import java.time.zone.ZoneRulesException;
import java.time.zone.ZoneRulesProvider;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * The default provider of zones in the JVM that {@link PreloadTest} starts; the class of all zones
 * waits for it while it is being initialized.
 */
public final class SlowZones extends ZoneRulesProvider {
  /**
   * Called by the initializer of the class that it extends; needs the usual provider, as it does.
   */
  public SlowZones() throws ReflectiveOperationException, InterruptedException {
    ZonesAtOnce.BEGUN.countDown();
    Thread.sleep(500); // nothing tells that a thread waits for the initializer of a class
    Class.forName("java.time.zone.TzdbZoneRulesProvider");
  }

  @Override
  protected Set<String> provideZoneIds() {
    return Set.of("Test/Slow");
  }

  @Override
  protected ZoneRules provideRules(String zone, boolean forCaching) {
    throw new ZoneRulesException("none of " + zone);
  }

  @Override
  protected NavigableMap<String, ZoneRules> provideVersions(String zone) {
    return new TreeMap<>();
  }
}
