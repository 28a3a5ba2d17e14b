package dev.holdfast.tests.harness;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes the many starts of a test run cheap: a cache of loaded classes, made once per run by a
 * server that has talked a little, as the launcher makes it for users, and the quick compiler
 * alone. Without the cache servers start as ever, only slower.
 */
final class StartCache {
  private static final boolean WANTED = Boolean.getBoolean("holdfast.quick_start");

  /** Made by whoever starts the first server. */
  private static final class Made {
    static final List<String> FLAGS = make();
  }

  /** Of each step, on a busy machine: without the cache it would be busier for the whole run. */
  private static final Duration LIMIT = Duration.ofMinutes(5);

  /** The quick compiler alone, with one thread, and no file of counters for others to read. */
  private static final List<String> QUICK =
      List.of("-XX:TieredStopAtLevel=1", "-XX:CICompilerCount=1", "-XX:-UsePerfData");

  private StartCache() {}

  /** For the command line of a server; none unless {@code -Dholdfast.quick_start=true}. */
  static List<String> flags() {
    return WANTED ? Made.FLAGS : List.of();
  }

  private static List<String> make() {
    Path folder = ServerRig.newFolder("holdfast-start-cache");
    Runtime.getRuntime().addShutdownHook(new Thread(() -> ServerRig.delete(folder)));
    Path cache = folder.resolve("holdfast.aot");
    try (ServerRig rig = new ServerRig(false)) {
      rig.setup().flag("-XX:AOTCacheOutput=" + cache);
      HoldfastProcess server = rig.startPlain(LIMIT);
      for (String text : List.of("hello", "!tool history {\"query\":\"x\"}", "/help")) {
        Post _ = rig.converse("e" + text.hashCode(), "t", text);
      }
      rig.api().awaitQuiet(LIMIT);
      server.terminate();
      server.exitCode(LIMIT);
    } catch (AssertionError e) {
      System.err.println("no start cache, each start takes longer: " + e.getMessage());
    }
    List<String> flags = new ArrayList<>(QUICK);
    if (Files.exists(cache)) {
      flags.addAll(List.of("-XX:AOTCache=" + cache, "-Xlog:disable", "-Xlog:all=error:stderr"));
      // What was hot in the first run need not be compiled at once in each that follows.
      flags.addAll(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:-AOTReplayTraining"));
    }
    return List.copyOf(flags);
  }
}
