package dev.holdfast.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.Setup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher beside a jar, as it stands on a machine without the sources. Nothing is built here:
 * there are no sources to build, and no start-up cache is made.
 */
@Outside(
    covers = {"holdfast", "systemd/java.options"},
    needs = "bwrap:bubblewrap")
@Timeout(120)
class LauncherTest {
  private static final int UNAVAILABLE = 69;
  private static final String NOBODY = "65534";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** All that it needs of the system; a PATH with nothing else has neither a java nor a Maven. */
  private static final List<String> PROGRAMS =
      List.of("bash", "dirname", "head", "mkdir", "readlink", "rm", "sed");

  @TempDir Path home;

  private record Ended(int code, String output) {}

  @BeforeEach
  void install() throws IOException {
    Files.copy(Path.of("../holdfast"), launcher());
    assertThat(launcher().toFile().setExecutable(true)).isTrue();
    Path options = Path.of("systemd", "java.options");
    Files.createDirectories(home.resolve("systemd"));
    Files.copy(Path.of("..").resolve(options), home.resolve(options));
    Path folder = Files.createDirectories(home.resolve("server/target"));
    Files.createSymbolicLink(folder.resolve("holdfast.jar"), Setup.jar());
  }

  @Test
  void helpNamesTheCommandsAndWhatTheLauncherAddsToThem() throws Exception {
    Ended help = run(withJava(), launcher().toString(), "--help");
    assertThat(help.code()).as(help.output()).isZero();
    assertThat(help.output()).contains("run", "chat", "status", "HOLDFAST_JAVA_OPTS", "bench");
  }

  @Test
  void runSaysWhereTheChatIsAndWhereTheTokenAndTheDataLie() throws Exception {
    Setup ports = new Setup(home);
    Path config =
        Files.writeString(
            home.resolve("holdfast.yaml"),
            "http: {port: %d}\nmetrics: {port: %d}\n"
                .formatted(ports.httpPort(), ports.metricsPort()));
    Path data = home.resolve("data");
    Path log = home.resolve("log");
    Process server =
        builder(withJava(), launcher(), "run", "--config", config, "--data", data)
            .redirectOutput(log.toFile())
            .start();
    try {
      Await.until(
          "a welcome, or an end, in " + log,
          LIMIT,
          () -> Files.readString(log).contains("Models ") || !server.isAlive());
      assertThat(Files.readString(log))
          .containsPattern(
              "http://127\\.0\\.0\\.1:" + ports.httpPort() + "/chat\\s+\\(holdfast login-link ")
          .containsPattern("Token +" + data.resolve("token"))
          .containsPattern("Data +" + data + "\\s");
      assertThat(data.resolve("token")).exists();
    } finally {
      server.destroyForcibly().waitFor();
    }
    try (Stream<Path> files = Files.list(home.resolve("server/target"))) {
      assertThat(files.map(Path::getFileName).map(Path::toString)).containsExactly("holdfast.jar");
    }
  }

  @Test
  void withoutAJavaItSaysWhatToInstall() throws Exception {
    List<String> command = new ArrayList<>(List.of("bwrap", "--dev-bind", "/", "/"));
    Stream.of("/usr/lib/jvm", "/opt")
        .filter(folder -> Files.isDirectory(Path.of(folder)))
        .forEach(folder -> command.addAll(List.of("--tmpfs", folder)));
    assumeWorks(command);
    command.addAll(List.of(launcher().toString(), "run"));
    Ended ended = run(withoutJava(), command.toArray());
    assertThat(ended.output()).contains("no Java 25 found", "Install a JDK 25", "JAVA_HOME");
    assertThat(ended.code()).isEqualTo(UNAVAILABLE);
  }

  /** As that of root is to the user that the launcher of a package becomes. */
  @Test
  void aFileInAFolderThatTheUserMayNotReachIsRefusedAndNotWrittenElsewhere() throws Exception {
    Path jar = home.resolve("server/target/holdfast.jar");
    Files.delete(jar);
    Files.copy(Setup.jar(), jar);
    Path closed = Files.createDirectory(home.resolve("closed"));
    openToAll(home);
    List<String> command = List.of("bash", "-c", "cd closed && chmod 0 . && exec \"$@\"", "bash");
    List<Object> asOther = new ArrayList<>(command);
    if (isRoot()) {
      Commands.assumePresent("setpriv");
      asOther.addAll(List.of("setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"));
    }
    asOther.addAll(List.of(launcher(), "plugins", "new", "left-behind"));
    Ended ended = run(withJava(), asOther.toArray());
    openToAll(closed);
    assertThat(ended.output()).contains(closed.resolve("left-behind").toString());
    assertThat(ended.code()).as(ended.output()).isEqualTo(74);
  }

  private static boolean isRoot() {
    return System.getProperty("user.name").equals("root");
  }

  private static void openToAll(Path folder) throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  void rootBecomesTheOwnerOfTheDataThatIsNamed() throws Exception {
    Files.writeString(home.resolve("places"), "data=%s\n".formatted(home.resolve("installed")));
    Path fakes = Files.createDirectories(home.resolve("fakes"));
    script(fakes.resolve("id"), "echo 0");
    script(fakes.resolve("stat"), "echo \"owner-of-${!###*/}\"");
    script(fakes.resolve("runuser"), "echo \"$*\"");
    Map<String, String> environment = new HashMap<>(withJava());
    environment.merge("PATH", fakes.toString(), (path, first) -> first + ":" + path);
    assertThat(run(environment, launcher(), "backup", "x.zip").output())
        .startsWith("-u owner-of-installed --");
    assertThat(run(environment, launcher(), "backup", "x.zip", "--data", "/srv/other").output())
        .startsWith("-u owner-of-other --")
        .endsWith(" backup x.zip --data /srv/other\n");
  }

  @Test
  void whatIsNotAsciiArrivesWhereNoLocaleIsSet() throws Exception {
    Map<String, String> environment = new HashMap<>(withJava());
    for (String locale : List.of("", "C", "POSIX")) {
      environment.put("LC_ALL", locale);
      Ended ended = run(environment, launcher(), "plugins", "new", "Größe");
      assertThat(ended.output()).as("LC_ALL=%s", locale).contains("Größe");
    }
  }

  @Test
  void withoutTheFlagsOfJavaItSaysWhichFileIsMissing() throws Exception {
    Path options = home.resolve("systemd/java.options");
    Files.delete(options);
    Ended ended = run(withJava(), launcher(), "status");
    assertThat(ended.output()).contains("cannot read " + options);
    assertThat(ended.code()).isEqualTo(UNAVAILABLE);
  }

  @Test
  void withoutAJarAndWithoutMavenItSaysWhatToInstall() throws Exception {
    Files.delete(home.resolve("server/target/holdfast.jar"));
    Map<String, String> environment = new HashMap<>(withoutJava());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    Ended ended = run(environment, launcher(), "run");
    assertThat(ended.output()).contains("cannot build", "Install Maven");
    assertThat(ended.code()).isEqualTo(UNAVAILABLE);
  }

  /** As JAVA_TOOL_OPTIONS and {@code -Xlog} do, which Java does not count among its flags. */
  @Test
  void theStartCacheIsMadeOnceWhateverFlagsJavaIsGiven() throws Exception {
    Map<String, String> environment = withFakeJava();
    environment.put("HOLDFAST_JAVA_OPTS", "-Xlog:gc -agentlib:none");
    environment.put("JAVA_TOOL_OPTIONS", "-Dfrom.elsewhere=1");
    Ended built = run(environment, launcher(), "build");
    assertThat(built.output()).doesNotContain("no start-up cache");
    assertThat(built.code()).as(built.output()).isZero();
    run(environment, launcher(), "build");
    assertThat(trainings()).hasSize(1);
    run(environment, launcher(), "run");
    assertThat(calls().getLast())
        .containsSubsequence("-XX:AOTCache=" + cache(), "-Xlog:disable", "-Xlog:gc", " run");
    assertThat(trainings()).hasSize(1);
  }

  /** An upgrade may bring a jar that is older than the cache; Java ignores that in silence. */
  @Test
  void aStartCacheOfAnotherJarJavaOrSetOfFlagsIsMadeAnew() throws Exception {
    Path jar = home.resolve("server/target/holdfast.jar");
    Files.delete(jar);
    Files.writeString(jar, "one");
    Map<String, String> environment = withFakeJava();
    run(environment, launcher(), "build");
    Files.writeString(jar, "another");
    Files.setLastModifiedTime(jar, FileTime.from(Instant.parse("2001-01-01T00:00:00Z")));
    run(environment, launcher(), "run");
    assertThat(calls().getLast()).doesNotContain("-XX:AOTCache");
    run(environment, launcher(), "build");
    assertThat(trainings()).as("another jar").hasSize(2);
    updateFakeJava("25.0.2+1");
    run(environment, launcher(), "build");
    assertThat(trainings()).as("another Java").hasSize(3);
    environment.put("HOLDFAST_JAVA_OPTS", "-Xmx2g");
    run(environment, launcher(), "build");
    assertThat(trainings()).as("other flags").hasSize(4);
    run(environment, launcher(), "run");
    assertThat(calls().getLast()).contains("-XX:AOTCache=" + cache());
  }

  @Test
  void aStartCacheThatCouldNotBeMadeIsTriedAgainAfterAnUpdateOfJavaAlone() throws Exception {
    Map<String, String> environment = withFakeJava();
    environment.put("CACHE_EXIT", "1");
    assertThat(run(environment, launcher(), "build").output())
        .contains("no start-up cache could be made, the server runs without: it failed");
    run(environment, launcher(), "run");
    assertThat(trainings()).as("a start does not repeat it").hasSize(1);
    environment.remove("CACHE_EXIT");
    run(environment, launcher(), "build");
    assertThat(trainings()).as("a build does").hasSize(2);
    updateFakeJava("25.0.2+1");
    run(environment, launcher(), "run");
    Path madeFor = home.resolve("server/target/holdfast.aot.key");
    Await.until(
        "a start makes it anew", LIMIT, () -> Files.readString(madeFor).contains("25.0.2+1"));
    assertThat(trainings()).hasSize(3);
  }

  @Test
  void aStartCacheThatWasCutOffIsTriedAgain() throws Exception {
    Map<String, String> environment = withFakeJava();
    environment.put("CACHE_EXIT", "143");
    run(environment, launcher(), "build");
    run(environment, launcher(), "run");
    Await.until("a start tries it again", LIMIT, () -> trainings().size() == 2);
  }

  private Map<String, String> withFakeJava() throws IOException {
    Path java = Files.createDirectories(home.resolve("java/bin")).resolve("java");
    script(
        java,
        """
        echo "$*" >>"$HOME/java-calls"
        [[ " $* " == *" cache --output "* ]] || exit 0
        if [ -n "${CACHE_EXIT:-}" ]; then echo "it failed" >&2; exit "$CACHE_EXIT"; fi
        echo cache >"${!#}"
        """);
    updateFakeJava("25.0.1+8");
    Map<String, String> environment = new HashMap<>();
    environment.put("PATH", System.getenv("PATH"));
    environment.put("HOME", home.toString());
    environment.put("JAVA_HOME", home.resolve("java").toString());
    return environment;
  }

  private void updateFakeJava(String version) throws IOException {
    Files.writeString(
        home.resolve("java/release"),
        "JAVA_VERSION=\"25\"\nJAVA_RUNTIME_VERSION=\"%s\"\n".formatted(version));
  }

  private List<String> calls() throws IOException {
    return Files.readAllLines(home.resolve("java-calls"));
  }

  private List<String> trainings() throws IOException {
    return calls().stream().filter(call -> call.contains(" cache --output ")).toList();
  }

  private Path cache() {
    return home.resolve("server/target/holdfast.aot");
  }

  @Test
  void whatTestsNeedIsInstalledAlsoWhenTheListsOfPackagesAreStale() throws Exception {
    Path fakes = fakesOfAMachineWithoutNeeds();
    script(
        fakes.resolve("apt-get"),
        """
        echo "$*" >>"$HOME/apt-calls"
        [[ $* == *update* || -f $HOME/updated ]] || exit 100 # what it knows is stale
        case "$*" in
          *update*) : >"$HOME/updated" ;;
          *" nodejs") printf '#!/bin/sh\\necho 22\\n' >"$HOME/bin/node" && chmod +x "$HOME/bin/node" ;;
          *strace) printf '#!/bin/sh\\n' >"$HOME/bin/strace" && chmod +x "$HOME/bin/strace" ;;
          *) exit 100 ;;
        esac
        """);
    Ended ended = run(needsEnvironment(fakes), launcher(), "test");
    List<String> calls = Files.readAllLines(home.resolve("apt-calls"));
    assertThat(calls).allMatch(call -> call.startsWith("-o DPkg::Lock::Timeout=120 "));
    assertThat(calls).filteredOn(call -> call.contains("update")).hasSize(1);
    assertThat(calls).filteredOn(call -> call.endsWith(" strace")).as("tried again").hasSize(2);
    assertThat(ended.output())
        .contains("missing: npm; tests that need it are skipped. To install it: apt-get update && ")
        .contains("could not install npm; it says why in")
        .doesNotContain("missing: node;", "missing: strace");
  }

  @Test
  void whoIsNotRootIsToldWhatTestsNeed() throws Exception {
    Path fakes = fakesOfAMachineWithoutNeeds();
    script(fakes.resolve("id"), "echo 1000");
    Ended ended = run(needsEnvironment(fakes), launcher(), "test");
    assertThat(ended.output()).contains("missing: strace", "apt-get install strace");
    assertThat(home.resolve("apt-calls")).doesNotExist();
  }

  private Path fakesOfAMachineWithoutNeeds() throws Exception {
    Path fakes = Files.createDirectories(home.resolve("bin"));
    for (String program :
        List.of("chmod", "cp", "find", "grep", "mv", "sleep", "sort", "timeout", "tr", "wc")) {
      Files.createSymbolicLink(fakes.resolve(program), find(program));
    }
    script(fakes.resolve("id"), "echo 0");
    script(fakes.resolve("mvn"), "exit 1");
    return fakes;
  }

  private static void script(Path file, String body) throws IOException {
    Files.writeString(file, "#!/bin/bash\n" + body);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private Map<String, String> needsEnvironment(Path fakes) throws IOException {
    Map<String, String> environment = new HashMap<>(withoutJava());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.merge("PATH", fakes.toString(), (path, first) -> first + ":" + path);
    return environment;
  }

  private Path launcher() {
    return home.resolve("holdfast");
  }

  private Map<String, String> withJava() {
    return Map.of(
        "PATH", System.getenv("PATH"),
        "HOME", home.toString(),
        "JAVA_HOME", System.getProperty("java.home"),
        "HOLDFAST_AOT", "off",
        "HOLDFAST_JAVA_OPTS", "-XX:TieredStopAtLevel=1");
  }

  private Map<String, String> withoutJava() throws IOException {
    Path bin = Files.createDirectories(home.resolve("bin"));
    for (String program : PROGRAMS) {
      Files.createSymbolicLink(bin.resolve(program), find(program));
    }
    return Map.of("PATH", bin.toString(), "HOME", home.toString());
  }

  private static Path find(String program) {
    return Stream.of(System.getenv("PATH").split(":", -1))
        .map(folder -> Path.of(folder, program))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(() -> new AssertionError(program + " is not on the PATH"));
  }

  /** A folder that cannot be hidden would show its Java, and the test would prove nothing. */
  private void assumeWorks(List<String> bwrap) throws IOException, InterruptedException {
    Commands.assumePresent("bwrap");
    List<String> command = new ArrayList<>(bwrap);
    command.add(find("true").toString());
    Ended ended = run(Map.of("PATH", System.getenv("PATH")), command.toArray());
    Assumptions.assumeTrue(ended.code() == 0, "bwrap cannot hide a folder: " + ended.output());
  }

  private Ended run(Map<String, String> environment, Object... command)
      throws IOException, InterruptedException {
    Path log = Files.createTempFile(home, "log", "");
    Process process = builder(environment, command).redirectOutput(log.toFile()).start();
    try {
      assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS))
          .as("ended: %s", Files.readString(log))
          .isTrue();
      return new Ended(process.exitValue(), Files.readString(log));
    } finally {
      process.destroyForcibly();
    }
  }

  private ProcessBuilder builder(Map<String, String> environment, Object... command) {
    ProcessBuilder builder =
        new ProcessBuilder(Stream.of(command).map(Object::toString).toList())
            .directory(home.toFile())
            .redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(environment);
    return builder;
  }
}
