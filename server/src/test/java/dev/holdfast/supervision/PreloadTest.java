package dev.holdfast.supervision;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PreloadTest {
  /** The JVM never lets go of two threads that initialize two classes of each other. */
  @Test
  void whoReadsTimeZonesMeanwhileIsNotHeldUpForEver() throws Exception {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Djava.time.zone.DefaultZoneRulesProvider=" + SlowZones.class.getName(),
            "-cp",
            System.getProperty("java.class.path"),
            ZonesAtOnce.class.getName());
    Process process = new ProcessBuilder(command).inheritIO().start();
    try {
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("it ends").isTrue();
      assertThat(process.exitValue()).isZero();
    } finally {
      process.destroyForcibly();
    }
  }
}
