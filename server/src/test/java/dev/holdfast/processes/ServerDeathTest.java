package dev.holdfast.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.processes.ChildrenConfig.Sandbox;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is left of children when the server is killed with SIGKILL. */
class ServerDeathTest {
  private static final int CHILDREN = 3;
  @TempDir Path temporary;

  /** A server in a process of its own: runs children until it is killed. */
  static final class KilledServer {
    private KilledServer() {}

    public static void main(String[] arguments) throws Exception {
      ChildRig rig = new ChildRig(Path.of(arguments[1]));
      Sandbox sandbox = Sandbox.valueOf(arguments[0]);
      Children children;
      try {
        children = Children.open(ChildrenConfig.of(sandbox, rig.data), ChildRig.TIME);
      } catch (CallFailedException e) {
        System.out.println("cannot " + e.getMessage());
        return;
      }
      String daemon = sandbox == Sandbox.NONE ? "" : "(setsid " + sleeper(arguments[2]) + " &);";
      String command = "trap '' TERM; " + daemon + sleeper(arguments[2]) + "; true";
      for (int i = 0; i < CHILDREN; i++) {
        // Virtual threads, whose carriers come and go: the children must not depend on them.
        Thread.ofVirtual()
            .start(
                () -> {
                  if (Boolean.parseBoolean(arguments[3])) {
                    openQuietly(children, rig.lines(command));
                  } else {
                    runQuietly(children, rig.shell(command));
                  }
                });
      }
      System.out.println("begun");
      ChildRig.TIME.sleep(Duration.ofSeconds(50));
    }

    private static void runQuietly(Children children, ProcessSpec spec) {
      try {
        children.run(spec);
      } catch (CallFailedException | InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    private static void openQuietly(Children children, LineProcessSpec spec) {
      try {
        LineProcess _ = children.open(spec);
      } catch (CallFailedException | InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    private static String sleeper(String mark) {
      return "bash -c 'exec -a " + mark + " sleep 50'";
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BUBBLEWRAP", "NAMESPACES"})
  void nothingIsLeftOneSecondAfterTheServerIsKilled(Sandbox sandbox) throws Exception {
    killAndLook(sandbox, false);
  }

  @ParameterizedTest
  @EnumSource(names = {"BUBBLEWRAP", "NAMESPACES"})
  void nothingIsLeftOfKeptChildrenEither(Sandbox sandbox) throws Exception {
    killAndLook(sandbox, true);
  }

  private void killAndLook(Sandbox sandbox, boolean kept) throws Exception {
    ChildRig rig = new ChildRig(temporary);
    Process server = server(sandbox, rig, kept);
    try {
      ChildRig.await(Duration.ofSeconds(30), () -> rig.alive() == 2 * CHILDREN);
      server.destroyForcibly();
      ChildRig.await(Duration.ofSeconds(1), () -> rig.alive() == 0);
    } finally {
      server.destroyForcibly();
    }
  }

  private Process server(Sandbox sandbox, ChildRig rig, boolean kept) throws Exception {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx64m",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            KilledServer.class.getName(),
            sandbox.name(),
            temporary.toString(),
            rig.mark,
            Boolean.toString(kept));
    Process server =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    BufferedReader output = server.inputReader();
    String line = output.readLine();
    while (line != null && !line.equals("begun")) {
      Assumptions.assumeFalse(line.startsWith("cannot"), line);
      line = output.readLine();
    }
    assertThat(line).isEqualTo("begun");
    return server;
  }
}
