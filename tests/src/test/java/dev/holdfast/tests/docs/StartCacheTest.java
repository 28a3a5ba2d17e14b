package dev.holdfast.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Setup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code holdfast cache}, with the flags that the launcher and the unit give to Java. */
@Outside(covers = {"systemd/java.options", "server/src/main/java/dev/holdfast/training"})
@Timeout(240)
class StartCacheTest {
  private static final int IO = 74;

  @TempDir static Path home;
  private static Path temporary;
  private static Path cache;
  private static Ended made;

  private record Ended(int code, String output) {}

  @BeforeAll
  static void make() throws Exception {
    temporary = Files.createDirectories(home.resolve("tmp"));
    cache = home.resolve("caches").resolve("holdfast.aot");
    made = run("cache", "--output", cache, "--seconds", "3");
  }

  @Test
  void aServerRunsFromTheCacheAndFromNoOther() {
    assertThat(made.code()).as(made.output()).isZero();
    assertThat(made.output()).contains("made: ", " MiB, " + cache);
    try (ServerRig rig = new ServerRig()) {
      options().forEach(rig.setup()::flag);
      rig.setup().flag("-XX:AOTMode=on").flag("-XX:AOTCache=" + cache); // else Java refuses to run
      rig.start();
      rig.converse("first", "t", "hello");
    }
  }

  @Test
  void nothingIsDoneWhileItIsCurrent() throws Exception {
    var before = Files.getLastModifiedTime(cache);
    Ended again = run("cache", "--output", cache, "--json");
    assertThat(again.code()).as(again.output()).isZero();
    assertThat(again.output()).contains("\"made\" : false");
    assertThat(Files.getLastModifiedTime(cache)).isEqualTo(before);
  }

  @Test
  void aCommandRunsFromACacheOfItsOwn() throws Exception {
    Path commands = home.resolve("commands").resolve("commands.aot");
    Ended ended = run("cache", "--commands", "--output", commands);
    assertThat(ended.code()).as(ended.output()).isZero();
    Path loaded = home.resolve("loaded");
    List<String> command = builder(temporary, "status", "--url", "http://127.0.0.1:1").command();
    command.addAll(
        1,
        List.of(
            "-XX:AOTMode=on", // else Java runs without
            "-XX:AOTCache=" + commands,
            "-Xlog:class+load:file=" + loaded));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    assertThat(process.inputReader().readAllAsString()).contains("no server is running");
    assertThat(process.waitFor()).isEqualTo(IO);
    assertThat(Files.readAllLines(loaded))
        .as("classes of libraries that the cache lacks")
        .noneMatch(line -> line.contains("source: file:") && !line.contains("dev.holdfast."));
  }

  @Test
  void nothingIsLeftOfTheTraining() throws IOException {
    try (Stream<Path> left = Files.list(temporary)) {
      assertThat(left.filter(file -> file.getFileName().toString().startsWith("holdfast")))
          .isEmpty();
    }
    try (Stream<Path> files = Files.list(cache.getParent())) {
      assertThat(files.map(Path::getFileName).map(Path::toString))
          .containsExactlyInAnyOrder("holdfast.aot", "holdfast.aot.stamp");
    }
  }

  @Test
  void aPlaceThatCannotBeWrittenIsSaid() throws Exception {
    byte[] old = Files.readAllBytes(Path.of(cache + ".stamp"));
    Ended ended = run("cache", "--output", Path.of("/proc/none/holdfast.aot"), "--seconds", "1");
    assertThat(ended.code()).as(ended.output()).isEqualTo(IO);
    assertThat(ended.output()).contains("/proc/none/holdfast.aot");
    assertThat(Files.readAllBytes(Path.of(cache + ".stamp"))).isEqualTo(old);
  }

  @Test
  void terminatedItEndsTheServerAndLeavesNothing() throws Exception {
    Path folder = Files.createDirectories(home.resolve("cut-off"));
    Path log = folder.resolve("log");
    Path other = folder.resolve("caches").resolve("holdfast.aot");
    Process process =
        builder(folder, "cache", "--output", other, "--seconds", "60")
            .redirectOutput(log.toFile())
            .start();
    List<ProcessHandle> servers = List.of();
    try {
      Await.until(
          "a server is trained, see " + log,
          Duration.ofSeconds(60),
          () -> {
            try (Stream<Path> files = Files.walk(folder)) {
              return files.anyMatch(file -> file.endsWith("data/token"));
            }
          });
      servers = process.descendants().toList();
      assertThat(servers).isNotEmpty();
      process.destroy();
      assertThat(process.waitFor(20, TimeUnit.SECONDS)).as("it ends").isTrue();
      assertThat(servers).noneMatch(ProcessHandle::isAlive);
      assertThat(Files.readString(log)).doesNotContain("\tat ");
      try (Stream<Path> left = Files.list(folder)) {
        assertThat(left.filter(file -> file.getFileName().toString().startsWith("holdfast")))
            .isEmpty();
      }
      assertThat(other.getParent()).isEmptyDirectory();
    } finally {
      process.destroyForcibly();
      servers.forEach(ProcessHandle::destroyForcibly);
    }
  }

  private static List<String> options() {
    try {
      return Files.readAllLines(Path.of("..", "systemd", "java.options")).stream()
          .filter(line -> line.startsWith("-"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ProcessBuilder builder(Path temporary, Object... arguments) {
    List<String> command = new ArrayList<>(List.of(Setup.java()));
    command.addAll(options());
    command.add("-Djava.io.tmpdir=" + temporary);
    command.addAll(List.of("-jar", Setup.jar().toString()));
    Stream.of(arguments).map(Object::toString).forEach(command::add);
    return new ProcessBuilder(command).directory(home.toFile()).redirectErrorStream(true);
  }

  private static Ended run(Object... arguments) throws Exception {
    Path log = Files.createTempFile(home, "log", "");
    Process process = builder(temporary, arguments).redirectOutput(log.toFile()).start();
    try {
      assertThat(process.waitFor(200, TimeUnit.SECONDS)).as(Files.readString(log)).isTrue();
      return new Ended(process.exitValue(), Files.readString(log));
    } finally {
      process.destroyForcibly();
    }
  }
}
