package dev.holdfast.tests.install;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.docs.PageCommands;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The steps of the Containerfile, carried out without a container engine: in a Debian that can be
 * thrown away, then as the engine runs an image with {@code --read-only}, with a network that is
 * its own.
 */
@Outside(
    covers = {
      "Containerfile",
      "packaging",
      "systemd",
      "holdfast",
      "docs/install.md",
      "tests/src/test/java/dev/holdfast/tests/install"
    },
    needs = "bwrap:bubblewrap")
@Timeout(240)
class ContainerfileTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final String TOKEN = "HOLDFAST_TOKEN=a-token-of-this-test";
  private static final int CONFIGURATION = 78;

  /** One instruction and the rest of its line. */
  private record Step(String name, String words) {}

  @Test
  void itsStepsMakeAnImageThatAnswers() throws Exception {
    Commands.assumeRoot();
    Commands.assumePresent("bwrap");
    List<Step> steps = steps();
    assertThat(steps.getFirst()).isEqualTo(new Step("FROM", "debian:bookworm-slim"));
    Path folder = ServerRig.newFolder("holdfast-container");
    Path log = folder.resolve("log");
    try (DebianRoot debian = new DebianRoot()) {
      build(debian, steps);
      List<String> command = new ArrayList<>(words(one(steps, "ENTRYPOINT")));
      command.addAll(words(one(steps, "CMD")));

      DebianRoot.Ended refused = DebianRoot.end(container(debian, steps, List.of(), command));
      assertThat(refused.code()).as(refused.output()).isEqualTo(CONFIGURATION);
      assertThat(refused.output()).contains("HOLDFAST_TOKEN");

      Process server =
          container(debian, steps, List.of(TOKEN), command).redirectOutput(log.toFile()).start();
      String check = one(steps, "HEALTHCHECK");
      List<String> health = words(check.substring(check.indexOf("CMD ") + 4));
      Await.until(
          "the health check succeeds",
          LIMIT,
          () -> {
            assertThat(server.isAlive()).as(Files.readString(log)).isTrue();
            return DebianRoot.end(beside(server, health)).code() == 0;
          });
      assertThat(DebianRoot.end(beside(server, List.of("id", "-u"))).output()).isNotEqualTo("0\n");
      DebianRoot.Ended answer =
          DebianRoot.end(beside(server, List.of("holdfast", "chat", "hello")));
      assertThat(answer.output()).contains("echo: hello");
      DebianRoot.Ended link = DebianRoot.end(beside(server, commandsOfThePage(steps)));
      assertThat(link.output()).as("the page's command").contains("http://127.0.0.1:8080/");
      server.descendants().forEach(ProcessHandle::destroy);
      assertThat(server.waitFor(40, TimeUnit.SECONDS)).as("it stops").isTrue();
    } finally {
      ServerRig.delete(folder);
    }
  }

  /**
   * The options of {@code podman run} in docs/install.md fit the image. Returns the command that
   * the page runs in the container.
   */
  private static List<String> commandsOfThePage(List<Step> steps) throws IOException {
    String page =
        PageCommands.of("install.md").blocks().stream()
            .filter(block -> block.contains("podman run "))
            .findFirst()
            .orElseThrow();
    String port = one(steps, "EXPOSE");
    assertThat(page)
        .contains("--read-only --tmpfs /tmp ")
        .contains(":" + one(steps, "VOLUME") + " ")
        .contains(":" + port + ":" + port + " ")
        .contains("--env " + TOKEN.substring(0, TOKEN.indexOf('=')) + "=");
    String name = "podman exec holdfast ";
    String command = page.substring(page.indexOf(name) + name.length());
    return List.of(command.strip().split(" ", -1));
  }

  private static List<Step> steps() throws IOException {
    return Files.readAllLines(DebianPackage.ROOT.resolve("Containerfile")).stream()
        .filter(line -> !line.isBlank() && !line.startsWith("#"))
        .map(line -> line.split(" ", 2))
        .map(parts -> new Step(parts[0], parts[1]))
        .toList();
  }

  private static String one(List<Step> steps, String name) {
    List<Step> found = steps.stream().filter(step -> step.name().equals(name)).toList();
    assertThat(found).as(name).hasSize(1);
    return found.getFirst().words();
  }

  private static List<String> words(String json) throws IOException {
    return StreamSupport.stream(Json.read(json).spliterator(), false)
        .map(JsonNode::asText)
        .toList();
  }

  private static void build(DebianRoot debian, List<Step> steps) throws Exception {
    for (Step step : steps) {
      switch (step.name()) {
        case "COPY" -> {
          String[] names = step.words().split(" ", -1);
          copy(names[0], debian.file(names[1]));
        }
        case "RUN" -> debian.run("sh", "-c", step.words());
        case "FROM",
            "USER",
            "WORKDIR",
            "VOLUME",
            "ENV",
            "EXPOSE",
            "HEALTHCHECK",
            "STOPSIGNAL",
            "ENTRYPOINT",
            "CMD" -> {} // they say how it is run
        default -> throw new AssertionError("unknown: " + step);
      }
    }
  }

  /** The package is the only file with a wildcard. */
  private static void copy(String source, Path target) throws Exception {
    Path file =
        source.contains("*") ? DebianPackage.build("1") : DebianPackage.ROOT.resolve(source);
    Path to = Files.isDirectory(target) ? target.resolve(file.getFileName().toString()) : target;
    Files.copy(file, to, StandardCopyOption.REPLACE_EXISTING);
  }

  private static ProcessBuilder container(
      DebianRoot debian, List<Step> steps, List<String> environment, List<String> command) {
    String data = one(steps, "VOLUME");
    assertThat(one(steps, "WORKDIR")).isEqualTo(data);
    List<String> words = new ArrayList<>(List.of("env", "-i", "PATH=/usr/bin:/bin"));
    words.add("JDK_JAVA_OPTIONS=-XX:TieredStopAtLevel=1");
    words.add(one(steps, "ENV"));
    words.addAll(environment);
    List<String> confined = new ArrayList<>(debian.confined(one(steps, "USER"), data));
    confined.add(1, "--unshare-net");
    words.addAll(confined);
    words.addAll(command);
    return debian.outside(words.toArray(String[]::new));
  }

  /** As the engine runs a command in a container that runs. */
  private static ProcessBuilder beside(Process server, List<String> command) {
    long java =
        server
            .descendants()
            .filter(process -> process.info().command().orElse("").endsWith("/bin/java"))
            .mapToLong(ProcessHandle::pid)
            .findFirst()
            .orElse(server.pid());
    List<String> words =
        new ArrayList<>(
            List.of(
                "nsenter",
                "--target",
                Long.toString(java),
                "--net",
                "--mount",
                "--pid",
                "setpriv",
                "--reuid",
                "holdfast",
                "--regid",
                "holdfast",
                "--init-groups",
                "env",
                "-i",
                "PATH=/usr/bin:/bin",
                "HOLDFAST_AOT=off",
                "JDK_JAVA_OPTIONS=-XX:TieredStopAtLevel=1",
                TOKEN));
    words.addAll(command);
    return new ProcessBuilder(words).redirectErrorStream(true);
  }
}
