package dev.holdfast.tests.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Npm;
import dev.holdfast.tests.harness.ServerRig;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A script of this package that uses libraries of others and prints JSON. */
final class NodeClient implements AutoCloseable {
  private static final long SECONDS_MAX = 90;

  private final Path folder = ServerRig.newFolder("holdfast-node");
  private final String script;

  /** {@code libraries}: such as {@code name@1.2.3}. */
  NodeClient(String script, String... libraries) throws Exception {
    this.script = script;
    Npm.install(folder, libraries);
    try (InputStream in = NodeClient.class.getResourceAsStream("/programs/" + script)) {
      Files.write(folder.resolve(script), in.readAllBytes());
    }
  }

  JsonNode run(Map<String, String> variables, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("node", script));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().putAll(variables);
    Path out = folder.resolve("out.log");
    Path errors = folder.resolve("errors.log");
    Process process = builder.redirectOutput(out.toFile()).redirectError(errors.toFile()).start();
    boolean hasEnded = process.waitFor(SECONDS_MAX, TimeUnit.SECONDS);
    process.destroyForcibly();
    assertThat(hasEnded).as(Files.readString(errors)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(errors)).isZero();
    return Json.read(Files.readString(out));
  }

  @Override
  public void close() {
    ServerRig.delete(folder);
  }
}
