package dev.holdfast.supervision;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
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
  private volatile String output = "";

  @ParameterizedTest
  @ValueSource(strings = {"heap", "direct", "virtual", "wrapped"})
  void everyWayToRunOutOfMemoryEndsTheProcessWith3(String way) throws Exception {
    assertThat(run(List.of(), way)).isEqualTo(3);
    assertThat(output.lines())
        .containsOnlyOnce("holdfast: out of memory; the server ends with status 3");
  }

  /** The pipe of its standard error is full before it has to say something. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void nobodyWhoDoesNotReadItsLastLinePreventsTheEnd() throws Exception {
    Process process = start(List.of(), "unread");
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(3);
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

  private int run(List<String> prefix, String way) throws Exception {
    Process process = start(prefix, way);
    Thread errors = Thread.ofVirtual().start(() -> output = text(process.getErrorStream()));
    String printed = text(process.getInputStream());
    errors.join();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    System.out.println(way + ": " + process.exitValue() + "\n" + printed + output); // in the report
    return process.exitValue();
  }

  private static String text(InputStream stream) {
    try {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Process start(List<String> prefix, String way) throws IOException {
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
    return new ProcessBuilder(command).start();
  }
}
