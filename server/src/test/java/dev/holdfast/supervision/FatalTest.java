package dev.holdfast.supervision;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Starts JVMs of its own, since what is tested ends them or poisons them. */
class FatalTest {
  @ParameterizedTest
  @ValueSource(strings = {"heap", "direct", "virtual", "wrapped"})
  void everyWayToRunOutOfMemoryEndsTheProcessWith3(String way) throws Exception {
    assertThat(run(List.of(), way)).isEqualTo(3);
  }

  @Test
  void anotherErrorEndsItsThreadOnly() throws Exception {
    assertThat(run(List.of(), "other")).isEqualTo(42);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void whatWasPreloadedSurvivesALackOfFileDescriptors() throws Exception {
    assertThat(run(List.of("sh", "-c", "ulimit -n 256; exec \"$@\"", "sh"), "descriptors"))
        .isEqualTo(42);
  }

  private static int run(List<String> prefix, String way) throws Exception {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx64m",
            "-XX:MaxDirectMemorySize=8m",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            OutOfResources.class.getName(),
            way));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    System.out.println(way + ": " + process.exitValue() + "\n" + output); // into the test's report
    return process.exitValue();
  }
}
