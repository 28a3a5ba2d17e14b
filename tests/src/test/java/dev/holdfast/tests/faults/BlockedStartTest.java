package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.HoldfastProcess;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.TinyDisk;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A start that finds its port taken or its disk full, with and without somebody who is told. */
@Timeout(120)
class BlockedStartTest {
  private static final int DISK_OR_PORT = 74;
  private static final Duration SOON = Duration.ofSeconds(60);

  @Test
  void nobodyIsToldSoTheStartEndsAndLeavesTheStoreAsCleanAsItWas() throws IOException {
    try (ServerRig rig = new ServerRig();
        TinyDisk disk = onTinyDisk(rig, 8)) {
      Path space = Files.write(disk.path().resolve("space"), new byte[600_000]);
      disk.fill();
      Files.delete(space);
      assertThat(rig.launch().exitCode(SOON)).isEqualTo(DISK_OR_PORT);
      assertThat(rig.server().output())
          .contains("free some space", rig.setup().dataDir().toString())
          .doesNotContain("\tat ");
      disk.free();
      rig.start();
      rig.converse("e1", "t", "hello");
      assertThat(rig.server().stop()).isZero();
      try (ServerSocket _ = listen(rig)) {
        assertThat(rig.launch().exitCode(SOON)).isEqualTo(DISK_OR_PORT);
      }
      assertThat(rig.setup().dataDir().resolve("clean_shutdown")).exists();
    }
  }

  @Test
  void underSystemdItWaitsForThePortAndTheDiskUntilItIsStopped() throws IOException {
    try (ServerRig rig = underSystemd();
        TinyDisk disk = onTinyDisk(rig, 64)) {
      try (ServerSocket _ = listen(rig)) {
        awaitTheWait(rig.launch(), 1);
        assertThat(rig.server().stop()).isZero();
        awaitTheWait(rig.launch(), 2);
        assertThat(rig.server().isAlive()).isTrue();
      }
      rig.server().awaitReady(SOON);
      rig.converse("e1", "t", "hello");
      rig.server().kill9();
      disk.fill();
      awaitTheWait(rig.launch(), 3);
      disk.free();
      rig.server().awaitReady(SOON);
      rig.converse("e2", "t", "and now?");
      assertThat(rig.server().stop()).isZero();
    }
  }

  private static TinyDisk onTinyDisk(ServerRig rig, int megabytes) {
    TinyDisk disk = new TinyDisk(rig.folder().resolve("disk"), megabytes);
    rig.setup().dataDir(disk.path().resolve("data"));
    rig.setup().set("server.min_free_bytes", 0);
    return disk;
  }

  /** Nobody listens to the socket, which changes nothing for the server. */
  private static ServerRig underSystemd() {
    ServerRig rig = new ServerRig();
    rig.setup().env("NOTIFY_SOCKET", rig.folder().resolve("notify").toString());
    return rig;
  }

  private static ServerSocket listen(ServerRig rig) throws IOException {
    return new ServerSocket(rig.setup().httpPort(), 1, InetAddress.getLoopbackAddress());
  }

  /** Also for the next time: all servers of a rig write into one file. */
  private static void awaitTheWait(HoldfastProcess server, int times) {
    Await.until(
        "it waits",
        SOON,
        () -> server.output().split("the start is tried again in", -1).length > times);
  }
}
