package dev.holdfast.tests.install;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Setup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Calls the scripts behind {@code ./holdfast package} and {@code install} with what was built. */
final class DebianPackage {
  static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private DebianPackage() {}

  /** Shared by all tests of a run, so that its Java is made once; gone with the run. */
  private static final class Made {
    static final Path FOLDER = ServerRig.newFolder("holdfast-packages");

    static {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> ServerRig.delete(FOLDER)));
    }
  }

  /** The package as a file of this machine. Of another revision it is another. */
  static synchronized Path build(String revision) throws IOException, InterruptedException {
    Optional<Path> built = find(revision);
    if (built.isPresent()) {
      return built.get();
    }
    DebianRoot.Ended ended =
        DebianRoot.end(
            script(
                "package.sh",
                "package",
                "--output",
                Made.FOLDER.toString(),
                "--revision",
                revision));
    assertThat(ended.code()).as(ended.output()).isZero();
    return find(revision).orElseThrow();
  }

  static Path folder() {
    return Made.FOLDER;
  }

  private static Optional<Path> find(String revision) throws IOException {
    try (Stream<Path> files = Files.list(Made.FOLDER)) {
      return files
          .filter(file -> file.getFileName().toString().matches(".*-" + revision + "_.*\\.deb"))
          .findFirst();
    }
  }

  /** One of the scripts, with what the launcher tells it. */
  static ProcessBuilder script(String name, String... arguments) {
    List<String> command =
        Stream.concat(
                Stream.of(ROOT.resolve("packaging").resolve(name).toString()), Stream.of(arguments))
            .toList();
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment());
    return builder;
  }

  static Map<String, String> environment() {
    return Map.of(
        "HOLDFAST_HOME",
        ROOT.toString(),
        "HOLDFAST_JAR",
        Setup.jar().toString(),
        "HOLDFAST_PLUGINS",
        plugins().toString(),
        "JAVA_HOME",
        System.getProperty("java.home"));
  }

  /** All that the scripts read. */
  static Path[] sources() throws IOException {
    return new Path[] {
      ROOT,
      Setup.jar().getParent(),
      plugins().toRealPath(),
      Path.of(System.getProperty("java.home"))
    };
  }

  /** Where the build puts the bundled ones. */
  static Path plugins() {
    return Setup.jar().resolve("../../../plugins/bundled").normalize();
  }
}
