package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Strace;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Row F8 and systemd's view: READY, STOPPING, and a watchdog that is fed by real progress only. */
@Timeout(90)
class WatchdogTest {
  /** Ten seconds make a writer stuck. */
  private static final int TIME_SCALE = 4;

  private static final String RECEIVER =
      """
      import socket, sys
      listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
      listener.bind(sys.argv[1])
      print("bound", flush=True)
      while True:
          print(listener.recv(4096).decode().replace("\\n", " "), flush=True)
      """;

  @Test
  void systemdIsToldWhatHappens() throws Exception {
    Commands.assumePresent("python3");
    try (ServerRig rig = new ServerRig()) {
      Path heard = rig.folder().resolve("heard");
      Process systemd = listen(rig, heard);
      try {
        rig.setup().env("WATCHDOG_USEC", "2000000");
        rig.start();
        Await.until("READY=1", Duration.ofSeconds(5), () -> count(heard, "READY=1") == 1);
        Await.until("pings", Duration.ofSeconds(8), () -> count(heard, "WATCHDOG=1") >= 3);
        rig.converse("e1", "t", "hello");
        assertThat(rig.server().stop()).isZero();
        assertThat(count(heard, "STOPPING=1")).isEqualTo(1);
        assertThat(count(heard, "EXTEND_TIMEOUT_USEC=40000000")).as("25 s and 15 s").isEqualTo(1);
      } finally {
        systemd.destroyForcibly();
      }
    }
  }

  /**
   * The disk answers no fsync any more: the writer stands, so the server is not alive and the pings
   * end.
   */
  @Test
  void aStuckWriterEndsTheBeat() throws Exception {
    Commands.assumePresent("python3");
    try (ServerRig rig = new ServerRig()) {
      Path heard = rig.folder().resolve("heard");
      Process systemd = listen(rig, heard);
      try {
        rig.setup().env("WATCHDOG_USEC", "4000000").timeScale(TIME_SCALE);
        rig.start();
        try (Strace _ =
            Strace.attach(rig.server(), rig.folder(), "fdatasync,fsync:delay_enter=40000000")) {
          Thread.ofVirtual().start(() -> send(rig));
          Await.until(
              "not alive", Duration.ofSeconds(20), () -> rig.server().probe("/live") == 503);
          long before = count(heard, "WATCHDOG=1");
          Await.throughout( // systemd would have ended it by now
              "no ping",
              Duration.ofSeconds(8).dividedBy(TIME_SCALE),
              () -> count(heard, "WATCHDOG=1") <= before + 1);
        }
      } finally {
        systemd.destroyForcibly();
      }
    }
  }

  private static Process listen(ServerRig rig, Path heard) throws IOException {
    Path socket = rig.folder().resolve("notify");
    Process receiver =
        new ProcessBuilder("python3", "-c", RECEIVER, socket.toString())
            .redirectErrorStream(true)
            .redirectOutput(new File(heard.toString()))
            .start();
    Await.until("bound", Duration.ofSeconds(5), () -> count(heard, "bound") == 1);
    rig.setup().env("NOTIFY_SOCKET", socket.toString());
    return receiver;
  }

  private static void send(ServerRig rig) {
    try {
      rig.sender().send("stuck", "t", "is anybody there?");
    } catch (IOException e) {
      // No answer is what this fault makes of it.
    }
  }

  private static long count(Path heard, String word) throws IOException {
    return Files.readAllLines(heard).stream().filter(line -> line.contains(word)).count();
  }
}
