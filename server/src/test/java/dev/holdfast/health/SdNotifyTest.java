package dev.holdfast.health;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.time.ManualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Against a datagram socket of another process, as systemd's is. */
@EnabledIf("hasPython")
class SdNotifyTest {
  private static final String RECEIVER =
      """
      import socket, sys
      name = sys.argv[1]
      s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
      s.bind('\\0' + name[1:] if name.startswith('@') else name)
      print('bound', flush=True)
      while True:
          print(repr(s.recv(4096).decode()), flush=True)
      """;

  @TempDir Path folder;

  static boolean hasPython() {
    try {
      return new ProcessBuilder("python3", "-c", "pass").start().waitFor() == 0;
    } catch (IOException | InterruptedException e) {
      return false;
    }
  }

  /** Another process that prints what it receives. */
  private record Receiver(Process process, BufferedReader lines) implements AutoCloseable {
    static Receiver on(String socket) throws IOException {
      Process process =
          new ProcessBuilder("python3", "-c", RECEIVER, socket)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      Receiver receiver = new Receiver(process, process.inputReader());
      assertThat(receiver.next()).isEqualTo("bound");
      return receiver;
    }

    String next() throws IOException {
      return String.valueOf(lines.readLine());
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }

  private static SdNotify to(String socket) {
    return SdNotify.from(Map.of("NOTIFY_SOCKET", socket));
  }

  @Test
  void everyMessageArrivesAtASocketInTheFileSystem() throws Exception {
    String path = folder.resolve("notify").toString();
    try (Receiver systemd = Receiver.on(path);
        SdNotify notify = to(path)) {
      assertThat(notify.ready("serving\nFAKE=1")).isTrue();
      assertThat(systemd.next()).isEqualTo("'READY=1\\nSTATUS=serving FAKE=1'");
      assertThat(notify.stopping("bye")).isTrue();
      assertThat(systemd.next()).isEqualTo("'STOPPING=1\\nSTATUS=bye'");
    }
  }

  @Test
  void everyMessageArrivesAtAnAbstractSocket() throws Exception {
    String name = "@holdfast-test-" + ProcessHandle.current().pid() + "-" + folder.getFileName();
    try (Receiver systemd = Receiver.on(name);
        SdNotify notify = to(name)) {
      assertThat(notify.watchdog()).isTrue();
      assertThat(systemd.next()).isEqualTo("'WATCHDOG=1'");
    }
  }

  @Test
  void withoutASystemdNothingHappens() {
    try (SdNotify notify = SdNotify.from(Map.of())) {
      assertThat(notify.ready("x")).isFalse();
    }
  }

  @Test
  void aSocketThatNobodyHearsOrThatCannotBeIsNoError() {
    try (SdNotify nobody = to(folder.resolve("none").toString());
        SdNotify tooLong = to("/" + "x".repeat(200));
        SdNotify vsock = to("vsock:2:1")) {
      assertThat(nobody.watchdog()).isFalse();
      assertThat(tooLong.watchdog()).isFalse();
      assertThat(vsock.watchdog()).isFalse();
    }
  }

  @Test
  void theWatchdogPingsOnlyWhileEveryPartMoves() throws Exception {
    ManualTime time = new ManualTime();
    Ticks ticks = new Ticks(time);
    Health health =
        new Health(ticks, List.of("store-writer"), new Conditions(time, new SimpleMeterRegistry()));
    String path = folder.resolve("notify").toString();
    try (Receiver systemd = Receiver.on(path);
        SdNotify notify = to(path)) {
      try (Watchdog watchdog = new Watchdog(notify, health, time, ofSeconds(10))) {
        watchdog.start();
        assertThat(systemd.next()).isEqualTo("'WATCHDOG=1'");
        time.advance(ofSeconds(10));
        assertThat(systemd.next()).isEqualTo("'WATCHDOG=1'");
        time.advance(ofSeconds(25));
        notify.ready("silent until here");
        assertThat(systemd.next()).isEqualTo("'READY=1\\nSTATUS=silent until here'");
        ticks.tick("store-writer");
        time.advance(ofSeconds(5));
        assertThat(systemd.next()).isEqualTo("'WATCHDOG=1'");
      }
      time.advance(ofSeconds(30));
      notify.stopping("closed");
      assertThat(systemd.next()).isEqualTo("'STOPPING=1\\nSTATUS=closed'");
    }
  }

  @Test
  void theIntervalIsAThirdOfWhatSystemdAllowsThisProcess() {
    assertThat(Watchdog.interval(Map.of("WATCHDOG_USEC", "30000000"), 7)).contains(ofSeconds(10));
    assertThat(Watchdog.interval(Map.of("WATCHDOG_USEC", "30000000", "WATCHDOG_PID", "7"), 7))
        .contains(Duration.ofSeconds(10));
    assertThat(Watchdog.interval(Map.of("WATCHDOG_USEC", "30000000", "WATCHDOG_PID", "8"), 7))
        .isEmpty();
    assertThat(Watchdog.interval(Map.of(), 7)).isEmpty();
    assertThat(Watchdog.interval(Map.of("WATCHDOG_USEC", "soon"), 7)).isEmpty();
  }
}
