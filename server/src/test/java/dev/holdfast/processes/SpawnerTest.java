package dev.holdfast.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.time.TimedWait;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class SpawnerTest {
  private static final Duration STEP = Duration.ofMillis(5);

  @TempDir Path folder;

  /**
   * Its streams are named by numbers of descriptors, which the caller gives back: a start that came
   * after that would open, and empty, whatever file has got such a number by then.
   */
  @Test
  void afterAnInterruptNothingOpensTheStreamsOfTheChildAnyMore() throws Exception {
    File pipe = folder.resolve("pipe").toFile();
    assertThat(new ProcessBuilder("mkfifo", pipe.getPath()).start().waitFor()).isZero();
    Path other = Files.writeString(folder.resolve("other"), "of somebody else");
    Thread spawning;
    try (Spawner spawner = new Spawner()) {
      // Opening a pipe that nobody reads holds the spawner up.
      Started first = new Started(spawner, pipe);
      spawning = awaitOpening();
      Started second = new Started(spawner, other.toFile());
      second.awaitWaiting();
      second.thread.interrupt();
      assertThat(second.thread.join(Duration.ofSeconds(5))).isTrue();
      assertThat(second.ended.get()).isInstanceOf(InterruptedException.class);
      Files.readAllBytes(pipe.toPath());
      assertThat(first.thread.join(Duration.ofSeconds(5))).isTrue();
    }
    assertThat(spawning.join(Duration.ofSeconds(5))).as("nothing more is started").isTrue();
    assertThat(other).hasContent("of somebody else");
  }

  @Test
  void anInterruptDuringTheStartComesOutWhenTheStartIsOver() throws Exception {
    File pipe = folder.resolve("pipe").toFile();
    assertThat(new ProcessBuilder("mkfifo", pipe.getPath()).start().waitFor()).isZero();
    try (Spawner spawner = new Spawner()) {
      Started first = new Started(spawner, pipe);
      Thread _ = awaitOpening();
      first.thread.interrupt();
      TimedWait.until(
          "the caller has met its interrupt and waits on",
          () -> !first.thread.isInterrupted() && first.thread.getState() == Thread.State.WAITING);
      Files.readAllBytes(pipe.toPath());
      assertThat(first.thread.join(Duration.ofSeconds(5))).isTrue();
      assertThat(first.ended.get()).isInstanceOf(InterruptedException.class);
    }
  }

  /** Until the spawner's thread is in the call that waits for a reader. */
  private static Thread awaitOpening() throws InterruptedException {
    Thread spawning =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals("children"))
            .findFirst()
            .orElseThrow();
    while (Arrays.stream(spawning.getStackTrace())
        .noneMatch(frame -> frame.getMethodName().equals("open0"))) {
      assertThat(spawning.join(STEP)).as("ended").isFalse();
    }
    return spawning;
  }

  /** A child that is started on a thread of its own. */
  private static final class Started {
    private final AtomicReference<Object> ended = new AtomicReference<>();
    private final Thread thread;

    Started(Spawner spawner, File output) throws InterruptedException {
      thread =
          Thread.ofPlatform()
              .daemon()
              .start(
                  () -> {
                    try {
                      ended.set(spawner.start(new ProcessBuilder("true").redirectOutput(output)));
                    } catch (IOException | InterruptedException e) {
                      ended.set(e);
                    }
                  });
      awaitWaiting();
    }

    void awaitWaiting() throws InterruptedException {
      while (thread.getState() != Thread.State.WAITING) {
        assertThat(thread.join(STEP)).as("ended").isFalse();
      }
    }
  }
}
