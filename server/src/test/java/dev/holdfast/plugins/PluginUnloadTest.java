package dev.holdfast.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.net.RawServer;
import dev.holdfast.net.SocketPeer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PluginUnloadTest extends PluginHostCase {
  /** What a plugin may leave in the threads and statics of its own, and of the JDK. */
  private static final String HABITS =
      """
      context.offer(tool("greet", () -> { LOCAL.set(new byte[1000]); return "x"; }));
      context.offer(tool("fail", () -> { throw new IllegalStateException("as told"); }));
      context.run("waits", () -> Thread.sleep(1_000_000));
      context.every("ticks", Duration.ofMillis(20), () -> LOCAL.set(new byte[10]));
      context.logger().log(System.Logger.Level.INFO, "begun", new Exception("logged"));
      PluginSocket socket = context.http().connect(PluginSocket.Request.to(GATEWAY, Map.of()));
      context.run("receives", () -> { while (true) { socket.receive(Duration.ofMinutes(1)); } });
      """;

  private static final String MEMBERS =
      """
      static final ThreadLocal<byte[]> LOCAL = new ThreadLocal<>();
      static final byte[] HELD = new byte[1_000_000];
      """;

  @Test
  void twoHundredTimesLoadedAndUnloadedItLeavesNothing() throws Exception {
    try (RawServer gateway = new RawServer(PluginUnloadTest::sendsAndListens)) {
      PluginJars.of(folder, "hello", "1.0.0")
          .doing(
              HABITS,
              MEMBERS
                  + "static final String GATEWAY = \"%s\";"
                      .formatted(gateway.url().replace("http:", "ws:")))
          .into(rig.plugins(), "hello.jar");
      rig.awaitState("hello", PluginState.READY);
      loadsAndUnloads();
    }
  }

  private static void sendsAndListens(RawServer.Connection connection) throws IOException {
    SocketPeer.accept(connection).text("hello");
    connection.awaitClose();
  }

  private void loadsAndUnloads() throws Exception {
    cycle(10);
    awaitVanished();
    int threads = Thread.getAllStackTraces().size();
    int classes = ManagementFactory.getClassLoadingMXBean().getLoadedClassCount();
    cycle(200);
    awaitVanished();
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(thread -> thread.getName().startsWith("plugin-"));
    assertThat(Thread.getAllStackTraces().size()).isLessThanOrEqualTo(threads + 3);
    assertThat(ManagementFactory.getClassLoadingMXBean().getLoadedClassCount())
        .isLessThanOrEqualTo(classes + 100);
    assertThat(openJars()).isZero();
  }

  @Test
  void aThreadThatItKeepsIsToldOf() throws Exception {
    PluginJars.of(folder, "hello", "1.0.0")
        .doing(
            "new Thread(() -> { while (true) { try { Thread.sleep(100_000); } catch"
                + " (InterruptedException e) { } } }, \"stubborn\") {{ setDaemon(true);"
                + " }}.start();",
            "")
        .into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.READY);
    assertThat(rig.host().enable("hello", false)).isTrue();
    rig.await(
        () -> {
          System.gc();
          return rig.host().vanishing() == 1;
        });
  }

  @Test
  void eachPluginIsToldOfWithItsOwnThreadsAlone() throws Exception {
    for (String id : List.of("one", "two")) {
      PluginJars.of(folder, id, "1.0.0")
          .doing(
              "new Thread(() -> { while (true) { try { Thread.sleep(100_000); } catch"
                  + " (InterruptedException e) { } } }, \"left by "
                  + id
                  + "\") {{ setDaemon(true); }}.start();",
              "")
          .into(rig.plugins(), id + ".jar");
      rig.awaitState(id, PluginState.READY);
      assertThat(rig.host().enable(id, false)).isTrue();
    }
    rig.await(() -> UnloadedPlugins.threadsLeftBy("two").contains("left by two"));
    assertThat(UnloadedPlugins.threadsLeftBy("one")).containsExactly("left by one");
    assertThat(UnloadedPlugins.threadsLeftBy("two")).containsExactly("left by two");
  }

  private void pollsStubbornly() throws Exception {
    PluginJars.of(folder, "hello", "1.0.0")
        .doing(
            """
            PluginContext.Background polls = context.every("polls", Duration.ofMillis(10), () -> {
              try { Thread.sleep(1_000_000); } catch (Exception e) { return; }
            });
            context.offer(tool("cancel", () -> { polls.cancel(); return "cancelled"; }));\
            """,
            "")
        .into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.READY);
    rig.await(() -> polls() == 1);
  }

  private static long polls() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().matches("plugin-hello-[0-9]+ polls"))
        .count();
  }

  @Test
  void aJobThatSwallowsItsInterruptEndsWhenItIsCancelled() throws Exception {
    pollsStubbornly();
    assertThat(rig.call("cancel")).isEqualTo("cancelled");
    rig.await(() -> polls() == 0);
  }

  @Test
  void aJobThatSwallowsItsInterruptEndsWithItsPlugin() throws Exception {
    pollsStubbornly();
    assertThat(rig.host().enable("hello", false)).isTrue();
    awaitVanished();
    assertThat(polls()).isZero();
  }

  /** With a tool {@code wait} that ends when the file {@code go} is in its folder. */
  private static String waiting(String then) {
    return """
    Path state = context.stateFolder();
    context.offer(tool("wait", () -> {
      try {
        Files.writeString(state.resolve("begun"), "");
        while (Files.notExists(state.resolve("go"))) { context.sleep(Duration.ofMillis(10)); }
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
      %s
      return "done";
    }));
    """
        .formatted(then);
  }

  @Test
  void whatIsOfferedWhileThePluginEndsIsNeverFound() throws Exception {
    PluginJars.of(folder, "hello", "1.0.0")
        .doing(
            waiting(
                """
                context.offer(tool("late", () -> "x"));
                context.offer(tool("greet", () -> "one"));\
                """),
            "")
        .into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.READY);
    Path state = rig.data().resolve("plugin-state/hello");
    CompletableFuture<String> answer = new CompletableFuture<>();
    Thread _ = Thread.ofVirtual().start(() -> answer.complete(call("wait")));
    rig.await(() -> Files.exists(state.resolve("begun")));
    PluginJars.of(folder, "hello", "2.0.0")
        .withTool("greet", "two")
        .into(rig.plugins(), "hello.jar");
    rig.await(() -> rig.view("hello").version().equals("2.0.0"));
    Files.writeString(state.resolve("go"), "");
    assertThat(answer.join()).as("it is not to blame").isEqualTo("done");
    awaitVanished();
    assertThat(call("late")).contains("There is no tool");
    assertThat(call("greet")).isEqualTo("two");
  }

  @Test
  void whatAnOlderVersionThrowsAtItsEndIsNotHeldAgainstTheNewOne() throws Exception {
    PluginJars.of(folder, "hello", "1.0.0")
        .doing(
            "context.offer(tool(\"fail\", () -> { throw new IllegalStateException(); }));",
            "public void stop() { throw new IllegalStateException(); }")
        .into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.READY);
    for (int i = 1; i < PluginCalls.BLAME_MAX; i++) {
      assertThat(call("fail")).contains("IllegalStateException");
    }
    PluginJars.of(folder, "hello", "1.1.0")
        .withTool("greet", "two")
        .into(rig.plugins(), "hello.jar");
    rig.await(() -> rig.view("hello").version().equals("1.1.0"));
    awaitVanished();
    rig.host().lookOnce();
    assertThat(rig.view("hello").state()).isEqualTo(PluginState.READY);
    assertThat(call("greet")).isEqualTo("two");
  }

  private String call(String tool) {
    try {
      return rig.call(tool);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void cycle(int times) throws Exception {
    for (int i = 0; i < times; i++) {
      assertThat(rig.host().enable("hello", false)).isTrue();
      assertThat(rig.host().enable("hello", true)).isTrue();
      assertThat(rig.call("greet")).isEqualTo("x");
      if (i % 50 == 0) {
        assertThat(rig.call("fail")).contains("as told");
      }
    }
    assertThat(rig.host().enable("hello", false)).isTrue();
  }

  private void awaitVanished() throws Exception {
    rig.await(
        () -> {
          System.gc();
          return rig.host().vanishing() == 0;
        });
  }

  private long openJars() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.filter(Files::exists)
          .map(
              link -> {
                try {
                  return Files.readSymbolicLink(link).toString();
                } catch (IOException _) {
                  return "";
                }
              })
          .filter(target -> target.startsWith(folder.toString()) && target.contains(".jar"))
          .count();
    }
  }
}
