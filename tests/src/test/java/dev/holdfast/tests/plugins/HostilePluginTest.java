package dev.holdfast.tests.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.CompiledPlugin;
import dev.holdfast.tests.harness.HeapPaths;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Row F51 and worse: whatever a jar does, everybody else is answered, and its removal frees all.
 */
@Timeout(240)
@Outside(covers = {"server/src/main/java/dev/holdfast/plugins", "plugin-api/src/main"})
class HostilePluginTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private static final Map<String, String> THROWS =
      Map.of(
          "throws-own", "throw new Own();",
          "throws-linkage", "throw new NoClassDefFoundError(\"gone\");",
          "throws-stack", "return misbehave();",
          "throws-checked", "sneak(new java.io.IOException(\"sneaked\")); return null;",
          "throws-interrupt", "sneak(new InterruptedException(\"nobody asked\")); return null;",
          "exits", "System.exit(7); return null;",
          "returns-null", "return null;");

  private static final String FOREVER =
      "while (true) { try { Thread.sleep(1000); } catch (InterruptedException e) { } }";

  private static final String RUNAWAYS =
      """
      import dev.holdfast.api.*;
      public class Runaways implements Plugin {
        public void start(PluginContext context) throws Exception {
          for (int i = 0; i < 100; i++) {
            Thread t = new Thread(() -> { %s }, "runaway-" + i);
            t.setDaemon(true);
            t.start();
          }
        }
      }
      """
          .formatted(FOREVER);

  @RegisterExtension
  static final Served SERVED =
      Served.alone(
          rig ->
              rig.setup()
                  .timeScale(3)
                  .set("server.plugins_dir", rig.folder().resolve("plugins").toString()));

  private ServerRig rig;
  private Path plugins;

  @BeforeEach
  void open() {
    rig = SERVED.rig();
    plugins = rig.folder().resolve("plugins");
  }

  @AfterEach
  void removeAll() throws IOException {
    try (Stream<Path> jars = Files.list(plugins)) {
      for (Path jar : jars.toList()) {
        Files.delete(jar);
      }
    }
    Await.until("no plugin is known", LIMIT, () -> plugins().isEmpty());
  }

  private static String source(String evil) throws IOException {
    try (var in = HostilePluginTest.class.getResourceAsStream("/plugins/Hostile.java")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("EVIL", evil);
    }
  }

  private void drop(String id, String evil) throws IOException {
    CompiledPlugin.of(id, "Hostile", source(evil)).into(plugins);
  }

  private Map<String, JsonNode> plugins() throws IOException {
    Map<String, JsonNode> all = new LinkedHashMap<>();
    for (JsonNode plugin : rig.api().get("/api/v1/plugins").json().path("plugins")) {
      all.put(plugin.path("id").asText(), plugin);
    }
    return all;
  }

  private void awaitState(String id, String state, String reason) {
    Await.until(
        id + " is " + state + " for: " + reason,
        LIMIT,
        () -> {
          JsonNode plugin = plugins().get(id);
          return plugin != null
              && plugin.path("state").asText().equals(state)
              && plugin.path("reason").asText().contains(reason);
        });
  }

  private void post(String channel) throws IOException {
    new Http().post(rig.setup().url("/webhooks/" + channel + "/main"), Map.of(), "{}");
  }

  /** Loads, listens, calls and posts, without a wait for what becomes of it. */
  private void provoke(String id, int round) throws IOException {
    post(id);
    rig.accept(id + "-" + round, "victim-" + id, ShellRig.call(id, Map.of()));
  }

  private void remove(String id) throws IOException {
    Files.delete(plugins.resolve(id + ".jar"));
  }

  private String jcmd(String... command) throws IOException {
    List<String> all = new ArrayList<>();
    all.add(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString());
    all.add(Long.toString(rig.server().pid()));
    all.addAll(List.of(command));
    Process process = new ProcessBuilder(all).redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  /** Neither class nor thread nor file of any plugin is left. */
  private void awaitNothingLeft(String className) throws IOException {
    Await.until("no plugin is known", LIMIT, () -> plugins().isEmpty());
    try {
      Await.until(
          "no class of it is in memory",
          LIMIT,
          () -> {
            String classes = jcmd("GC.class_histogram");
            return classes.contains("java.lang.String") && !classes.contains(" " + className);
          });
    } catch (AssertionError e) {
      throw new AssertionError(
          HeapPaths.to(rig.server().pid(), "dev.holdfast.plugins.PluginLoader"), e);
    }
    Await.until("no thread of it runs", LIMIT, () -> !jcmd("Thread.print").contains("\"plugin-"));
    Await.until("no copy of it is open", LIMIT, () -> openCopies() == 0);
  }

  private long openCopies() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/" + rig.server().pid() + "/fd"))) {
      return open.filter(HostilePluginTest::isCopy).count();
    }
  }

  private static boolean isCopy(Path link) {
    try {
      return Files.readSymbolicLink(link).toString().contains("plugin-copies");
    } catch (IOException e) {
      return false; // closed meanwhile
    }
  }

  /** A person in a chat thread of their own, who writes all the time. */
  private final class Honest implements AutoCloseable {
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final Thread thread = new Thread(this::talk, "honest");
    private volatile String failure = "";

    Honest start() {
      thread.start();
      return this;
    }

    private void talk() {
      for (int i = 0; !stopped.get(); i++) {
        try {
          rig.converse("honest-" + System.nanoTime(), "honest", "hello " + i);
        } catch (AssertionError e) {
          failure = String.valueOf(e.getMessage());
          return;
        }
        Await.pause(Duration.ofMillis(20));
      }
    }

    /** Every message was answered. */
    void end() {
      stopTalking();
      assertThat(failure).isEmpty();
    }

    private void stopTalking() {
      stopped.set(true);
      Await.until("the honest one ends", LIMIT, () -> !thread.isAlive());
    }

    @Override
    public void close() {
      stopTalking();
    }
  }

  @Test
  void everyThrowIsBlamedOnItsPluginAndNobodyElseWaits() throws Exception {
    try (Honest honest = new Honest().start()) {
      for (Map.Entry<String, String> each : THROWS.entrySet()) {
        drop(each.getKey(), each.getValue());
      }
      for (String id : THROWS.keySet()) {
        Await.until(id + " was loaded", LIMIT, () -> plugins().containsKey(id));
      }
      for (int round = 0; round < 3; round++) {
        for (String id : THROWS.keySet()) {
          provoke(id, round);
        }
      }
      awaitState("exits", "parked", "it tried to end the server with status 7");
      for (String id : THROWS.keySet()) {
        if (id.startsWith("throws") && !id.equals("throws-interrupt")) {
          awaitState(id, "parked", "it threw ");
        }
        for (int round = 0; round < 3; round++) {
          rig.platform().awaitPost(id + "-" + round, LIMIT);
        }
      }
      for (String id : THROWS.keySet()) {
        remove(id);
      }
      awaitNothingLeft("Hostile");
      honest.end();
    }
  }

  @Test
  void whatHangsIsParkedAndThreadsThatItLeavesAreNamedAndNobodyElseWaits() throws Exception {
    try (Honest honest = new Honest().start()) {
      drop("hangs", FOREVER);
      awaitState("hangs", "ready", "");
      for (int round = 0; round < 4; round++) {
        provoke("hangs", round);
      }
      awaitState("hangs", "parked", "of its calls do not end");
      for (int round = 0; round < 4; round++) {
        rig.platform().awaitPost("hangs-" + round, LIMIT);
      }
      CompiledPlugin.of("runaways", "Runaways", RUNAWAYS).into(plugins);
      awaitState("runaways", "ready", "");
      remove("hangs");
      remove("runaways");
      Await.until("no plugin is known", LIMIT, () -> plugins().isEmpty());
      Await.until(
          "the condition names its threads",
          Duration.ofSeconds(100),
          () -> rig.api().get("/ready").body().contains("runaway-"));
      honest.end();
    }
    assertThat(rig.server().isReady()).isTrue();
    rig.restart(); // nothing else ends them
  }
}
