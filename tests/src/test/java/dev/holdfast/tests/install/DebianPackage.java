package dev.holdfast.tests.install;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Setup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

  /** The folder of the sources as a build leaves it, with what takes long to make, the Java. */
  static void copyBuilt(Path folder) throws IOException, InterruptedException {
    Path _ = build("1");
    copy(
        folder,
        Stream.of(
                "holdfast",
                "pom.xml",
                "LICENSE",
                "README.md",
                "CHANGELOG.md",
                "conf",
                "docs",
                "packaging",
                "systemd")
            .map(ROOT::resolve)
            .toArray(Path[]::new));
    copy(folder.resolve("target"), ROOT.resolve("target/bom.json"));
    copy(folder.resolve("server/target"), Setup.jar());
    copy(folder.resolve("plugins"), plugins().toRealPath());
    Path made = Made.FOLDER.resolve("package");
    copy(folder.resolve("target/package"), made.resolve("runtime"), made.resolve("runtime.key"));
  }

  private static void copy(Path folder, Path... from) throws IOException {
    Files.createDirectories(folder);
    List<String> command = new ArrayList<>(List.of("cp", "--archive"));
    Stream.of(from).map(Path::toString).forEach(command::add);
    command.add(folder.toString());
    String _ = Commands.run(command.toArray(String[]::new));
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
        java().toString());
  }

  static Path java() {
    return Path.of(System.getProperty("java.home"));
  }

  /** All that the scripts read. */
  static Path[] sources() throws IOException {
    return new Path[] {ROOT, Setup.jar().getParent(), plugins().toRealPath(), java()};
  }

  /** Where the build puts the bundled ones. */
  static Path plugins() {
    return Setup.jar().resolve("../../../plugins/bundled").normalize();
  }
}
