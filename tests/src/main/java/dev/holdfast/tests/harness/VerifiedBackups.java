package dev.holdfast.tests.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** Backups of a running server, each judged: it does not exist, or it is whole. */
public final class VerifiedBackups {
  private final ServerRig rig;
  private final Random random;
  private int begun;
  private int whole;

  public VerifiedBackups(ServerRig rig, Random random) {
    this.rig = rig;
    this.random = random;
  }

  /** How many were made to the end. */
  public int whole() {
    return whole;
  }

  /** One that is killed leaves no file, or a whole one. */
  public void kill() {
    Path file = file();
    try (HoldfastCommand backup = HoldfastCommand.start(rig.setup(), "backup", file.toString())) {
      pause();
      backup.kill9();
    }
    if (Files.exists(file)) {
      assertWhole(file);
    }
  }

  /** One that is made to the end, whatever happens to the server meanwhile. */
  public Path make(Runnable meanwhile) {
    Path file = file();
    try (HoldfastCommand backup =
        HoldfastCommand.start(rig.setup(), "backup", file.toString(), "--json")) {
      pause();
      meanwhile.run();
      HoldfastCommand.Result made = backup.await(Duration.ofSeconds(60));
      assertThat(made.exitCode()).as(made.err()).isZero();
    }
    assertWhole(file);
    whole++;
    return file;
  }

  private Path file() {
    return rig.folder().resolve("backup-" + begun++ + ".zip");
  }

  private void pause() {
    Await.pause(Duration.ofMillis(100L + random.nextInt(900)));
  }

  private void assertWhole(Path file) {
    assertThat(HoldfastCommand.run(rig.setup(), "restore", file.toString(), "--check").exitCode())
        .isZero();
  }

  /**
   * A server of its own finds on its disk all that was acknowledged, and is well.
   *
   * @param acked before the backup began
   */
  public static void assertRestored(Path file, List<SentEvent> acked) throws IOException {
    assertThat(acked).as("something was at stake").isNotEmpty();
    try (ServerRig other = new ServerRig()) {
      HoldfastCommand.Result restored =
          HoldfastCommand.run(other.setup(), "restore", file.toString(), "--promote");
      assertThat(restored.exitCode()).as(restored.err()).isZero();
      assertThat(HoldfastCommand.run(other.setup(), "restore", file.toString()).exitCode())
          .as("a restore over it")
          .isEqualTo(1);
      other.start();
      for (SentEvent event : acked) {
        assertThat(other.api().get("/api/v1/events/" + ServerApi.encode(event.id())).status())
            .as(event.id())
            .isEqualTo(200);
      }
      other.converse("after", "afterwards", "are you well?");
    }
  }
}
