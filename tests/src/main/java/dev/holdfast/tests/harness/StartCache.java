package dev.holdfast.tests.harness;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Makes the many starts of a test run cheap: a cache of loaded classes, made once per run as the
 * launcher makes it for users, and the quick compiler alone. Without the cache servers start as
 * ever, only slower.
 */
final class StartCache {
  private static final boolean WANTED = Boolean.getBoolean("holdfast.quick_start");

  /** Made by whoever starts the first server. */
  private static final class Made {
    static final List<String> FLAGS = make();
  }

  private static final String QUICK = "-XX:TieredStopAtLevel=1";

  private StartCache() {}

  /** For the command line of a server; none unless {@code -Dholdfast.quick_start=true}. */
  static List<String> flags() {
    return WANTED ? Made.FLAGS : List.of();
  }

  private static List<String> make() {
    Path folder = ServerRig.newFolder("holdfast-start-cache");
    Runtime.getRuntime().addShutdownHook(new Thread(() -> ServerRig.delete(folder)));
    Path cache = folder.resolve("holdfast.aot");
    Setup setup = new Setup(folder).flag("-XX:AOTCacheOutput=" + cache);
    try (HoldfastProcess server = HoldfastProcess.startPlain(setup)) {
      server.awaitReady();
      server.terminate();
      server.exitCode(Duration.ofMinutes(2));
    } catch (AssertionError e) {
      System.err.println("no start cache, each start takes longer: " + e.getMessage());
    }
    return Files.exists(cache)
        ? List.of(QUICK, "-XX:AOTCache=" + cache, "-Xlog:disable", "-Xlog:all=error:stderr")
        : List.of(QUICK);
  }
}
