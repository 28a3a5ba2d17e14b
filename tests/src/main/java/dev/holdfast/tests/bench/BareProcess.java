package dev.holdfast.tests.bench;

import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Setup;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** A running {@link BareServer}. */
final class BareProcess implements AutoCloseable {
  private final Path folder = ServerRig.newFolder("holdfast-bare");
  private final int port = new Setup(folder).httpPort();
  private final Process process;
  private final Duration startTook;

  BareProcess() throws IOException {
    long start = System.nanoTime();
    process =
        new ProcessBuilder(
                Setup.java(),
                "-Xmx512m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                BareServer.class.getName(),
                Integer.toString(port))
            .redirectErrorStream(true)
            .redirectOutput(new File(folder.toFile(), "out"))
            .start();
    Probe.awaitOk(new Http(), "http://127.0.0.1:" + port + "/ready", Map.of(), process::isAlive);
    startTook = Duration.ofNanos(System.nanoTime() - start);
  }

  int port() {
    return port;
  }

  long pid() {
    return process.pid();
  }

  Duration startTook() {
    return startTook;
  }

  @Override
  public void close() {
    process.destroyForcibly();
    ServerRig.delete(folder);
  }
}
