package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A disk of 16 MiB in memory. */
public abstract class SmallDiskCase {
  @TempDir protected Path root;
  private boolean mounted;

  @BeforeEach
  final void mount() throws Exception {
    mounted = runs("mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", root.toString());
    assumeTrue(mounted, "a small disk can only be mounted by root");
  }

  @AfterEach
  final void unmount() throws Exception {
    if (mounted) {
      assertThat(runs("umount", root.toString())).isTrue();
    }
  }

  private static boolean runs(String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
  }
}
