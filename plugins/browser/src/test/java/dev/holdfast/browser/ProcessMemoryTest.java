package dev.holdfast.browser;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ProcessMemoryTest {
  private static final int BYTES = 40_000_000;
  private static final String HOLDS =
      "(held=$(head -c "
          + BYTES
          + " /dev/zero | tr '\\0' x); echo ready; read end; echo $held); true";

  @Test
  void itIsWhatATreeOfProcessesHolds() throws Exception {
    Process parent = new ProcessBuilder("sh", "-c", HOLDS).start();
    try {
      assertThat(parent.inputReader().readLine()).isEqualTo("ready");
      assertThat(ProcessMemory.ofTree(parent.toHandle()))
          .as("in kB")
          .isBetween(BYTES / 1024L, BYTES * 10L / 1024);
    } finally {
      parent.descendants().forEach(ProcessHandle::destroyForcibly);
      parent.destroyForcibly().waitFor();
    }
    assertThat(ProcessMemory.ofTree(parent.toHandle())).isZero();
  }
}
