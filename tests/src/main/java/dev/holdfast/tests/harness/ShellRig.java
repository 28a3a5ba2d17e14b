package dev.holdfast.tests.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** A rig whose server may run the shell tool; the embedded model calls what it is told to call. */
public final class ShellRig implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(40);

  private final ServerRig rig = new ServerRig();

  public ShellRig() {
    rig.setup().set("tools.shell.enabled", true).set("tools.shell.timeout_secs", 30);
  }

  public ServerRig rig() {
    return rig;
  }

  public ShellRig start() {
    rig.start();
    return this;
  }

  /** The message that makes the embedded model call a tool. */
  public static String call(String tool, Map<String, Object> arguments) {
    return "!tool " + tool + " " + Json.write(arguments);
  }

  /** The message that makes it run a command line. */
  public static String command(String line) {
    return call("shell", Map.of("command", line));
  }

  /** Runs the command line in a thread and returns what the model saw of it. */
  public String run(String id, String thread, String line) {
    return say(id, thread, command(line));
  }

  /** Says something and returns the answer's text. */
  public String say(String id, String thread, String text) {
    rig.accept(id, thread, text);
    return rig.platform().awaitPost(id, LIMIT).text();
  }

  /** The folder that tools of a thread work in; waits until it is there. */
  public Path scratch(String thread) {
    return Await.value("the scratch folder of " + thread, LIMIT, () -> find(thread));
  }

  private Optional<Path> find(String thread) throws IOException {
    Path threads = rig.setup().dataDir().resolve("threads");
    try (Stream<Path> paths = Files.walk(threads, 5)) {
      return paths
          .filter(path -> path.getFileName().toString().equals("scratch"))
          .filter(path -> belongs(path.resolveSibling("meta.json"), thread))
          .findFirst();
    }
  }

  private static boolean belongs(Path meta, String thread) {
    try {
      String id = Json.read(Files.readString(meta)).path("thread_id").asText();
      return id.equals("webhook:ci:" + thread);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Processes of this machine whose command line holds the words; not this JVM's. */
  public static List<Long> processes(String words) {
    try (Stream<Path> all = Files.list(Path.of("/proc"))) {
      return all.map(path -> path.getFileName().toString())
          .filter(name -> name.matches("\\d+"))
          .map(Long::valueOf)
          .filter(pid -> pid != ProcessHandle.current().pid())
          .filter(pid -> commandLine(pid).contains(words))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String commandLine(long pid) {
    try {
      return Files.readString(Path.of("/proc", Long.toString(pid), "cmdline")).replace('\0', ' ');
    } catch (IOException | UncheckedIOException e) {
      return ""; // it is gone
    }
  }

  /** Skips the test, with the reason, where children share the server's process namespace. */
  public void assumeOwnNamespace(String what) {
    String log = rig.server().output();
    boolean apart =
        Set.of("BUBBLEWRAP", "NAMESPACES").stream()
            .anyMatch(isolation -> log.contains("children: isolated by " + isolation));
    Assumptions.assumeTrue(apart, "a mere process group does not keep a child from this: " + what);
  }

  @Override
  public void close() {
    rig.close();
  }
}
